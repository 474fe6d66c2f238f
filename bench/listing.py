"""What `atoll dis` and `atoll asm` take for a section of a hundred thousand Maxwell instructions, and nvdisasm beside
them."""
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "kernels"
ENOUGH = 1 << 20  # bytes of code
LINE = re.compile(r"^        /\*[0-9a-f]+\*/", re.M)
# Calls, tables of targets and addresses of other sections cannot be repeated without the rest of their module.
ELSEWHERE = re.compile(r"\b(CAL|JCAL|RET|PRET|BRX|LEPC)\b|@lo|@hi|`\((?!\.L_x_)")
AGAIN = 5  # runs of a fast program for one of a slow one


def bodies(cli):
    """The code of the test kernels that stand for themselves, with control bits."""
    for path in sorted(KERNELS.glob("*.sm_50.cubin")):
        text = subprocess.run([cli, "dis", "-c", "--control", path], capture_output=True, text=True, check=True).stdout
        for section in re.split(r"^//-+ (?=\.)", text, flags=re.M)[1:]:
            code = "\n".join(line for line in section.split("\n") if re.match(r"\.L_x_\d+:|        /\*", line))
            if section.startswith(".text.") and not ELSEWHERE.search(code):
                yield code


def make(cli, scratch):
    """A cubin with a megabyte of code in one section, and its instructions: the bodies over and over, each a function,
    as a disassembler may leave out what nothing reaches, and may take minutes over a function of this size."""
    parts, out, count = list(bodies(cli)), [".kernel many"], 0
    while count // 3 * 32 < ENOUGH:  # three instructions and their control bits
        for part in parts:
            name = f"part{len(out)}"
            if count:
                out.append(f"        .type           {name},@function\n        .size           {name},(.L_{name} - {name})\n"
                           f"{name}:")
            out.append(part.replace(".L_x_", f".L_{name}_") + (f"\n.L_{name}:" if count else ""))
            count += len(LINE.findall(part))
    source, cubin = scratch / "many.sass", scratch / "many.cubin"
    source.write_text("\n".join(out) + "\n", encoding="utf-8")
    subprocess.run([cli, "asm", source, "-o", cubin], check=True)
    return cubin


def find_nvdisasm():
    """(program, release) or (None, why there is none)."""
    program = os.environ.get("ATOLL_NVDISASM") or shutil.which("nvdisasm")
    if not program:
        return None, "nvdisasm is not installed"
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return None, f"{program} cannot be run"
    release = re.search(r"release (1[12]\.\d+)", said)  # later ones do not read Maxwell code
    return (program, release[1]) if release else (None, "nvdisasm is of another release than 11 and 12")


class Job:
    """One row: a command that reads `source`, its output, and what it took."""

    def __init__(self, name, command, output, count, unit, peer=None, again=1):
        self.name, self.command, self.output, self.count, self.unit = name, command, output, count, unit
        self.peer, self.again = peer, again
        self.wall, self.cpu = [], []

    def run(self):
        with open(self.output, "wb") as out:
            began = time.monotonic()
            child = subprocess.Popen(self.command, stdout=out)
            _, status, usage = os.wait4(child.pid, 0)
            wall = time.monotonic() - began
        child.returncode = status
        if status:
            raise RuntimeError(f"{self.name}: status {status}")
        self.wall.append(wall * 1e3)
        self.cpu.append((usage.ru_utime + usage.ru_stime) * 1e3)

    def row(self, number):
        wall, cpu = statistics.median(self.wall), statistics.median(self.cpu)
        ratios = ["-", "-"]
        if self.peer:
            ratios = [number(statistics.median(self.peer.wall) / wall), number(statistics.median(self.peer.cpu) / cpu)]
        rates = [number(self.count / ms / 1e3) if self.unit else "-" for ms in (wall, cpu)]
        return [f"`{self.name}`", number(wall), number(cpu), *rates, self.unit or "-", *ratios]


def jobs_of(cli, cubin, scratch, nvdisasm, release):
    """The rows, in their order, and pairs of outputs that must be the same."""
    plain, control = scratch / "plain.sass", scratch / "control.sass"
    for options, text in ((["-c"], plain), (["--control"], control)):
        subprocess.run([cli, "dis", *options, cubin, "-o", text], check=True)
    lines = {text: text.read_bytes().count(b"\n") for text in (plain, control)}
    count = len(LINE.findall(plain.read_text(encoding="utf-8")))
    jobs, same = [], []

    def add(name, program, arguments, result, *rest, **options):
        jobs.append(Job(name, [str(a) for a in (program, *arguments)], scratch / result, *rest, **options))
        return jobs[-1]

    listing = [("", ["-c"], ["-c"]), (" --no-dataflow", ["-c", "--no-dataflow"], ["-c", "-ndf"])]
    for name, mine, theirs in listing:
        key = "flow" if not name else "plain"
        peer = None
        if nvdisasm:
            peer = add(f"nvdisasm {' '.join(theirs)}", nvdisasm, [*theirs, cubin], f"theirs.{key}", count, None)
        add(f"atoll dis -c{name}", cli, ["dis", *mine, cubin], f"mine.{key}", count, "instructions", peer, AGAIN)
    if nvdisasm and release.startswith("11"):  # the one whose text is written
        same.append((scratch / "mine.plain", scratch / "theirs.plain"))
    add("atoll dis --control", cli, ["dis", "--control", cubin], "mine.control", count, "instructions", again=AGAIN)
    for text, name in ((plain, "dis -c"), (control, "dis --control")):
        add(f"atoll asm (of {name})", cli, ["asm", text, "-o", scratch / "again.cubin"], "said", lines[text], "lines",
            again=AGAIN)
    return jobs, same, count


def table(cli, scratch, rounds, row, number):
    """Lines of markdown."""
    cli, scratch = pathlib.Path(cli), pathlib.Path(scratch)
    if not cli.exists():
        return ["Listings: skipped, atoll is not built."]
    nvdisasm, release = find_nvdisasm()
    cubin = make(cli, scratch)
    jobs, same, count = jobs_of(cli, cubin, scratch, nvdisasm, release)
    for turn in range(rounds):
        for job in jobs:
            for _ in range(job.again):
                job.run()
        print(f"listings: round {turn + 1} of {rounds} done", file=sys.stderr)
    beside = f"nvdisasm {release}, once a round." if nvdisasm else f"Ratios skipped: {release}."
    if any(mine.read_bytes() != theirs.read_bytes() for mine, theirs in same):
        beside += " **The texts of `-c -ndf` differ: the times are not of the same work.**"
    elif same:
        beside += " The texts of `-c -ndf` are the same."
    lines = [f"{count} instructions in one section; whole processes that write a file; medians of {rounds} interleaved "
             f"rounds, atoll {AGAIN} times in each. {beside}", "",
             row(["command", "wall ms", "CPU ms", "millions a second, wall", "of CPU", "of", "nvdisasm / atoll, wall",
                  "CPU"]), row(["---"] * 8)]
    return lines + [row(job.row(number)) for job in jobs]
