"""atoll run --check: what is told, exit codes, options.

Run by meson with ATOLL (the program), EXAMPLES and DATA (folders) in the environment."""

import os
import unittest

from cli_rig import HEADER, Rig, heed_signals

RACES = os.path.join(os.environ["DATA"], "checks", "race")


class Check(Rig):
    def setUp(self):
        super().setUp()
        for name in ("tile", "flag_weak", "atomic_reset"):
            with open(os.path.join(RACES, name + ".ptx"), "rb") as file:
                self.put(name + ".ptx", file.read())

    def run_checked(self, name, kernel, code, *more):
        return self.atoll("run", name + ".ptx", "-q", "-k", kernel, "-a", "0=buffer:u32[4096]", "-a",
                          "1=buffer:u32[4096]", "-a", "2=surface:r32uint:64x64", "-g2", "-b64", *more, code=code)

    def test_a_race(self):
        err = self.run_checked("tile", "wrong", 1, "--check=race", "--save=1=out.npy")[1]
        self.assertIn("atoll: race (unordered): thread (32, 0, 0) of block (0, 0, 0) writes element 32 of shared 'tile' "
                      "(of 4 bytes each) at tile.cu:8, tile.ptx:", err)
        self.assertIn("; thread (31, 0, 0) of block (0, 0, 0) has read it at tile.cu:9, tile.ptx:", err)
        self.assertIn("; nothing stands between them (128 times)\n", err)
        self.assertGreater(len(self.get("out.npy")), 4096)  # results are saved all the same

    def test_names_of_shared_memory(self):
        with open(os.path.join(RACES, "atomic_reset.ptx"), "rb") as file:
            text = file.read()  # another kernel's variable comes first
        at = text.index(b".visible .entry wrong")
        self.put("atomic_reset.ptx", text[:at] + b".shared .align 4 .b8 other[64];\n" + text[at:])
        err = self.run_checked("atomic_reset", "wrong", 1, "--check=race")[1]
        self.assertIn("element 0 of shared 'count' (of 4 bytes each)", err)

    def test_all_faults(self):
        with open(os.path.join(os.path.dirname(RACES), "memory", "past_end.ptx"), "rb") as file:
            self.put("past_end.ptx", file.read())
        err = self.run_checked("past_end", "wrong", 1, "--check=memory", "--save=1=out.npy")[1]
        self.assertIn("atoll: memory (out-of-bounds): thread (0, 0, 0) of block (1, 0, 0) writes at past_end.cu:8, "
                      "past_end.ptx:", err)
        self.assertIn("; 4 bytes at global address 0x10004000 are not allocated: element 4096 of 'parameter 0' "
                      "(4096 x u32), 0 bytes past its end (64 times)\n", err)
        self.assertEqual(err.count("atoll: memory"), 2)
        self.assertGreater(len(self.get("out.npy")), 4096)
        err = self.run_checked("past_end", "wrong", 1)[1]
        self.assertIn("trapped at past_end.cu:8", err)
        self.assertEqual(self.run_checked("past_end", "right", 0, "--check=memory,border")[1], "")

    def test_whose_memory(self):
        self.put("k.ptx", HEADER + """
.visible .entry k(.param .u64 x, .param .u64 o) { .reg .b64 %rd<9>; .reg .b32 %r<9>;
    ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [o]; mov.u32 %r1, %tid.x; sub.u32 %r1, %r1, 1;
    mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r2, [%rd4]; st.global.u32 [%rd2], %r2; ret; }
.visible .entry store(.param .u64 s) { .reg .b64 %rd<9>; .reg .b32 %r<9>;
    ld.param.u64 %rd1, [s]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
    sust.b.2d.b32.clamp [%rd1, {%r2, %r1}], {%r1}; ret; }
.visible .entry part(.param .u64 o) { .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b16 %h<2>;
    ld.param.u64 %rd1, [o]; mov.u16 %h1, 1; mov.u32 %r1, 1; st.global.u8 [%rd1], %h1; st.global.u32 [%rd1+4], %r1; ret; }
""")
        run = ("run", "k.ptx", "-q", "-g1")
        err = self.atoll(*run, "-kk", "-b1", "-a", "x=buffer:u32[32]=1", "-a", "o=buffer:u32[32]", "--check=memory", code=1)[1]
        self.assertIn("are not allocated: element 4294967295 of 'x' (32 x u32), 17179869052 bytes past its end\n", err)
        err = self.atoll(*run, "-kstore", "-b9", "-a", "s=surface:r32uint:8x1", "--check=race", code=1)[1]
        self.assertIn(" writes texel (28, 0) (x in bytes; clamped from (32, 8)) of surface 's' at ", err)
        err = self.atoll(*run, "-kstore", "-b9", "-a", "s=surface:r32uint:8x1", "--check=border", code=1)[1]
        self.assertIn(" writes texel (4, 1) (x in bytes) of surface 's' at ", err)
        err = self.atoll(*run, "-kpart", "-b1", "-a", "o=buffer:u64[2]", "--check=outputs", code=1)[1]
        self.assertIn("2 of 2 elements of 'o' have not been written, the first is byte 1 of element 0\n", err)
        err = self.atoll(*run, "-kpart", "-b1", "-a", "o=buffer:u32[3]", "--check=outputs", code=1)[1]
        self.assertIn("2 of 3 elements of 'o' have not been written, the first is byte 1 of element 0\n", err)
        small = ("-a", "s=surface:r32uint:8x8:at=m", "--let", "m=buffer:u32[64]")
        err = self.atoll(*run, "-kstore", "-b1", *small, code=2)[1]
        self.assertIn("a surface of 512 bytes does not fit in the 256 that are there: its rows of 32 bytes are padded to 64 "
                      "(the layout's pitch, pitch=BYTES, changes that)\n", err)
        self.atoll(*run, "-kstore", "-b1", small[0], small[1] + ":pitch=32", *small[2:])

    def test_none(self):
        self.assertEqual(self.run_checked("tile", "right", 0, "--check=all")[1], "")
        self.assertEqual(self.run_checked("tile", "wrong", 0)[1], "")

    def test_sync(self):
        folder = os.path.join(os.path.dirname(RACES), "sync")
        for name in ("early_return", "count_many"):
            with open(os.path.join(folder, name + ".ptx"), "rb") as file:
                self.put(name + ".ptx", file.read())
        err = self.run_checked("early_return", "wrong", 1, "--check=sync")[1]
        self.assertIn("atoll: sync (exited-threads): thread (0, 0, 0) of block (0, 0, 0) waits at a barrier of all threads at "
                      "early_return.cu:13, early_return.ptx:", err)
        self.assertIn("; thread (40, 0, 0) of block (0, 0, 0) has left the kernel at early_return.cu:11, early_return.ptx:", err)
        err = self.run_checked("count_many", "wrong", 1, "--check=sync")[1]
        self.assertIn("sync (wrong-count)", err)
        self.assertIn("threads wait at barrier 1 for ever", err)  # it traps as without the check
        self.assertEqual(self.run_checked("early_return", "right", 0, "--check=sync")[1], "")

    def test_seed_and_limit(self):
        self.assertEqual(self.run_checked("tile", "right", 0, "--check=race", "--seed=3")[1], "")
        err = self.run_checked("flag_weak", "wrong", 1, "--check=race", "--max-errors=1")[1]
        self.assertEqual(err.count("atoll: race"), 1)
        self.assertIn("atoll: findings beyond these (--max-errors): 1 (", err)

    def test_refused(self):
        err = self.run_checked("tile", "right", 2, "--check=rice")[1]
        self.assertIn("no check 'rice': wanted all, race, ", err)
        err = self.atoll("run", "--stream", "tile.ptx", "--check=race", code=2)[1]
        self.assertIn("--check: command streams are not checked", err)

    def test_an_empty_file(self):
        self.put("e", b"")
        self.put("k.ptx", HEADER + ".visible .entry k() { ret; }\n")
        for args in (("check", "e"), ("check", "/dev/null"), ("check", "-"), ("info", "e"), ("run", "e"), ("fmt", "e"),
                     ("check", "--hazards", "e"), ("dis", "e"), ("check", "k.ptx", "e"), ("check", "--link", "k.ptx", "e")):
            self.refuse(3, "'%s' is empty" % args[-1], *args)


if __name__ == "__main__":
    heed_signals()
    unittest.main()
