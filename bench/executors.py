"""The columns of the tables: programs that run the workloads, how they are called and what they print."""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time
from collections import namedtuple

HERE = pathlib.Path(__file__).resolve().parent
PEERS = ["w1", "w2", "w2b", "w3", "w4", "w5", "w6", "w7", "w8", "w8f"]  # what peers run
WORKS = PEERS + ["w9", "w10"]
# (usual size, size for slow executors); see bench.h
SIZES = {"w0": (32, 32), "w1": (4096, 128), "w2": (4096, 128), "w2b": (4096, 128), "w3": (4096, 128), "w4": (4096, 128),
         "w5": (1 << 24, 1 << 15), "w6": (4096, 16), "w7": (1 << 24, 1 << 14), "w8": (1 << 20, 256), "w8f": (2048, 64),
         "w9": (4096, 128), "w10": (2048, 128)}
SQUARE = {"w1", "w2", "w2b", "w3", "w4", "w8f", "w9", "w10"}
EACH = {"w6": 128, "w10": 4}  # invocations for each element
PROBE = 64  # a probe has this part of the usual size
ENOUGH_MS = 2e3  # a launch that takes longer is made smaller

# What a program prints (bench.c): ms for each launch, ms that the first took beyond, invocations and warp instructions of a
# launch, ms of compiling.
Result = namedtuple("Result", "wall cpu extra invocations instructions compile")


def invocations(work, size):
    return (size * size if work in SQUARE else size) * EACH.get(work, 1)


