"""vISA on the command line: inputs and surfaces by name, and kernels of ocloc with the arguments of OpenCL, which
--abi=opencl takes from their .ze_info or from what is given.

Run by meson with ATOLL (the program), EXAMPLES and DATA (folders) in the environment."""

import collections
import glob
import os
import struct
import unittest

from cli_rig import Rig

OCL = os.path.join(os.environ["DATA"], "visa_ocl")
DEVICES = ["skl", "tgllp", "acm-g10"]

# surface (3, group y) += value, by 8 channels a group
SPLAT = """.version 4.1
.kernel "k"
.decl V38 v_type=G type=ud num_elts=1 align=dword
.decl V39 v_type=G type=ud num_elts=8 align=hword
.decl V40 v_type=G type=ud num_elts=8 align=hword
.decl V41 v_type=G type=ud num_elts=8 align=hword
.decl V42 v_type=G type=ud num_elts=8 align=hword
.decl T6 v_type=T num_elts=1 v_name=T6
.input V38 offset=32 size=4
.kernel_attr Target="cm"
%s    mov (M1, 8) V39(0,0)<1> 0x3:ud
    mov (M1, 8) V40(0,0)<1> %%group_id_y(0,0)<0;1,0>
    mov (M1, 8) V41(0,0)<1> V38(0,0)<0;1,0>
    typed_atomic.add (M1, 8) T6 V39.0 V40.0 %%null.0 %%null.0 V41.0 %%null.0 V42.0
    ret (M1, 1)
"""


def words(kind, count):
    return struct.Struct("<%d%s" % (count, kind)).unpack


