"""What the command line says of where things went wrong: lines of the source, inlined calls, names of kernels.

Run by meson with ATOLL (the program), EXAMPLES and DATA (folders) in the environment. DATA/lines/README.md says how its
files were made."""

import os
import re
import signal
import subprocess
import time
import unittest

from cli_rig import ATOLL, EXAMPLES, Rig, heed_signals

LINES = os.path.join(os.environ["DATA"], "lines")
INLINED = "clamp.cuh:4 (element, inlined at clamp.cuh:9; twice, inlined at fault.cu:18)"

FILES = {  # where the stores and loads of the kernels are
    "fault.ptx": ("fault.ptx:44", "fault.ptx:121"),
    "fault13.ptx": ("fault13.ptx:44", "fault13.ptx:121"),
    "fault.sm_50.cubin": (
        "fault.sm_50.cubin: fill<int> /*0090*/ STG.E [R2], R0 (line 44 of the text it was made from)",
        "fault.sm_50.cubin: gather /*0090*/ LDG.E R2, [R2] (line 121 of the text it was made from)",
    ),
}


class Lines(Rig):
    def setUp(self):
        super().setUp()
        for name in FILES:
            with open(os.path.join(LINES, name), "rb") as file:
                self.put(name, file.read())

    def trap(self, name, kernel, *args):
        """What is said of a trap, on one host thread, by both engines."""
        said = [self.atoll("run", name, "-q", "-k", kernel, *args, "--deterministic", "--engine", engine, code=1)[1]
                for engine in ("auto", "interp")]
        self.assertEqual(said[0], said[1])
        return said[0]

    def test_a_line(self):
        for name, (store, _) in FILES.items():
            for kernel in ("fill<int>", "_Z4fillIiEvPT_iS0_"):
                err = self.trap(name, kernel, "-a", "0=buffer:s32[256]", "-a", "1=256", "-a", "2=3", "-g2", "-b256")
                self.assertIn("atoll: error: kernel 'fill<int>' trapped at fault.cu:9, %s (out-of-bounds): 4 bytes"
                              % store, err)

    def test_inlined_calls(self):
        for name, (_, load) in FILES.items():
            err = self.trap(name, "gather", "-a", "0=buffer:s32[256]", "-a", "1=buffer:s32[100]", "-a", "2=256", "-b256")
            self.assertIn("kernel 'gather' trapped at %s, %s (out-of-bounds): 4 bytes" % (INLINED, load), err)

    def test_names_of_kernels(self):
        self.refuse(2, "kernel 'fill' in fault.ptx could be: _Z4fillIiEvPT_iS0_ (fill<int>), _Z4fillIfEvPT_iS0_ "
                    "(fill<float>)", "run", "fault.ptx", "-k", "fill")
        self.refuse(2, "no kernel 'fil' in fault.ptx, which has: ", "run", "fault.ptx", "-k", "fil")

        self.assertIn("has several: _Z4fillIiEvPT_iS0_ (fill<int>) _Z4fillIfEvPT_iS0_ (fill<float>) _Z6gatherPiPKii "
                      "(gather)", self.atoll("run", "fault.ptx", code=2)[1])
        self.assertIn("kernel gather takes:\n", self.atoll("run", "fault.ptx", "-k", "gather", "-a", "7=1", code=2)[1])

    def test_names_of_surfaces(self):
        sobel = os.path.join(EXAMPLES, "sobel.ptx")
        for kernel, first, called in (("sobel_trap(src, ...)", "src", "src"), ("sobel_trap(src, ...)", "0", "src"),
                                      ("sobel_trap", "0", "parameter 0")):
            err = self.atoll("run", sobel, "-k", kernel, "-a", first + "=surface:r8uint:256x256", "-a",
                             "1=surface:r8uint:300x300", "-a", "2=300", "-a", "3=300", "-q", code=1)[1]
            self.assertIn(" is outside of the 2D surface '%s' of 256 x 256 x 1 texels" % called, err)

    def test_a_trace(self):
        args = ("-q", "-k", "gather", "-a", "0=buffer:s32[1]", "-a", "1=buffer:s32[1]", "-a", "2=1", "-b1", "--trace=-")
        out = self.atoll("run", "fault.ptx", *args)[0]
        self.assertRegex(out, r"lanes 00000001 %s line 121 ld\.u32 \[global 0x[0-9a-f]+\](?: = 0)?\n" % re.escape(INLINED))
        out = self.atoll("run", "fault.sm_50.cubin", *args)[0]
        # the hard build goes on elsewhere: then what it gave is not told
        load = r" _Z6gatherPiPKii /\*0090\*/ LDG\.E R2, \[R2\]: ld\.b32 \[global 0x[0-9a-f]+\](?: = 0x0)?\n"
        self.assertRegex(out, "lanes 00000001 " + re.escape(INLINED) + load)
        self.assertIn("lanes 00000001 fault.cu:19 _Z6gatherPiPKii /*00d8*/ EXIT: exit\n", out)

    def test_limits(self):
        run = ("run", "fault.ptx", "-q", "-k", "spin", "-a", "0=buffer:s32[2]")
        stopped = r"kernel 'spin' was stopped at fault\.cu:2[45], fault\.ptx:15[456]: the %s limit is reached; "
        spinning = "8 threads at fault.cu:24, line 15[456]"
        err = self.atoll(*run, "-b32", "--timeout=0.1", code=4)[1]
        self.assertRegex(err, stopped % "time" + r"block \(0, 0, 0\): " + spinning + "$")
        for order in (("--deterministic",), ("--seed=1",), ("--cooperative", "-j2")):
            err = self.atoll(*run, "-b32", "-g2", "--limit-instructions=500000", *order, code=4)[1]
            self.assertRegex(err, stopped % "instruction" + r"blocks? \(0, 0, 0\)")

    def test_limits_at_barriers(self):
        self.put("bar.ptx", """.version 7.0
.target sm_50
.address_size 64
.file 1 "/x/bar.cu"
.visible .entry k()
{
  .reg .b32 %r<4>; .reg .pred %p;
  mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 32;
  @%p bra L;
  .loc 1 7 1
  bar.sync 1;
L:
  .loc 1 8 1
  bar.sync 2, 32;
  bra L;
}
""")
        err = self.atoll("run", "bar.ptx", "-q", "-b96", "--timeout=0.1", "--engine=interp", code=4)[1]
        self.assertRegex(err, r"the time limit is reached; block \(0, 0, 0\): 32 threads (waiting )?at bar\.cu:8, line 1[45]")
        self.assertIn("64 threads waiting at bar.cu:7, line 11", err)

    def test_hazards(self):
        text = self.atoll("dis", "--control", "fault.sm_50.cubin")[0]
        self.assertIn("SHL R6, R2, 0x1 &req={5} ?W2", text)
        self.put("h.sass", text.replace("SHL R6, R2, 0x1 &req={5} ?W2", "SHL R6, R2, 0x1 ?W2"))
        said = self.atoll("check", "--hazards", "h.sass", code=1)
        self.assertIn("clamp.cuh:10 (twice, inlined at fault.cu:18), _Z6gatherPiPKii+0x00b0: SHL R6, R2, 0x1: R2 is read",
                      "".join(said))

    def test_an_interrupt(self):
        for engine in ("interp", "auto"):
            child = subprocess.Popen([ATOLL, "run", "fault.ptx", "-k", "spin", "-a", "0=buffer:s32[2]", "-b8", "-q", "--engine", engine],
                                     cwd=self.folder.name, stderr=subprocess.PIPE, preexec_fn=heed_signals)
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)
            self.assertRegex(self.end(child).decode(), r"kernel 'spin' was interrupted at fault\.cu:2[45], fault\.ptx:15[456]; "
                             r"block \(0, 0, 0\): 8 threads at fault\.cu:2[45], line 15[456]")

    def test_an_address_is_told_by_its_buffer(self):
        fill = ("fault.ptx", "fill<int>(out, n, value)", "-a", "n=256", "-a", "value=3", "-b512")
        self.assertIn("not allocated: element 256 of 'out' (256 x s32), 0 bytes past its end; block (0, 0, 0), thread (256, 0, 0)",
                      self.trap(*fill, "-a", "out=buffer:s32[256]"))
        self.assertIn(": element 1024 of 'out' (1026 x u8), 2 bytes before its end; the access crosses it;",
                      self.trap(*fill, "-a", "out=buffer:u8[1026]"))
        self.assertIn(": element 256 of 'parameter 0' (256 x f32), 0 bytes past its end;",
                      self.trap("fault.ptx", "fill<int>", "-a", "0=buffer:f32[256]", "-a", "1=256", "-a", "2=3", "-b512"))
        gather = ("fault.sm_50.cubin", "gather(out, in, n)", "-a", "out=buffer:s32[64]", "-a", "n=64", "-b64")
        self.assertIn(": element 40 of 'in' (40 x u32), 0 bytes past its end", self.trap(*gather, "-a", "in=buffer:u32[40]"))


if __name__ == "__main__":
    unittest.main()
