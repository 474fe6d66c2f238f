"""What --arg, --kernel and --let mean: names of kernels and parameters, addresses, structs.

Run by meson with ATOLL (the program) and EXAMPLES (the folder) in the environment."""

import json
import struct
import unittest

from cli_rig import EXAMPLES, HEADER, Rig

# copies n words of a parameter block to out: the struct as the kernel sees it
WORDS = """
.visible .entry %s(.param .u64 %s, .param .align 8 .b8 %s[%d])
{
  .reg .u32 %%r<2>; .reg .u64 %%rd<2>;
  ld.param.u64 %%rd1, [%s];
%s  ret;
}
"""


def words(size, name="k", out="out", given="s"):
    body = "".join("  ld.param.u32 %%r1, [%s+%d]; st.global.u32 [%%rd1+%d], %%r1;\n" % (given, i, i)
                   for i in range(0, size, 4))
    return HEADER + ".global .u64 place;\n" + WORDS % (name, out, given, size, out, body)


# out[0] = *(u32 *)at, where at is pointer `index` of an array of pointers in memory
FOLLOW = HEADER + """
.visible .entry follow(.param .u64 out, .param .u64 list, .param .u32 index)
{
  .reg .u32 %r<3>; .reg .u64 %rd<5>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [list]; ld.param.u32 %r1, [index];
  mul.wide.u32 %rd3, %r1, 8; add.u64 %rd3, %rd2, %rd3;
  ld.global.u64 %rd4, [%rd3]; ld.global.u32 %r2, [%rd4];
  st.global.u32 [%rd1], %r2; ret;
}
"""

# b[i] += i; s(i) += 100
BOTH = HEADER + """
.visible .entry both(.param .u64 a, .param .u64 b, .param .u64 s)
{
  .reg .u32 %r<4>; .reg .u64 %rd<4>;
  ld.param.u64 %rd1, [b]; ld.param.u64 %rd2, [s];
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3;
  ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, %r1; st.global.u32 [%rd1], %r2;
  shl.b32 %r1, %r1, 2; mov.u32 %r3, 0;
  suld.b.2d.b32.trap {%r2}, [%rd2, {%r1, %r3}]; add.u32 %r2, %r2, 100; sust.b.2d.b32.trap [%rd2, {%r1, %r3}], {%r2};
  ret;
}
"""

# two parameters that nvcc calls by their numbers: out[0] = h, out[1] = w
NVCC = """
.visible .entry %(name)s(.param .u64 %(name)s_param_0, .param .u32 %(name)s_param_1, .param .u32 %(name)s_param_2)
{
  .reg .u32 %%r<3>; .reg .u64 %%rd<2>;
  ld.param.u64 %%rd1, [%(name)s_param_0];
  ld.param.u32 %%r1, [%(name)s_param_1]; ld.param.u32 %%r2, [%(name)s_param_2];
  st.global.u32 [%%rd1], %%r1; st.global.u32 [%%rd1+4], %%r2; ret;
}
"""


def uleb(*values):
    assert all(value < 128 for value in values)
    return bytes(values)


def text(string):
    return string.encode() + b"\0"


def section(name, data, labels=()):
    """A section of PTX; labels: (offset, text instead of the 4 bytes there)."""
    lines, at = [], 0
    for offset, word in sorted(labels) + [(len(data), None)]:
        lines += [".b8 " + ",".join(str(byte) for byte in data[i : i + 16][: offset - i]) for i in range(at, offset, 16)]
        at = offset
        if word:
            lines.append(word)
            at += 4 if word.startswith(".b32") else 0
    return ".section %s {\n%s\n}\n" % (name, "\n".join(lines))


