"""What the command line says of where things went wrong: lines of the source, inlined calls, names of kernels.

Run by meson with ATOLL (the program), EXAMPLES and DATA (folders) in the environment. DATA/lines/README.md says how its
files were made."""

import os
import unittest

from cli_rig import Rig

LINES = os.path.join(os.environ["DATA"], "lines")
INLINED = "clamp.cuh:4 (element, inlined at clamp.cuh:9; twice, inlined at fault.cu:18)"

FILES = {  # where the stores and loads of the kernels are
    "fault.ptx": ("fault.ptx:44", "fault.ptx:121"),
    "fault13.ptx": ("fault13.ptx:44", "fault13.ptx:121"),
    "fault.sm_50.cubin": (
        "fault.sm_50.cubin: _Z4fillIiEvPT_iS0_ /*0090*/ STG.E [R2], R0 (line 44 of the text it was made from)",
        "fault.sm_50.cubin: _Z6gatherPiPKii /*0090*/ LDG.E R2, [R2] (line 121 of the text it was made from)",
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

    def test_a_trace(self):
        args = ("-q", "-k", "gather", "-a", "0=buffer:s32[1]", "-a", "1=buffer:s32[1]", "-a", "2=1", "-b1", "--trace=-")
        out = self.atoll("run", "fault.ptx", *args)[0]
        self.assertIn("lanes 00000001 %s line 121 ld\n" % INLINED, out)
        out = self.atoll("run", "fault.sm_50.cubin", *args)[0]
        self.assertIn("lanes 00000001 %s _Z6gatherPiPKii /*0090*/ LDG.E R2, [R2]: ld\n" % INLINED, out)
        self.assertIn("lanes 00000001 fault.cu:19 _Z6gatherPiPKii /*00d8*/ EXIT: exit\n", out)

    def test_limits(self):
        err = self.atoll("run", "fault.ptx", "-q", "-k", "spin", "-a", "0=buffer:s32[2]", "-b8", "--timeout=0.1", code=4)[1]
        self.assertIn("kernel 'spin' was stopped at fault.cu:24, fault.ptx:155", err)


if __name__ == "__main__":
    unittest.main()
