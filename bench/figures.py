"""What is not a time of a workload: memory, how time grows with the grid and shrinks with host threads, start-up.

Each row says how it is measured, so that it can be repeated by hand."""
import os
import pathlib
import struct
import zlib

import executors
from tables import head, judged, number, row, trivial

MB = 1e6


def write_png(path, side):
    """A picture of side * side rgba8 pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(1)
    rows = (b"\0" + bytes((7 * x + y) & 255 for x in range(256)) * (side // 64) for y in range(side))
    data = b"".join(packer.compress(line) for line in rows) + packer.flush()
    parts = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)), chunk(b"IDAT", data), chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))


def copy_memory(cli, scratch):
    """W1's kernel on a picture: rgba8 texels are its words."""
    source, target = pathlib.Path(scratch) / "in.png", pathlib.Path(scratch) / "out.png"
    write_png(source, 4096)
    got = executors.process([str(cli), "run", str(executors.HERE / "w1.ptx"), "-k", "w1(src, dst, w, h)", "-a", f"src=surface:{source}", "-a",
                             "dst=surface:rgba8unorm:4096x4096", "-s", f"dst={target}", "-q", "--no-cache"], count=1)
    cell, _ = judged(got and got[2] / MB, 250, True)
    yield ("copy of a 4096 x 4096 rgba8 picture, PNG to PNG: most memory, MB", cell,
           "`/usr/bin/time -v build/atoll run bench/w1.ptx -k 'w1(src, dst, w, h)' -a src=surface:in.png "
           "-a dst=surface:rgba8unorm:4096x4096 -s dst=out.png`")


def grid_memory(cli):
    """W6 needs 32 words a block besides what warps need."""
    cells = []
    for blocks in (4096, 65536):
        got = executors.process([str(cli), "run", str(executors.HERE / "w6.ptx"), "-g", str(blocks), "-b", "128", "-a",
                                 f"0=buffer:u32[{32 * blocks}]", "-q", "--no-cache"], count=1)
        cells.append(number(got and (got[2] - 128 * blocks) / MB))
    yield ("W6, 4096 and 65536 blocks: most memory besides the buffer, MB (resident warps alone count)", ", ".join(cells),
           "`/usr/bin/time -v build/atoll run bench/w6.ptx -g 65536 -b 128 -a '0=buffer:u32[2097152]'`")


def growth(build, options, key):
    """Times at 1, 2, 4 and 8 times the grid over 1, 2, 4 and 8 times the first."""
    mine = executors.atoll(build)
    for work, sizes in (("w1", (1448, 2048, 2896, 4096)), ("w8", (1 << 17, 1 << 18, 1 << 19, 1 << 20))):
        got = [mine.best(work, size, options.threads, options.reps, options.rounds, key) for size in sizes]
        if not all(got):
            continue
        each = [getattr(g, key) / g.invocations for g in got]
        yield (f"{work.upper()}, {sizes[0]} to {sizes[-1]}: time for each thread at 1, 2, 4, 8 times the grid, the first being 1",
               ", ".join(number(e / each[0]) for e in each), f"`build/bench/atoll_bench {work} --size {sizes[0]}` ... `{sizes[-1]}`")


def two_threads(build, options):
    """Wall time of one host thread over that of two; a busy machine does not tell."""
    if options.cpu:
        return
    mine = executors.atoll(build)
    for work in ("w8", "w8f"):
        best = {1: None, 2: None}
        for _ in range(max(options.rounds, 2)):
            best = {n: mine.best(work, executors.SIZES[work][0], n, options.reps, 1, "wall", old) for n, old in best.items()}
        if all(best.values()):
            yield (f"{work.upper()}: time of one host thread over that of two", judged(best[1].wall / best[2].wall, 1.9, False)[0],
                   f"`build/bench/atoll_bench {work} --threads 1` and `2`")


def fresh(cli):
    """A process of a user: reading, launching, ending; and one that opens LLVM and compiles nothing."""
    env = dict(os.environ)
    rest, trivially, opening = (executors.process(command, env, 25) for command in (["true"], trivial(cli), [str(cli), "version"]))
    if trivially:
        yield ("trivial kernel in a fresh process: CPU ms", judged(trivially[0], 2, True)[0],
               "`perf stat -r 25 build/atoll run bench/w0.ptx --grid 1 --block 32 --arg 'w0_param_0=buffer:u32[32]'`")
    if opening:
        yield "opening LLVM, without compiling: CPU ms", number(opening[0] - rest[0]), "`perf stat -r 25 build/atoll version`, less `true`"


def table(build, scratch, options):
    """Lines of markdown."""
    key, cli = "cpu" if options.cpu else "wall", build / "atoll"
    if not cli.exists() or not executors.atoll(build).program.exists():
        return ["Figures: skipped, atoll or atoll_bench is not built."]
    rows = [*copy_memory(cli, scratch), *grid_memory(cli), *growth(build, options, key), *two_threads(build, options), *fresh(cli)]
    return [f"{options.threads} host threads where nothing else is said; times are {'CPU' if options.cpu else 'wall'} time of compiled code. "
            "Goals in brackets.", "", *head("figure", "measured", "by hand"), *(row(r) for r in rows)]
