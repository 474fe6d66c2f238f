"""Compiled code against the interpreter: every kernel of the examples, the benchmarks and the test data, and the commands that
scripts/demo shows, give the same files, the same output, the same messages and exit codes by --engine=jit and --engine=interp.

What kernels are handed is made up where nobody says it (buffers for what may be an address, surfaces if a kernel uses some), so many of them trap:
that has to be the same trap."""

import glob
import json
import os
import platform
import re
import struct
import subprocess
import sys
import unittest
from unittest import mock

from cli_rig import ATOLL, EXAMPLES, Rig, engine_env, jit_missing

TOP = os.path.dirname(os.path.abspath(EXAMPLES))
DATA = os.environ["DATA"]
THREADS = "64"
LIMIT = 200000  # warp instructions
SHARE = int(os.environ.get("SHARE", "1"))  # each SHARE-th module, where one is enough (sanitizers)

# Files of the tree, each of one line: what is to be said of its kernels' arguments is said here, the rest is made up.
COMMANDS = (
    ("mandelbrot.ptx", "-k", "mandelbrot(dst, w, h)", "-a", "dst=surface:rgba8uint:200x100", "-s", "dst=o.raw"),
    ("mandelbrot.ptx", "-k", "mandelbrot_gray(dst, w, h)", "-a", "dst=surface:r8uint:100x130", "-s", "dst=o.raw"),
    ("sobel.ptx", "-k", "sobel(src, dst, w, h)", "-a", "src=surface:{}/hills.png", "-a", "dst=surface:r8uint:256x256", "-s", "dst=o.raw"),
    ("sobel.ptx", "-k", "sobel_trap", "-a", "0=surface:{}/gray.png", "-a", "1=surface:r8uint:300x300", "-a", "2=300", "-a", "3=300"),
    ("histogram.ptx", "-k", "histogram_surface(src, w, h, bins)", "-a", "src=surface:{}/hills.png", "-a", "bins=buffer:u32[256]",
     "-s", "bins=o.raw"),
    ("typed_atomic.ptx", "-k", "histogram", "-g", "8x256", "-b", "32", "-a", "src=surface:{}/hills.png:r8uint", "-a",
     "dst=surface:r32uint:1d:256", "-a", "w=256", "-a", "h=256", "-s", "dst=o.raw"),
    ("typed_atomic.sass", "-k", "histogram(src, dst, w, h)", "-g", "8x256", "-b", "32", "-a", "src=surface:{}/hills.png:r8uint", "-a",
     "dst=surface:r32uint:1d:256", "-a", "w=256", "-a", "h=256", "-s", "dst=o.raw"),
    ("typed_atomic.visaasm", "-k", "histogram32", "-g", "8x256", "-b", "32", "-a", "T6=surface:{}/hills.png:r8uint", "-a",
     "T7=surface:r32uint:1d:256", "-a", "w=256", "-a", "h=256", "-s", "T7=o.raw"),
    ("spin.sass", "-k", "count_cas", "-g", "1", "-b", "32", "-a", "0=buffer:u32[1]", "-s", "0=o.raw"),
    ("spin.sass", "-k", "count_spin", "-g", "1", "-b", "32", "-a", "0=buffer:u32[1]", "-s", "0=o.raw"),
    ("../bench/w9.ptx", "-k", "w9(src, dst, w, h)", "-a", "src=surface:{}/colour.png", "-a", "dst=surface:rgba8unorm:256x256", "-s", "dst=o.raw"),
    ("../bench/w9.ptx", "-k", "w9(src, dst, w, h)", "-b", "16x16", "-a", "src=surface:{}/odd.png", "-a", "dst=surface:rgba8unorm:37x23",
     "-s", "dst=o.raw"),
    ("printf.ptx", "--kernel", "hello(int n)", "-a", "n=3"),
    ("ctm/mandelbrot.dpp", "-a", "c0=f32:-2.25,-1.25,0.0048828125,0.0078125", "-a", "i0=u8:40", "-a", "c1=f32:9,15,8.5", "-a",
     "out0=surface:rgba8unorm:96x64", "-s", "out0=o.raw"),
    # Limits and shapes that leave lanes, warps and rows over.
    ("mandelbrot.ptx", "-k", "mandelbrot_gray(dst, w, h)", "-a", "dst=surface:r8uint:100x130", "--limit-instructions", "500"),
    ("mandelbrot.ptx", "-k", "mandelbrot_gray(dst, w, h)", "-a", "dst=surface:r8uint:37x5", "-b", "7x3", "-g", "6x2", "-s", "dst=o.raw"),
)