class Visa(Rig):
    def text(self, kernel, device):
        return glob.glob(os.path.join(OCL, "%s_*.%s.simd*.visaasm" % (kernel, device)))[0]

    def described(self, kernel, device, *args):
        """Runs it with the .ze_info."""
        info = glob.glob(os.path.join(OCL, "%s_*.%s.ze_info" % (kernel, device)))[0]
        self.atoll("run", self.text(kernel, device), "-q", "--abi=opencl:" + info, *args)

    def given(self, kernel, device, vectors, *args):
        """Runs it with what the arguments say, and the names of the inputs of 12 bytes, in order."""
        with open(self.text(kernel, device)) as file:
            inputs = [line.split()[1] for line in file if line.startswith(".input") and "size=12" in line]
        named = ["-a%s=%s" % pair for pair in zip(inputs, vectors)]
        self.assertEqual(len(inputs), len(vectors))
        self.atoll("run", self.text(kernel, device), "-q", "--abi=opencl", *args, *named)

    def test_as_written(self):
        self.put("k.visaasm", SPLAT % "")
        run = ("run", "k.visaasm", "-k", "k", "--simd=8", "-g", "4x4", "-s")
        err = self.atoll(*run, "T6=o.bin", "-a", "V38=u32:7", "-a", "T6=surface:r32uint:4x4")[1]
        self.assertIn("parameter 1 (bti T6): surface:r32uint:4x4", err)
        self.assertIn("grid 4x4x1, block 8x1x1", err)
        self.assertEqual(words("I", 16)(self.get("o.bin")), (0, 0, 0, 7 * 8 * 4) * 4)
        self.put("one.visaasm", SPLAT % "    movs (M1_NM, 1) T6(0) 0x1:ud\n")
        for name in ("bti1", "T6", "1"):
            self.atoll("run", "one.visaasm", "-q", "-g", "1", "-a", "0=7", "-a", name + "=surface:r32uint:4x4", "-s",
                       name + "=p.bin")
            self.assertEqual(words("I", 4)(self.get("p.bin")[:16]), (0, 0, 0, 56))
        self.assertIn("parameter 1 (bti T6) is not given: nothing is bound",
                      self.atoll("run", "k.visaasm", "-g", "1", "-a", "V38=7", code=1)[1])
        self.refuse(2, "parameter 0 (u32 V38) of kernel 'k' is not given", "run", "k.visaasm", "-g", "1")
        self.refuse(2, "parameter 1 (T6) wants buffer:... or surface:...", "run", "k.visaasm", "-a", "T6=7")
        self.refuse(2, "--arg V38: a sampler has 16 bytes", "run", "k.visaasm", "-a", "V38=sampler:linear")
        self.refuse(2, "--simd: 12 threads a warp: wanted 8, 16 or 32", "run", "k.visaasm", "--simd=12")
        self.refuse(2, "--abi: 'vulkan' is no ABI that vISA knows: opencl", "info", "k.visaasm", "--abi=vulkan")
        self.assertIn('"warp_lanes":16,', self.atoll("info", "--json", "--simd=16", "k.visaasm")[0])
        self.assertIn("threads a warp: 8\n", self.atoll("info", "k.visaasm")[0])

    def test_packing(self):
        """Threads lie side by side where nothing keeps them from it."""
        nothing, wide = "", ".decl W v_type=G type=d num_elts=32 align=GRF\n%smov (M1_NM, 16) W(0,0)<1> 0x0:d\n"
        for setup, packed in ((nothing, True), ("barrier\n", True), (wide % "", False),
                              ("sbarrier.signal\nsbarrier.wait\n", False),
                              ("nbarrier.signal 0x3:ub 0x1:ub\nnbarrier.wait 0x3:ub\n", False)):
            self.put("k.visaasm", SPLAT % setup)
            out = self.atoll("run", "k.visaasm", "--simd=8", "--dump=lanes")[0]
            self.assertEqual("lanes 8 packable" in out, packed, setup)
        for work in ("w1", "w2", "w5"):
            text = os.path.join(os.environ["EXAMPLES"], "..", "bench", work + ".simd16.visaasm")
            self.assertIn("lanes 16 packable", self.atoll("run", text, "--dump=lanes")[0])

    def test_halves_of_inputs(self):
        """Two inputs of 16 channels, each a half of one register: neither writes the other's lanes."""
        decl = "".join(".decl %s v_type=G type=%s num_elts=%d align=GRF\n" % of for of in (
            ("A", "uw", 16), ("B", "uw", 16), ("P", "uq", 1), ("V", "ud", 32), ("O", "uq", 32), ("I", "ud", 32)))
        code = ("mov (M1, 8) I(0,0)<1> 0x76543210:v\n" + "".join(
            "add (M%d, 8) I(%d,0)<1> I(0,0)<1;1,0> 0x%x:ud\n" % (2 * k + 1, k, 8 * k) for k in (1, 2, 3)))
        self.put("k.visaasm", '.version 4.1\n.kernel "k"\n' + decl + """.input A offset=32 size=32
.input B offset=64 size=32
.input P offset=96 size=8
.kernel_attr SimdSize=32
""" + code + """mov (M1, 16) V(0,0)<1> A(0,0)<1;1,0>
mov (M5, 16) V(2,0)<1> B(0,0)<1;1,0>
shl (M1, 32) I(0,0)<1> I(0,0)<1;1,0> 0x2:ud
mov (M1, 32) O(0,0)<1> I(0,0)<1;1,0>
add (M1, 32) O(0,0)<1> O(0,0)<1;1,0> P(0,0)<0;1,0>
svm_scatter.4.1 (M1, 16) O.0 V.0
svm_scatter.4.1 (M5, 16) O.128 V.64
ret (M1, 1)
""")
        values = list(range(1, 17)), list(range(101, 117))
        self.atoll("run", "k.visaasm", "-q", "-g", "1", "-b", "32", "-a", "P=buffer:u32[32]", "-s", "P=p.bin",
                   *["-a%s=u16:%s" % (name, ",".join(map(str, of))) for name, of in zip("AB", values)])
        self.assertEqual(words("I", 32)(self.get("p.bin")), tuple(values[0] + values[1]))

    def test_buffers_and_values(self):
        data = bytes((7 * i * i + i) % 256 for i in range(1000))
        counts = collections.Counter(data)
        self.put("in.bin", data)
        shape = ("-g", "16", "-b", "64", "-s")
        for device in DEVICES:
            self.described("01", device, *shape, "out=o.bin", "-a", "in=buffer:@in.bin", "-a", "out=buffer:u32[256]",
                           "-a", "n=1000")
            wanted = tuple(counts[i] for i in range(256))
            self.assertEqual(words("I", 256)(self.get("o.bin")), wanted)
            self.given("01", device, ["global_size", "local_size", "enqueued_local_size"], *shape, "1=p.bin",
                       "--shared=1024", "-a", "0=buffer:@in.bin", "-a", "1=buffer:u32[256]", "-a", "2=1000")
            self.assertEqual(self.get("p.bin"), self.get("o.bin"))

    def test_local_pointers(self):
        self.put("in.bin", struct.pack("<1024f", *(i % 7 for i in range(1024))))
        wanted = tuple(float(sum(i % 7 for i in range(64 * k, 64 * k + 64))) for k in range(16))
        shape = ("-g", "16", "-b", "64", "-s")
        for device in DEVICES:
            self.described("04", device, *shape, "out=o.bin", "-a", "in=buffer:f32[1024]@in.bin", "-a",
                           "out=buffer:f32[16]", "-a", "t=local:256", "-a", "n=1024")
            self.assertEqual(words("f", 16)(self.get("o.bin")), wanted)
            self.given("04", device, ["local_size", "enqueued_local_size"], *shape, "1=p.bin", "-a",
                       "0=buffer:f32[1024]@in.bin", "-a", "1=buffer:f32[16]", "-a", "2=local:256", "-a", "3=1024")
            self.assertEqual(self.get("p.bin"), self.get("o.bin"))
        info = os.path.join(OCL, "04_reduce_float.skl.ze_info")
        self.refuse(1, "out-of-bounds", "run", self.text("04", "skl"), "-q", "--abi=opencl:" + info, "-g", "16", "-b",
                    "64", "-a", "0=buffer:f32[1024]", "-a", "1=buffer:f32[16]", "-a", "2=local:252", "-a", "3=1024")

    def test_two_dimensions(self):
        self.put("in.bin", struct.pack("<1024f", *range(1024)))
        for device in DEVICES:
            self.described("05", device, "-g", "2x2", "-b", "16x16", "-a", "a=buffer:f32[1024]@in.bin", "-a",
                           "b=buffer:f32[1024]", "-a", "w=32", "-a", "h=32", "-s", "b=o.bin")
            out = words("f", 1024)(self.get("o.bin"))
            self.assertEqual(out, tuple(32.0 * x + y for y in range(32) for x in range(32)))

    def test_images(self):
        for device in DEVICES:
            self.described("12", device, "-g", "1x4", "-b", "4", "-a", "a=surface:rgba32uint:4x4=1", "-a",
                           "v=surface:rgba32uint:3d:4x4x2=5", "-a", "o=surface:rgba32uint:2darray:4x4x2", "-a", "z=1",
                           "-s", "a=a.bin", "-s", "o=o.bin")
            self.assertEqual(words("I", 64)(self.get("a.bin")), (6,) * 64)
            self.assertEqual(words("I", 128)(self.get("o.bin")), (0,) * 64 + (5,) * 64)
            self.given("12", device, ["enqueued_local_size"], "-g", "1x4", "-b", "4", "-a",
                       "0=read_write:surface:rgba32uint:4x4=1", "-a", "1=read:surface:rgba32uint:3d:4x4x2=5", "-a",
                       "2=write:surface:rgba32uint:2darray:4x4x2", "-a", "3=1", "-s", "0=b.bin")
            self.assertEqual(self.get("b.bin"), self.get("a.bin"))
            self.described("15", device, "-g", "2x2", "-b", "8", "-a", "a=surface:r32uint:128x8", "-a",
                           "out=buffer:u32[16]", "-s", "a=a.bin")
            self.assertEqual(words("I", 24)(self.get("a.bin")[:96]), (3,) * 16 + (0,) * 8)

    def test_samplers_of_the_source(self):
        for device in DEVICES:
            self.described("02", device, "-g", "1x8", "-b", "8", "-a", "a=surface:rgba32float:8x8=0.5", "-a",
                           "b=surface:rgba32float:8x8", "-a", "s=2", "-s", "b=b.bin")
            self.assertEqual(words("f", 256)(self.get("b.bin")), (1.0,) * 256)

    def test_what_the_rules_leave_open(self):
        run = ("run", self.text("15", "skl"), "--abi=opencl", "-a", "0=surface:r32uint:128x8", "-a", "1=buffer:u32[16]")
        self.refuse(2, "input V0037 at offset 168 (12 bytes) is not an argument, and nothing tells which it is: "
                    "group_count, global_size, local_size or enqueued_local_size", *run)
        self.atoll(*run, "-g", "2", "-a", "V0037=u32:8,1,1")
        self.atoll(*run, "-g", "2", "-a", "V0037=local_size")
        self.refuse(2, "'V0037=colour' in the list of its arguments", *run, "-a", "V0037=colour")
        self.refuse(2, "argument 1 (value) would be 4 bytes", *run[:3], "-a", "0=surface:r32uint:4x4", "-a", "1=u32:3")


if __name__ == "__main__":
    unittest.main()