class Executor:
    """One column: a program, its variant, environment and prefix."""

    def __init__(self, name, program, variant="", env=None, prefix=(), works=WORKS, folder=HERE):
        self.name, self.program, self.variant = name, program, variant
        self.env, self.prefix, self.works, self.folder = env or {}, list(prefix), works, folder

    def command(self, work, size, threads, reps, check=True):
        pin = ["taskset", "-c", ",".join(map(str, sorted(os.sched_getaffinity(0))[:threads]))]
        if not shutil.which("taskset"):
            pin = []
        return (pin + self.prefix + [str(self.program), work, "--size", str(size), "--threads", str(threads), "--reps",
                                     str(reps), "--folder", str(self.folder)]
                + (["--variant", self.variant] if self.variant else []) + ([] if check else ["--no-check"]))

    def environment(self, threads):
        env = dict(os.environ, OMP_NUM_THREADS=str(threads))
        env.update({key: value.format(threads=threads) for key, value in self.env.items()})
        return env

    def run(self, work, size, threads, reps, timeout=120):
        """A Result, or None."""
        try:
            done = subprocess.run(self.command(work, size, threads, reps), env=self.environment(threads),
                                  capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            print(f"{self.name} {work}: more than {timeout} s", file=sys.stderr)
            return None
        fields = done.stdout.split()
        if len(fields) != 12 or fields[9] != "ok":
            print(f"{self.name} {work} size {size}: {done.stdout.strip()} {done.stderr.strip()[-300:]}", file=sys.stderr)
            return None
        return Result(float(fields[5]), float(fields[6]), float(fields[7]), int(fields[4]), int(fields[10]), float(fields[11]))

    def size(self, work, threads):
        """The usual size, or a smaller one if a launch would take much longer than ENOUGH_MS."""
        full = SIZES[work][0]
        probe_size = full // (8 if work in SQUARE else PROBE)
        probe = self.run(work, probe_size, threads, 1)
        if probe is None:
            return None
        # CPU time minds other processes less. Below 20 ms it tells of starting, not of the work.
        each = probe.cpu / threads / invocations(work, probe_size) if probe.cpu > 20 else 0
        while each * invocations(work, full) > ENOUGH_MS:
            full //= 2
        return max(full, SIZES[work][1])

    def best(self, work, size, threads, reps, rounds, key, old=None):
        """The best of rounds by `key` ("wall" or "cpu"), `old` one of them."""
        for _ in range(rounds):
            got = self.run(work, size, threads, reps)
            if got and (old is None or getattr(got, key) < getattr(old, key)):
                old = got
        return old


def lavapipe_icd():
    for folder in ("/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"):
        for path in sorted(pathlib.Path(folder).glob("lvp_icd*.json")):
            return str(path)
    return None


def compile_shaders(glslang, shaders):
    shaders.mkdir()
    for source in (HERE / "vulkan").glob("*.comp") if glslang else ():
        subprocess.run([glslang, "-V", str(source), "-o", str(shaders / (source.stem + ".spv"))], check=True,
                       stdout=subprocess.DEVNULL)


def atoll(build, variant=""):
    """Compiled before the first block, so that each launch runs the same engine."""
    return Executor("atoll" + (variant and " " + variant), build / "bench" / "atoll_bench", variant,
                    env={"ATOLL_ENGINE": "jit", "ATOLL_CACHE": ""})


def find(build, scratch, skip):
    """The columns that can run here; why others cannot is said on stderr."""
    found = []

    def add(condition, why, executor):
        if executor.name in skip or executor.name.split()[0] in skip:
            return
        if condition:
            found.append(executor)
        else:
            print(f"{executor.name}: {why}", file=sys.stderr)

    programs = {name: build / "bench" / f"{name}_bench" for name in ("atoll", "plain", "opencl", "vulkan")}
    built = {name: path.exists() for name, path in programs.items()}
    add(built["atoll"], "not built", atoll(build))
    add(built["atoll"], "not built", Executor("interp", programs["atoll"], env={"ATOLL_ENGINE": "interp"}))
    for variant in ("literal", "best"):
        add(built["plain"], "not built", Executor("plain C " + variant, programs["plain"], variant))
    icd, glslang = lavapipe_icd(), shutil.which("glslangValidator")
    shaders = pathlib.Path(scratch) / "spv"
    compile_shaders(glslang, shaders)
    why = "needs vulkan_bench, lavapipe (mesa-vulkan-drivers) and glslangValidator (glslang-tools)"
    env = {"VK_ICD_FILENAMES": icd or "", "LP_NUM_THREADS": "{threads}"}
    for name, more in (("lavapipe", {}), ("lavapipe 512", {"LP_NATIVE_VECTOR_WIDTH": "512"})):
        add(built["vulkan"] and icd and glslang, why, Executor(name, programs["vulkan"], env=dict(env, **more), works=PEERS, folder=shaders))
    pocl = built["opencl"] and any(pathlib.Path("/etc/OpenCL/vendors").glob("pocl*.icd"))
    env = {"ATOLL_BENCH_OPENCL": "Portable", "POCL_MAX_PTHREAD_COUNT": "{threads}", "POCL_CACHE_DIR": scratch + "/pocl"}
    os.makedirs(scratch + "/pocl", exist_ok=True)
    why = "needs opencl_bench and PoCL (pocl-opencl-icd)"
    add(pocl, why, Executor("PoCL buffer", programs["opencl"], env=env, works=PEERS))
    add(pocl, why, Executor("PoCL image", programs["opencl"], "image", env=env, works=["w1", "w2", "w2b"]))
    grind = shutil.which("oclgrind")
    env = {"ATOLL_BENCH_OPENCL": "Oclgrind", "OCLGRIND_NUM_THREADS": "{threads}"}
    add(built["opencl"] and grind, "needs opencl_bench and oclgrind",
        Executor("oclgrind", programs["opencl"], env=env, prefix=[grind], works=PEERS))
    return found


def process(command, env=None, count=9, good=(0,)):
    """Medians of user + system ms and wall ms, and the most memory, in bytes, of fresh processes; None when one has no good exit code."""
    cpu, wall, memory = [], [], []
    for _ in range(count):
        began = time.monotonic()
        child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        if os.waitstatus_to_exitcode(status) not in good:
            return None
        wall.append((time.monotonic() - began) * 1e3)
        cpu.append((usage.ru_utime + usage.ru_stime) * 1e3)
        memory.append(usage.ru_maxrss * 1024)
    return statistics.median(cpu), statistics.median(wall), max(memory)