def modules():
    """Every module that belongs to the tree."""
    found = []
    for folder in (EXAMPLES, os.path.join(EXAMPLES, "ctm"), os.path.join(TOP, "bench"), os.path.join(DATA, "kernels"), os.path.join(DATA, "ptx"),
                   os.path.join(DATA, "sass"), os.path.join(DATA, "visa"), os.path.join(DATA, "visa_ocl")):
        for ending in ("ptx", "sass", "cubin", "visaasm", "isa", "dpp"):
            found += sorted(glob.glob(os.path.join(folder, "*." + ending)))
    return found


def made_up(kernel, of_addresses):
    """Arguments for every parameter of a kernel, and what to save. Numbers are small, so that they can be extents."""
    args, saves = [], []
    for i, parameter in enumerate(kernel["parameters"]):
        kind, name = parameter["type"], str(i)
        wide = parameter["size"] == 8 and parameter["count"] == 1
        if kind == "bti" or (wide and kind in ("u64", "b64", "s64")):
            args += ["-a", name + "=" + (of_addresses % (i % 3))]
            saves += ["-s", f"{name}=o{i}.raw"]
        elif kind == "sampler" or kind == "surfref":
            continue
        elif parameter["count"] > 1 or kind == "bytes":
            args += ["-a", name + "=bytes:" + "03000000" * (parameter["size"] // 4)]
        elif kind.startswith("f"):
            args += ["-a", name + "=1.5"]
        else:
            args += ["-a", name + "=16"]
    return args, saves


BUFFERS, SURFACES = "buffer:u32[4096]=%d", "surface:r32uint:32x16=%d"


def components(picture, width):
    """For each pixel of a picture the lowest index of those that it hangs together with; -1 as u32 for background."""
    labels = [0xFFFFFFFF] * len(picture)
    for first in range(len(picture)):
        if not picture[first] or labels[first] != 0xFFFFFFFF:
            continue
        labels[first], todo = first, [first]
        while todo:
            i = todo.pop()
            sides = ([i - 1] if i % width else []) + ([i + 1] if (i + 1) % width else []) + [i - width, i + width]
            for j in sides:
                if 0 <= j < len(picture) and picture[j] and labels[j] == 0xFFFFFFFF:
                    labels[j] = first
                    todo.append(j)
    return labels


class Engines(Rig):
    maxDiff = 4000

    def run_by(self, engine, args):
        """Exit code, output, messages and files of a run."""
        for name in os.listdir(self.folder.name):
            os.remove(self.path(name))
        done = subprocess.run([ATOLL, "run", *args, "--engine=" + engine], cwd=self.folder.name, env=engine_env(), capture_output=True, timeout=400)
        files = {name: self.get(name) for name in sorted(os.listdir(self.folder.name))}
        # Limits are looked at now and then: where the launch was by then is no result.
        messages = re.sub(rb"was stopped at .*(: the \w+ limit is reached).*", rb"was stopped at a place\1", done.stderr)
        return done.returncode, done.stdout, messages, files

    def difference(self, wanted, found):
        """What differs; None: nothing."""
        for what, a, b in zip(("exit code", "output", "messages"), wanted, found):
            if a != b:
                return f"{what}: {a!r}, {b!r}"
        names = sorted(wanted[3])
        if names != sorted(found[3]):
            return f"files: {names}, {sorted(found[3])}"
        return next((name for name in names if wanted[3][name] != found[3][name]), None)

    def compare(self, *args):
        """The exit code. In order: which trap comes first does not depend on threads then."""
        args = [*args, "--deterministic"]
        wanted = self.run_by("interp", args)
        differs = self.difference(wanted, self.run_by("jit", args))
        if differs and self.difference(wanted, self.run_by("interp", args)):
            return None  # it asks for the time
        self.assertIsNone(differs, "atoll run " + " ".join(args))
        return wanted[0]

    def test_commands(self):
        for name, *args in COMMANDS:
            with self.subTest(name=name, args=args):
                self.compare(os.path.join(EXAMPLES, name), *(arg.format(EXAMPLES) for arg in args))

    def test_every_kernel_of_the_tree(self):
        ran = codes = 0
        for module in modules()[::SHARE]:
            info = subprocess.run([ATOLL, "info", "--json", module], capture_output=True)
            for kernel in json.loads(info.stdout)["kernels"] if info.returncode == 0 else ():  # else: a part of a module, a wrong one
                args, saves = made_up(kernel, SURFACES if "surfaces" in kernel["uses"] else BUFFERS)
                with self.subTest(module=os.path.relpath(module, TOP), kernel=kernel["name"]):
                    code = self.compare(module, "-k", kernel["name"], "-g", "2", *self.block(module, kernel), *args, *saves, "-q",
                                        "--limit-instructions", str(LIMIT), "--limit-memory", "256000000")
                    ran += code in (0, 1, 4)
                    codes += code == 0
        print(f"test_cli_engines: {ran} runs that began, {codes} of them to the end", file=sys.stderr)
        self.assertGreater(codes, 50 // SHARE)

    @staticmethod
    def block(module, kernel):
        return () if "required_block" in kernel or module.endswith((".dpp", ".isa", ".visaasm")) else ("-b", THREADS)

    def test_components(self):
        """Four launches: labels are the lowest indexes of what hangs together."""
        width, height = 50, 37
        picture = bytes((x * x + 3 * y * y + x * y // 5) % 11 < 7 for y in range(height) for x in range(width))
        for engine in ("interp", "jit"):
            labels = bytes(4 * width * height)
            for kernel in ("init", "resolve", "merge", "resolve"):
                self.put("picture.raw", picture)
                self.put("labels.raw", labels)
                done = subprocess.run([ATOLL, "run", os.path.join(TOP, "bench", "w10.ptx"), "-k", "w10_" + kernel, "-g", "2x5", "-b", "32x8", "-a",
                                       "0=buffer:@picture.raw", "-a", "1=buffer:@labels.raw", "-a", f"2={width}", "-a", f"3={height}", "-s",
                                       "1=out.raw", "-q", "--engine=" + engine], cwd=self.folder.name, env=dict(os.environ, ATOLL_CACHE=""),
                                      capture_output=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                labels = self.get("out.raw")
            self.assertEqual(components(picture, width), list(struct.unpack(f"<{width * height}I", labels)), engine)

    def test_threads(self):
        """Blocks spread over host threads: where results depend on no order they are the same."""
        hills = "src=surface:" + EXAMPLES + "/hills.png"
        for args in ((EXAMPLES + "/histogram.ptx", "-k", "histogram_surface(src, w, h, bins)", "-a", hills, "-a", "bins=buffer:u32[256]"),
                     (EXAMPLES + "/sobel.ptx", "-k", "sobel(src, dst, w, h)", "-a", hills, "-a", "dst=surface:r8uint:256x256")):
            name = args[-1].split("=")[0]
            wanted = self.run_by("interp", [*args, "-s", name + "=o.raw", "-q", "-j", "2"])
            for engine in ("jit", "auto"):
                self.assertEqual(wanted, self.run_by(engine, [*args, "-s", name + "=o.raw", "-q", "-j", "2"]))

    def test_counters(self):
        """They mean the same; what compiled code did is told beside them."""
        args = (EXAMPLES + "/mandelbrot.ptx", "-k", "mandelbrot_gray(dst, w, h)", "-a", "dst=surface:r8uint:100x130", "--stats", "-q")
        counters = []
        for engine in ("interp", "jit"):
            err = self.run_by(engine, args)[2].decode()
            counters.append(re.findall(r"^([a-z ]*?) +(\d+)$", err.split("seconds")[0], re.M))
        self.assertGreater(len(counters[0]), 8)
        self.assertEqual(*counters)

    def test_conflicts_are_counted_by_the_interpreter(self):
        """A kernel with atomics on shared memory: --stats counts what they cost, but not of code that was asked for."""
        args = (EXAMPLES + "/histogram.ptx", "-k", "histogram(in, n, bins)", "-g", "4", "-b", "256", "-a", "in=buffer:u8[4096]=3", "-a", "n=4096",
                "-a", "bins=buffer:u32[256]", "--stats", "-q")
        told = [self.run_by(engine, [*args, *more])[2].decode() for engine, more in
                (("interp", ()), ("jit", ()), ("jit", ("--contention",)))]
        self.assertIn("passes/exec", told[0])
        self.assertNotIn("passes/exec", told[1])
        self.assertRegex(told[1], r"compiled blocks +4\n")
        self.assertIn("not compiled: ", told[2])
        self.assertIn("passes/exec", told[2])

    def test_code_for_another_processor(self):
        """ATOLL_CPU: the same results; what is no such processor, or more than the host, has no compiled code."""
        args = [ATOLL, "run", EXAMPLES + "/mandelbrot.ptx", "-k", "mandelbrot_gray(dst, w, h)", "-a", "dst=surface:r8uint:100x130", "-q",
                "-s", "dst=o.raw", "--engine=jit"]
        outs = []
        for cpu in ("", "x86-64"):
            if cpu and platform.machine() != "x86_64":
                continue
            done = subprocess.run(args, cwd=self.folder.name, env=dict(os.environ, ATOLL_CPU=cpu, ATOLL_CACHE=""), capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            outs.append(self.get("o.raw"))
        self.assertEqual(outs[0], outs[-1])
        done = subprocess.run(args, cwd=self.folder.name, env=dict(os.environ, ATOLL_CPU="x86-64-v9"), capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"ATOLL_CPU: wanted x86-64, x86-64-v2, x86-64-v3 or x86-64-v4", done.stderr)

    def test_the_cache_is_used_and_need_not_be_there(self):
        args = (EXAMPLES + "/mandelbrot.ptx", "-k", "mandelbrot_gray(dst, w, h)", "-a", "dst=surface:r8uint:64x64", "--stats", "-q",
                "-s", "dst=o.raw", "--engine=jit")
        cache = self.path("cache")
        outs, told = [], []
        for more in ((), (), ("--no-cache",)):
            done = subprocess.run([ATOLL, "run", *args, *more], cwd=self.folder.name, env=dict(os.environ, ATOLL_CACHE=cache),
                                  capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            outs.append(self.get("o.raw"))
            told.append(dict(re.findall(r"^(code .*?) +(\d+)$", done.stderr.decode(), re.M)))
        self.assertEqual(outs[0], outs[1])
        self.assertEqual(outs[0], outs[2])
        if os.path.isdir(cache):  # code that is kept is found
            self.assertEqual([t["code from the cache"] for t in told], ["0", "1", "0"])
            self.assertEqual([t["code made"] for t in told], ["1", "0", "1"])
            for name in os.listdir(cache):
                os.remove(os.path.join(cache, name))
            os.rmdir(cache)


class NoEngine(Rig):
    def test_what_is_missing_is_told(self):
        args = ("run", EXAMPLES + "/printf.ptx", "--kernel", "hello(int n)", "-a", "n=3", "-q")
        self.refuse(1, "kernels cannot be compiled here", *args, "--engine=jit")
        self.assertEqual(self.atoll(*args), self.atoll(*args, "--engine=interp"))


class Words(Rig):
    def test_engines_have_names(self):
        self.refuse(2, "there is no engine 'llvm': wanted auto, interp or jit", "run", EXAMPLES + "/printf.ptx", "--engine=llvm")

    def test_the_variable_has_the_same_words(self):
        args = ("run", EXAMPLES + "/printf.ptx", "--kernel", "hello(int n)", "-a", "n=3", "-q")
        with mock.patch.dict(os.environ, ATOLL_ENGINE="llvm"):
            self.refuse(2, "ATOLL_ENGINE: there is no engine 'llvm'", *args)
            self.atoll(*args, "--engine=interp")
        for word in ("", "auto", "interp"):
            with mock.patch.dict(os.environ, ATOLL_ENGINE=word):
                self.atoll(*args)


if __name__ == "__main__":
    why = jit_missing()
    if why:
        print("skipped: " + why)
        del Engines
    else:
        del NoEngine
    unittest.main()
