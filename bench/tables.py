"""Tables of markdown of what bench/run measured."""
import os
from statistics import median

import executors

# Of compiled code: at most this many times plain C's time (literal); at least this many times as fast as lavapipe, PoCL.
GOALS = {"w1": (1.3, 7, 2), "w2": (1.6, 7, 7), "w2b": (2.5, 7, 10), "w3": (0.35, 4, 3), "w4": (0.06, 15, 15), "w5": (0.35, 4, 3),
         "w6": (0.5, 6, 2), "w7": (3, 40, 12), "w8": (1.2, 7, 30), "w8f": (0.8, 3.5, 8), "w9": (3, None, None), "w10": (3, None, None)}
FAMILY_GOAL = 1.3  # times PTX's time
COMPILE_GOALS = {"w1": 15, "w2b": 40}  # ms
COMPILES = 3  # processes
# Variants of atoll_bench: column, suffix of the file.
FAMILIES = [("sass", "machine code", ".sm_50.cubin"), ("visa16", "vISA, 16 channels", ".simd16.visaasm"),
            ("visa32", "vISA, 32 channels", ".simd32.visaasm"), ("ctm", "CTM", ".dpp"), ("ctm4", "CTM, float4", ".float4.dpp")]


def number(value):
    return "-" if value is None else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def head(*names):
    return [row(names), row(["---"] * len(names))]


def ratio(a, b):
    return a / b if a and b else None


def judged(value, goal, most):
    """A cell with its goal, and whether that is met; None where there is nothing to judge."""
    if value is None or goal is None:
        return number(value), None
    met = value <= goal if most else value >= goal
    return f"{number(value)} ({'<=' if most else '>='} {goal:g}){'' if met else ' **no**'}", met


def works(best, columns, names):
    """ms of every executor. `best`: {(executor, work): Result at the usual size, whether it was scaled}."""
    lines = head("work", *(e.name for e in columns))
    for work in names:
        cells = [best.get((e.name, work)) for e in columns]
        lines.append(row([work.upper()] + [("~" if c[1] else "") + f"{number(c[0].wall)} ({number(c[0].cpu)})" if c else "-" for c in cells]))
    return lines


def goals(best, names, key):
    """Ratios against the goals."""
    lines = ["", "Compiled code (the column atoll) against the goals:", "", *head("work", "atoll / plain C literal", "lavapipe / atoll",
                                                                                  "PoCL / atoll", "atoll / plain C best")]
    verdicts = []
    for work in names:
        def fastest(start):
            return min((getattr(t[0], key) for (n, w), t in best.items() if w == work and n.startswith(start)), default=None)

        mine = fastest("atoll")
        plain, lavapipe, pocl = GOALS[work]
        cells = [judged(ratio(mine, fastest("plain C literal")), plain, True), judged(ratio(fastest("lavapipe"), mine), lavapipe, False),
                 judged(ratio(fastest("PoCL"), mine), pocl, False)]
        verdicts += [met for _, met in cells if met is not None]
        lines.append(row([work.upper()] + [text for text, _ in cells] + [number(ratio(mine, fastest("plain C best")))]))
    return lines + ["", f"{sum(verdicts)} of {len(verdicts)} are met."]


def families(build, names, options, key):
    """The same work from machine code, vISA and CTM against PTX, and what compiling took."""
    names = [w for w in names if w in executors.WORKS and any((executors.HERE / (w + suffix)).exists() for _, _, suffix in FAMILIES)]
    ptx = executors.atoll(build)
    if not ptx.program.exists() or not names:
        return []
    titles = ["work", "PTX"] + [title for _, title, _ in FAMILIES]
    lines = ["", f"From what else kernels are written in, compiled, {'CPU' if key == 'cpu' else 'wall'} ms; in brackets the ratio to PTX "
             f"(goal: at most {FAMILY_GOAL}):", "", *head(*titles)]
    verdicts = []
    for work in names:
        columns = [ptx] + [executors.atoll(build, v) if (executors.HERE / (work + suffix)).exists() else None for v, _, suffix in FAMILIES]
        best = [None] * len(columns)
        for _ in range(options.rounds):
            best = [e and e.best(work, executors.SIZES[work][0], options.threads, options.reps, 1, key, old) for e, old in zip(columns, best)]
        times = [b and getattr(b, key) for b in best]
        cells = [number(times[0])]
        for time in times[1:]:
            text, met = judged(ratio(time, times[0]), FAMILY_GOAL, True)
            verdicts += [met] if met is not None else []
            cells.append(f"{number(time)} ({text.replace(f' (<= {FAMILY_GOAL})', '')})" if time else "-")
        lines.append(row([work.upper()] + cells))
    return lines + ["", f"{sum(verdicts)} of {len(verdicts)} are met."]