def debug(functions, strings=False):
    """.debug_info and .debug_abbrev as nvcc -G writes them: functions is [(linkage name, [parameter, ...])]. With
    `strings`, names are in .debug_str, as LLVM writes them."""
    form = 0x0E if strings else 0x08
    abbrev = uleb(1, 0x11, 1, 0x03, 0x08, 0, 0)  # compile_unit: name
    # subprogram: low_pc (addr), MIPS_linkage_name, name; formal_parameter: location (block1), name; lexical_block
    abbrev += uleb(2, 0x2E, 1, 0x11, 0x01) + b"\x87\x40" + uleb(form, 0x03, 0x08, 0, 0)
    abbrev += uleb(3, 0x05, 0, 0x02, 0x0A, 0x03, form, 0, 0) + uleb(4, 0x0B, 1, 0, 0) + b"\0"
    pool, labels = b"", []
    body = uleb(1) + text("x.cu")

    def name(string):
        nonlocal pool
        if not strings:
            return text(string)
        labels.append((11 + len(body), ".b32 L%d" % len(labels), len(pool)))
        pool += text(string)
        return bytes(4)

    for function, parameters in functions:
        body += uleb(2) + bytes(8)
        body += name(function)
        body += text("__device_stub__" + function)
        for parameter in parameters:
            body += uleb(3) + b"\2\x91\0"
            body += name(parameter)
        body += uleb(4, 3) + b"\0"  # a block with a variable that looks like a parameter
        body += name("inner") + b"\0\0"
    body += b"\0"
    info = struct.pack("<IHIB", len(body) + 7, 2, 0, 8) + body
    out = section(".debug_info", info, [(6, ".b32 .debug_abbrev")] + [(at, word) for at, word, _ in labels])
    out += section(".debug_abbrev", abbrev)
    if strings:
        out += section(".debug_str", pool, [(at, "L%d:" % i) for i, (_, _, at) in enumerate(labels)])
    return out


