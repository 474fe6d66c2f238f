"""Results held against what is expected: run --expect, --tolerance, --diff, and atoll diff.

Run by meson with ATOLL (the program) and EXAMPLES (the folder) in the environment."""

import struct
import unittest
import zlib

from cli_rig import HEADER, Rig, npy, png

# nothing: results are what the arguments were
KEEP = HEADER + """
.global .u32 v[2] = {5, 6};
.visible .entry k(.param .u64 a, .param .u32 n) { ret; }
"""
NAN, INF = float("nan"), float("inf")


def gray(data):
    """The rows of a gray PNG of 8 bits."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, color = struct.unpack(">IIBB", data[16:26])
    assert (depth, color) == (8, 0)
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        packed += data[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += length + 12
    raw, rows = zlib.decompress(packed), []
    for y in range(height):
        kind, row = raw[y * (width + 1)], bytearray(raw[y * (width + 1) + 1 : (y + 1) * (width + 1)])
        for x in range(width):
            left, up = row[x - 1] if x else 0, rows[-1][x] if rows else 0
            corner = rows[-1][x - 1] if rows and x else 0
            near = min((abs(up - corner), 0, left), (abs(left - corner), 1, up),
                       (abs(left + up - 2 * corner), 2, corner))[2]
            row[x] = (row[x] + (0, left, up, (left + up) // 2, near)[kind]) & 255
        rows.append(bytes(row))
    return rows


class Diff(Rig):
    def setUp(self):
        super().setUp()
        self.put("k.ptx", KEEP)

    def array(self, name, descr, code, values, shape=None):
        shape = shape or "(%d,)" % len(values)
        self.put(name, npy(descr, shape, struct.pack("<%d%s" % (len(values), code), *values)))

    def run_k(self, arg, *options, code=0, refuse=None):
        args = ("run", "k.ptx", "-q", "-g", "1", "-b", "1", "-a", "a=" + arg, "-a", "n=0", *options)
        return self.refuse(code, refuse, *args) if refuse else self.atoll(*args, code=code)[1]

    def differ(self, a, b, *options, code=1):
        out, err = self.atoll("diff", a, b, *options, code=code)
        self.assertEqual(err, "")
        return out

    # ---- two files ----

    def test_same_files_say_nothing(self):
        self.array("a.npy", "<f4", "f", [1, NAN, INF, -0.0])
        self.array("b.npy", "<f4", "f", [1, -NAN, INF, 0.0])
        self.array("none.npy", "<f4", "f", [])
        for pair in (("a.npy", "a.npy"), ("a.npy", "b.npy"), ("none.npy", "none.npy")):
            self.assertEqual(self.differ(*pair, code=0), "")

    def test_integers(self):
        self.array("a.npy", "<i4", "i", [1, -5, 2**31 - 1, 7])
        self.array("b.npy", "<i4", "i", [1, -2, -(2**31), 8])
        self.assertEqual(self.differ("a.npy", "b.npy"),
                         "a.npy, b.npy: 3 of 4 elements differ, the worst at element 2: 2147483647, expected -2147483648\n")
        self.assertIn(": 2 of 4 elements differ by more than 1, ", self.differ("a.npy", "b.npy", "--tolerance", "1"))
        self.assertIn(": 1 of 4 elements differ by more than 3.5, ", self.differ("a.npy", "b.npy", "--tolerance=3.5"))
        self.differ("a.npy", "b.npy", "--tolerance=4294967295", code=0)
        self.differ("a.npy", "b.npy", "--tolerance=1e300", code=0)

    def test_wide_integers_are_exact(self):
        self.array("a.npy", "<u8", "Q", [2**64 - 1, 2**63])
        self.array("b.npy", "<u8", "Q", [2**64 - 2, 2**63 + 2])
        self.assertIn("2 of 2 elements differ, the worst at element 1: 9223372036854775808, expected 9223372036854775810",
                      self.differ("a.npy", "b.npy"))
        self.assertIn("1 of 2", self.differ("a.npy", "b.npy", "--tolerance=1"))
        self.array("c.npy", "<i8", "q", [-(2**63)])
        self.array("d.npy", "<i8", "q", [2**63 - 1])
        self.assertIn("-9223372036854775808, expected 9223372036854775807", self.differ("c.npy", "d.npy"))

    def test_floats(self):
        for descr, code in (("<f2", "e"), ("<f4", "f"), ("<f8", "d"), (">f8", "d")):
            pack = ">" if descr[0] == ">" else "<"
            for name, values in (("a.npy", [1.5, 2, -4]), ("b.npy", [1.75, 2, -3.5])):
                self.put(name, npy(descr, "(3,)", struct.pack(pack + "3" + code, *values)))
            self.assertIn("2 of 3 elements differ, the worst at element 2: -4, expected -3.5",
                          self.differ("a.npy", "b.npy"))
            self.assertIn("1 of 3 elements differ by more than 0.25, ",
                          self.differ("a.npy", "b.npy", "--tolerance=0.25"))
            self.differ("a.npy", "b.npy", "--tolerance=0.5", code=0)

    def test_what_is_no_number(self):
        """NaN is NaN, and further from numbers than infinity; no tolerance reaches either."""
        self.array("a.npy", "<f8", "d", [INF, NAN, 1e308, INF])
        self.array("b.npy", "<f8", "d", [-INF, 0, -1e308, INF])
        self.assertIn("3 of 4 elements differ by more than 1e+300, the worst at element 1: nan, expected 0",
                      self.differ("a.npy", "b.npy", "--tolerance=1e300"))
        self.array("c.npy", "<f8", "d", [0, 0, 0, INF])
        self.assertIn("element 0: -inf, expected 0", self.differ("b.npy", "c.npy"))

    def test_places(self):
        self.array("a.npy", "<u2", "H", range(12), "(2, 3, 2)")
        self.array("b.npy", "<u2", "H", [*range(7), 70, *range(8, 12)], "(2, 3, 2)")
        self.assertIn("at element [1, 0, 1]: 7, expected 70", self.differ("a.npy", "b.npy"))
        self.put("a.png", png(3, 2, 6, 8, [bytes(12), bytes(12)]))
        self.put("b.png", png(3, 2, 6, 8, [bytes(12), bytes(6) + b"\3" + bytes(5)]))
        self.assertIn("1 of 24 elements differ, the worst at (1, 1) channel 2: 0, expected 3",
                      self.differ("a.png", "b.png"))

    def test_bytes_are_anything_of_their_size(self):
        self.array("a.npy", "<f4", "f", [1, 2])
        self.put("a.raw", struct.pack("<2f", 1, 2))
        self.put("b.raw", struct.pack("<2f", 1, 3))
        self.differ("a.npy", "a.raw", code=0)
        self.assertIn("1 of 2 elements differ, the worst at element 1: 3, expected 2", self.differ("b.raw", "a.npy"))
        self.assertIn("1 of 8 elements differ, the worst at element 6: 0, expected 64", self.differ("a.raw", "b.raw"))

    def test_other_types_and_shapes_differ(self):
        self.array("a.npy", "<f4", "f", [1, 2])
        self.array("b.npy", "<i4", "i", [1, 2])
        self.array("c.npy", "<f4", "f", [1, 2], "(2, 1)")
        self.array("d.npy", "<f4", "f", [1, 2, 3])
        self.put("e.raw", bytes(7))
        self.put("g.png", png(2, 1, 0, 8, [b"\1\2"]))
        self.put("h.png", png(1, 2, 0, 8, [b"\1", b"\2"]))
        self.assertIn("elements of type f4 and i4", self.differ("a.npy", "b.npy"))
        self.differ("a.npy", "c.npy", code=0)  # extents of 1 do not count
        self.assertIn("shapes (2,) and (3,)", self.differ("a.npy", "d.npy"))
        self.assertIn("8 bytes of elements and 7", self.differ("a.npy", "e.raw"))
        self.differ("g.png", "h.png", code=0)

    def test_pictures_of_differences(self):
        self.put("a.png", png(3, 2, 0, 8, [bytes([0, 10, 20]), bytes([30, 40, 50])]))
        self.put("b.png", png(3, 2, 0, 8, [bytes([0, 11, 20]), bytes([10, 40, 40])]))
        self.differ("a.png", "b.png", "--diff", "d.png")
        self.assertEqual(gray(self.get("d.png")), [bytes([0, 73, 0]), bytes([255, 0, 159])])
        self.differ("a.png", "b.png", "--diff", "d.png", "--tolerance=1")
        self.assertEqual(gray(self.get("d.png")), [bytes(3), bytes([255, 0, 159])])
        self.differ("a.png", "a.png", "--diff", "d.png", code=0)
        self.assertEqual(gray(self.get("d.png")), [bytes(3), bytes(3)])
        self.array("a.npy", "<f4", "f", [0, NAN, 1, INF], "(2, 2)")
        self.array("b.npy", "<f4", "f", [0, 0, 2, 0], "(2, 2)")
        self.differ("a.npy", "b.npy", "--diff", "d.png")
        self.assertEqual(gray(self.get("d.png")), [b"\0\xff", b"\xff\xff"])

    def test_bad_command_lines(self):
        self.array("a.npy", "<f4", "f", [1, 2])
        self.array("none.npy", "<f4", "f", [], "(0, 4)")
        self.put("bad.png", b"\x89PNG\r\n\x1a\n")
        for code, word, args in ((2, "wanted", ("a.npy",)), (2, "read only once", ("-", "-")),
                                 (3, "No such file", ("a.npy", "x.npy")), (3, "bad.png", ("a.npy", "bad.png")),
                                 (2, "a number of at least 0", ("a.npy", "a.npy", "--tolerance=-1")),
                                 (2, "a number of at least 0", ("a.npy", "a.npy", "--tolerance=inf")),
                                 (2, "a number of at least 0", ("a.npy", "a.npy", "--tolerance=nan")),
                                 (2, "must end in .png", ("a.npy", "a.npy", "--diff=x.npy")),
                                 (2, "two dimensions", ("a.npy", "a.npy", "--diff=x.png")),
                                 (2, "no elements", ("none.npy", "none.npy", "--diff=x.png")),
                                 (3, "cannot write", ("a.npy", "a.npy", "--diff=no/x.png"))):
            self.refuse(code, word if word != "wanted" else "diff", "diff", *args)

    # ---- results of a kernel ----

    def test_buffers(self):
        self.array("same.npy", "<u4", "I", [1, 2, 3])
        self.array("other.npy", "<u4", "I", [1, 4, 3])
        self.put("same.raw", struct.pack("<3I", 1, 2, 3))
        arg = "buffer:u32[]=1,2,3"
        for name in ("same.npy", "same.raw"):
            self.assertEqual(self.run_k(arg, "--expect", "a=" + name), "")
        self.assertEqual(self.run_k(arg, "--expect", "a=other.npy", code=1),
                         "atoll: a is not as in 'other.npy': 1 of 3 elements differ, the worst at element 1: 2, expected 4\n")
        self.run_k(arg, "--expect", "a=other.npy", "--tolerance", "2")
        self.array("float.npy", "<f4", "f", [1, 2, 3])
        self.run_k("buffer:b32[3]", "--expect", "a=float.npy", "--tolerance", "3")
        self.run_k("buffer:f32[]=1,2,nan", "--expect", "a=same.raw", code=1)

    def test_several_and_saved_all_the_same(self):
        self.array("one.npy", "<u4", "I", [1])
        self.array("two.npy", "<u4", "I", [9, 6])
        err = self.run_k("buffer:u32[]=2", "--let", "b=buffer:u32[]=1", "--expect", "a=one.npy", "--expect", "b=one.npy",
                         "--expect", "v=two.npy", "-s", "a=out.raw", code=1)
        self.assertEqual([line.split(" is")[0] for line in err.splitlines()], ["atoll: a", "atoll: v"])
        self.assertIn("element 0: 5, expected 9", err)
        self.assertEqual(self.get("out.raw"), b"\2\0\0\0")

    def test_surfaces(self):
        self.put("in.png", png(3, 2, 0, 8, [bytes([0, 10, 20]), bytes([30, 40, 50])]))
        self.put("ref.png", png(3, 2, 0, 8, [bytes([0, 11, 20]), bytes([30, 40, 40])]))
        self.run_k("surface:in.png", "--expect", "a=in.png")
        err = self.run_k("surface:in.png", "--expect", "a=ref.png", "--diff", "a=d.png", "-s", "a=o.png", code=1)
        self.assertIn("2 of 6 elements differ, the worst at (2, 1): 50, expected 40", err)
        self.assertEqual(gray(self.get("d.png")), [bytes([0, 83, 0]), bytes([0, 0, 255])])
        self.assertEqual(gray(self.get("o.png")), gray(self.get("in.png")))
        self.run_k("surface:in.png:r32float", "--expect", "a=ref.png", "--tolerance=0.04")
        err = self.run_k("surface:in.png:r32float", "--expect", "a=ref.png", "--tolerance=0.03", code=1)
        self.assertIn("(2, 1): 0.196078435, expected 0.156862751", err)
        texels = bytearray(3 * 2 * 2 * 4)
        texels[(1 * 6 + 1 * 3 + 2) * 4 + 3] = 9
        self.put("x.raw", texels)
        err = self.run_k("surface:rgba8uint:2darray:3x2x2", "--expect", "a=x.raw", "--diff", "a=d.png", code=1)
        self.assertIn("(2, 1, 1) channel 3: 0, expected 9", err)
        self.assertEqual(gray(self.get("d.png")), [bytes(3)] * 3 + [b"\0\0\xff"])

    def test_packed_texels(self):
        self.put("x.raw", struct.pack("<I", 5))
        self.run_k("surface:rgb10a2unorm:1x1:@x.raw", "--expect", "a=x.raw")
        self.run_k("surface:rgb10a2unorm:1x1", "--expect", "a=x.raw", code=1)
        self.run_k("surface:rgb10a2unorm:1x1", "--expect", "a=x.raw", "--tolerance=1", code=1, refuse="packed")

    def test_mistakes_are_found_before_the_kernel_runs(self):
        self.array("a.npy", "<u4", "I", [1, 2])
        self.array("f.npy", "<f4", "f", [1, 2, 3])
        self.put("in.png", png(2, 2, 0, 8, [bytes(2)] * 2))
        arg, save = "buffer:u32[3]", ("-s", "a=o.npy")
        for code, word, options in ((2, "wanted NAME=FILE", ("--expect", "a")),
                                    (2, "--expect x: no argument", ("--expect", "x=a.npy")),
                                    (2, "--expect n: a number", ("--expect", "n=a.npy")),
                                    (3, "'a' has 12", ("--expect", "a=a.npy")), (3, "wanted u4", ("--expect", "a=f.npy")),
                                    (3, "No such file", ("--expect", "a=none.npy")),
                                    (2, "there is none", ("--tolerance=1",)),
                                    (2, "no --expect of this name", ("--diff", "a=d.png"))):
            self.run_k(arg, *options, *save, code=code, refuse=word)
        self.put("z.raw", bytes(12))
        same = ("--expect", "a=z.raw")
        self.run_k(arg, *same, *same, code=2, refuse="given twice")
        self.run_k(arg, *same, "--diff", "a=d.npy", code=2, refuse="must end in .png")
        self.run_k(arg, *same, "--diff", "a=d.png", code=2, refuse="two dimensions")
        self.run_k("surface:r8unorm:3x2", "--expect", "a=in.png", code=3, refuse="2 x 2 pixels: 'a' has 3 x 2")
        self.run_k("surface:in.png", "--expect", "a=in.png", "--diff", "a=d.png", "-s", "a=d.png", code=2,
                   refuse="go to one file")
        self.put("s.cmd", b"")
        self.refuse(2, "--stream and --expect", "run", "--stream", "s.cmd", "--expect", "out0=z.raw")


if __name__ == "__main__":
    unittest.main()
