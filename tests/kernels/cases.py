"""The kernels of this folder and how each is launched: sizes that an interpreter is soon done with and that reach the paths of a kernel.

The same launches run in Atoll (test_kernels.py) and on a GPU (record.py). Inputs are made here, the same bytes every time and everywhere. Nothing
but the standard library is wanted: a machine that records may have no more."""

import hashlib
import math
import os
import re
import struct
from array import array
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))

# What an output is held to. SAME: the bits. ORDER: they are the same once elements are sorted, for atomics hand out places in an order that
# nobody fixes.
SAME, ORDER = "same", "order"

# `data`: what the memory holds before; `type`: of the elements, as of array; `how`: what is to come out; None: it is no output.
Buffer = namedtuple("Buffer", "data type how")

# FMAD: products are fused into sums, as drivers do; other kernels leave the same bits with it.
FMAD = ("--fmad",)

# `flags` are those of atoll run.
Case = namedtuple("Case", "name grid block arguments flags")


def give(values):
    return Buffer(values.tobytes(), values.typecode, None)


def get(kind, count, how=SAME):
    return Buffer(bytes(count * array(kind).itemsize), kind, how)


def change(values, how=SAME):
    return Buffer(values.tobytes(), values.typecode, how)


class Draw:
    """Random numbers that a name fixes."""

    def __init__(self, name):
        self.name, self.calls = name, 0

    def raw(self, kind, count):
        self.calls += 1
        seed = "%s %d" % (self.name, self.calls)
        return array(kind, hashlib.shake_128(seed.encode()).digest(count * array(kind).itemsize))

    def whole(self, kind, count, below):
        return array(kind, [w % below for w in self.raw("Q", count)])

    def signed(self, kind, count, most):
        return array(kind, [w % (2 * most + 1) - most for w in self.raw("Q", count)])

    def real(self, count, scale=1, offset=0, kind="f", bits=24):
        """offset to offset + scale, in steps of scale / 2^bits."""
        return array(kind, [(w >> (64 - bits)) / (1 << bits) * scale + offset for w in self.raw("Q", count)])

    def pick(self, kind, count, alphabet):
        return array(kind, [alphabet[w % len(alphabet)] for w in self.raw("Q", count)])

    def shuffled(self, count):
        keys = self.raw("Q", count)
        return array("I", sorted(range(count), key=keys.__getitem__))

    def rows(self, count, columns):
        """Rows of a sparse matrix: most have a dozen elements, some none, some hundreds. Where they begin; columns."""
        lengths = [w % 24 if w % 13 else (w >> 8) % 300 for w in self.raw("I", count)]
        starts = [sum(lengths[:i]) for i in range(count + 1)]
        return array("i", starts), self.whole("i", starts[-1], columns)


CASES = []


def case(grid, block, flags=()):
    """The function gives the arguments of the kernel of its name."""

    def add(make):
        CASES.append(lambda: Case(make.__name__, grid, block, make(Draw(make.__name__)), flags))
        return make

    return add


# ---- products ----------------------------------------------------------------------------------------------------------


@case((4, 4), (16, 16))
def mm_tile_f32(d):
    return give(d.real(64 * 64)), give(d.real(64 * 64)), get("f", 64 * 64), 64


@case((4, 4), (16, 16))
def mm_naive_f32(d):
    return give(d.real(50 * 50)), give(d.real(50 * 50)), get("f", 50 * 50), 50


@case((2, 2), (256,))
def mm_reg(d):
    return give(d.real(128 * 128)), give(d.real(128 * 128)), get("f", 128 * 128), 128


@case((3, 3), (16, 16))
def mm_tile_f64(d):
    return give(d.real(48 * 48, kind="d", bits=53)), give(d.real(48 * 48, kind="d", bits=53)), get("d", 48 * 48), 48


@case((2, 2), (32, 32))
def mm_tile_i8(d):
    return give(d.raw("b", 64 * 64)), give(d.raw("b", 64 * 64)), get("i", 64 * 64), 64


@case((4, 4), (16, 16))
def mm_dp4a(d):
    return give(d.raw("i", 50 * 12)), give(d.raw("i", 50 * 12)), get("i", 50 * 50), 50, 12


@case((3, 2), (32, 8))
def transpose(d):
    return give(d.real(96 * 64)), get("f", 96 * 64), 96, 64


@case((2,), (256,))
def spmv_scalar(d):
    starts, columns = d.rows(300, 300)
    return give(starts), give(columns), give(d.real(len(columns))), give(d.real(300)), get("f", 300), 300


