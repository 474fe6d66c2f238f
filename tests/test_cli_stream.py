"""Command streams of CTM on the command line: text both ways, and streams that run on memory made of files.

Run by meson with ATOLL (the program), EXAMPLES and DATA (folders) in the environment."""

import os
import struct
import unittest

from cli_rig import Rig

SCALE = os.path.join(os.environ["EXAMPLES"], "ctm", "scale.dpp")

STREAM = """// one pass
set_inst_fmt base=0
set_inp_fmt input=0 base=0x8000 pitch=4 format=FLOAT32_4 height=2
set_out_fmt output=0 base=0x9000 pitch=4 format=FLOAT32_4 height=2
set_constf_fmt base=0x7000
set_domain i1=3 j1=1
start_program
"""


class Stream(Rig):
    def test_text(self):
        self.put("s.txt", STREAM + ".packet 0xc0018800 1 2\n.word 7\n")
        self.atoll("asm", "--stream", "s.txt", "-o", "s.cmd")
        self.assertEqual(self.get("s.cmd")[:12], struct.pack("<3I", 0xC0010A00, 0, 0))
        text = self.atoll("dis", "--stream", "s.cmd")[0]
        self.assertIn("start_program\n.packet 0xc0018800 0x00000001 0x00000002\n.word 0x00000007\n", text)
        self.put("again.txt", text)
        self.atoll("asm", "--stream", "again.txt", "-o", "again.cmd")
        self.assertEqual(self.get("again.cmd"), self.get("s.cmd"))
        self.put("bad.txt", "set_domain i0=9000\n")
        self.refuse(3, "bad.txt:1:15: i0=9000: wanted a multiple of 1, at most 0xfff", "asm", "--stream", "bad.txt")
        self.put("cut.cmd", self.get("s.cmd")[:-8])
        self.refuse(3, "cut.cmd: word 23 (opcode 0xc0018800): the stream ends within the command", "dis", "--stream",
                    "cut.cmd")
        self.refuse(3, "cut.cmd: word 21 (start_program): the program's base 0x00000000 is outside of the memory", "run",
                    "--stream", "cut.cmd")

    def test_run(self):
        self.put("s.txt", STREAM)
        self.put("in.bin", struct.pack("<32f", *range(32)))
        self.put("c.bin", struct.pack("<8f", 2, 2, 2, 2, 1, 1, 1, 1))
        self.atoll("asm", SCALE, "-o", "k.elf")
        self.atoll("asm", "--stream", "s.txt", "-o", "s.cmd")
        run = ("run", "--stream", "s.cmd", "--memory", "0:0x10000", "--memory", "0=k.elf", "--memory", "0x7000=c.bin",
               "--memory", "0x8000=in.bin")
        err = self.atoll(*run, "-s", "out0=o.raw", "-s", "0x9000:0x80=p.bin", "-s", "out0=o.npy", "--stats")[1]
        self.assertRegex(err, r"commands +6\nlaunches +1\n")
        self.assertEqual(struct.unpack("<32f", self.get("o.raw")), tuple(2 * x + 1 for x in range(32)))
        self.assertEqual(self.get("o.raw"), self.get("p.bin"))
        self.assertIn(b"(2, 4, 4)", self.get("o.npy"))
        seen = set()
        for seed in range(8):
            for name in ("a.raw", "b.raw"):
                self.atoll(*run, "--seed=%d" % seed, "-s", "out0=" + name)
            self.assertEqual(self.get("a.raw"), self.get("b.raw"))
            seen.add(self.get("a.raw"))
        self.assertGreater(len(seen), 1)  # nobody flushed the outputs
        self.refuse(4, "word 21 (start_program): ", *run, "--limit-instructions=1")

    def test_an_endless_program_is_named(self):
        self.put("k.dpp", ".dpp\nL: r1.r = r1 + 1\nFC JUMP func=0xff addr=L\nout0 = r1 wait\n")
        self.put("s.txt", STREAM)
        self.atoll("asm", "k.dpp", "-o", "k.elf")
        self.atoll("asm", "--stream", "s.txt", "-o", "s.cmd")
        for limit in ("--limit-instructions=99999", "--timeout=0.1"):
            err = self.atoll("run", "--stream", "s.cmd", "--memory", "0:0x10000", "--memory", "0=k.elf", limit, code=4)[1]
            self.assertRegex(err, r"word 21 \(start_program\): kernel 'main' was stopped at the program: main, "
                                  r"instruction [01] \((ALU|FC)\): the (instruction|time) limit is reached")

    def test_refused(self):
        self.put("s.cmd", b"")
        run = ("run", "--stream", "s.cmd")
        self.atoll(*run)
        self.refuse(2, "--stream and --grid exclude each other", *run, "-g", "4")
        self.refuse(2, "wanted ADDRESS=FILE or ADDRESS:SIZE[=FILE]", *run, "--memory", "7")
        self.refuse(2, "wanted a multiple of 2048 as its base", *run, "--memory", "7:7")
        self.refuse(2, "overlaps", *run, "--memory", "0:4096", "--memory", "2048:4096")
        self.refuse(2, "more than 4", *run, "--memory", "0:4=" + SCALE)
        self.refuse(3, "nothing.bin", *run, "--memory", "0=nothing.bin")
        self.refuse(2, "wanted ADDRESS:SIZE=FILE or out0=FILE", *run, "-s", "0:4=x.txt")
        self.refuse(2, "outside of the memory", *run, "-s", "0:4=x.bin")
        self.refuse(2, "wanted in0 to in15, out0 to out3 or cond", *run, "-s", "out4=x.bin")
        self.refuse(3, "output 0 has no format: set_out_fmt was not issued", *run, "-s", "out0=x.bin")
        self.refuse(2, "only in0, out0 ... and cond are pictures", *run, "--memory", "0:4", "-s", "0:4=x.png")
        self.refuse(2, "--memory is of command streams", "run", SCALE, "--memory", "0:4")


if __name__ == "__main__":
    unittest.main()
