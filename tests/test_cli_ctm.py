"""CTM on the command line: executables, single words, checks, hazards, what a program declares.

Run by meson with ATOLL (the program) in the environment."""

import json
import random
import struct
import unittest

from cli_rig import Rig

# The guide's lines (p.37), with what guards them.
GUIDE = """.dpp
    r4 = TEXLD(s0, r1)
    r5 = TEXLD(s1, r2)
    r6 = TEXLD(s2, r3) wait acquire
    r1 = r1 + 1
    r0 = r4 + r5 wait
    r0 = r0 + r6
    out0 = r0 * c3 wait
"""

# 1: OMOD_DISABLED with MAD; 2: DP alone; 4: no OUTPUT at the end
BROKEN = """.dpp
    r1 = r0 * c0 exact
    r2.rgb = r0 * c0 | r2.a = dp()
    r3.rgb = sop() | r3.a = rcp(r0.r)
    r3 = r2 + r1
"""

LATE = """.dpp
    r1 = TEXLD(s0, r0) acquire wait
    r2 = r1 + 1
    out0 = r2 wait
"""


class Ctm(Rig):
    def test_there_and_back(self):
        self.put("k.dpp", GUIDE)
        self.atoll("asm", "k.dpp", "-o", "k.elf")
        data = self.get("k.elf")
        self.assertEqual(data[:20], b"\x7fELF\1\1\1\x62\1" + bytes(7) + b"\2\0\x7a\0")
        self.assertEqual(data.count(b"ATI DPP\0"), 7)
        text = self.atoll("dis", "k.elf")[0]
        self.assertIn("r4 = TEXLD(s0, r1)\n", text)
        self.assertIn("r1 = r1 + 1\n", text)
        self.put("again.dpp", text)
        self.atoll("asm", "again.dpp", "-o", "again.elf")
        self.assertEqual(self.get("again.elf"), data)
        code = data[struct.unpack("<I", data[56:60])[0] :][: 7 * 24]
        self.put("raw.bin", code)
        self.assertEqual(
            self.atoll("dis", "-b", "R580", "raw.bin")[0].split("\n"), [line.strip() for line in text.split("\n")[1:]]
        )

    def test_words(self):
        drawn = random.Random(580)
        lines = [" ".join("%08x" % drawn.getrandbits(32) for _ in range(6)) for _ in range(300)]
        text = self.atoll("dis", "-b", "R580", "--words", "-", stdin=("\n".join(lines) + "\n").encode())[0]
        self.assertEqual(len(text.split("\n")), 301)
        back = self.atoll("asm", "-b", "R580", "--words", "-", stdin=text.encode())[0]
        self.assertEqual(back.split("\n")[:-1], lines)
        for wrong in ("1 2 3 4 5", "1 2 3 4 5 100000000", "x", ""):
            out = self.atoll("dis", "-b", "R580", "--words", "-", stdin=(wrong + "\n").encode())[0]
            self.assertEqual(out, "? wanted six hexadecimal numbers, W0 first; and an address\n")
        self.assertEqual(self.atoll("asm", "-b", "R580", "--words", "-", stdin=b"r1 = nothing\n")[0][:2], "? ")
        text = b"alu.r<0 = r1\nalu.a!=0 = r1.a\nALU nop\n"
        words = self.atoll("asm", "-b", "R580", "--words", "-", stdin=text)[0]
        self.assertEqual(self.atoll("dis", "-b", "R580", "--words", "-", stdin=words.encode())[0], text.decode())

    def test_check(self):
        self.put("good.dpp", GUIDE)
        self.assertEqual(self.atoll("check", "--strict", "good.dpp"), ("", ""))
        self.put("k.dpp", BROKEN)
        err = self.atoll("check", "k.dpp", code=1)[1]
        self.assertIn("k.dpp:2:5: error: instruction 0: OMOD_DISABLED with MAD of RGB; wanted MIN, MAX, CND or CMP "
                      "[omod-disabled]\n    r1 = r0 * c0 exact\n    ^", err)
        self.assertIn("k.dpp:3:5: error: instruction 1: DP of alpha with MAD of RGB; wanted DP3, DP4 or D2A [dp-alone]",
                      err)
        self.assertIn("k.dpp:5:5: error: instruction 3: the last instruction is no OUTPUT [last-not-output]", err)
        self.assertNotIn("sop-alone", err)
        out = self.atoll("check", "--diagnostics=json", "k.dpp", code=1)[0]
        rows = [json.loads(line) for line in out.splitlines()]
        self.assertEqual([(r["line"], r["code"]) for r in rows],
                         [(2, "omod-disabled"), (2, "omod-disabled"), (3, "dp-alone"), (5, "last-not-output")])
        # It assembles all the same, with warnings, but not strictly; the executable has no lines.
        self.assertIn("warning: instruction 1: DP of alpha", self.atoll("asm", "k.dpp", "-o", "k.elf")[1])
        self.refuse(3, "error: instruction 1: DP of alpha", "asm", "--strict", "k.dpp", "-o", "never.elf")
        self.assertIn("k.elf: error: instruction 1: DP of alpha", self.atoll("check", "k.elf", code=1)[1])
        self.put("advice.dpp", ".dpp\nout0 = r0\n")
        self.assertIn("warning: instruction 0: the last instruction should have TEX_SEM_WAIT [last-without-wait]",
                      self.atoll("check", "advice.dpp")[1])
        self.atoll("check", "--strict", "advice.dpp", code=1)

    def test_hazards(self):
        self.put("k.dpp", LATE)
        self.atoll("check", "k.dpp")
        out, err = self.atoll("check", "--hazards", "k.dpp", code=1)
        self.assertIn("instruction 1 (line 3): r1.rgb is read while the lookup of instruction 0 (line 2) can be under "
                      "way: no TEX_SEM_WAIT since its TEX_SEM_ACQUIRE\n", out)
        self.assertEqual(err, "k.dpp: 2 hazards\n")
        rows = self.atoll("check", "--hazards", "--diagnostics=json", "k.dpp", code=1)[0].splitlines()
        self.assertEqual([json.loads(row)["code"] for row in rows], ["hazard", "hazard"])
        self.atoll("asm", "k.dpp", "-o", "k.elf")
        self.assertIn("instruction 1: r1.rgb is read while", self.atoll("check", "--hazards", "k.elf", code=1)[0])
        self.put("good.dpp", GUIDE)
        self.assertEqual(self.atoll("check", "--hazards", "good.dpp"), ("", ""))

    def test_info(self):
        self.put("k.dpp", GUIDE)
        out = self.atoll("info", "k.dpp")[0]
        self.assertIn("  inputs:\n    in0\n    in1\n    in2\n  outputs:\n    out0\n  float constants:\n    c3\n", out)
        self.assertIn("    instructions  7\n", out)
        self.assertIn("    flow control  partial\n", out)
        self.assertIn("    US_PIXSIZE  0x00000006\n", out)
        told = json.loads(self.atoll("info", "--json", "k.dpp")[0])
        self.assertEqual(told["kernels"][0]["float constants"], [{"name": "c3"}])

    def test_refused(self):
        self.put("k.dpp", GUIDE)
        self.atoll("asm", "k.dpp", "-o", "k.elf")
        data = self.get("k.elf")
        self.put("cut.elf", data[:300])
        for command in ("dis", "check", "info", "run"):
            self.refuse(3, "cut.elf: CTM executable: byte 0x", command, "cut.elf")
        self.put("flags.elf", data[:36] + b"\0" + data[37:])
        self.refuse(3, "byte 0x24: the word of flags is 0; wanted 1", "check", "flags.elf")
        self.refuse(1, "programs of CTM are not joined", "info", "k.elf", "k.dpp")
        self.refuse(2, "--tex-write: 'late' is no time of writing lookups that CTM knows: deferred, immediate, seeded",
                    "info", "--tex-write=late", "k.dpp")
        self.atoll("info", "--tex-write=seeded", "k.dpp")
        self.put("k.ptx", ".version 7.0\n.target sm_50\n.address_size 64\n")
        self.refuse(2, "'seeded' is no time of writing lookups that PTX knows: it has none", "info",
                    "--tex-write=seeded", "k.ptx")


if __name__ == "__main__":
    unittest.main()
