"""What checks cost: time and memory of checked launches against the interpreter without checks (docs/checks.md)."""
import re
import shutil
import subprocess

import executors
from tables import head, number, ratio, row

CHECKS = ["race", "init", "sync", "value", "memory", "border", "outputs", "all"]
GOALS = {"time": 10, "memory": 4, "off": 1.02}
# Size, and what `atoll run` wants to know of the launch.
LAUNCHES = {
    "w1": (2048, "-k w1 -g {n16}x{n16} -b 16x16 -a 0=surface:r32uint:{n}x{n}=0 -a 1=surface:r32uint:{n}x{n} -a 2={n} -a 3={n}"),
    "w2": (2048, "-k w2 -g {n16}x{n16} -b 16x16 -a 0=surface:r32uint:{n}x{n}=0 -a 1=surface:r32uint:{n}x{n} -a 2={n} -a 3={n}"),
    "w2b": (2048, "-k w2b -g {n16}x{n16} -b 16x16 -a 0=surface:rgba8uint:{n}x{n}=0 -a 1=surface:rgba8uint:{n}x{n} -a 2={n} -a 3={n}"),
    "w3": (2048, "-k w3 -g {n16}x{n16} -b 16x16 -a 0=surface:r32uint:{n}x{n}=0 -a 1={n} -a 2={n}"),
    "w4": (2048, "-k w4 -g {n16}x{n16} -b 16x16 -a 0=surface:r32uint:{n}x{n}=0 -a 1=surface:r32uint:1d:256=0 -a 2={n} -a 3={n}"),
    "w5": (1 << 22, "-k w5 -g {n4096} -b 256 -a 0=buffer:u32[{n}]=0 -a 1=buffer:u32[256]=0 -a 2={n}"),
    "w6": (1024, "-k w6 -g {n} -b 128 -a 0=buffer:u32[{n32}]"),
    "w7": (1 << 22, "-k w7 -g {n256} -b 256 -a 0=buffer:u32[{n}]=0 -a 1=buffer:u32[{n256}]"),
}
# How many times smaller launches are whose instructions are counted.
SMALLER = {"w1": 4, "w2": 8, "w2b": 8, "w3": 4, "w4": 4, "w5": 16, "w6": 16, "w7": 16}


def interpreter(build, check):
    env = {"ATOLL_ENGINE": "interp"}
    return executors.Executor(check or "interp", build / "bench" / "atoll_bench", env=dict(env, ATOLL_CHECKS=check) if check else env)


def times(build, works, rounds, reps):
    """{(work, check or ""): CPU ms of a launch, the best of rounds that take turns}"""
    best = {}
    programs = [("", interpreter(build, ""))] + [(check, interpreter(build, check)) for check in CHECKS]
    for _ in range(rounds):
        for work in works:
            for name, program in programs:
                got = program.run(work, LAUNCHES[work][0], 1, reps if name else 5 * reps)  # what is short is measured more often
                if got and (best.get((work, name)) is None or got.cpu < best[work, name]):
                    best[work, name] = got.cpu
    return best


def command(cli, work, check, smaller=1):
    n, words = LAUNCHES[work][0] // smaller, LAUNCHES[work][1]
    given = words.format(n=n, n16=n // 16, n32=n * 32, n256=n // 256, n4096=n // 4096).split()
    return [str(cli), "run", str(executors.HERE / (work + ".ptx")), *given, "-j", "1", "--engine=interp", "-q", *(["--check=" + check] if check else [])]


def memories(cli, works):
    """{(work, check or ""): the most memory of a process, in bytes}"""
    most = {}
    for work in works:
        for check in ["", *CHECKS]:
            got = executors.process(command(cli, work, check), count=1, good=(0, 1))  # border tells what W2 means
            if got:
                most[work, check] = got[2]
    return most


def instructions(cli, work):
    """The host's instructions for the larger of two launches without checks, less those for the smaller; None: not to be had"""
    counts = []
    for smaller in (4 * SMALLER[work], SMALLER[work]):
        words = [*command(cli, work, "", smaller), "--limit-memory=1073741824"]  # valgrind cannot reserve more
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words], capture_output=True, text=True)
        counted = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not counted:
            return None
        counts.append(int(counted[1]))
    return counts[1] - counts[0]


def compared(cli, against, works):
    """Lines of markdown: instructions of launches without checks, over those of another build."""
    if not shutil.which("valgrind"):
        return ["", "Launches without checks against those of a build which has none: skipped, valgrind is not installed."]
    cells = []
    for work in works:
        one, other = instructions(cli, work), instructions(against / "atoll", work)
        value = ratio(one, other)
        cells.append("-" if value is None else f"{value:.3f}" + (" **no**" if value > GOALS["off"] else ""))
    return ["", "The host's instructions of a launch without checks over those of a build which has none (valgrind, the interpreter; goal: at most "
            f"{GOALS['off']}):", "", *head(*(work.upper() for work in works)), row(cells)]


def ratios(measured, works, goal):
    """Rows of ratios to what is without checks, and how many meet the goal."""
    lines, met = [], []
    for work in works:
        cells = []
        for check in CHECKS:
            value = ratio(measured.get((work, check)), measured.get((work, "")))
            judged_by = value and check != "all"  # goals are of each check
            met += [value <= goal] if judged_by else []
            cells.append(number(value) + (" **no**" if judged_by and value > goal else ""))
        lines.append(row([work.upper(), *cells]))
    return lines, f"{sum(met)} of {len(met)} are met."


def table(build, options):
    """Lines of markdown."""
    cli, works = build / "atoll", list(LAUNCHES)
    if not cli.exists() or not interpreter(build, "").program.exists():
        return ["Costs: skipped, atoll or atoll_bench is not built."]
    cpu = times(build, works, options.rounds, options.reps)
    lines, met = ratios(cpu, works, GOALS["time"])
    out = [f"CPU time of a checked launch over that of the interpreter without checks, one host thread, the best of {options.rounds} rounds that take turns "
           f"(goal of each: at most {GOALS['time']}):", "", *head("work", *CHECKS), *lines, "", met]
    lines, met = ratios(memories(cli, works), works, GOALS["memory"])
    out += ["", "The most memory of `atoll run --check=...` over that without (goal: at most "
            f"{GOALS['memory']}):", "", *head("work", *CHECKS), *lines, "", met]
    if options.against:
        out += compared(cli, options.against, works)
    return out