@case((38,), (256,))
def spmv_warp(d):
    return spmv_scalar(d)


# ---- scans, sums, sorts ------------------------------------------------------------------------------------------------


@case((4,), (256,))
def scan_block(d):
    return give(d.whole("i", 1000, 100)), get("i", 1000), get("i", 4), 1000


@case((3,), (512,))
def scan_blelloch(d):
    return give(d.whole("i", 3072, 100)), get("i", 3072), get("i", 3)


@case((2,), (256,))  # the sum of two blocks does not depend on which comes first
def reduce_shfl(d):
    return give(d.real(5000)), get("f", 1), 5000


@case((4,), (256,))
def softmax(d):
    return give(d.real(4 * 300, 8)), get("f", 4 * 300), 300


@case((3,), (256,), FMAD)
def layernorm(d):
    return give(d.real(20 * 100)), give(d.real(100)), give(d.real(100)), get("f", 20 * 100), 20, 100


@case((4,), (256,))
def radix_block(d):
    return give(d.raw("I", 1024)), get("I", 1024), get("I", 16 * 4), 8


@case((4,), (256,))
def radix_scatter(d):
    keys = d.raw("I", 1024)
    found = [(keys[i] >> 8 & 255, i // 256) for i in range(1024)]
    places = sorted((digit, block) for digit in range(256) for block in range(4))
    before = {place: sum(f < place for f in found) for place in places}
    return give(keys), get("I", 1024), give(array("I", [before[place] for place in places])), 8


@case((2,), (1024,))
def bitonic(d):
    return (change(d.raw("I", 2048)),)


@case((1,), (128,))
def insort(d):
    return give(d.raw("i", 100 * 32)), get("i", 100 * 32), 100


@case((1,), (256,))
def sortnet(d):
    return give(d.raw("i", 200 * 16)), get("i", 200 * 16), 200


@case((2,), (256,))
def bsearch(d):
    line = array("I", sorted(d.raw("I", 1000)))
    return give(line), 1000, give(d.pick("I", 250, line) + d.raw("I", 250)), get("i", 500), 500


@case((4,), (256,))
def compact(d):
    return give(d.signed("i", 1000, 100)), get("i", 1000, ORDER), get("i", 1), 1000


# ---- stencils and pictures -----------------------------------------------------------------------------------------------


@case((4, 3), (16, 16))
def heat2d(d):
    return give(d.real(50 * 40)), get("f", 50 * 40), 50, 40, 0.2


@case((2, 2), (32, 8))
def stencil3d(d):
    return give(d.real(64 * 16 * 6)), get("f", 64 * 16 * 6), 64, 16, 6


@case((2, 2), (32, 8))
def sepconv(d):
    return give(d.real(256 * 16)), get("f", 256 * 16), 256, 16


@case((4, 3), (16, 16))
def life(d):
    return give(d.pick("B", 50 * 40, (0, 0, 1))), get("B", 50 * 40), 50, 40


@case((3, 2), (16, 16), FMAD)
def bilateral(d):
    return give(d.real(40 * 30)), get("f", 40 * 30), 40, 30, 0.1, 2.0


@case((3, 3), (16, 16))
def mandel(d):
    return get("i", 48 * 40), 48, 40, 100


@case((6, 6), (8, 8), FMAD)
def raytrace(d):
    ends = ((8, -4), (6, -3), (10, 4), (0.8, 0.2))  # x, y, z, radius
    spheres = [(w >> 8) / (1 << 24) * ends[i % 4][0] + ends[i % 4][1] for i, w in enumerate(d.raw("I", 4 * 32))]
    # A ray that just meets a sphere, or just does not, ends elsewhere.
    return give(array("f", spheres)), 32, get("f", 48 * 48), 48, 48


# ---- hashes and random numbers -------------------------------------------------------------------------------------------


@case((2,), (64,))
def sha256(d):
    return give(d.raw("I", 100 * 16)), get("I", 100 * 8), 100


@case((2,), (128,))
def philox(d):
    return get("I", 4 * 1000), 1000, 12345, 6789


@case((2,), (256,))
def mcpi(d):
    return get("Q", 1), 100


@case((1,), (256,))
def crc32(d):
    table = array("I", range(256))
    for _ in range(8):
        table = array("I", [c >> 1 ^ (0xEDB88320 if c & 1 else 0) for c in table])
    return give(d.raw("B", 100 * 50)), give(table), get("I", 100), 100, 50


@case((4,), (256,))
def hashins(d):
    return give(array("I", [1 + k for k in d.whole("I", 1000, 5000)])), get("I", 2048, ORDER), get("i", 1000), 1000, 2047


@case((2,), (256,))
def aes(d):
    return give(d.raw("I", 4 * 300)), get("I", 4 * 300), give(d.raw("I", 1024)), give(d.raw("I", 40)), 300


@case((1,), (128,))
def montgomery(d):
    p = (1 << 61) - 1
    inverse = pow(p, (1 << 62) - 1, 1 << 64)  # the group of odd numbers has 2^62 as its exponent
    return give(d.whole("Q", 100, p)), get("Q", 100), 100, p, inverse, pow(2, 128, p), p - 2


@case((4,), (256,))
def primes(d):
    return get("i", 1), 10000, 1000


@case((2,), (128,))
def collatz(d):
    return get("i", 1000), 1000


# ---- texts and bits ------------------------------------------------------------------------------------------------------


@case((12,), (256,))
def strsearch(d):
    return give(d.pick("b", 3000, b"aaab ")), 3000, give(array("b", b"aabaaaba")), 8, get("i", 1), change(array("i", [1 << 30]))


@case((2,), (256,))
def wordcount(d):
    return give(d.pick("B", 5000, b"abcXYZe  ,.\n")), 5000, get("i", 1), get("i", 1)


@case((2,), (256,))
def hamming(d):
    return give(d.raw("Q", 300 * 4)), give(d.raw("Q", 200 * 4)), get("i", 300), 300, 200


@case((3,), (256,))
def editdist(d):
    return give(d.whole("b", 3 * 256, 4)), give(d.whole("b", 3 * 256, 4)), get("i", 3)


@case((1,), (128,))
def editdist_thread(d):
    return give(d.whole("b", 100 * 32, 4)), give(d.whole("b", 100 * 32, 4)), get("i", 100), 100


# ---- graphs, queues, atomics -----------------------------------------------------------------------------------------------


def graph(d, vertices, level):
    """Neighbours, and levels: a fifth of the vertices is at `level`, the others are not found yet."""
    starts, neighbours = d.rows(vertices, vertices)
    return starts, neighbours, d.pick("i", vertices, (level, -1, -1, -1, -1))


@case((3,), (256,))
def bfs(d):
    starts, neighbours, levels = graph(d, 600, 3)
    return give(starts), give(neighbours), change(levels), get("i", 1), 600, 3


@case((1,), (256,))
def bfs_queue(d):
    starts, neighbours, levels = graph(d, 600, 3)
    queue = array("i", [v for v in range(600) if levels[v] == 3])
    return give(starts), give(neighbours), change(levels), give(queue), len(queue), get("i", 600, ORDER), get("i", 1), 3


@case((2,), (256,))
def hist_global(d):
    return give(d.raw("I", 5000)), get("I", 256), 5000, 255


@case((2,), (256,))
def hist_shared(d):
    return give(d.raw("B", 5000)), get("I", 256), 5000


@case((4,), (64,))
def workqueue(d):
    return give(d.whole("i", 50, 100)), get("i", 50 * 64), get("i", 1), 50


@case((8,), (256,))
def cas_add(d):
    return give(d.whole("I", 2000, 64)), give(d.real(2000)), get("d", 64), 2000


@case((8,), (256,))
def cas_maxf(d):
    return give(d.whole("I", 2000, 64)), give(d.real(2000)), get("f", 64), 2000


@case((8,), (256,))  # values of few bits: no sum is rounded, so their order does not matter
def atomic_addf(d):
    return give(d.whole("I", 2000, 64)), give(d.real(2000, bits=12)), get("f", 64), 2000


@case((4,), (256,))  # as above
def kmeans(d):
    return give(d.real(4 * 1000, bits=12)), give(d.real(4 * 10)), get("i", 1000), get("f", 4 * 10), get("i", 10), 1000, 10


@case((4,), (256,))
def gather(d):
    return give(d.whole("I", 1000, 700)), give(d.real(700)), get("f", 1000), 1000


@case((4,), (256,))
def scatter(d):
    return give(d.shuffled(1000)), give(d.real(1000)), get("f", 1000), 1000


# ---- functions, recursion, interpreters ------------------------------------------------------------------------------------


@case((4,), (256,))
def fnptr(d):
    return give(d.raw("i", 1000)), get("i", 1000), 1000, 16


@case((2,), (256,))
def fnptr_div(d):
    return give(d.raw("i", 500)), get("i", 500), 500, 12


@case((2,), (256,))
def noinline(d):
    return give(d.real(500)), get("f", 500), 500


@case((2,), (256,))
def recurse(d):
    return get("i", 7**3), 7


@case((2,), (256,))
def queens_stack(d):
    return get("i", 8**3), 8


@case((1,), (256,))
def vm(d):
    code = (
        *(3, 20, 2, 2),  # 0: r2 = 20
        *(1, 0, 13, 3, 5, 6, 1, 1, 4, 14, 3, 7, 9, 7, 2, 0),  # 4: r0 = r0 * 5 + r1 ^ r0 >> 7
        *(1, 0, 11, 26, 12, 31),  # 20: where r0 is not negative go to 31
        *(1, 0, 15, 2, 0),  # 26: r0 = ~r0
        *(1, 2, 3, 1, 5, 13, 2, 2, 10, 4),  # 31: r2 = r2 - 1; where it is not 0 go to 4
        *(1, 0, 3, 7, 8, 10, 49),  # 41: where r0 & 7 is not 0 go to 49
        *(99, 0),  # 48: no instruction; the end
    )
    return give(array("B", code)), give(d.raw("i", 200)), get("i", 200), 200


# ---- mathematics -----------------------------------------------------------------------------------------------------------


@case((2,), (512,), FMAD)
def fft(d):
    turns = [-2 * math.pi * k / 1024 for k in range(512)]
    twiddles = array("f", [part(turn) for turn in turns for part in (math.cos, math.sin)])
    return give(d.real(2 * 2048, 1, -0.5)), get("f", 2 * 2048), give(twiddles)


@case((2,), (256,))
def nbody(d):
    return give(d.real(4 * 512)), get("f", 4 * 512), 512


@case((4,), (256,))
def particles(d):
    return (*[change(d.real(1000)) for _ in range(3)], *[change(d.real(1000, 1, -0.5)) for _ in range(3)], 1000, 0.5)


@case((2,), (256,))
def particles_aos(d):
    structs = d.real(500 * 8, 2, -0.5)
    alive = d.pick("I", 500, (0, 1, 1, 1))
    for i in range(500):
        structs[8 * i + 7] = struct.unpack("<f", struct.pack("<I", alive[i]))[0]
    return change(structs), 500, 0.5


@case((4,), (256,), FMAD)
def blackscholes(d):
    given = [give(d.real(1000, 100, 5)), give(d.real(1000, 100, 1)), give(d.real(1000, 10, 0.2))]
    return (*given, get("f", 1000), get("f", 1000), 1000, 0.02, 0.3)


@case((4,), (256,))
def sincos(d):
    # Large ones take another way through the reduction of the argument.
    return give(d.real(900, 40, -20) + d.real(100, 1e7)), get("f", 1000), 1000


@case((2,), (256,))
def dmath(d):
    return give(d.real(500, 10, 0.1, kind="d", bits=53)), get("d", 500), 500


# ---- what runs and what comes out ------------------------------------------------------------------------------------------


def ptx(name):
    with open(os.path.join(HERE, name + ".ptx"), "rb") as file:
        return file.read()


def entry(text):
    """The name of a module's kernel, and the types of its parameters: f32, u32, u64 ..."""
    head = re.search(rb"\.entry (\w+)\((.*?)\)", text, re.S)
    return head[1].decode(), re.findall(r"\.param \.(\w+)", head[2].decode())


def packed(kind, value):
    """A number as a kernel's parameter."""
    return struct.pack("<" + {"f32": "f", "u32": "I", "u64": "Q"}[kind], value)


def digest(case):
    """Of all that a record depends on: one of another launch is none of this one."""
    made = hashlib.sha256(ptx(case.name))
    forms = [buffer.how for _, buffer in outputs(case)]
    for what in (forms, case.grid, case.block, *case.arguments):
        made.update(b"\n" + (what.data if isinstance(what, Buffer) else repr(what).encode()))
    return made.hexdigest()


def outputs(case):
    return [(i, a) for i, a in enumerate(case.arguments) if isinstance(a, Buffer) and a.how]


def settled(buffer, data):
    """What of an output is always the same: its elements, in order where their order is open."""
    values = array(buffer.type, data)
    return array(buffer.type, sorted(values)) if buffer.how == ORDER else values


def told(buffer, data):
    """An output as records have it: a digest."""
    return hashlib.sha256(settled(buffer, data).tobytes()).hexdigest()


def all_cases():
    return [make() for make in CASES]
