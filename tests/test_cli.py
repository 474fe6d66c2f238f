"""The command line from end to end: results, messages, exit codes, and that no file is touched by a failed run.

Run by meson with ATOLL (the program) and EXAMPLES (the folder) in the environment."""

import json
import os
import re
import shutil
import signal
import struct
import subprocess
import time
import unittest

from cli_rig import ATOLL, EXAMPLES, HEADER, Rig, heed_signals, npy, npy_read, png

# out[i] = a + i for a block of threads
ADD = HEADER + """
.global .u32 bias;
.visible .entry add(.param .u64 add_out, .param .u32 add_n)
{
  .reg .u32 %r<5>; .reg .u64 %rd<4>;
  ld.param.u64 %rd1, [add_out]; ld.param.u32 %r1, [add_n];
  ld.global.u32 %r4, [bias];
  mov.u32 %r2, %tid.x; add.u32 %r3, %r1, %r2; add.u32 %r3, %r3, %r4;
  mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3; ret;
}
"""

# k writes twice(21) of another file to out
MAIN = HEADER + """.extern .func (.param .u32 r) twice(.param .u32 a);
.visible .entry k(.param .u64 out)
{
  .reg .u32 %r<3>; .reg .u64 %rd<2>; .param .u32 a; .param .u32 b;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, 21; st.param.u32 [a], %r1;
  call (b), twice, (a); ld.param.u32 %r2, [b]; st.global.u32 [%rd1], %r2; ret;
}
"""

LIBRARY = HEADER + """.visible .func (.param .u32 r) twice(.param .u32 a)
{
  .reg .u32 %r<2>; ld.param.u32 %r1, [a]; add.u32 %r1, %r1, %r1; st.param.u32 [r], %r1; ret;
}
"""

LOOP = HEADER + """
.visible .entry loop(.param .u64 out)
{
  .reg .u32 %r<3>; .reg .pred %p<2>; .reg .u64 %rd<2>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, 0; st.global.u32 [%rd1], 77;
L: add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0xffffffff; @%p1 bra L;
  ret;
}
"""

DIVIDE = HEADER + """
.visible .entry divide(.param .u64 out, .param .u32 by)
{
  .reg .u32 %r<4>; .reg .u64 %rd<2>;
  ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [by]; mov.u32 %r2, 7;
  div.u32 %r3, %r2, %r1; st.global.u32 [%rd1], %r3; ret;
}
"""

# copies texel 0 of the reference S, through a struct parameter and dynamic shared memory, to out
BIND = HEADER + """
.global .surfref S[2];
.extern .shared .align 4 .b8 dynamic[];
.visible .entry bind(.param .u64 out, .param .align 4 .b8 pair[8])
{
  .reg .u32 %r<6>; .reg .u64 %rd<4>;
  ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [pair+4];
  mov.u64 %rd2, S; add.u64 %rd3, %rd2, 8;
  suld.b.2d.b32.trap {%r1}, [%rd3, {0, 0}];
  st.shared.u32 [dynamic+60], %r1; ld.shared.u32 %r3, [dynamic+60];
  st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4], %r2; ret;
}
"""

# writes x + 10 * y + 100 * z, with z from %ctaid.z, as 32 bits into the texels of a 3D surface
FILL3D = HEADER + """
.visible .entry fill(.param .u64 dst)
{
  .reg .u32 %r<9>; .reg .u64 %rd<2>;
  ld.param.u64 %rd1, [dst];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;
  mad.lo.u32 %r4, %r2, 10, %r1; mad.lo.u32 %r4, %r3, 100, %r4;
  shl.b32 %r5, %r1, 2;
  sust.b.3d.b32.trap [%rd1, {%r5, %r2, %r3, %r3}], {%r4}; ret;
}
"""


