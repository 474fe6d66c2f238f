"""CTM on the command line: a grid of index pairs, surfaces and constants by name, the units' state.

Run by meson with ATOLL (the program) in the environment."""

import struct
import unittest

from cli_rig import Rig, png

# out0 = in0 * c0 + c1, then red plus 1 as often as i0 says; green doubled where b0 is true
PROGRAM = """.dpp
    r1 = TEXLD(s0, r0) unscaled acquire
    r1 = r1 * c0 + c1 wait
    LOOP i0
    r1.r = r1.r + 1
    ENDLOOP
    IF b0
    r1.g = r1.g + r1.g
    ENDIF
    out0 = r1 wait
"""

# the index pair
PLACE = """.dpp
    out0 = r0
"""


class Ctm(Rig):
    def setUp(self):
        super().setUp()
        self.put("k.dpp", PROGRAM)
        self.put("place.dpp", PLACE)

    def floats(self, name):
        data = self.get(name)
        return struct.unpack("<%df" % (len(data) // 4), data)

    def test_run(self):
        """What the program gets by name, with values of several types and fewer numbers than there are."""
        pixels = bytes(range(5 * 3 * 4))
        self.put("in.raw", struct.pack("<60f", *pixels))
        run = ("run", "k.dpp", "-q", "-g", "5x3", "-a", "in0=surface:rgba32float:5x3:@in.raw", "-s", "out0=o.raw",
               "-a", "out0=surface:rgba32float:5x3", "-a", "c0=f32:2,2,2,2")
        for more, adds, plus, times in [(("-a", "c1=f32:0.5,1", "-a", "i0=u8:3"), (0.5, 1, 0, 0), 3, 1),
                                        (("-a", "i0=u32:2", "-a", "b0=1"), (0, 0, 0, 0), 2, 2),
                                        (("-a", "c1=0.25", "-a", "i0=s8:4,0,-1"), (0.25, 0, 0, 0), 4, 1)]:
            self.atoll(*run, *more)
            out = self.floats("o.raw")
            for n in range(15):
                want = [2 * pixels[4 * n + c] + adds[c] for c in range(4)]
                want[0] += plus
                want[1] *= times
                self.assertEqual(list(out[4 * n : 4 * n + 4]), want)

    def test_grid(self):
        """The grid counts index pairs, is out0 where it is not given, and domain says another."""
        run = ("run", "place.dpp", "-a", "out0=surface:rgba32float:11x6", "-s", "out0=o.raw")
        self.assertIn("covers 'out0'", self.atoll(*run)[1])
        self.assertEqual(self.floats("o.raw"), tuple(v for y in range(6) for x in range(11) for v in (x, y, 0, 1)))
        self.atoll(*run, "-q", "-g", "3x2")
        self.assertEqual(sum(self.floats("o.raw")[3::4]), 6)
        self.atoll(*run, "-q", "-g", "11x6", "-a", "domain=u32:4,1,5,2")
        ran = [(n % 11, n // 11) for n, v in enumerate(self.floats("o.raw")[3::4]) if v]
        self.assertEqual(ran, [(x, y) for y in (1, 2) for x in range(4, 9)])
        self.refuse(2, "--grid is its threads", *run, "-b", "8x4")

    def test_picture(self):
        """A picture in, a picture out."""
        rows = [bytes([10 * x, 20 * y, 0, 255] * 1) for y in range(4) for x in range(6)]
        self.put("in.png", png(6, 4, 6, 8, [b"".join(rows[6 * y : 6 * y + 6]) for y in range(4)]))
        self.atoll("run", "k.dpp", "-q", "-a", "in0=surface:in.png:rgba8unorm", "-a", "out0=surface:rgba8unorm:6x4",
                   "-a", "c0=f32:1,1,0,1", "-s", "out0=o.raw")
        self.assertEqual(self.get("o.raw"), b"".join(rows))

    def test_units(self):
        """The conditional output: only pairs whose value is less than what the buffer holds put anything out."""
        self.put("cond.raw", struct.pack("<66f", *[n % 11 for n in range(66)]))
        self.atoll("run", "place.dpp", "-q", "-a", "out0=surface:rgba32float:11x6", "-s", "out0=o.raw",
                   "-a", "cond=surface:r32float:11x6:@cond.raw", "-a", "cond_val=f32:4.5", "-a", "cond_test=u32:6",
                   "-a", "cond_mask=u32:1", "-s", "cond=c.raw")
        self.assertEqual([v != 0 for v in self.floats("o.raw")[3::4]], [n % 11 >= 5 for n in range(66)])
        self.assertEqual(list(self.floats("c.raw")), [n % 11 if n % 11 < 5 else 4.5 for n in range(66)])

    def test_left_out(self):
        """What is not given is 0, and said; what cannot be 0 stops the program."""
        err = self.atoll("run", "k.dpp", "-a", "out0=surface:rgba32float:4x4", code=1)[1]
        self.assertIn("(surfref in0) is not given: nothing is bound", err)
        self.assertIn("(f32 c0) is not given: 0", err)
        self.assertNotIn("cond_val", err)
        self.assertIn("in0", err.splitlines()[-1])
        self.assertIn("out0 is not bound", self.atoll("run", "place.dpp", "-g", "4x4", code=1)[1])
        self.refuse(2, "c0", "run", "k.dpp", "-a", "c0=f32:1,2,3,4,5", "-a", "out0=surface:rgba32float:4x4")


if __name__ == "__main__":
    unittest.main()