class Arguments(Rig):
    def results(self, *args):
        """The words that the kernel writes to its parameter 0."""
        err = self.atoll("run", *args, "--grid", "1", "--block", "1", "--save", "0=out.raw")[1]
        return list(struct.unpack("<%dI" % (len(self.get("out.raw")) // 4), self.get("out.raw"))), err

    # ---- names of parameters ----

    def test_unknown_names_are_refused(self):
        """Before, any other name took the next free parameter: w and h in the wrong order were swapped silently."""
        self.put("nvcc.ptx", HEADER + NVCC % {"name": "k"})
        args = ("nvcc.ptx", "-a", "0=buffer:u32[2]")
        self.refuse(2, "'k' has no parameter of this name, and the module does not tell the names of the source", "run",
                    *args, "-a", "h=80", "-a", "w=120")
        err = self.atoll("run", *args, "-a", "h=80", code=2)[1]
        for line in ("0  offset 0    u64 k_param_0  <- 0=buffer:u32[2]", "1  offset 8    u32 k_param_1\n",
                     "2  offset 12   u32 k_param_2\n", "not placed: h=80"):
            self.assertIn(line, err)
        for names in (("1", "2"), ("param_1", "param_2"), ("k_param_1", "2")):
            self.assertEqual(self.results(*args, "-a", names[1] + "=7", "-a", names[0] + "=5")[0], [5, 7])
        self.refuse(2, "has 3 parameters, from 0", "run", *args, "-a", "3=1")
        err = self.atoll("run", EXAMPLES + "/sobel.ptx", "-k", "sobel", "-a", "h=80", "-a", "w=120", code=2)[1]
        self.assertIn("3  offset 20   u32 sobel_param_3", err)

    def test_the_command_line_names_parameters(self):
        self.put("nvcc.ptx", HEADER + NVCC % {"name": "k"})
        args = ("-a", "out=buffer:u32[2]", "-a", "w=7", "-a", "h=5")
        for kernel in ("k(out, h, w)", "k( unsigned *out, int h,const int  w )", "k(out,h,w)", "k (int (*out)[3], h, w[])"):
            got = self.results("nvcc.ptx", "-k", kernel, *args)[0] if "(*" not in kernel else None
            self.assertIn(got, (None, [5, 7]))
        values, err = self.results("nvcc.ptx", "-k", "k(out, h, w)", *args)
        for line in ("parameter 0 (u64 out): buffer:u32[2]", "parameter 1 (u32 h): 5", "parameter 2 (u32 w): 7"):
            self.assertIn("atoll: note: " + line + "\n", err)
        self.assertEqual(self.results("nvcc.ptx", "-k", "k(out, ...)", "-a", "out=buffer:u32[2]", "-a", "2=7", "-a",
                                      "1=1")[0], [1, 7])
        run = ("run", "nvcc.ptx", "-a", "out=buffer:u32[2]")
        self.refuse(2, "names 2 parameters of 3", *run, "-k", "k(out, h)")
        self.refuse(2, "has 3 parameters", *run, "-k", "k(out, h, w, d)")
        self.refuse(2, "parameter 1 has no name there", *run, "-k", "k(out, , w)")
        self.refuse(2, "parameter 1 has no name there", *run, "-k", "k(out, 5, w)")
        self.refuse(2, "no kernel 'j'", *run, "-k", "j(out, h, w)")
        self.refuse(2, "no kernel 'k(out'", *run, "-k", "k(out")

    def test_names_of_the_text_count(self):
        self.put("own.ptx", words(4, "own", "out", "n").replace(".align 8 .b8 n[4]", ".u32 n"))
        self.assertEqual(self.results("own.ptx", "-a", "n=3", "-a", "out=buffer:u32[1]")[0], [3])
        self.refuse(2, "'n' is parameter 1, not 0", "run", "own.ptx", "-k", "own(n, out)")
        self.refuse(2, "no parameter of this name (did you mean 'out'?)\n", "run", "own.ptx", "-a", "ut=1")
        self.refuse(2, "no parameter of this name\n", "run", "own.ptx", "-a", "width=1")
        # the kernel's own name goes before the names; nothing else does
        self.put("pre.ptx", words(4, "k", "k_out", "some_n").replace(".align 8 .b8 some_n[4]", ".u32 some_n"))
        self.assertEqual(self.results("pre.ptx", "-a", "some_n=3", "-a", "out=buffer:u32[1]")[0], [3])
        self.refuse(2, "no parameter of this name", "run", "pre.ptx", "-a", "n=3")
        # CUDA 3 and before
        self.put("old.ptx", words(4, "k", "__cudaparm_k_out", "__cudaparm_k_n").replace(
            ".align 8 .b8 __cudaparm_k_n[4]", ".u32 __cudaparm_k_n"))
        self.assertEqual(self.results("old.ptx", "-a", "n=3", "-a", "out=buffer:u32[1]")[0], [3])

    def test_names_of_debug_information(self):
        code = HEADER + NVCC % {"name": "_Z1kPjii"} + NVCC % {"name": "other"}
        for strings in (False, True):
            self.put("g.ptx", code + debug([("helper", ["a", "b"]), ("_Z1kPjii", ["out", "h", "w"])], strings))
            got, err = self.results("g.ptx", "-k", "k", "-a", "w=7", "-a", "h=5", "-a", "out=buffer:u32[2]")
            self.assertEqual(got, [5, 7])
            self.assertIn("parameter 2 (u32 w): 7", err)
            err = self.atoll("run", "g.ptx", "-k", "k", "-a", "x=1", code=2)[1]
            self.assertIn("1  offset 8    u32 _Z1kPjii_param_1 (h)", err)
            self.assertNotIn("does not tell", err)
            self.assertIn("'w' is parameter 2", self.atoll("run", "g.ptx", "-k", "k(out, w, h)", code=2)[1])
            self.assertIn("does not tell", self.atoll("run", "g.ptx", "-k", "other", "-a", "out=1", code=2)[1])
            self.assertIn("_Z1kPjii_param_1 (h)", self.atoll("info", "g.ptx")[0])
            self.assertIn('"source_name":"h"', self.atoll("info", "--json", "g.ptx")[0])
        # information that does not fit the kernel is not believed
        self.put("g.ptx", code + debug([("_Z1kPjii", ["out", "h"])]))
        self.assertIn("does not tell", self.atoll("run", "g.ptx", "-k", "k", "-a", "h=1", code=2)[1])

    def test_broken_debug_information_is_ignored(self):
        code = HEADER + NVCC % {"name": "k"}
        whole = debug([("k", ["out", "h", "w"])])
        rows = whole.splitlines()
        texts = [whole.replace("debug_abbrev {", "debug_macinfo {"), whole.replace("debug_info {", "debug_macinfo {")]
        for i, row in enumerate(rows):  # each byte of a line another, and each line away
            if row.startswith(".b8"):
                for byte in ("0", "1", "127", "255"):
                    texts.append("\n".join(rows[:i] + [".b8 " + ",".join([byte] * (row.count(",") + 1))] + rows[i + 1 :]))
                texts.append("\n".join(rows[:i] + rows[i + 1 :]))
        for text in texts:
            self.put("g.ptx", code + text)
            self.atoll("run", "g.ptx", "-a", "0=buffer:u32[2]", "-a", "1=1", "-a", "2=1", "-g", "1", "-b", "1")

    def test_names_that_machine_code_keeps(self):
        code = """.kernel k
.param 8, 4
MOV R2, c[0x0][0x140];
MOV R3, c[0x0][0x144];
MOV R0, c[0x0][0x148];
STG.E [R2], R0;
EXIT;
"""
        self.put("k.sass", code)
        self.refuse(2, "does not tell the names", "run", "k.sass", "-a", "out=buffer:u32[1]")
        self.assertEqual(self.results("k.sass", "-k", "k(out, n)", "-a", "n=4", "-a", "out=buffer:u32[1]")[0], [4])
        self.assertEqual(self.results("k.sass", "-a", "1=4", "-a", "p0=buffer:u32[1]")[0], [4])
        self.atoll("asm", "k.sass", "-o", "k.cubin")
        self.put("debug.sass", self.atoll("dis", "--control", "k.cubin")[0] + """
	.section	.nv_debug_ptx_txt,"",@progbits
	.align	1
	.string	".version 7.0"
	.string	".target sm_50"
	.string	".address_size 64"
	.string	".visible .entry k(.param .u64 out, .param .u32 n)"
	.string	"{ ret; }"
""")
        self.assertEqual(self.results("debug.sass", "-a", "n=4", "-a", "out=buffer:u32[1]")[0], [4])

    def test_negative_numbers_for_unsigned_parameters(self):
        """nvcc makes every int a .u32."""
        self.put("nvcc.ptx", HEADER + NVCC % {"name": "k"})
        args = ("nvcc.ptx", "-k", "k(out, h, w)", "-a", "out=buffer:u32[2]", "-a", "h=4294967295")
        self.assertEqual(self.results(*args, "-a", "w=-1")[0], [0xFFFFFFFF] * 2)
        self.assertEqual(self.results(*args, "-a", "w=-2147483648")[0][1], 0x80000000)
        self.refuse(2, "wanted -2147483648 to 4294967295", "run", *args, "-a", "w=-2147483649")
        self.refuse(2, "wanted 0 to 4294967295", "run", *args, "-a", "w=u32:-1")
        self.refuse(2, "is no number of type u32", "run", *args, "-a", "w=1.5")

    def test_lists_are_held_against_the_type(self):
        self.put("wide.ptx", HEADER + ".entry k(.param .f64 d, .param .u64 q, .param .f32 v[2], .param .u8 b) { ret; }")
        good = {"d": "+1", "q": "+1", "v": "f32:1,2", "b": "+1"}
        for name, value, refusal in (
            ("d", "u32:1,2", "is f64, not 2 x u32 (8 bytes)"),
            ("q", "u32:1,2", "is u64, not 2 x u32 (8 bytes)"),
            ("q", "b32:1,2", "is u64, not 2 x b32 (8 bytes)"),
            ("v", "u32:1,2", "is f32[2], not 2 x u32 (8 bytes)"),
            ("v", "f64:1", "is f32[2], not f64"),
            ("b", "-129", "'-129' is no number of type u8: wanted -128 to 255"),
            ("b", "+256", "'+256' is no number of type u8: wanted 0 to 255"),
            ("b", "+-1", "is no number of type u8"),
            ("d", "b64:1", None), ("q", "s64:-1", None), ("q", "bytes:0011223344556677", None), ("v", "b32:1,2", None),
        ):
            given = [part for item in dict(good, **{name: value}).items() for part in ("-a", "=".join(item))]
            if refusal:
                self.refuse(2, refusal, "run", "wide.ptx", *given)
            else:
                self.atoll("run", "wide.ptx", "-q", *given)

    def test_a_file_for_a_pointer_needs_its_kind(self):
        self.put("nvcc.ptx", HEADER + NVCC % {"name": "k"})
        self.put("data", b"1234")
        for value in ("f.npy", "@f.npy", "data", "@data"):
            self.refuse(2, "the contents of a file are buffer:@FILE", "run", "nvcc.ptx", "-a", "0=" + value)
        self.refuse(2, "a picture is surface:FILE.png", "run", "nvcc.ptx", "-a", "0=f.png")
        err = self.atoll("run", "nvcc.ptx", "-a", "1=f.npy", code=2)[1]
        self.assertNotIn("buffer:@", err)

    def test_long_values_are_cut_in_notes(self):
        self.put("own.ptx", words(4, "own", "out", "n").replace(".align 8 .b8 n[4]", ".u32 n"))
        args = ("own.ptx", "-a", "n=3", "-a", "out=buffer:u32[]=" + ",".join(["1"] * 1000))
        err = self.results(*args)[1]
        self.assertRegex(err, r"note: parameter 0 \(u64 out\): buffer:u32\[\]=[1,]+\.\.\.\n")
        self.assertEqual(self.results(*args, "-q")[1], "")

    # ---- kernels ----

    def test_kernels_by_their_names_in_the_source(self):
        names = ["_Z9vectorAddPKfS0_Pfi", "_ZN2ns4fillIfEEvPT_i", "_ZN2ns4fillIiEEvPT_i", "_ZN1a1b4onlyEPi", "_Z2ovPi",
                 "_Z2ovPf", "plain"]
        self.put("cpp.ptx", HEADER + "".join(".visible .entry %s(.param .u64 p) { ret; }\n" % name for name in names))
        args = ("run", "cpp.ptx", "-a", "p=buffer:u32[1]", "-q")
        for name in ("vectorAdd", "only", "b::only", "a::b::only", "fill<float>", "ns::fill< int >", "plain", "_Z2ovPf",
                     "fill<int>(T *p)", "only(p)"):
            self.atoll(*args, "-k", name)
        # as c++filt prints them
        for name in ("void ns::fill<int>(int*)", "ns::fill<int>(int const*)", "a::b::only(int*)", "vectorAdd(unsigned long)",
                     "void ns::fill<int>(T*, ...)"):
            self.atoll(*args, "-k", name)
        self.refuse(2, "kernel 'ns::fill<int>' has no parameter of this name", *args, "-k", "fill<int>", "-a", "q=1")
        self.refuse(2, "parameter 0 (u64 p) of kernel 'a::b::only' is not given", "run", "cpp.ptx", "-k", "only")
        self.assertIn("kernel _ZN2ns4fillIfEEvPT_i (line 5)\n  in C++: ns::fill<float>\n", self.atoll("info", "cpp.ptx")[0])
        kernels = json.loads(self.atoll("info", "--json", "cpp.ptx")[0])["kernels"]
        self.assertEqual([kernel.get("source_name") for kernel in kernels],
                         ["vectorAdd", "ns::fill<float>", "ns::fill<int>", "a::b::only", "ov", "ov", None])
        err = self.atoll(*args, "-k", "fill", code=2)[1]
        self.assertIn("could be: _ZN2ns4fillIfEEvPT_i (ns::fill<float>), _ZN2ns4fillIiEEvPT_i (ns::fill<int>)\n", err)
        self.refuse(2, "could be: _Z2ovPi (ov), _Z2ovPf (ov)", *args, "-k", "ov")
        self.refuse(2, "_ZN1a1b4onlyEPi (a::b::only), _Z2ovPi (ov)", *args, "-k", "nly")
        # a whole name wins
        self.put("both.ptx", HEADER + ".visible .entry k() { ret; }\n.visible .entry _Z1kv() { trap; }\n")
        self.atoll("run", "both.ptx", "-k", "k", "-q")

    # ---- addresses ----

    def test_addresses_within_buffers(self):
        self.put("own.ptx", words(4, "own", "out", "n").replace(".align 8 .b8 n[4]", ".u32 n"))
        args = ("own.ptx", "--let", "all=buffer:u32[8]", "-a", "n=9")
        for offset, at in (("", 0), ("+12", 3), ("+0x1c", 7)):
            self.results(*args, "-a", "out=buffer:all" + offset, "--save", "all=all.raw")
            self.assertEqual([i for i, n in enumerate(struct.unpack("<8I", self.get("all.raw"))) if n == 9], [at])
            self.assertEqual(len(self.get("out.raw")), 32 - 4 * at)
        self.refuse(1, "out-of-bounds", "run", *args, "-a", "out=buffer:all+32", "-g", "1", "-b", "1")
        self.refuse(2, "the buffer has 32 bytes", "run", *args, "-a", "out=buffer:all+33")
        self.refuse(2, "neither an element type nor the name", "run", *args, "-a", "out=buffer:al+4")
        self.refuse(2, "neither an element type nor the name", "run", *args, "-a", "out=buffer:all+x")
        # what is left of it is the size of what follows
        self.put("nvcc.ptx", HEADER + NVCC % {"name": "k"})
        err = self.results("nvcc.ptx", "--let", "all=buffer:u32[8]", "-a", "0=buffer:all+8", "-a", "2=1")[1]
        self.assertIn("is not given: 6, the elements of '0'", err)

    def test_lets(self):
        self.put("own.ptx", words(4, "own", "out", "n").replace(".align 8 .b8 n[4]", ".u32 n"))
        args = ("run", "own.ptx", "-a", "out=buffer:u32[1]", "-a", "n=1", "-g", "1", "-b", "1")
        self.refuse(2, "wanted buffer:... or surface:...", *args, "--let", "x=5")
        self.refuse(2, "'out' is given twice", *args, "--let", "out=buffer:u32[1]")
        self.refuse(2, "give it by --arg", "run", "own.ptx", "-a", "n=1", "--let", "out=buffer:u32[1]")
        self.atoll(*args, "--let", "x=buffer:u32[2]=7", "--save", "x=x.raw")
        self.assertEqual(self.get("x.raw"), struct.pack("<2I", 7, 7))

    def test_one_memory_by_two_ways(self):
        self.put("both.ptx", BOTH)
        args = ("run", "both.ptx", "-g", "1", "-b", "4", "-a", "a=buffer:u32[16]=1")
        surface = "s=surface:r32uint:4x1:at="
        self.atoll(*args, "-a", "b=buffer:alias:a", "-a", surface + "a", "--save", "a=a.raw", "--save", "s=s.raw")
        self.assertEqual(self.get("a.raw"), struct.pack("<16I", 101, 102, 103, 104, *[1] * 12))
        self.assertEqual(self.get("s.raw"), self.get("a.raw")[:16])
        # by the surface alone, which keeps its memory; over the other address; further on
        for at in ("a", "b"):
            self.atoll(*args, "-a", "b=buffer:alias:a", "-a", surface + at, "--save", "s=s.raw")
            self.assertEqual(self.get("s.raw"), struct.pack("<4I", 101, 102, 103, 104))
        self.atoll(*args, "-a", "b=buffer:u32[64]=5", "-a", surface + "b+128", "--save", "b=b.raw")
        self.assertEqual(self.get("b.raw")[:16], struct.pack("<4I", 5, 6, 7, 8))
        self.assertEqual(self.get("b.raw")[128:144], struct.pack("<4I", 105, 105, 105, 105))
        self.refuse(2, "no --arg or --let with a buffer has this name", *args, "-a", "b=0", "-a", surface + "c")
        self.refuse(2, "wanted the name of a buffer", *args, "-a", "b=0", "-a", surface)
        self.refuse(2, "multiple of", *args, "-a", "b=buffer:alias:a", "-a", surface + "a+4")
        self.refuse(2, "second address is one of the whole buffer", *args, "-a", "b=buffer:alias:a+4", "-a", surface + "a")
        self.refuse(2, "neither an element type nor", *args, "-a", "b=buffer:alias:c", "-a", surface + "a")
        self.refuse(2, "missing behind 'alias:'", *args, "-a", "b=buffer:alias:", "-a", surface + "a")

    def test_arrays_of_pointers(self):
        self.put("follow.ptx", FOLLOW)
        args = ("follow.ptx", "-a", "out=buffer:u32[1]", "--let", "a=buffer:u32[]=10,11", "--let", "b=buffer:u32[2]=20")
        for value, wanted in (("buffer:ptr[]=a,b,a+4", (10, 20, 11)), ("buffer:ptr[3]=a+4", (11, 11, 11)),
                              ("buffer:struct:ptr:b,a,a+0x4", (20, 10, 11))):
            for index in range(3):
                got = self.results(*args, "-a", "list=" + value, "-a", "index=%d" % index)[0]
                self.assertEqual(got, [wanted[index]])
        run = ("run", *args, "-a", "index=0")
        self.refuse(1, "null", *run, "-a", "list=buffer:ptr[2]", "-g", "1", "-b", "1")
        self.refuse(2, "'c' is no buffer, surface or variable", *run, "-a", "list=buffer:ptr[]=a,c")
        self.refuse(2, "'b+9' is outside: 'b' has 8 bytes", *run, "-a", "list=buffer:ptr[]=a,b+9")
        self.refuse(2, "'index' is no buffer or surface", *run, "-a", "list=buffer:ptr[]=index")
        self.refuse(2, "as many as the buffer has", *run, "-a", "list=buffer:ptr[3]=a,b")

    def test_distances_count_from_the_end_of_an_allocation(self):
        self.put("own.ptx", words(4, "own", "out", "n").replace(".align 8 .b8 n[4]", ".u32 n"))
        args = ("run", "own.ptx", "-a", "n=9", "--let", "all=buffer:u8[30]", "-g", "1", "-b", "1", "-a")
        self.refuse(1, "element 28 of 'all' (30 x u8), 2 bytes before its end; the access crosses it", *args, "out=buffer:all+28")
        self.put("far.ptx", words(4, "own", "out", "n").replace(".align 8 .b8 n[4]", ".u32 n").replace(
            "[%rd1+0]", "[%rd1+128]"))
        err = self.atoll("run", "far.ptx", "-a", "n=9", "-a", "out=buffer:u8[32]", "-g", "1", "-b", "1", code=1)[1]
        self.assertIn("element 128 of 'out' (32 x u8), 96 bytes past its end", err)

    def test_fmad_fuses_products_into_sums(self):
        """(1 + 2^-23)^2 - (1 + 2^-22): the product is rounded, or it is not."""
        self.put("fmad.ptx", HEADER + """.entry k(.param .u64 out) {
.reg .f32 %f<6>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [out]; ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];
mul.f32 %f3, %f1, %f1; sub.f32 %f4, %f3, %f2; st.global.f32 [%rd1], %f4; ret; }""")
        args = ("fmad.ptx", "-a", "out=buffer:u32[]=0x3f800001,0x3f800002")
        for more, wanted in (((), 0), (("--fmad",), 0x28800000)):
            for engine in ("interp", "auto"):
                self.assertEqual(self.results(*args, *more, "--engine=" + engine)[0][0], wanted)

    def test_values_of_surfaces_are_in_range(self):
        self.put("s.ptx", HEADER + ".entry s(.param .u64 t) { ret; }")
        args = ("run", "s.ptx", "-g", "1", "-b", "1", "-q", "-a")
        for right in ("r8uint:2x2=255", "r8sint:2x2=-128", "rgb10a2uint:2x2=1023,0,0,3", "r8unorm:2x2=1", "r8snorm:2x2=-1",
                      "r16float:2x2=65504", "r16float:2x2=-inf", "r32float:2x2=-inf", "r32float:2x2=nan", "r11g11b10float:2x2=1,0.3,64512",
                      "r16float:2x2=-0.1"):
            self.atoll(*args, "t=surface:" + right)
        for channel, wrong in (("R", "r8uint:2x2=256"), ("R", "r8sint:2x2=128"), ("R", "r8sint:2x2=-129"),
                               ("A", "rgb10a2uint:2x2=1023,0,0,4"), ("R", "r8unorm:2x2=1.01"), ("R", "r8unorm:2x2=-0.5"),
                               ("R", "r8unorm:2x2=nan"), ("G", "rg8snorm:2x2=1,-2"), ("R", "r16float:2x2=65520"),
                               ("B", "r11g11b10float:2x2=0,0,1e6"), ("G", "r11g11b10float:2x2=0,-1,0")):
            name = wrong.split(":")[0]
            self.refuse(2, "%s is out of the range of format %s" % (channel, name), *args, "t=surface:" + wrong)
        self.refuse(2, "out of range", *args, "t=surface:r32float:2x2=1e39")

    # ---- structs ----

    def struct(self, size, value, *more):
        self.put("k.ptx", words(size))
        self.results("k.ptx", "-a", "out=buffer:u32[%d]" % (size // 4), "-a", "s=" + value, *more)
        return self.get("out.raw")

    def test_structs(self):
        lets = ("--let", "data=buffer:u32[16]", "--let", "pic=surface:r32uint:4x4")
        # struct { float a; int *p; short k[3]; double d; }
        data = self.struct(32, "struct:f32:1.5,ptr:data,s16:1,-2,3,f64:0.25", *lets)
        self.assertEqual(data[:8], struct.pack("<fI", 1.5, 0))
        self.assertEqual(data[16:], struct.pack("<hhhxxd", 1, -2, 3, 0.25))
        base = struct.unpack("<Q", data[8:16])[0]
        self.assertNotEqual(base, 0)
        # offsets, a surface's handle, numbers as pointers, a variable
        data = self.struct(48, "struct:ptr:data+12,pic,0,0x10,out,place", *lets)
        self.assertEqual(struct.unpack("<4Q", data[:32]), (base + 12, 1, 0, 16))
        # a struct in a struct is aligned and ends at a multiple of its alignment
        data = self.struct(32, "struct:u8:1,{u16:2,u32:3,u8:4},u8:5,{u64:6}")
        self.assertEqual(data, struct.pack("<B3xH2xIB3xB7xQ", 1, 2, 3, 4, 5, 6))
        data = self.struct(32, "struct:u32:1,align:16,f32:1,2,3,4")
        self.assertEqual(data, struct.pack("<I12x4f", 1, 1, 2, 3, 4))
        self.assertEqual(self.struct(8, "struct:u8:1,bytes:aabbcc,u32:7"), bytes.fromhex("01aabbcc07000000"))
        # the same as an array in memory, and as a variable
        self.put("follow.ptx", FOLLOW)
        got = self.results("follow.ptx", "-a", "out=buffer:u32[1]", "--let", "a=buffer:u32[]=10,11", "-a",
                           "list=buffer:struct:{u32:0,f32:1},{ptr:a+4}", "-a", "index=1")[0]
        self.assertEqual(got, [11])
        self.put("k.ptx", words(4))
        self.atoll("run", "k.ptx", "-a", "out=buffer:u32[1]", "-a", "s=u32:1", "--let", "data=buffer:u32[4]", "--var",
                   "place=ptr:data+8", "--save", "place=place.raw", "-g", "1", "-b", "1")
        self.assertNotEqual(self.get("place.raw"), bytes(8))

    def test_shared_memory(self):
        # out = where both begin; t gets its own bytes behind 20 static ones and --shared
        self.put("local.ptx", HEADER + """
.visible .entry k(.param .u64 out, .param .u64 .ptr .shared .align 4 t, .param .u32 .ptr .shared .align 4 u)
{
  .reg .u32 %r<3>; .reg .u64 %rd<3>; .shared .align 4 .b8 own[20];
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [t]; ld.param.u32 %r1, [u];
  mov.u32 %r2, own; st.shared.u32 [%r2], %r1;
  st.shared.u32 [%r1+4], %r1; ld.shared.u32 %r2, [%r1+4];
  st.global.u64 [%rd1], %rd2; st.global.u32 [%rd1+8], %r2; ret;
}
""")
        run = ("run", "local.ptx", "-q", "-a", "out=buffer:u64[2]", "-s", "out=o.bin", "-g", "1", "-b", "1")
        self.atoll(*run, "-a", "t=local:100", "-a", "u=local:8")
        self.assertEqual(struct.unpack("<QQ", self.get("o.bin")), (20, 128))
        self.atoll(*run, "-a", "t=local:100", "-a", "u=local:8", "--shared=108")
        self.assertEqual(struct.unpack("<QQ", self.get("o.bin")), (128, 256))
        self.refuse(1, "out-of-bounds", *run, "-a", "t=local:100", "-a", "u=local:4")
        self.refuse(2, "local:4g", *run, "-a", "t=local:4g", "-a", "u=local:4")
        self.refuse(2, "--arg t=local:300000000: more shared memory than a block can have", *run, "-a",
                    "t=local:300000000", "-a", "u=local:4")
        self.put("half.ptx", HEADER + ".visible .entry k(.param .u16 out) { ret; }\n")
        self.refuse(2, "--arg out: a place in shared memory is 32 or 64 bits, but parameter 0 (out) is u16", "run",
                    "half.ptx", "-a", "out=local:4")

    def test_wrong_structs(self):
        self.put("k.ptx", words(16))
        args = ("run", "k.ptx", "-a", "out=buffer:u32[4]")
        for word, value in (
            ("is b8[16], not a struct of 12 bytes: u8 0, f32 4, {...} 8", "struct:u8:1,f32:2,{u16:3,4}"),
            ("wanted TYPE:NUMBER", "struct:"),
            ("wanted TYPE:NUMBER", "struct:1,2"),
            ("wanted TYPE:NUMBER", "struct:u33:1"),
            ("wanted TYPE:NUMBER", "struct:{u8:1},2"),
            ("a value is missing", "struct:u8:1,"),
            ("wanted 0 to 255", "struct:u8:256"),
            ("out of range", "struct:f32:1e400,1,1,1"),
            ("'}' is missing", "struct:{u8:1"),
            ("'{' is missing", "struct:u8:1}"),
            ("wanted ','", "struct:{u8:1}u8:2"),
            ("power of two", "struct:align:3,u8:1"),
            ("power of two", "struct:align:8192,u8:1"),
            ("pairs of hex digits", "struct:bytes:1"),
            ("too many structs", "struct:" + 40 * "{" + "u8:1" + 40 * "}"),
            ("is no buffer, surface or variable; --let", "struct:ptr:nobody,0"),
        ):
            self.refuse(2, word, *args, "-a", "s=" + value)
        self.put("f.ptx", HEADER + ".entry f(.param .f32 x, .param .u64 p) { ret; }")
        self.refuse(2, "is f32, not a struct of 4 bytes", "run", "f.ptx", "-a", "x=struct:u32:1")
        self.refuse(2, "is u64, not a struct of 8 bytes", "run", "f.ptx", "-a", "x=1", "-a", "p=struct:u32:1,2")
        self.atoll("run", "f.ptx", "-a", "x=1", "-a", "p=ptr:b+4", "--let", "b=buffer:u32[2]", "-g", "1")


if __name__ == "__main__":
    unittest.main()