class Cli(Rig):
    def setUp(self):
        super().setUp()
        self.put("add.ptx", ADD)
        self.put("loop.ptx", LOOP)
        self.put("divide.ptx", DIVIDE)
        self.put("bind.ptx", BIND)
        self.put("fill.ptx", FILL3D)

    # ---- the program ----

    def test_help_and_version(self):
        self.assertRegex(self.atoll("--version")[0], r"^atoll \d+\.\d+\.\d+\nengines: interp( jit| \(no jit: .*\))?\n$")
        self.assertIn("usage: atoll COMMAND", self.atoll("--help")[0])
        for command in ("run", "check", "info", "fmt", "list", "surface", "dis", "asm", "explain", "lint"):
            self.assertIn("usage: atoll " + command, self.atoll(command, "--help")[0])
        self.refuse(2, "usage: atoll COMMAND")
        self.refuse(2, "unknown command 'walk'", "walk")
        self.refuse(2, "unknown option '--fast'", "run", "add.ptx", "--fast")
        self.refuse(2, "an argument is missing", "info")

    def test_did_you_mean(self):
        add, given = ("run", "add.ptx", "-b", "4"), ("-a", "out=buffer:u32[4]", "-a", "n=5")
        self.refuse(2, "unknown command 'rnu' (did you mean 'run'?)\n", "rnu")
        self.refuse(2, "unknown command 'vresion' (did you mean 'version'?)\n", "vresion")
        self.refuse(2, "unknown command 'x'\n", "x")
        for word, meant in (("--gird=4", "--grid"), ("--kernal", "--kernel"), ("--hlep", "--help"), ("--blok", "--block"),
                            ("--limit-time=3", "--timeout")):
            self.refuse(2, f"unknown option '{word}'; see atoll run --help (did you mean '{meant}'?)\n", *add, word)
        self.refuse(2, "unknown option '--fast'; see atoll run --help\n", *add, "--fast")
        self.refuse(2, "has: add (did you mean 'add'?)\n", *add, *given, "-k", "ad")
        self.refuse(2, "has: add\n", *add, *given, "-k", "blur")
        self.refuse(2, "no parameter of this name (did you mean 'out'?)\n", *add, "-a", "uot=buffer:u32[4]")
        self.refuse(2, "there are: out n (did you mean 'out'?)\n", *add, *given, "--save", "outt=x.npy")
        self.refuse(2, "there are: out n\n", *add, *given, "--save", "y=x.npy")
        self.refuse(2, "--let NAME=buffer:... makes one (did you mean 'list'?)\n", *add, "-a", "n=5", "--let",
                    "list=buffer:u32[4]", "-a", "out=buffer:ptr[]=lsit")
        self.refuse(2, "see atoll list formats (did you mean 'rgba8unorm'?)\n", *add, "-a", "out=surface:rgba8unrom:4x4")
        for word, meant in (("SUATM", "SUATOM"), ("FADDD", "FADD"), ("sudl.b", "suld"), ("suld.b.3d.b32.tarp", ".trap"),
                            ("ld.globl.u32", ".global")):
            self.refuse(2, f"(did you mean '{meant}'?)\n", "explain", word)
        self.put("ns.ptx", HEADER + ".visible .entry _ZN4deep2er6gatherIiLi3EEEvPT_PKS2_i(.param .u64 "
                 "_ZN4deep2er6gatherIiLi3EEEvPT_PKS2_i_param_0) { ret; }\n.visible .entry other() { ret; }\n")
        for word, meant in (("gathr", "gather"), ("deep::er::gathr<int,3>", "deep::er::gather<int,3>"), ("er::gathre", "er::gather")):
            self.refuse(2, f"(did you mean '{meant}'?)\n", "run", "ns.ptx", "-k", word)
        self.refuse(2, "(did you mean 'param_0'?)\n", "run", "ns.ptx", "-k", "gather", "-a", "parm_0=0")
        self.put("in", bytes(16))
        self.refuse(2, "see atoll list formats (did you mean 'r8unorm'?)\n", "surface", "pack", "in", "-o", "out", "--geometry",
                    "4x4", "--format", "r8unrm")

    def test_files_of_another_kind(self):
        elf = lambda machine: b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHI", 2, machine, 1) + bytes(40)
        big = b"\x7fELF\2\2\1" + bytes(9) + struct.pack(">HHI", 2, 21, 1) + bytes(40)
        cuda, opencl = "CUDA C++: nvcc -ptx makes PTX of it", "OpenCL C: "
        files = (
            ("#include <cuda.h>\n__global__ void k(int *p) { *p = 1; }\n", cuda),
            ("// k\nextern \"C\" __global__ void k() {}", cuda),
            ("static __device__ int v;\n", cuda),
            ("/* one */ kernel void k(global int *p) {}\n", opencl),
            ("__attribute__((x)) __kernel void k(__global int *p) {}\n", opencl),
            ("// a shader\n#version 450\nlayout(local_size_x = 8) in;\n", "GLSL"),
            ("; ModuleID = 'k.ll'\nsource_filename = \"k.cl\"\n", "LLVM's text"),
            (b"\x50\xed\x55\xba\1\0\x10\0", "a fatbin"),
            (b"\3\2\x23\7\0\0\1\0", "SPIR-V"),
            (b"BC\xc0\xde\x35\x14", "LLVM bitcode"),
            (b"\x1f\x8b\x08\0", "packed by gzip: unpack it first"),
            (b"MZ\x90\0\3", "a program of Windows"),
            (b"\xff\xfe.\0v\0", "text in UTF-16"),
            (elf(62), "a program or object of the host"),
            (elf(183), "a program or object of the host"),
            (big, "a program or object of the host"),
            (elf(224), "an AMD code object"),
        )
        for data, kind in files:
            self.put("file", data)
            for command in (("check",), ("info",), ("run",), ("dis",), ("asm", "-o", "out")):
                self.refuse(3, "file: this is " + kind, *command, "file")
        self.refuse(3, "<stdin>: this is an AMD code object", "check", "-", stdin=elf(224))
        # what only speaks of such words, or lacks a directive, is told what its own family says
        self.put("said.ptx", "// made of __global__ void k()\n/* __kernel */\n" + ADD)
        self.atoll("check", "said.ptx")
        self.put("bare.ptx", ADD[ADD.index(".global"):].replace("bias", "__global__"))
        self.refuse(1, "expected .version", "check", "bare.ptx")
        self.put("text.ptx", "add \"__global__\" // __kernel\n")
        self.refuse(1, "expected .version", "check", "text.ptx")

    def test_a_closed_or_full_output(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([ATOLL, "list", "formats"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"standard output", done.stderr)

    # ---- run: the documented examples ----

    def test_sobel_on_a_picture(self):
        rows = [bytes(x * y >> 8 & 255 for x in range(1024)) for y in range(1024)]
        self.put("in.png", png(1024, 1024, 0, 8, rows))
        err = self.atoll("run", EXAMPLES + "/sobel.ptx", "--kernel", "sobel(src, dst, n, m)", "--grid", "64x64", "--block", "16x16",
                         "--arg", "src=surface:in.png", "--arg", "dst=surface:r8unorm:1024x1024",
                         "--arg", "n=u32:1024", "--save", "dst=out.png", "--save", "dst=out.raw")[1]
        self.assertIn("parameter 3 (u32 m) is not given: 1024, the height of 'dst'", err)
        self.assertEqual(self.get("out.png")[:4], b"\x89PNG")
        out = self.get("out.raw")
        for x, y in ((0, 0), (5, 9), (1023, 1023), (700, 333)):
            p = lambda dx, dy: rows[min(max(y + dy, 0), 1023)][min(max(x + dx, 0), 1023)]
            gx = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1)
            gy = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1)
            self.assertEqual(out[y * 1024 + x], min(abs(gx) + abs(gy), 255))

    def test_histogram_of_an_array(self):
        data = bytes(i * i % 251 for i in range(10000))
        self.put("data.npy", npy("|u1", "(10000,)", data))
        self.atoll("run", EXAMPLES + "/histogram.ptx", "--kernel", "histogram(in, n, bins)", "--grid", "256", "--block", "256", "--arg",
                   "in=buffer:@data.npy", "--arg", "bins=buffer:u32[256]", "--save", "bins=bins.npy")
        head, bins = npy_read(self.get("bins.npy"))
        self.assertEqual(head, {"descr": "<u4", "fortran_order": False, "shape": (256,)})
        self.assertEqual(list(struct.unpack("<256I", bins)), [data.count(i) for i in range(256)])

    def test_histogram_drawn(self):
        run = ("run", EXAMPLES + "/histogram.ptx", "-k", "histogram_surface(src, w, h, bins)", "-q")
        self.atoll(*run, "-a", "src=surface:" + EXAMPLES + "/hills.png", "-a", "bins=buffer:u32[256]", "-s", "bins=bins.npy")
        bins = struct.unpack("<256I", npy_read(self.get("bins.npy"))[1])
        self.assertEqual(sum(bins), 256 * 256)
        self.assertGreater(sum(1 for n in bins if n), 180)  # levels as in a photograph, not a few of them
        self.atoll("run", EXAMPLES + "/bars.ptx", "-a", "bins=buffer:@bins.npy", "-a", "dst=surface:r8uint:256x160",
                   "-s", "dst=bars.raw", "-q")
        picture = self.get("bars.raw")
        for x in range(256):
            column = picture[x::256]
            self.assertEqual(column, (b"\x18" * 160 + b"\xff" * (bins[x] * 160 // max(bins)))[-160:])

    def test_grid_and_sizes_by_default(self):
        self.put("in.png", png(37, 23, 0, 8, [bytes(37)] * 23))
        err = self.atoll("run", EXAMPLES + "/sobel.ptx", "-k", "sobel(src, dst, w, h)", "-a", "src=surface:in.png", "-a",
                         "dst=surface:r8unorm:37x23=1", "-s", "dst=out.raw")[1]
        self.assertIn("grid 3x2x1, block 16x16x1: covers 'src'", err)
        self.assertEqual(self.get("out.raw"), bytes(37 * 23))
        quiet = self.atoll("run", EXAMPLES + "/sobel.ptx", "-k", "sobel(src, dst, w, h)", "-a", "src=surface:in.png", "-a",
                           "dst=surface:r8unorm:37x23=1", "-q")[1]
        self.assertEqual(quiet, "")

    def test_printf_goes_to_standard_output(self):
        out = self.atoll("run", EXAMPLES + "/printf.ptx", "--kernel", "hello(int n)", "-a", "n=3", "-q")[0]
        self.assertIn("hello 3 from thread 0 of block 0", out)

    # ---- run: arguments ----

    def add(self, *args, code=0, threads="4"):
        self.atoll("run", "add.ptx", "--block", threads, *args, "--save", "out=out.npy", "-q", code=code)
        return struct.unpack("<%sI" % threads, npy_read(self.get("out.npy"))[1][: 4 * int(threads)])

    def test_arguments_by_position_number_and_name(self):
        for n in ("n=5", "1=5", "n=u32:5", "add_n=s32:5", "n=b32:0x5", "n=bytes:05000000"):
            self.assertEqual(self.add("--arg", "out=buffer:u32[4]", "--arg", n), (5, 6, 7, 8))
        self.assertEqual(self.add("--arg", "n=1", "--arg", "out=buffer:u32[4]"), (1, 2, 3, 4))

    def test_variables_are_set_and_saved(self):
        self.assertEqual(self.add("-a", "out=buffer:u32[4]", "-a", "n=5", "--var", "bias=u32:100"), (105, 106, 107, 108))
        self.put("bias.raw", struct.pack("<I", 1000))
        self.atoll("run", "add.ptx", "-a", "out=buffer:u32[1]", "-a", "n=5", "--var", "bias=buffer:@bias.raw", "--save",
                   "bias=back.bin", "--save", "out=out.raw", "-q")
        self.assertEqual(self.get("back.bin"), struct.pack("<I", 1000))
        self.assertEqual(self.get("out.raw"), struct.pack("<I", 1005))
        self.refuse(2, "has 4 bytes, given: 8", "run", "add.ptx", "-a", "out=buffer:u32[1]", "-a", "n=1", "--var",
                    "bias=u64:1")
        self.refuse(2, "no .global", "run", "add.ptx", "-a", "out=buffer:u32[1]", "-a", "n=1", "--var", "nil=u32:1")

    def test_wrong_arguments_list_the_parameters(self):
        listing = "kernel add takes:\n  0  offset 0    u64 add_out (out)  <- out=buffer:u32[4]\n  1  offset 8    u32 add_n (n)"
        out = "out=buffer:u32[4]"
        for word, *args in (
            ("is u32, not u64", out, "n=u64:5"),
            ("is u32, not f32", out, "n=f32:5"),
            ("is u32, not 2 x u16", out, "n=u16:5,6,7"),
            ("wanted 0 to 4294967295", out, "n=4294967296"),
            ("given twice", out, "n=5", "1=6"),
            ("no parameter of this name", out, "n=5", "m=6"),
            ("no parameter of this name", out, "n=5", "m=buffer:u32[1]"),
            ("has 2 parameters, from 0", out, "2=6"),
            ("a surface is a 64-bit address", out, "1=surface:r8unorm:4x4"),
        ):
            word = word.replace("2 x u16", "3 x u16 (6 bytes)")
            flat = [part for arg in args for part in ("--arg", arg)]
            self.refuse(2, word, "run", "add.ptx", *flat, "--save", "out=out.npy")
            err = self.atoll("run", "add.ptx", *flat, code=2)[1]
            if "0=" not in err and "given twice" not in err and "has 2 parameters" not in err:
                self.assertIn("kernel add takes:\n  0  offset 0    u64 add_out", err)
        self.assertIn(listing, self.atoll("run", "add.ptx", "--arg", out, "--arg", "n=u64:5", code=2)[1])
        self.refuse(2, "given twice", "run", "add.ptx", "--arg", out, "--arg", out)
        self.refuse(2, "parameter 0 (u64 out) of kernel 'add' is not given", "run", "add.ptx")

    def test_a_float_needs_its_number(self):
        self.put("f.ptx", HEADER + ".entry f(.param .u64 out, .param .f32 x) { ret; }")
        self.refuse(2, "parameter 1 (f32 x)", "run", "f.ptx", "-a", "out=buffer:u32[1]")
        self.atoll("run", "f.ptx", "-a", "out=buffer:u32[1]", "-a", "x=0.25")

    def test_buffers_of_every_kind(self):
        self.put("big.npy", npy(">u4", "(2, 2)", struct.pack(">4I", 1, 2, 3, 4)))
        self.put("x.bin", bytes(16))
        for value in ("buffer:@big.npy", "buffer:@x.bin", "buffer:u32@x.bin", "buffer:u32[4]@x.bin", "buffer:u32[4]=7",
                      "buffer:f32[]=1,2,3,4", "buffer:u32[4]@big.npy"):
            self.assertEqual(self.add("--arg", "out=" + value, "--arg", "n=1"), (1, 2, 3, 4))
        self.add("--arg", "out=buffer:@big.npy", "--arg", "n=1")
        self.assertEqual(npy_read(self.get("out.npy"))[0], {"descr": "<u4", "fortran_order": False, "shape": (2, 2)})
        for code, word, value in (
            (3, "cannot open", "buffer:@none.npy"),
            (3, "is a folder", "buffer:@."),
            (3, "has 4 elements of u32: wanted 5", "buffer:u32[5]@x.bin"),
            (3, "not a NPY file", "buffer:@broken.npy"),
            (3, "has 0 elements of u32: wanted 1", "buffer:u32[1]@empty.raw"),
            (2, "neither an element type nor the name", "buffer:other"),
            (4, "", "buffer:u64[1000000000000000]"),
        ):
            self.put("broken.npy", b"\x93NUMPY nonsense")
            self.put("empty.raw", b"")
            self.refuse(code, word, "run", "add.ptx", "-a", "out=" + value, "-a", "n=1", "--save", "out=new.raw")

    def test_files_are_what_their_bytes_say(self):
        array = npy("<u4", "(4,)", struct.pack("<4I", 1, 2, 3, 4))
        for name in ("array", "array.raw", "array.png.bin", "array.npy.bak"):
            self.put(name, array)
            self.assertEqual(self.add("--arg", "out=buffer:@" + name, "--arg", "n=1"), (1, 2, 3, 4))
            self.assertEqual(self.add("--arg", "out=buffer:u32[4]@" + name, "--arg", "n=1"), (1, 2, 3, 4))
        rest = ("-a", "n=1", "-b", "4", "-s", "out=o.npy", "-q")
        self.atoll("run", "add.ptx", "-a", "out=buffer:@-", *rest, stdin=array)
        self.assertEqual(npy_read(self.get("o.npy"))[1], struct.pack("<4I", 1, 2, 3, 4))
        done = subprocess.run(["bash", "-c", '"$0" run add.ptx -a out=buffer:@<(cat array) -a n=1 -b 4 -s out=p.npy -q', ATOLL],
                              cwd=self.folder.name, capture_output=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.get("p.npy"), self.get("o.npy"))
        # pictures: as surfaces their texels, as buffers their pixels
        picture = png(2, 2, 0, 8, [b"\1\2", b"\3\4"])
        self.put("picture.raw", picture)
        self.atoll("run", "add.ptx", "-a", "out=buffer:@picture.raw", "-a", "n=1", "-b", "1", "-s", "out=o.npy", "-q")
        head, data = npy_read(self.get("o.npy"))
        self.assertEqual((head["descr"], head["shape"], data), ("|u1", (2, 2), struct.pack("<I", 1)))
        fill = ("run", "fill.ptx", "-g", "1", "-b", "1", "-q")
        for value in ("@picture.raw", "@-"):
            self.atoll(*fill, "-a", "dst=surface:r32uint:3d:2x2x1:" + value, "-s", "dst=o.raw", stdin=picture)
            self.assertEqual(self.get("o.raw"), struct.pack("<4I", 0, 2, 3, 4))
        self.atoll(*fill, "-a", "dst=surface:r32uint:3d:2x2x1:@-", "-s", "dst=o.raw", stdin=struct.pack("<4I", 9, 8, 7, 6))
        self.assertEqual(self.get("o.raw"), struct.pack("<4I", 0, 8, 7, 6))
        self.put("no.png", b"12345678")
        self.put("no.npy", b"12345678")
        for code, word, value in (
            (3, "'no.png': not a PNG file", "buffer:@no.png"),
            (3, "'no.npy': not a NPY file", "buffer:@no.npy"),
            (2, "only once", "buffer:@-"),
        ):
            self.refuse(code, word, "run", "add.ptx", "-a", "out=" + value, "-a", "n=1", "--var", "bias=buffer:@-",
                        "-s", "out=new.raw", stdin=array)

    def test_a_type_that_differs_from_the_files_is_refused(self):
        self.put("f.npy", npy("<f4", "(2, 2)", bytes(16)))
        self.put("i.npy", npy("<i4", "(4,)", bytes(16)))
        self.put("b.npy", npy("|b1", "(16,)", bytes(16)))
        self.put("p.png", png(4, 4, 0, 8, [bytes(4)] * 4))
        for value in ("buffer:f32@f.npy", "buffer:f32[4]@f.npy", "buffer:b32[4]@f.npy", "buffer:s32[4]@i.npy",
                      "buffer:u8[16]@b.npy", "buffer:b8@b.npy", "buffer:u8[16]@p.png"):
            self.atoll("run", "add.ptx", "-a", "out=" + value, "-a", "n=1", "-b", "4", "-q")
        for word, value in (
            ("'f.npy' has elements of type f4: wanted u4", "buffer:u32@f.npy"),
            ("has elements of type i4: wanted u4", "buffer:u32[4]@i.npy"),
            ("has elements of type i4: wanted f4", "buffer:f32[4]@i.npy"),
            ("has elements of type f4: wanted f8", "buffer:f64[2]@f.npy"),
            ("has elements of type f4: wanted 8 bytes each", "buffer:b64[2]@f.npy"),
            ("has elements of type b1: wanted i1", "buffer:s8@b.npy"),
            ("has elements of type u1: wanted u4", "buffer:u32@p.png"),
        ):
            self.refuse(3, word, "run", "add.ptx", "-a",
                        "out=" + value, "-a", "n=1", "-s", "out=new.raw")
        args = ("run", "add.ptx", "-a", "out=buffer:u32[1]", "-a", "n=1", "--var")
        self.put("one.npy", npy("<f4", "(1,)", bytes(4)))
        self.refuse(3, "has elements of type f4: wanted u4", *args, "bias=buffer:u32[1]@one.npy")
        self.refuse(3, "has elements of type f4: wanted u4", "run", "fill.ptx", "-a", "dst=surface:r32uint:2x2:@f.npy")
        self.put("w.npy", npy("<u4", "(4, 2)", bytes(32)))
        self.put("flat.npy", npy("<u4", "(8,)", bytes(32)))
        self.put("ones.npy", npy("<u4", "(1, 4, 1, 2)", bytes(32)))
        for name in ("w", "flat", "ones"):
            self.atoll("run", "fill.ptx", "-a", "dst=surface:r32uint:3d:2x4x1:@%s.npy" % name, "-g", "1", "-b", "1", "-q")
        self.refuse(3, "has the shape (4, 2): the surface has (2, 4)", "run", "fill.ptx", "-a",
                    "dst=surface:r32uint:4x2:@w.npy", "-g", "1", "-b", "1")
        self.refuse(3, "has the shape (4, 2): the surface has (2, 4)", "surface", "pack", "w.npy", "-o", "o.bin",
                    "--format", "r32uint", "--geometry", "4x2")

    def test_buffers_may_be_empty(self):
        self.put("none.npy", npy("<f4", "(0, 3)", b""))
        self.put("none.raw", b"")
        self.put("sum.ptx", HEADER + """.visible .entry sum(.param .u64 x, .param .u32 n, .param .u64 out)
            { .reg .u32 %r<3>; .reg .u64 %d<3>; .reg .pred %p;
              ld.param.u64 %d1, [x]; ld.param.u32 %r1, [n]; ld.param.u64 %d2, [out];
              setp.eq.u32 %p, %r1, 0; @%p bra done;
              ld.global.u32 %r2, [%d1];
              done: add.u32 %r1, %r1, 7; st.global.u32 [%d2], %r1; ret; }""")
        for value in ("f32[0]", "f32[0]=1", "@none.npy", "f32[0]@none.npy", "f32@none.npy", "@none.raw", "u8[0]@none.raw"):
            args = ("run", "sum.ptx", "-a", "x=buffer:" + value, "-a", "out=buffer:u32[1]", "-s", "out=out.raw")
            err = self.atoll(*args, "-s", "x=x.npy", "-b", "1")[1]
            self.assertIn("is not given: 0, the elements of 'x'", err)
            self.assertEqual(self.get("out.raw"), struct.pack("<I", 7))
            self.assertEqual(npy_read(self.get("x.npy"))[0]["shape"], (0, 3) if "none.npy" in value else (0,))
            self.assertIn("out-of-bounds", self.atoll(*args, "-a", "n=1", "-b", "1", code=1)[1])
        self.refuse(3, "has 0 bytes of texels", "run", "fill.ptx", "-a", "dst=surface:r32uint:2x2:@none.raw")

    def test_buffers_and_surfaces_are_shared_by_name(self):
        self.put("two.ptx", ADD.replace(".param .u64 add_out,", ".param .u64 add_out, .param .u64 same,"))
        self.atoll("run", "two.ptx", "-a", "out=buffer:u32[4]", "-a", "same=buffer:out", "-a", "n=3", "-b", "4",
                   "--save", "same=s.raw")
        self.assertEqual(self.get("s.raw"), struct.pack("<4I", 3, 4, 5, 6))
        self.refuse(2, "neither", "run", "two.ptx", "-a", "out=buffer:u32[4]", "-a", "same=buffer:same", "-a", "n=3")

    def test_surface_references_structs_and_dynamic_shared_memory(self):
        args = ("run", "bind.ptx", "-a", "out=buffer:u32[2]", "-a", "pair=u32:1,2", "--shared", "64", "--save",
                "out=out.raw", "-q", "--grid", "1", "--block", "1")
        self.atoll(*args, "--bind", "S[1]=surface:r32uint:4x4=99")
        self.assertEqual(self.get("out.raw"), struct.pack("<2I", 99, 2))
        os.remove(self.path("out.raw"))
        self.refuse(1, "S", *args)
        self.refuse(2, "element 2", *args, "--bind", "S[2]=surface:r32uint:4x4")
        self.refuse(2, "no .surfref", *args, "--bind", "T=surface:r32uint:4x4")
        self.refuse(2, "wanted surface", *args, "--bind", "S=buffer:u32[4]")
        self.refuse(2, "wanted NAME", *args, "--bind", "S[x]=surface:r32uint:4x4")
        self.refuse(2, "227 KiB", *args, "--shared", "300000")

    def test_surfaces_of_every_shape(self):
        self.atoll("run", "fill.ptx", "-a", "dst=surface:r32uint:3d:4x3x2", "--block", "1", "--save", "dst=v.npy", "-q")
        head, data = npy_read(self.get("v.npy"))
        self.assertEqual(head["shape"], (2, 3, 4))
        wanted = [x + 10 * y + 100 * z for z in range(2) for y in range(3) for x in range(4)]
        self.assertEqual(list(struct.unpack("<24I", data)), wanted)
        self.put("flat.raw", data)
        self.atoll("run", "fill.ptx", "-a", "dst=surface:r32uint:3d:4x3x2:@v.npy", "-g", "1", "-b", "1", "--save",
                   "dst=w.raw")
        self.assertEqual(self.get("w.raw"), data)
        for code, word, value in (
            (3, "has 96 bytes of texels: the surface has 100", "surface:r32uint:5x5:@flat.raw"),
            (3, "is no PNG file", "surface:flat.raw"),
            (3, "cannot open", "surface:none.png"),
            (3, "pixels: wanted", "surface:r8unorm:3x3:@p.png"),
            (3, "PNG", "surface:cut.png"),
            (3, "PNG", "surface:crc.png"),
            (2, "unknown surface format", "surface:r9unorm:3x3"),
            (2, "wanted one number, or 1", "surface:r32uint:3x3=1,2"),
            (4, "at most 2^40 bytes", "surface:rgba32float:3d:100000x100000x100"),
            (4, "memory limit", "surface:rgba32float:3d:10000x10000x100"),
        ):
            picture = png(2, 2, 0, 8, [b"\1\2", b"\3\4"])
            self.put("p.png", picture)
            self.put("cut.png", picture[:50])
            self.put("crc.png", picture[:45] + b"?" + picture[46:])
            self.refuse(code, word, "run", "fill.ptx", "-a", "dst=" + value, "--save", "dst=new.npy")

    def fill(self, setting, level=(30, 20, 3)):
        """The texels after FILL3D."""
        self.atoll("run", "fill.ptx", "--grid", "30x20x3", "--block", "1", "--arg", "dst=surface:r32uint:" + setting,
                   "--save", "dst=out.raw")
        return struct.unpack("<%dI" % (level[0] * level[1] * level[2]), self.get("out.raw"))

    def test_layouts_do_not_change_results(self):
        texels = tuple(x + 10 * y + 100 * z for z in range(3) for y in range(20) for x in range(30))
        for setting in ("", ":pitch=256", ":tile-x", ":tile-y:pitch=1024", ":tile-4", ":tile-r580", ":tile-r580:pitch=144", ":block-linear",
                        ":block-linear:block-height=2:block-depth=4", ":block-linear:levels=5"):
            self.assertEqual(self.fill("3d:30x20x3" + setting), texels)
        self.assertEqual(self.fill("3d:60x41x6:block-linear:levels=2:level=1"), texels)
        for i, got in enumerate(self.fill("3d:30x20x3=7:pitch=4096:missing=1-2")):
            row = i // 30  # of 4096 bytes: a tile is 16 of them
            self.assertEqual(got, 7 if row // 16 in (1, 2) else texels[i])
        self.assertEqual(set(self.fill("3d:30x20x3=7:disabled")), {7})
        self.refuse(1, "no such header; the last is 0", "run", "fill.ptx", "--arg", "0=u64:6")
        self.refuse(2, "mip levels", "run", "fill.ptx", "--arg", "dst=surface:r32uint:3d:4x4x4:levels=2")
        self.refuse(2, "layout tile-4 has one", "run", "fill.ptx", "--arg",
                    "dst=surface:r32uint:3d:4x4x4:tile-4:levels=2")
        self.refuse(2, "tiles 0 to 99", "run", "fill.ptx", "--arg", "dst=surface:r32uint:3d:4x4x4:missing=0-99")

    def test_surface_packs_and_unpacks(self):
        rows = [bytes((x * y + c * 50) & 255 for x in range(100) for c in range(4)) for y in range(60)]
        self.put("in.png", png(100, 60, 6, 8, rows))
        for layout in ((), ("--block-height", "4"), ("--layout", "pitch"), ("--layout=pitch", "--pitch=512")):
            self.atoll("surface", "pack", "in.png", "-o", "out.bin", "--header", "out.tic", *layout)
            self.atoll("surface", "unpack", "out.bin", "--header", "out.tic", "-o", "back.raw")
            self.assertEqual(self.get("back.raw"), b"".join(rows))
            self.assertIn("A8B8G8R8", self.atoll("surface", "show", "out.tic")[0])
        tiled = ("--layout", "tile-y", "--pitch", "512")
        self.atoll("surface", "pack", "in.png", "-o", "out.bin", *tiled)
        self.atoll("surface", "unpack", "out.bin", "--format", "rgba8unorm", "--geometry", "100x60", *tiled, "-o",
                   "back.raw")
        self.assertEqual(self.get("back.raw"), b"".join(rows))
        memory, x, y = self.get("out.bin"), 50 * 4 // 16 * 16, 41
        self.assertEqual(len(memory), 2 * 4 * 4096)
        at = (y // 32 * 4 + x // 128) * 4096 + x % 128 // 16 * 512 + y % 32 * 16  # columns of 16 bytes in tiles
        self.assertEqual(memory[at : at + 16], rows[y][x : x + 16])
        tiled = ("--layout", "tile-r580", "--format", "rgba8unorm")
        self.atoll("surface", "pack", "in.png", "-o", "out.bin", *tiled)
        self.atoll("surface", "unpack", "out.bin", "--geometry", "100x60", *tiled, "-o", "back.raw")
        self.assertEqual(self.get("back.raw"), b"".join(rows))
        self.assertEqual(len(self.get("out.bin")), 4 * 4 * 2048)
        self.assertEqual(self.get("out.bin")[3 * 32:3 * 32 + 16], rows[2][16:32])  # micro-tile (1, 1): bits 5 and 6
        self.refuse(2, "texels of 1 byte", "surface", "pack", "in.png", "-o", "x.bin", "--format", "r8unorm", "--layout",
                    "tile-r580")
        self.refuse(2, "no word for the layout tile-x", "surface", "pack", "in.png", "-o", "out.bin", "--header", "out.tic",
                    "--layout", "tile-x")
        self.refuse(2, "width of a tile", "surface", "pack", "in.png", "-o", "out.bin", "--layout", "tile-x", "--pitch",
                    "448")
        self.atoll("surface", "pack", "in.png", "-o", "out.bin", "--block-height", "1")
        # by hand: GOBs of 64 bytes x 8 rows, 7 side by side; 16 bytes of a row lie together
        memory, x, y = self.get("out.bin"), 20 * 4, 13
        at = (y // 8 * 7 + x // 64) * 512 + 1 * 32 + (y & 4) * 32 + (y & 2) * 32 + (y & 1) * 16
        self.assertEqual(memory[at : at + 16], rows[y][x : x + 16])
        # arrays of texels
        data = struct.pack("<48f", *range(48))
        self.put("in.npy", npy("<f4", "(3, 4, 4)", data))
        self.atoll("surface", "pack", "in.npy", "-o", "out.bin", "--format", "r32float", "--geometry", "2darray:4x4x3",
                   "--header", "out.tic")
        self.atoll("surface", "unpack", "out.bin", "--header", "out.tic", "-o", "back.npy")
        self.assertEqual(npy_read(self.get("back.npy"))[1], data)

    def test_surface_packs_mip_levels(self):
        rows = [bytes((x * y + c * 50) & 255 for x in range(100) for c in range(4)) for y in range(60)]
        small = [bytes((x + y + c) & 255 for x in range(50) for c in range(4)) for y in range(30)]
        self.put("in.png", png(100, 60, 6, 8, rows))
        self.put("small.png", png(50, 30, 6, 8, small))
        shape = ("--levels", "7", "--block-height", "2")
        self.atoll("surface", "pack", "in.png", "small.png", "-o", "out.bin", "--header", "out.tic",
                   "--address", "0x123456000", *shape)
        self.atoll("surface", "unpack", "out.bin", "--header", "out.tic", "--level", "1", "-o", "back.raw")
        self.assertEqual(self.get("back.raw"), b"".join(small))
        self.atoll("surface", "unpack", "out.bin", "--geometry", "100x60", "--format", "rgba8unorm", "-o", "back.png",
                   *shape)
        self.atoll("surface", "pack", "back.png", "small.png", "-o", "again.bin", *shape)
        self.assertEqual(self.get("again.bin"), self.get("out.bin"))
        shown = self.atoll("surface", "show", "out.tic")[0]
        self.assertRegex(shown, r"MAX_MIP_LEVEL +6\n")
        self.assertIn("bytes at 0x123456000", shown)

    def test_surface_reads_no_more_than_it_can_use(self):
        self.put("in.raw", bytes(100))
        shape = ("--format", "r8uint", "--geometry", "1dbuffer:100", "--layout", "pitch")
        self.refuse(2, "it has no pitch", "surface", "pack", "in.raw", "-o", "out.bin", "--pitch", "4096", *shape)
        self.atoll("surface", "pack", "in.raw", "-o", "out.bin", "--header", "out.tic", *shape)
        self.refuse(3, "has more than 33554432 bytes", "surface", "show", "/dev/zero")
        self.refuse(3, "has more than 33554432 bytes", "surface", "unpack", "out.bin", "--header", "/dev/zero",
                    "-o", "back.raw")
        self.refuse(3, "'/dev/zero' has more than", "surface", "unpack", "/dev/zero", "--header", "out.tic",
                    "-o", "back.raw")

    def test_surface_refuses(self):
        self.put("in.png", png(8, 8, 0, 8, [bytes(8)] * 8))
        self.atoll("surface", "pack", "in.png", "-o", "out.bin", "--header", "out.tic")
        self.put("bad.tic", bytes(31))
        self.put("none.tic", bytes(32))
        pack = ("surface", "pack", "in.png", "-o", "x.bin")
        unpack = ("surface", "unpack", "out.bin", "-o", "x.raw")
        self.refuse(2, "wanted pack, unpack or show", "surface", "fold")
        self.refuse(2, "--output is missing", "surface", "pack", "in.png")
        self.refuse(2, "--output is missing", "surface", "unpack", "out.bin", "--header", "out.tic")
        self.refuse(2, "no picture given", "surface", "pack", "-o", "x.bin")
        self.refuse(3, "mip level 1 has 4 x 4", *pack, "in.png")
        self.refuse(2, "2 pictures for 1 mip levels", *pack, "in.png", "--levels", "1")
        self.refuse(2, "unknown surface format", *pack, "--format", "r9")
        self.refuse(2, "--block-height: wanted", *pack, "--block-height", "3")
        self.refuse(2, "wanted pitch, block-linear, tile-x, tile-y, tile-4 or tile-r580", *pack, "--layout", "z")
        self.refuse(2, "multiple of 512", *pack, "--header", "x.tic", "--address", "8")
        self.refuse(2, "--geometry is missing", "surface", "pack", "out.bin", "-o", "x.bin", "--format", "r8uint")
        self.refuse(2, "--format is missing", *unpack)
        self.refuse(2, "give --header alone", *unpack, "--header", "out.tic", "--format", "r8uint")
        self.refuse(2, "no such mip level", *unpack, "--format", "r8uint", "--geometry", "8x8", "--level", "77")
        self.refuse(2, "mip level 1", *unpack, "--header", "out.tic", "--level", "1")
        self.refuse(3, "31 bytes: a texture header has 32", "surface", "show", "bad.tic")
        self.refuse(3, "component sizes", *unpack, "--header", "none.tic")
        self.refuse(2, "holds headers 0 to 0", *unpack, "--header", "out.tic", "--index", "1")
        self.refuse(3, "has 32 bytes: the surface has 512", "surface", "unpack", "out.tic", "-o", "x.raw",
                    "--header", "out.tic")
        self.refuse(2, "must end in", "surface", "unpack", "out.bin", "-o", "x.jpg", "--header", "out.tic")
        self.assertIn("no surface", self.atoll("surface", "show", "none.tic")[0])

    def test_pictures_are_converted(self):
        self.put("rgb.png", png(2, 1, 2, 8, [b"\xff\xff\xff\xff\0\0"]))
        self.put("nop.ptx", HEADER + ".entry nop(.param .u64 s) { ret; }")
        for value, wanted in (
            ("surface:rgb.png", b"\xff\xff\xff\xff\xff\0\0\xff"),
            ("surface:rgb.png:bgra8unorm", b"\xff\xff\xff\xff\0\0\xff\xff"),
            ("surface:rgb.png:r8unorm", b"\xff\x36"),
            ("surface:r8unorm:1d:2:@rgb.png", b"\xff\x36"),
            ("surface:rg16unorm:1d:1=1,0.5", b"\xff\xff\0\x80"),
        ):
            self.atoll("run", "nop.ptx", "-a", "s=" + value, "--save", "s=s.raw", "-q")
            self.assertEqual(self.get("s.raw"), wanted)

    # ---- run: saving ----

    def test_what_is_not_saved_is_given_back_but_not_what_is_saved_by_another_name(self):
        run = ("run", EXAMPLES + "/mandelbrot.ptx", "-k", "mandelbrot_gray(dst, w, h)", "-q", "-s")
        alone = ("-a", "dst=surface:r8uint:100x130")
        self.atoll(*run, "dst=wanted.raw", *alone)
        self.atoll(*run, "dst=o.raw", *alone, "--let", "other=surface:r8uint:300x300", "--let", "b=buffer:u32[5]")
        self.assertEqual(self.get("o.raw"), self.get("wanted.raw"))
        self.atoll(*run, "twin=o.raw", *alone, "--let", "twin=surface:dst")
        self.assertEqual(self.get("o.raw"), self.get("wanted.raw"))
        self.atoll(*run, "dst=o.raw", "-a", "dst=surface:twin", "-a", "w=100", "-a", "h=130", "--let", "twin=surface:r8uint:100x130")
        self.assertEqual(self.get("o.raw"), self.get("wanted.raw"))

    def test_wrong_saves_are_found_before_the_run(self):
        args = ("run", "add.ptx", "-a", "out=buffer:u32[4]", "-a", "n=1")
        self.refuse(2, "there are: out n", *args, "--save", "other=x.npy")
        self.refuse(2, "must end in", *args, "--save", "out=x.jpg")
        self.refuse(2, "only surfaces are pictures", *args, "--save", "out=x.png")
        self.refuse(2, "no buffer or surface", *args, "--save", "n=x.npy")
        self.refuse(2, "wanted NAME=FILE", *args, "--save", "out")
        self.refuse(2, ".npy", "run", "fill.ptx", "-a", "dst=surface:r32uint:3d:1x1x1", "--save", "dst=x.png")
        # before the launch: this one would trap
        self.refuse(3, "cannot write 'none/x.npy'", *args, "-b", "100", "--save", "out=none/x.npy")

    def test_results_are_all_or_nothing(self):
        self.put("a.raw", b"old")
        args = ("run", "add.ptx", "-a", "out=buffer:u32[4]", "-a", "n=1", "-b", "4", "-q", "--save", "out=a.raw")
        self.refuse(3, "cannot write", *args, "--save", "out=none/b.raw")
        self.assertEqual(self.get("a.raw"), b"old")
        self.refuse(1, "out-of-bounds", "run", "add.ptx", "-a", "out=buffer:u32[3]", "-a", "n=1", "-b", "4", "--save",
                    "out=a.raw")
        self.assertEqual(self.get("a.raw"), b"old")
        os.chmod(self.path("a.raw"), 0o640)
        os.symlink("a.raw", self.path("link.raw"))
        self.atoll(*args[:-1], "out=link.raw")
        self.assertTrue(os.path.islink(self.path("link.raw")))
        self.assertEqual(self.get("a.raw"), struct.pack("<4I", 1, 2, 3, 4))
        self.assertEqual(os.stat(self.path("a.raw")).st_mode & 0o777, 0o640)

    def test_a_result_on_standard_output(self):
        done = subprocess.run([ATOLL, "run", "add.ptx", "-a", "out=buffer:u32[1]", "-a", "n=7", "-q", "-b", "1", "--save",
                               "out=-"], cwd=self.folder.name, capture_output=True)
        self.assertEqual(done.stdout, struct.pack("<I", 7))

    # ---- run: how it ends ----

    def test_traps_name_the_place(self):
        err = self.atoll("run", "add.ptx", "-a", "out=buffer:u32[3]", "-a", "n=1", "-b", "4", code=1)[1]
        self.assertRegex(err, r"kernel 'add' trapped at add\.ptx:1[0-9]")
        self.assertIn("thread (3, 0, 0)", err)

    def test_limits(self):
        args = ("run", "loop.ptx", "-a", "out=buffer:u32[1]", "--save", "out=out.raw", "-b", "1")
        line = LOOP[:LOOP.index("L:")].count("\n") + 1
        stopped = "kernel 'loop' was stopped at loop.ptx:%d: the " % line
        self.refuse(4, stopped + "instruction limit", *args, "--limit-instructions", "10000")
        self.refuse(4, stopped + "time limit", *args, "--timeout", "0.1")
        self.refuse(4, "limit", *args, "--limit-memory", "2")

    def test_an_interrupt_touches_nothing(self):
        self.put("out.raw", b"old")
        for number in (signal.SIGINT, signal.SIGTERM):
            child = subprocess.Popen([ATOLL, "run", "loop.ptx", "-a", "out=buffer:u32[1]", "--save", "out=out.raw"],
                                     cwd=self.folder.name, stderr=subprocess.PIPE, preexec_fn=heed_signals)
            time.sleep(0.3)
            child.send_signal(number)
            err = self.end(child)
            self.assertEqual(child.returncode, 130)
            self.assertIn(b"interrupted", err)
        self.assertEqual(self.get("out.raw"), b"old")
        self.assertEqual([name for name in os.listdir(self.folder.name) if name.startswith(".")], [])

    def test_division_by_zero_is_a_choice(self):
        args = ("run", "divide.ptx", "-a", "out=buffer:u32[1]", "-a", "by=0", "-b", "1", "-q", "--save", "out=out.raw")
        self.refuse(1, "divi", *args, "--div-zero=trap")
        self.refuse(2, "wanted trap or ones", *args, "--div-zero=maybe")
        for extra in ((), ("--div-zero=ones",)):
            self.atoll(*args, *extra)
            self.assertEqual(self.get("out.raw"), b"\xff" * 4)

    def test_orders_and_threads(self):
        for extra in (("--deterministic",), ("--seed", "7"), ("--threads", "3"), ("-j1",)):
            self.assertEqual(self.add("-a", "out=buffer:u32[4]", "-a", "n=1", *extra), (1, 2, 3, 4))
        args = ("run", "add.ptx", "-a", "out=buffer:u32[4]", "-a", "n=1")
        self.refuse(2, "exclude", *args, "--deterministic", "--seed", "1")
        self.refuse(2, "block.x", *args, "--block", "1025")
        self.refuse(2, "grid.y", *args, "--grid", "1x65536")

    def test_cooperative_launches(self):
        grid = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "kernels", "grid.ptx")
        args = ("run", grid, "-k", "rounds", "-b", "32", "-a", "0=buffer:u32[18]", "-a", "1=3", "-q")
        self.atoll(*args, "-g", "6", "--cooperative", "--save", "0=out.npy")
        cells = struct.unpack("<18I", npy_read(self.get("out.npy"))[1])
        self.assertEqual(cells[12:], tuple((i + 3) % 6 + 3 for i in range(6)))
        self.refuse(1, "this launch is none", *args, "-g", "6")
        self.refuse(4, "at most 32768 of 32 threads", *args, "-g", "32769", "--cooperative")

    def test_stats_trace_and_dumps(self):
        args = ("run", "add.ptx", "-a", "out=buffer:u32[4]", "-a", "n=1", "-b", "4", "-q")
        self.assertRegex(self.atoll(*args, "--stats")[1], r"warps +1\nwarp instructions +\d+\n")
        self.atoll(*args, "--trace=t.txt", "--deterministic")
        trace = self.get("t.txt").decode()
        self.assertGreater(len(trace.splitlines()), 5)
        self.assertEqual(self.atoll(*args, "--trace=-", "--deterministic")[0], trace)
        self.refuse(3, "cannot write", *args, "--trace=none/t.txt")
        self.assertIn("add.u32 %r3, %r1, %r2", self.atoll("run", "add.ptx", "--dump=insn")[0])
        self.assertIn("mulwide", self.atoll("run", "add.ptx", "--dump=lanes")[0])
        self.refuse(2, "wanted insn or lanes", "run", "add.ptx", "--dump=all")

    def test_the_kernel_is_chosen(self):
        self.refuse(2, "give --kernel", "run", EXAMPLES + "/lock.ptx")
        self.refuse(2, "no kernel 'x'", "run", "add.ptx", "--kernel", "x")
        self.put("none.ptx", HEADER)
        self.refuse(2, "has no kernel", "run", "none.ptx")

    # ---- check, info, fmt, list ----

    def test_several_files_are_one_module(self):
        self.put("main.ptx", MAIN)
        self.put("lib.ptx", LIBRARY)
        args = ["-k", "k", "-g", "1", "-b", "1", "-a", "out=buffer:u32[1]", "-s", "out=out.bin", "-q"]
        for files in (["main.ptx", "lib.ptx"], ["lib.ptx", "main.ptx"]):
            self.atoll("run", *files, *args)
            self.assertEqual(self.get("out.bin"), struct.pack("<I", 42))
        self.atoll("check", "main.ptx", "lib.ptx")
        self.atoll("check", "--link", "main.ptx", "lib.ptx")
        err = self.atoll("check", "--link", "main.ptx", "lib.ptx", "lib.ptx", code=1)[1]
        self.assertIn("lib.ptx:4:", err)
        self.assertIn("'twice' is defined in lib.ptx:4", err)
        self.put("other.ptx", HEADER)
        self.refuse(1, "main.ptx:9:13: error: 'twice' is defined in none", "check", "--link", "main.ptx", "other.ptx")
        self.refuse(1, "main.ptx:", "run", "main.ptx", "main.ptx", "-q")
        self.refuse(2, "exclude", "check", "--link", "--hazards", "main.ptx")
        self.assertEqual(self.atoll("info", "main.ptx", "lib.ptx")[0].count("module "), 2)

    def test_check_prints_like_a_compiler(self):
        self.put("bad.ptx", HEADER + ".entry k()\n{\n\tfoo.u32 1;\n\tbaz;\n\tret;\n}\n")
        err = self.atoll("check", "bad.ptx", code=1)[1]
        self.assertIn("bad.ptx:6:2: error: 'foo' is not an instruction [unknown-opcode]\n\tfoo.u32 1;\n\t^~~\n", err)
        self.assertIn("bad.ptx: 2 errors, 0 warnings\n", err)
        self.assertNotIn("\033", err)
        self.assertEqual(self.atoll("check", "bad.ptx", "-q", "--max-errors=1", code=1)[1].count("error:"), 1)
        self.assertEqual(self.atoll("check", "add.ptx", "loop.ptx"), ("", ""))
        both = self.atoll("check", "no-such.ptx", "bad.ptx", code=3)[1]
        self.assertIn("cannot open 'no-such.ptx'", both)
        self.assertIn("bad.ptx: 2 errors, 0 warnings\n", both)
        self.put("mark.ptx", "\ufeff" + HEADER + ".entry k() { ret; }\n")
        self.assertEqual(self.atoll("check", "mark.ptx"), ("", ""))
        self.refuse(2, "--target: PTX has no target 'sm_9000'", "check", "--target=sm_9000", "add.ptx")
        self.refuse(2, "--ptx-version: PTX has no version 12.9", "check", "--ptx-version=12.9", "add.ptx")
        self.refuse(2, "--abi: 'opencl' is no ABI that PTX knows: it has none", "run", "--abi=opencl", "add.ptx")
        self.refuse(3, "cannot open 'none.ze_info'", "info", "--abi=opencl:none.ze_info", "add.ptx")
        self.refuse(2, "--simd: 16 threads a warp: PTX leaves no choice", "run", "--simd=16", "add.ptx")
        self.assertEqual(self.atoll("check", "add.ptx", "bad.ptx", code=1)[0], "")
        self.refuse(3, "cannot open 'none.ptx'", "check", "none.ptx")
        # run says the same, and nothing twice
        self.assertEqual(self.atoll("run", "bad.ptx", code=1)[1] + "bad.ptx: 2 errors, 0 warnings\n", err)

    def test_check_goes_by_line(self):
        # what the parser, the names and the rows find, in the order of lines
        self.put("mixed.ptx", HEADER + ".entry k()\n{\n.reg .u32 r;\nadd.u32 r, r, 1.0;\nfoo;\nbra L;\nadd.f32 r, r, r;\n"
                 "mov.u32 q, 1;\nret;\n}\n")
        lines = [int(line.split(":")[1]) for line in self.atoll("check", "mixed.ptx", code=1)[1].split("\n")
                 if ": error: " in line]
        self.assertGreater(len(lines), 4)
        self.assertEqual(lines, sorted(lines))
        first = self.atoll("check", "mixed.ptx", "--max-errors=1", code=1)[1]
        self.assertIn("mixed.ptx:%d:" % lines[0], first)
        self.assertEqual(first.count("error:"), 1)

    def test_check_prints_json(self):
        text = (HEADER + ".entry k()\n{\n\tfoo.u32 1;\n\tret;\n}\n").encode()
        out, err = self.atoll("check", "-", "--diagnostics=json", code=1, stdin=text)
        self.assertEqual(err, "")
        message = json.loads(out)
        self.assertEqual(message["file"], "<stdin>")
        self.assertEqual((message["line"], message["column"], message["severity"]), (6, 2, "error"))
        self.assertEqual(message["code"], "unknown-opcode")
        self.refuse(2, "wanted text or json", "check", "-", "--diagnostics=xml")

    def test_check_overrides_version_and_target(self):
        self.put("v.ptx", HEADER + ".entry k(.param .u64 p)\n{\n .reg .u64 %rd<2>; .reg .f32 %f<9>;\n"
                 " ld.param.u64 %rd1, [p];\n atom.global.v4.f32.add {%f1,%f2,%f3,%f4}, [%rd1], {%f5,%f6,%f7,%f8};\n ret;\n}\n")
        self.atoll("check", "v.ptx", code=1)
        self.atoll("check", "v.ptx", "--target", "sm_90", "--ptx-version", "8.1")
        self.refuse(2, "8.1", "check", "v.ptx", "--ptx-version", "eight")

    def test_terminals_are_not_written_to_by_sources(self):
        self.put("esc.ptx", HEADER + "\033[31m\n")
        self.assertNotIn("\033", self.atoll("check", "esc.ptx", code=1)[1])

    def test_info(self):
        out = self.atoll("info", "bind.ptx")[0]
        self.assertIn("module bind.ptx: PTX 7.0, sm_75, 64-bit addresses", out)
        self.assertIn("    1  offset 8     b8[8]  pair", out)
        self.assertIn("surfref S: 16 bytes", out)
        info = json.loads(self.atoll("info", "bind.ptx", "--json")[0])
        kernel = info["kernels"][0]
        self.assertEqual(kernel["parameters"][1], {"name": "pair", "type": "b8", "offset": 8, "size": 8, "align": 4,
                                                   "count": 8, "pointer": False})
        self.assertTrue(kernel["dynamic_shared"])
        self.assertIn("surfaces", kernel["uses"])

    def test_fmt_is_stable(self):
        for name in sorted(os.listdir(EXAMPLES)):
            if not name.endswith(".ptx"):
                continue
            self.atoll("fmt", os.path.join(EXAMPLES, name), "-o", "once.ptx")
            once = self.get("once.ptx")
            self.atoll("fmt", "once.ptx", "-o", "once.ptx")
            self.assertEqual(self.get("once.ptx"), once)
            self.assertEqual(self.atoll("fmt", "-", stdin=once)[0].encode(), once)
            self.atoll("check", "once.ptx")
        self.refuse(1, "error:", "fmt", "-", "-o", "new.ptx", stdin=b"nonsense")

    def test_list_formats(self):
        self.assertRegex(self.atoll("list", "formats")[0], r"rgb10a2unorm +4  unorm  R10 G10 B10 A2\n")
        formats = json.loads(self.atoll("list", "formats", "--json")[0])["formats"]
        self.assertIn({"name": "rg16float", "bytes": 4, "kind": "float", "bits": [16, 16]}, formats)
        self.refuse(2, "unknown table; there are: formats, ptx", "list", "colours")
        self.refuse(2, "--surface is for instructions", "list", "formats", "--surface")

    def test_list_ptx(self):
        everything = self.atoll("list", "ptx")[0]
        self.assertRegex(everything, r"(?m)^sured +\d+  \w")
        self.assertRegex(everything, r"(?m)^add +\d+  \w")
        surface = self.atoll("list", "ptx", "--surface")[0]
        self.assertRegex(surface, r"(?m)^mbarrier +\d+  \w")
        self.assertNotRegex(surface, r"(?m)^add ")
        self.assertIn("| `suld` |", self.atoll("list", "ptx", "--markdown")[0])
        reference = self.atoll("list", "ptx", "--surface", "--markdown")[0]
        self.assertIn("### sured - ", reference)

    # ---- Maxwell ----

    STORE = """S2R R0, SR_TID.X;
SHL R1, R0, 0x2;
IADD R2.CC, R1, c[0x0][0x140];
IADD.X R3, RZ, c[0x0][0x144];
IADD32I R4, R0, 0x64;
STG.E [R2], R4;
EXIT;
"""

    def numbers(self, name):
        data = npy_read(self.get(name))[1]
        return list(struct.unpack("<%dI" % (len(data) // 4), data))

    def test_words_of_machine_code(self):
        words = "ea01e39007371ec3\nea020a0600470210 8\nffffffffffffffff\ne24000000087000f\t3f0\n"
        out = self.atoll("dis", "-b", "SM50", "--words", "-", stdin=words.encode())[0].splitlines()
        self.assertEqual(out[0], "SUATOM.D.1D.ADD.IGN R195, [R30], R115, 0x1e39")
        self.assertEqual(out[1], "SUATOM.D.2D.ADD R16, [R2], R4, 0xa0")
        self.assertRegex(out[2], r"^\? \w")
        self.assertEqual(out[3], "BRA 0x400")
        texts = out[0] + "\n" + out[1] + "\nFOO R1\nBRA 0x400\t3f0\n"
        back = self.atoll("asm", "-b", "SM50", "--words", "-", stdin=texts.encode())[0].splitlines()
        self.assertEqual(back[:2], ["ea01e39007371ec3", "ea020a0600470210"])
        self.assertRegex(back[2], r"^\? .*instruction")
        self.assertEqual(back[3], "e24000000087000f")
        out = self.atoll("asm", "-b", "SM50", "-",
                         stdin=b"SUATOM.D.BA.1D.ADD.U64.TRAP R2, [R3], R4, 0x100\n")[0]
        self.assertEqual(self.atoll("dis", "-b", "SM50", "--words", "-", stdin=out.encode())[0].strip(),
                         "SUATOM.D.BA.1D.ADD.U64.TRAP R2, [R3], R4, 0x100")

    def test_machine_code_from_text(self):
        self.put("store.sass", self.STORE)
        for module in ("store.sass", "store.cubin"):
            if module == "store.cubin":
                self.atoll("asm", "store.sass", "-o", module)
            self.atoll("run", module, "--block", "32", "--arg", "0=buffer:u32[32]", "--save", "0=out.npy")
            self.assertEqual(self.numbers("out.npy"), [i + 100 for i in range(32)])
        listing = self.atoll("dis", "store.cubin", "--control")[0]
        self.assertRegex(listing, r"IADD R2\.CC, R1, c\[0x0\]\[0x140\] .*;")
        self.put("again.sass", listing)
        self.atoll("asm", "again.sass", "-o", "again.cubin")
        self.assertEqual(self.get("again.cubin"), self.get("store.cubin"))
        self.assertIn("/* 0x", self.atoll("dis", "store.cubin", "--hex")[0])
        raw = struct.pack("<4Q", 0x001F8000FC0007E0, 0xEA020A0600470210, 0xEC00000001170D10, 0x50B0000000070F00)
        self.put("raw.bin", raw)
        self.assertRegex(self.atoll("dis", "-b", "SM50", "raw.bin")[0], r"/\*0010\*/ +ATOMS\.ADD R16, \[R13\], R17;")
        self.assertIn("main", self.atoll("info", "store.cubin")[0])

    def test_hazards(self):
        self.put("store.sass", self.STORE)
        self.atoll("asm", "store.sass", "-o", "store.cubin")
        self.atoll("check", "--hazards", "store.cubin")
        late = self.atoll("dis", "store.cubin", "--control")[0].replace("&req={0}", "")
        self.put("late.sass", late)
        self.atoll("asm", "late.sass", "-o", "late.cubin")
        out, err = self.atoll("check", "--hazards", "late.cubin", code=1)
        self.assertRegex(out + err, r"0010.*R0")
        lines = self.atoll("check", "--hazards", "--diagnostics=json", "late.cubin", code=1)[0].splitlines()
        self.assertEqual([json.loads(line)["message"] for line in lines], out.splitlines())
        self.put("no.ptx", ".version 7.8\n.target sm_50\n")
        err = self.atoll("check", "--hazards", "no.ptx", code=3)[1]
        self.assertIn("neither a cubin nor text of machine code", err)

    def test_broken_machine_code(self):
        self.refuse(3, "no.cubin", "dis", "no.cubin")
        self.put("half.cubin", b"\x7fELF\2\1\1\x33\7" + bytes(60))
        self.refuse(3, "half.cubin", "dis", "half.cubin")
        self.refuse(3, "half.cubin", "run", "half.cubin")
        self.put("bad.sass", "IADD R1, R2, R300;\n")
        err = self.atoll("asm", "bad.sass", "-o", "bad.cubin", code=3)[1]
        self.assertIn("bad.sass:1:14", err)
        self.assertFalse(os.path.exists(self.path("bad.cubin")))
        self.put("bad.sass", """.kernel k
IADD R1, R2, R300;
L: MOV R0, R1;
BRA `(M);
BRA `(L);
SUATOM.D.BA.1D.U64.TRAP R2, [R3], R4, 0x100;
FOO R1;
""")
        err = self.atoll("asm", "bad.sass", "-o", "bad.cubin", code=3)[1]
        places = ["2:14: error", "4:7: error", "6:1: warning", "7:1: error"] # all of them, in the order of lines
        self.assertEqual(re.findall(r"^bad\.sass:(\d+:\d+: \w+): ", err, re.M), places)
        self.assertEqual(re.findall(r"^bad\.sass:(\d+:\d+: \w+): ", self.atoll("check", "bad.sass", code=1)[1], re.M), places)
        out = self.atoll("asm", "bad.sass", "-o", "bad.cubin", "--diagnostics=json", "--max-errors=2", code=3)[0]
        self.assertEqual([json.loads(line)["line"] for line in out.splitlines()], [2, 4])
        self.assertFalse(os.path.exists(self.path("bad.cubin")))
        self.put("odd.sass", "ATOMS.CAS R0, [R2], R5, R6;\nEXIT;\n")
        self.assertIn("multiple of 2", self.atoll("asm", "odd.sass", "-o", "odd.cubin", code=3)[1])
        self.put("gap.sass", "TEX R0, R2, 0x50, 2D, 0xf;\nEXIT;\n")
        self.assertRegex(self.atoll("run", "gap.sass", "-a", "0=0", code=1)[1], r"0008.*not supported: TEX")

    def test_shared_atomics_tell_their_passes(self):
        text = """MOV R2, RZ;
MOV R3, 0x1;
ATOMS.%s R0, [0x0], R2, R3;
EXIT;
"""
        for kind, row in (("CAS", r" 1 +32 +32 +32\.00 +0 "), ("CAST.SPIN", r" 1 +1 +1 +1\.00 +0 ")):
            self.put("lock.sass", ".shared 16\n" + text % kind)
            err = self.atoll("run", "lock.sass", "--block", "32", "--stats")[1]
            self.assertRegex(err, row + r".*ATOMS\." + kind.replace(".", r"\."))

    def test_policies(self):
        self.put("lock.sass", """.shared 16
MOV R2, RZ;
MOV R3, 0x1;
SSY 0x58;
ATOMS.CAS R0, [0x0], R2, R3;
ISETP.NE.AND P0, PT, R0, RZ, PT;
@P0 BRA 0x28;
NOP;
SYNC;
STS [0x0], RZ;
EXIT;
""")
        err = self.atoll("run", "lock.sass", "--block", "32", code=1)[1]
        self.assertIn("deadlock", err)
        self.assertRegex(err, r"lanes? .* waits? on the stack")
        err = self.atoll("run", "lock.sass", "--block", "32", "--policy=frontier", "--timeout", "60")[1]
        self.assertIn("note: --policy=frontier: lanes of a warp do not keep step", err)
        err = self.atoll("run", "add.ptx", "--policy=frontier", "--arg", "0=buffer:u32[1]", "--arg", "1=1")[1]
        self.assertNotIn("keep step", err)
        self.refuse(2, "no token stack", "run", "add.ptx", "--policy=stack", "--arg", "0=buffer:u32[1]",
                    "--arg", "1=1")

    def test_explain_and_list_maxwell(self):
        out = self.atoll("explain", "ATOMS.CAST.SPIN")[0]
        for word in ("castkind", "one lane of each bank", "alignment", "contention", "sources"):
            self.assertIn(word, out)
        self.assertIn("SUATOM.D.2D.ADD R16, [R2], R4, 0xa0", self.atoll("explain", "ea020a0600470210")[0])
        self.assertIn("### SUATOM", self.atoll("list", "sass", "--markdown")[0])
        self.atoll("lint", "sass")

    # ---- machine code ----------------------------------------------------------------------------------

    RULES = (
        "MOV R1, c[0x0][0x20];\n"
        "SUATOM.D.2D.ADD R16, [R3], R4, 0xa0;\n"
        "ATOMS.INC.S32 R2, [R4], R6;\n"
        "EXIT;\n"
    )

    def test_operand_rules_of_text(self):
        self.put("bad.sass", self.RULES)
        err = self.atoll("asm", "bad.sass", "-o", "bad.cubin", code=3)[1]
        self.assertIn("bad.sass:2:22: error: wanted coordinates in a register that is a multiple of 2, not R3", err)
        err = self.atoll("check", "bad.sass", code=1)[1]
        self.assertIn("bad.sass:2:22: error: wanted coordinates", err)
        self.assertIn("\n" + " " * 21 + "^\n", err)

    def test_operand_rules_of_cubins(self):
        self.put("bad.sass", ".norules\n" + self.RULES)
        self.atoll("asm", "bad.sass", "-o", "bad.cubin")
        err = self.atoll("check", "bad.cubin")[1]
        self.assertIn("bad.cubin: warning: main+0x10: SUATOM.D.2D.ADD R16, [R3], R4, 0xa0: wanted coordinates", err)
        self.assertIn("bad.cubin: warning: main+0x18: ATOMS.INC.S32 R2, [R4], R6: wanted a type", err)
        self.assertIn("0 errors, 2 warnings", err)
        self.assertIn("2 errors, 0 warnings", self.atoll("check", "--strict", "bad.cubin", code=1)[1])

    def test_explain(self):
        out = self.atoll("explain", "ATOMS.CAST.SPIN", "ea020a0600470210", "sured.b.add.1d.u32.trap")[0]
        self.assertIn("ATOMS.CAST.SPIN - atomic operation on shared memory", out)
        self.assertIn("SUATOM.D.2D.ADD R16, [R2], R4, 0xa0 - atomic operation on a surface", out)
        self.assertIn("sured.b.add.1d.u32.trap - ", out)
        self.assertIn("on SM52 SM53", self.atoll("explain", "-b", "SM52", "ead20a0640470210")[0])
        self.refuse(2, "is no instruction of Maxwell", "explain", "-b", "SM50", "HADD2")
        self.refuse(2, "no instruction set 'SM60'", "explain", "-b", "SM60", "IADD")
        self.refuse(2, "wanted one of", "explain", "ATOMS.FOO")
        self.refuse(2, "is no instruction of PTX", "explain", "foo.b32")
        self.refuse(2, "has no modifier '.frob'", "explain", "add.frob.s32")
        self.refuse(2, "mul.lo takes .u16", "explain", "mul.lo.f32")

    def test_lines_of_instructions(self):
        text = b"""/*0008*/ NOP; # one
EXIT; { SUATOM.D.BA.1D.U64.TRAP R2, [R3], R4, 0x100; /* 0x */ } // two
  ;; # nothing
ATOMS.ADD.S32 R0, [R1 - 400], R9"""
        out, err = self.atoll("asm", "-b", "SM50", "-", stdin=text)
        self.assertEqual(out.splitlines(), ["50b0000000070f00", "e30000000007000f", "ea14100010470302", "ec0fffe710970100"])
        self.assertIn("warning: line 2, column 9: SUATOM without an operation is read as .ADD", err)
        err = self.atoll("asm", "-b", "SM50", "-", stdin=b"NOP; FOO R1; NOP\n", code=3)[1]
        self.assertIn("line 1, column 6: wanted an instruction", err)
        many = self.atoll("asm", "-b", "SM50", "-", stdin=b"NOP;" * 100000)[0]
        self.assertEqual(many, "50b0000000070f00\n" * 100000)
        self.put("slip.sass", "SUATOM.D.BA.1D.U64.TRAP R2, [R3], R4, 0x100; EXIT;\n")
        err = self.atoll("asm", "slip.sass", "-o", "slip.cubin")[1]
        self.assertIn("slip.sass:1:1: warning: SUATOM without an operation is read as .ADD", err)
        self.assertIn("slip.sass:1:1: warning: SUATOM without", self.atoll("check", "slip.sass")[1])
        self.atoll("check", "--strict", "slip.sass", code=1)
        self.assertIn(".ADD", self.atoll("explain", "SUATOM.D.BA.1D.U64.TRAP R2, [R3], R4, 0x100")[0])

    def test_ptx_where_machine_code_is_wanted(self):
        for args in (("dis", "add.ptx"), ("asm", "add.ptx", "-o", "x.cubin"), ("asm", "-b", "SM50", "add.ptx"),
                     ("dis", "-b", "SM50", "add.ptx")):
            self.assertIn("this is PTX", self.atoll(*args, code=3)[1])

    def test_bytes_that_were_meant_as_addresses(self):
        self.put("p.sass", ".kernel k\n.param 16\nEXIT;\n")
        self.refuse(2, r"parameter 0 (p0) is b8[16] (text of machine code declares addresses by .param 8, 8)",
                    "run", "p.sass", "-a", "0=buffer:u32[1]")

    def complete(self, *words):
        call = "\nCOMP_WORDS=(%s); COMP_CWORD=%d; _atoll; echo \"${COMPREPLY[@]}\"\n"
        quoted = " ".join("'%s'" % word for word in words)
        script = self.atoll("completion", "bash")[0] + call % (quoted, len(words) - 1)
        done = subprocess.run(["bash", "--norc", "-eu"], input=script, capture_output=True, text=True, check=True,
                              cwd=self.folder.name)
        return done.stdout.split()

    def test_completion(self):
        self.assertEqual(self.complete("atoll", "ex"), ["explain"])
        self.assertEqual(self.complete("atoll", "help", "sur"), ["surface"])
        self.assertEqual(self.complete("atoll", "run", "--trace-w"), ["--trace-warp"])
        self.assertEqual(self.complete("atoll", "run", "--engine", "=", "j"), ["jit"])
        self.assertEqual(self.complete("atoll", "run", "--engine", ""), ["auto", "interp", "jit"])
        self.assertEqual(self.complete("atoll", "run", "--engine", "="), ["auto", "interp", "jit"])
        self.assertIn("--json", self.complete("atoll", "litmus", "-"))
        self.assertEqual(self.complete("atoll", "list", ""), ["formats", "ptx", "sass", "visa", "ctm"])
        self.assertEqual(self.complete("atoll", "completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.complete("atoll", "surface", "--levels", "2", "un"), ["unpack"])
        self.assertIn("add.ptx", self.complete("atoll", "surface", "pack", ""))
        self.assertEqual(self.complete("atoll", "lint", ""), ["sass", "visa", "ctm"])
        self.assertEqual(self.complete("atoll", "dis", "-b", "V"), ["VISA"])
        self.assertNotIn("PTX", self.complete("atoll", "dis", "-b", ""))
        self.assertIn("PTX", self.complete("atoll", "explain", "--isa", ""))
        self.assertIn("tile-r580", self.complete("atoll", "surface", "pack", "--layout", ""))
        self.assertEqual(self.complete("atoll", "surface", "pack", "--format=r8un"), ["--format=r8unorm"])
        self.assertIn("add.ptx", self.complete("atoll", "run", "--engine=jit", ""))

    def test_completion_of_parts_of_words(self):
        self.assertEqual(self.complete("atoll", "run", "--stats", "="), ["json"])
        self.assertEqual(self.complete("atoll", "run", "--contention", "=", "c"), ["csv"])
        self.assertIn("add.ptx", self.complete("atoll", "run", "--stats", ""))
        self.assertEqual(self.complete("atoll", "run", "--report", "=", "ht"), ["html:"])
        self.assertEqual(self.complete("atoll", "run", "--report", "=", "html", ":", "add"), ["add.ptx"])
        self.assertEqual(self.complete("atoll", "run", "--check", "=", "race,in"), ["race,init"])
        self.assertEqual(self.complete("atoll", "run", "--check=race,in"), ["--check=race,init"])
        self.assertEqual(self.complete("atoll", "run", "-a", "src", "=", "surf"), ["surface:"])
        self.assertEqual(self.complete("atoll", "run", "-a", "src", "=", "surface", ":", "add"), ["add.ptx"])
        self.assertIn("r8unorm", self.complete("atoll", "run", "-a", "src", "=", "surface", ":", "r8"))
        self.assertEqual(self.complete("atoll", "run", "-a", "x=buffer:f6"), ["x=buffer:f64"])
        self.assertEqual(self.complete("atoll", "run", "-a", "x=buffer:@add"), ["x=buffer:@add.ptx"])
        self.assertEqual(self.complete("atoll", "run", "-s", "x", "=", "add"), ["add.ptx"])

    def test_completion_of_other_shells(self):
        for shell, words in (("zsh", ["#compdef atoll", "'*--engine=[", ":choice:(auto interp jit)'", "'1:word:(pack unpack show)'",
                                       "or a family'\\''s instructions'", "_values -s , choice race init"]),
                             ("fish", ["-n '__fish_seen_subcommand_from run' -l engine -x -a 'auto interp jit' -d '", "-a 'pack unpack show'",
                                        "(default: the only one, or the one named like the file)'\n"])):
            out = self.atoll("completion", shell)[0]
            for word in words:
                self.assertIn(word, out)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=out, check=True, text=True)
        self.refuse(2, "wanted bash, zsh or fish", "completion", "csh")

    TRACED = """.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 s) {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; .reg .f32 %f<4>;
ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [s]; mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3;
cvt.rn.f32.u32 %f1, %r1; mul.f32 %f2, %f1, 0fBFC00000;
st.global.f32 [%rd4+4], %f2;
setp.gt.u32 %p1, %r1, 2;
@%p1 ld.global.s32 %r2, [%rd4];
shl.b32 %r3, %r1, 2; sub.s32 %r6, 3, %r1;
sust.b.2d.b32.trap [%rd2, {%r3, %r6}], {%r2};
atom.global.add.u32 %r5, [%rd1], 3;
bar.sync 0; ret; }
"""
    TRACE = ("run", "t.ptx", "-q", "-g2", "-b4", "-a", "0=buffer:u32[64]", "-a", "1=surface:r32uint:4x4", "--deterministic",
             "--trace=-")

    def test_a_trace_has_values(self):
        self.put("t.ptx", self.TRACED)
        out = self.atoll(*self.TRACE, "--trace-block=0")[0]
        for line in ("line 9 st.f32 [global 0x10000004+4*lane] {-0, -1.5, -3, -4.5}", "setp.u32 0+1*lane, 2 = lanes 00000008",
                     "lanes 00000008 line 11 ld.s32 [global 0x1000000c] = -1069547520", "sub.s32 3, 0+1*lane = 3-1*lane",
                     "sust.b32 [surface 0x1 at (0+4*lane, 3-1*lane)] {0x0, 0x0, 0x0, 0xc0400000}",
                     "line 14 atom.add.u32 [global 0x10000000] 3 = 0+3*lane", "line 15 ret"):
            self.assertIn(line, out)
        self.assertNotIn("block (1,", out)

    def test_a_trace_of_some_lines(self):
        self.put("t.ptx", self.TRACED)
        out = self.atoll(*self.TRACE, "--trace-lines=9-11", "--trace-warp=0")[0]
        self.assertEqual([line.split(" line ")[1].split()[0] for line in out.splitlines()], ["9", "10", "11"] * 2)
        self.assertEqual(self.atoll(*self.TRACE, "--trace-warp=1")[0], "")
        noted = [word for word in self.TRACE if word != "-q"]
        for option in ("--trace-warp=1", "--trace-block=2", "--trace-lines=99"):
            self.assertIn("note: the trace is empty: nothing that ran is of %s (grid 2x1x1, block 4x1x1)\n" % option,
                          self.atoll(*noted, option)[1])
        self.assertNotIn("the trace is empty", self.atoll(*noted, "--trace-block=1")[1])
        out = self.atoll(*self.TRACE, "--limit-trace=400")[0]
        self.assertTrue(200 < len(out) < 450 and out.endswith("\nthe trace is cut here: --limit-trace\n"), out)
        for option, said in (("--trace-lines=0", "is not a line"), ("--trace-lines=9-8", "is not a line"), ("--trace-block=1,,2", "as 4"),
                             ("--trace-block=1,2,3,4", "as 4"), ("--trace-block=-1", "as 4"), ("--trace-lines=a", "is not a line")):
            self.refuse(2, said, *self.TRACE, option)
        self.refuse(2, "there is no trace", *self.TRACE[:-1], "--trace-warp=1")

    def test_trace_of_machine_code(self):
        self.put("t.sass", ".kernel k\n.param 8\nMOV R2, c[0x0][0x140];\nIADD R2, R2, 0x1;\nEXIT;\n")
        out = self.atoll("run", "t.sass", "-g", "1", "-b", "1", "-a", "0=u64:7", "--trace=-", "-q")[0]
        self.assertIn("lanes 00000001 k /*0010*/ IADD R2, R2, 0x1: add", out)
        self.assertNotIn("line 0", out)

    def test_scheduling_of_single_lines(self):
        line = b"ATOMS.ADD.U32 R9, [0x10], R8 {&req_9}{&rd2}{&wr1}{?sched};\n"
        out = self.atoll("asm", "-b", "SM50", "-", stdin=line)[0]
        self.assertEqual(out, "ec0000010087ff09\n")


if __name__ == "__main__":
    unittest.main()
