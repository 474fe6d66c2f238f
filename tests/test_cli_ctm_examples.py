"""The programs and streams of examples/ctm on the command line.

Run by meson with ATOLL (the program) and EXAMPLES (folder) in the environment."""

import os
import struct
import unittest
from collections import Counter

from cli_rig import Rig

HERE = os.path.join(os.environ["EXAMPLES"], "ctm")
HILLS = os.path.join(os.environ["EXAMPLES"], "hills.png")
SIZE = 256
THIRDS = [(-0.5 / SIZE, 0.5 / SIZE, 1.5 / SIZE, y / SIZE) for y in (-0.5, 0.5, 1.5)]
EMBOSS = [(-2, -1, 0, 0), (-1, 1, 1, 0), (0, 1, 2, 0)]


def example(name):
    return os.path.join(HERE, name)


class Examples(Rig):
    def filter(self, program, out, *more):
        args = []
        for i, values in enumerate([(1 / SIZE, 1 / SIZE, SIZE, SIZE)] + THIRDS + EMBOSS):
            args += ["-a", "c%d=f32:%s" % (i, ",".join(repr(v) for v in values))]
        self.atoll("run", program, *args, "-a", "in0=surface:%s:rgba8unorm" % HILLS, "-a",
                   "out0=surface:rgba8unorm:%dx%d" % (SIZE, SIZE), "-s", "out0=" + out, *more)
        return self.get(out)

    def test_missing_wait(self):
        whole = self.filter(example("filter.dpp"), "whole.raw")
        self.assertEqual(self.filter(example("filter.dpp"), "s.raw", "--tex-write=seeded", "--seed=3"), whole)
        self.assertEqual(self.atoll("check", "--hazards", example("filter.dpp"))[0], "")
        with open(example("filter.dpp")) as file:
            text = file.read()
        self.put("bad.dpp", text.replace("+ c4.a wait", "+ c4.a"))
        self.assertEqual(self.filter("bad.dpp", "now.raw", "--tex-write=immediate"), whole)
        seen = [self.filter("bad.dpp", "bad.raw", "--tex-write=seeded", "--seed=%d" % (i % 3)) for i in range(6)]
        self.assertEqual(seen[:3], seen[3:])
        self.assertEqual(len(set(seen + [whole])), 4)
        told = self.atoll("check", "--hazards", "bad.dpp", code=1)
        self.assertIn("r4.rgb is read while the lookup", told[0] + told[1])

    def stream(self, name, memory, *programs):
        self.atoll("asm", "--stream", example(name + ".stream"), "-o", "s.cmd")
        args = ["run", "--stream", "s.cmd", "--memory", memory]
        for address, program in programs:
            self.atoll("asm", example(program + ".dpp"), "-o", program + ".elf")
            args += ["--memory", "%#x=%s.elf" % (address, program)]
        return args

    def test_reduce(self):
        self.atoll("surface", "pack", HILLS, "--format=r32float", "--layout=pitch", "-o", "hills.bin")
        args = self.stream("reduce", "0x50000000:0x70000", (0x50000000, "reduce"))
        for order in ([], ["--seed=4"]):
            self.atoll(*args, "--memory", "0x50010000=hills.bin", "-s", "0x50067000:4=mean.raw", *order)
            mean = sum(struct.unpack("<65536f", self.get("hills.bin")[:262144])) / 65536
            self.assertAlmostEqual(struct.unpack("<f", self.get("mean.raw"))[0], mean, places=5)

    def test_life(self):
        cells = [0.0] * 4096
        alive = {(31, 30), (32, 30), (30, 31), (31, 31), (31, 32)}
        for x, y in alive:
            cells[y * 64 + x] = 1.0
        self.put("cells.raw", struct.pack("<4096f", *cells))
        self.atoll("asm", "--stream", example("life.constants"), "-o", "constants.bin")
        args = self.stream("life", "0x50000000:0x20000", (0x50000000, "life"), (0x50004000, "copy"))
        self.atoll(*args, "--memory", "0x50008000=constants.bin", "--memory", "0x50010000=cells.raw", "-s",
                   "out0=life.raw", "-s", "out0=life.png", "-s", "0x50010000:0x4000=cells.raw")
        for _ in range(12):
            around = Counter((x + a, y + b) for x, y in alive for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b)
            alive = {at for at in around if around[at] == 3 or (around[at] == 2 and at in alive)}
        got = struct.unpack("<4096f", self.get("cells.raw"))
        self.assertEqual({(i % 64, i // 64) for i in range(4096) if got[i]}, alive)
        self.assertEqual(sum(self.get("life.raw")[0::4]), 255 * len(alive))


if __name__ == "__main__":
    unittest.main()
