"""Kernels as users write them: the interpreter and compiled code leave the same bits, and those that GPUs left (results/*.json, which record.py
writes) as cases.py says."""

import glob
import json
import os
import platform
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import cases
from cli_rig import ATOLL, engine_env, jit_missing

RESULTS = os.path.join(cases.HERE, "results")

# Of all warp instructions, those that compiled code has the interpreter carry out at most: what has no compiled form here, edges of pictures,
# first accesses.
STEPPED = 0.06

OLD = ("x86-64", "x86-64-v2")  # ATOLL_CPU: no fused multiply-adds


def fuses():
    """Have fused multiply-adds a compiled form here?"""
    if platform.machine() != "x86_64":
        return True
    if os.environ.get("ATOLL_CPU") in OLD:
        return False
    with open("/proc/cpuinfo") as file:
        return re.search(r"^flags\b.*\bfma\b", file.read(), re.M) is not None


def records():
    found = {}
    for path in sorted(glob.glob(os.path.join(RESULTS, "*.json"))):
        with open(path) as file:
            found[os.path.basename(path)] = json.load(file)
    return found


def value(kind, number):
    """As the kernel has it: a float is rounded once, here."""
    return repr(struct.unpack("<f", struct.pack("<f", number))[0]) if kind == "f32" else str(number)


def command(case, folder):
    """atoll run; inputs are files of the folder, and outputs become some: in0, out2.raw ..."""
    args = [ATOLL, "run", os.path.join(cases.HERE, case.name + ".ptx"), *case.flags, "-q", "--deterministic", "--stats"]
    args += ["-g", "x".join(map(str, case.grid)), "-b", "x".join(map(str, case.block))]
    for i, (kind, given) in enumerate(zip(cases.entry(cases.ptx(case.name))[1], case.arguments)):
        if not isinstance(given, cases.Buffer):
            args += ["-a", f"{i}={value(kind, given)}"]
            continue
        with open(os.path.join(folder, f"in{i}"), "wb") as file:
            file.write(given.data)
        args += ["-a", f"{i}=buffer:@{folder}/in{i}"]
        args += ["-s", f"{i}={folder}/out{i}.raw"] if given.how else []
    return args


class Kernels(unittest.TestCase):
    engines = ("interp", "jit")

    def run_by(self, engine, case):
        """What a launch leaves in the buffers that are outputs: parameter, bytes."""
        with tempfile.TemporaryDirectory() as folder:
            args = [*command(case, folder), "--engine=" + engine]
            done = subprocess.run(args, env=engine_env(), capture_output=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            if engine == "jit":
                self.look_at(case, dict(re.findall(r"^(\S.*?):? {2,}(\S.*)$", done.stderr.decode(), re.M)))
            left = {}
            for i, _ in cases.outputs(case):
                with open(os.path.join(folder, f"out{i}.raw"), "rb") as file:
                    left[i] = file.read()
            return left

    def look_at(self, case, stats):
        """Was it compiled, and does code go the ways that it should?"""
        self.assertIsNone(stats.get("not compiled"))
        steps = int(stats.get("interpreted steps", 0))
        if fuses():
            self.assertLessEqual(steps, STEPPED * int(stats["warp instructions"]), "the interpreter has to carry out much")

    def both(self, case):
        left = [self.run_by(engine, case) for engine in self.engines]
        self.assertEqual(left[0], left[-1], "the engines differ")
        for i, buffer in cases.outputs(case):
            self.assertNotEqual(left[0][i], buffer.data, f"parameter {i} is as it was")
        return left[0]

    def compare(self, name, case, left, record):
        """What Atoll left with what a GPU left."""
        for i, buffer in cases.outputs(case):
            what = f"{name}: parameter {i} of {case.name} (held to: {buffer.how})"
            self.assertEqual(cases.told(buffer, left[i]), record[str(i)], what)

    def test_kernels(self):
        found = records()
        old = {name: [] for name in found}
        for case in cases.all_cases():
            with self.subTest(kernel=case.name):
                left = self.both(case)
                for name, record in found.items():
                    of_case = record["kernels"].get(case.name, {})
                    if of_case.get("case") == cases.digest(case):
                        self.compare(name, case, left, of_case)
                    else:
                        old[name].append(case.name)
        for name, kernels in old.items():
            if kernels:
                print(f"skipped: {name} has no record of {', '.join(kernels)} as launched now (tests/kernels/record.py)")
        if not found:
            print("skipped: no record of a GPU in tests/kernels/results; the engines were compared")


if __name__ == "__main__":
    why = jit_missing()
    if why:
        print("skipped: " + why)
        if os.environ.get("ATOLL_CPU"):
            sys.exit(77)
        Kernels.engines = ("interp",)
    unittest.main()