def compiling(build, names, threads):
    """ms that LLVM took of each kernel, the library being open, the median of some processes; W10 has three kernels."""
    variants = [("", "PTX", ".ptx")] + FAMILIES
    if not executors.atoll(build).program.exists():
        return []
    lines = ["", f"Compiling, ms (no cache, LLVM open; medians of {COMPILES} processes; W10: three kernels):", "",
             *head("work", *(title for _, title, _ in variants))]
    for work in names:
        cells = []
        for variant, _, suffix in variants:
            there = (executors.HERE / (work + suffix)).exists()
            got = [executors.atoll(build, variant).run(work, executors.SIZES[work][1], threads, 1) for _ in range(COMPILES * there)]
            ms = median(one.compile for one in got) if got and all(got) else None
            cells.append("-" if ms is None else judged(ms, None if variant else COMPILE_GOALS.get(work), True)[0])
        lines.append(row([work.upper()] + cells))
    return lines


def slow(columns, names, threads):
    """ns for each invocation at small sizes: oclgrind against Atoll."""
    grind = next((e for e in columns if e.name == "oclgrind"), None)
    mine = next((e for e in columns if e.name == "interp"), None)
    if grind is None or mine is None:
        return []
    lines = ["", "Small sizes, ns for each invocation (wall):", "", *head("work", "size", "interp", "oclgrind", "oclgrind / interp")]
    for work in names:
        if work not in executors.PEERS:
            continue
        size = executors.SIZES[work][1]
        got = [e.run(work, size, threads, 3) for e in (mine, grind)]
        cells = [g.wall * 1e6 / g.invocations if g else None for g in got]
        lines.append(row([work.upper(), str(size), number(cells[0]), number(cells[1]), number(ratio(cells[1], cells[0]))]))
    return lines


def start(columns, cli, threads):
    """CPU and wall time of a process that runs one small launch."""
    lines = ["", "Start-up: one launch of 32 threads in a fresh process, median of 9, ms:", "", *head("executor", "CPU", "wall")]
    env = dict(os.environ)
    jobs = [(["true"], env, "empty process (true)")]
    if cli.exists():
        jobs.append((trivial(cli), env, "atoll run"))
    for e in columns:
        if e.name in ("interp", "plain C best", "lavapipe 512", "PoCL image"):
            continue
        command, environment = e.command("w0", 32, threads, 0, check=False), e.environment(threads)
        if e.name == "atoll":  # as users run it
            environment = env
        jobs.append((command, environment, e.name + " (program)"))
        if e.name == "lavapipe":
            jobs.append((command, dict(e.environment(threads), MESA_SHADER_CACHE_DISABLE="true"), "lavapipe, no shader cache"))
        if e.name == "PoCL buffer":
            jobs.append((command, dict(e.environment(threads), POCL_KERNEL_CACHE="0"), "PoCL, no kernel cache"))
    for command, environment, name in jobs:
        got = executors.process(command, environment, 1) and executors.process(command, environment)
        lines.append(row([name, number(got[0]), number(got[1])] if got else [name, "failed", ""]))
    return lines


def trivial(cli):
    """A kernel of one warp, as a user runs it."""
    return [str(cli), "run", str(executors.HERE / "w0.ptx"), "--grid", "1", "--block", "32", "--arg", "w0_param_0=buffer:u32[32]"]
