#!/usr/bin/env python3
"""Writes the words of *.txt, instruction by instruction, as the open driver for this silicon (Mesa's r300) lays its
fragment programs out: unused sources are the inline constant 0 (0x80), unused operands all zero bits, a move is A*1+0,
lookups acquire the semaphore and their users wait, flow instructions wait for the ALU. Bits are those of R5xx's
registers (docs/ctm.md, "Instruction words"); nothing of Atoll is asked.

    make.py NAME    the words of a program
"""
import sys

SWIZ = {c: n for n, c in enumerate("rgba0h1_")}
RGB_OPS = dict(MAD=0, DP3=1, DP4=2, D2A=3, MIN=4, MAX=5, CND=7, CMP=8, FRC=9, SOP=10)
ALPHA_OPS = dict(MAD=0, DP=1, MIN=2, MAX=3, CND=5, CMP=6, FRC=7, EX2=8, LN2=9, RCP=10, RSQ=11, SIN=12, COS=13)
SRCP = dict(BIAS=0, SUB=1, ADD=2, INV=3)
TEX = dict(NOP=0, LD=1, KILL=2, PROJ=3)
FC = dict(JUMP=0, LOOP=1, ENDLOOP=2, BREAK=5)


def source(text):
    """r3, c2, or - for nothing."""
    if text == "-":
        return 0x80
    number = int(text[1:])
    return number | (text[0] == "c") << 8


def sources(names, srcp):
    names = (names.split() + ["-"] * 3)[:3]
    return sum(source(n) << 10 * i for i, n in enumerate(names)) | (SRCP[srcp] if srcp else 0) << 30


def operand(text, channels):
    """0.rgb, -1.a, |p.g|, -|2.rrr|: slot or srcp, swizzle, modifier. Returns select | swizzle | modifier, packed."""
    if not text:
        return 0
    absolute, negative = "|" in text, text[0] == "-"
    select, swizzle = text.strip("-|").split(".")
    bits = 3 if select == "p" else int(select)
    for i in range(channels):
        bits |= SWIZ[swizzle[i]] << 2 + 3 * i
    return bits | (absolute << 1 | negative) << 2 + 3 * channels


def mask(text, letters="rgb"):
    return sum(1 << i for i, c in enumerate(letters) if c in text)


def alu(rgb="MAD", alpha="MAD", src="", asrc="", A="", B="", C="", a="", b="", c="", to=0, w="", o="", target=0,
        wait=False, clamp="", srcp="", asrcp="", omod=0, aomod=0, result=None, out=None):
    """`w`: channels of temporary `to`; `o`: of the output. Upper case operands are RGB's."""
    w0 = (1 if o or out else 0) | wait << 2 | mask(w) << 11 | ("a" in w) << 14 | mask(o) << 15 | ("a" in o) << 18
    w0 |= ("rgb" in clamp) << 19 | ("a" in clamp) << 20
    w3 = operand(A, 3) | operand(B, 3) << 13 | omod << 26 | target << 29
    w4 = ALPHA_OPS[alpha] | to << 4 | operand(a, 1) << 12 | operand(b, 1) << 19 | aomod << 26 | target << 29
    w5 = RGB_OPS[rgb] | to << 4 | operand(C, 3) << 12 | operand(c, 1) << 25
    if result:  # (channel, compare)
        w0 |= ("ra".index(result[0])) << 21 | ["==", "<", ">=", "!="].index(result[1]) << 23
        w3 |= 1 << 31
    return [w0, sources(src, srcp), sources(asrc, asrcp), w3, w4, w5]


def mov(dst, src, wait=False, **more):
    """All channels: A*1+0."""
    return alu(src=src, asrc=src, A="0.rgb", B="0.111", C="0.000", a="0.a", b="0.1", c="0.0", to=dst, wait=wait, **more)


def tex(dst, unit, coordinate, op="LD", w="rgba", swizzle="rgba", wait=False, acquire=True, unscaled=False):
    w0 = 3 | wait << 2 | mask(w) << 11 | ("a" in w) << 14
    w1 = unit << 16 | TEX[op] << 22 | acquire << 25 | (op != "KILL") << 26 | unscaled << 27
    w2 = coordinate | sum(SWIZ[c] << 8 + 2 * i for i, c in enumerate(swizzle)) | dst << 16 | 0xE4 << 24
    return [w0, w1, w2, 0, 0, 0]


def flow(op="JUMP", func=0, any=False, b0=0, b1=0, pop=0, other=False, addr=0, integer=0, uncovered=False):
    w2 = FC[op] | other << 4 | any << 5 | func << 8 | pop << 16 | b0 << 24 | b1 << 26 | uncovered << 28
    return [2 | 1 << 10, 0, w2, integer << 8 | addr << 16, 0, 0]


DECR, INCR = 1, 2

PROGRAMS = {
    # A lookup by scaled coordinates: MUL coordinate; TEX; MOV result.
    "lookup": [
        alu(src="r0 c0", asrc="r0", A="0.rgb", B="1.rgb", C="0.000", to=0, w="rg"),
        tex(0, 0, 0, wait=True),
        mov(0, "r0", wait=True, o="rgba"),
    ],
    # Two lookups that share a semaphore; MAD_SAT.
    "modulate": [
        tex(1, 0, 0, wait=False, acquire=False, unscaled=True),
        tex(2, 3, 0, wait=True, unscaled=True),
        alu(src="r1 r2 c4", asrc="r1 r2 c4", A="0.rgb", B="1.rgb", C="2.rgb", a="0.a", b="1.a", c="2.a", wait=True,
            clamp="rgb a", o="rgba"),
    ],
    # The coordinates of the second lookup are what the first one found.
    "dependent": [
        tex(1, 0, 0, wait=True, unscaled=True),
        alu(src="r1 c1 c2", A="0.ga0", B="1.rg0", C="2.rg0", asrc="r1", wait=True, to=1, w="rg"),
        tex(2, 1, 1, wait=True, unscaled=True),
        mov(0, "r2", wait=True, o="rgba"),
    ],
    # A normal from a picture, normalized, and the light on it: MAD t, t, 2, -1 by presubtract; DP3; RSQ; MUL; DP3_SAT.
    "light": [
        tex(1, 0, 0, wait=True, unscaled=True),
        alu(src="r1", A="-p.rgb", B="0.111", C="0.000", srcp="BIAS", to=1, w="rgb", wait=True),
        alu(rgb="DP3", alpha="DP", src="r1", A="0.rgb", B="0.rgb", to=2, w="a"),
        alu(rgb="SOP", alpha="RSQ", asrc="r2", a="|0.a|", to=2, w="a"),
        alu(src="r1", asrc="r2", A="0.rgb", B="0.aaa", C="0.000", to=1, w="rgb"),
        alu(rgb="DP3", alpha="DP", src="r1 c5", asrc="", A="0.rgb", B="1.rgb", clamp="rgb a", o="rgba", wait=True),
    ],
    # TXP, and the same by hand: RCP, MUL, TEX; their difference and both coordinates.
    "project": [
        alu(src="r0 c0", A="0.rg1", B="1.rg1", C="0.000", asrc="- c0", a="1.a", b="0.1", c="0.0", to=1, w="rgba"),
        tex(2, 2, 1, op="PROJ", wait=True, acquire=False),
        alu(rgb="SOP", alpha="RCP", asrc="r1", a="0.a", to=3, w="a"),
        alu(src="r1", asrc="r3", A="0.rgb", B="0.aaa", C="0.000", to=3, w="rg"),
        tex(4, 2, 3, wait=True),
        alu(src="r2 r4", A="0.rgb", B="0.111", C="-1.rgb", to=5, w="rgb", wait=True),
        alu(src="r2 r5", A="0.rgb", B="0.111", C="1.rrr", asrc="r2 c0", a="0.a", b="1.a", c="0.0", o="rgba", wait=True),
    ],
    # LRP(k, x, y) = k * (x - y) + y by presubtract, in both units; then 1 - that, and its sum with a constant.
    "lrp": [
        tex(1, 0, 0, wait=False, acquire=False, unscaled=True),
        tex(2, 1, 0, wait=True, unscaled=True),
        alu(src="r2 r1 c3", asrc="r2 r1 c3", srcp="SUB", asrcp="SUB", A="2.rgb", B="p.rgb", C="0.rgb", a="2.a", b="p.a",
            c="0.a", to=3, w="rgba", wait=True),
        alu(src="r3", asrc="r3", srcp="INV", asrcp="INV", A="p.rgb", B="0.rgb", C="0.000", a="p.a", b="0.a", c="0.0", to=4,
            w="rgba"),
        alu(src="r4 c6", asrc="r4 c6", srcp="ADD", asrcp="ADD", A="p.bgr", B="0.hhh", C="0.000", a="p.a", b="0.h", c="0.0",
            o="rgba", wait=True),
    ],
    # KIL of what a channel of the picture says, CMP of the rest. A kill looks at the channels of the write mask.
    "kill": [
        tex(1, 0, 0, wait=True, unscaled=True),
        alu(src="r1 c0", asrc="", A="0.rgb", B="0.111", C="-1.rgb", to=2, w="rgb", wait=True),
        alu(asrc="r1 c0", a="0.a", b="0.1", c="-1.a", to=2, w="a"),
        tex(0, 0, 2, op="KILL", w="ra", swizzle="rgba", acquire=False),
        alu(rgb="CMP", alpha="CMP", src="r1 c1 r2", asrc="r1 c1 r2", A="0.rgb", B="1.rgb", C="2.gbg", a="0.a", b="1.a",
            c="2.a", o="rgba", wait=True),
    ],
    # Swizzles with 0, 1/2 and 1, modifiers, output modifiers; the units write different temporaries' halves.
    "swizzle": [
        alu(src="c0 c1", asrc="c0 c1", A="-0.bar", B="|1.gga|", C="-|0.1hr|", a="-0.g", b="1.1", c="|1.b|", to=1, w="rgba",
            omod=1, aomod=5),
        alu(rgb="DP4", alpha="DP", src="r1 c1", asrc="r1 c1", A="0.rgb", B="1.bgr", a="0.a", b="-1.a", to=2, w="ga"),
        alu(rgb="D2A", alpha="DP", src="r1 c0 c1", asrc="", A="0.rg_", B="1.gr_", C="2.__b", to=2, w="rb"),
        alu(src="r2", asrc="r2 c1", A="0.agr", B="0.111", C="0.000", a="0.b", b="1.a", c="0.h", o="rgba", wait=True),
    ],
    # POW by LG2, MUL, EX2 in the alpha unit; beside it FRC and SIN, COS of a fraction of a turn.
    "power": [
        alu(rgb="SOP", alpha="LN2", src="c0", a="|0.r|", to=1, w="a"),
        alu(asrc="r1 c0", a="0.a", b="1.a", c="0.0", src="r0 c0", A="0.rrr", B="1.ggg", C="1.bbb", to=1, w="rgba"),
        alu(rgb="FRC", alpha="EX2", src="r1", asrc="r1", A="0.rgb", a="0.a", to=1, w="rgba"),
        alu(rgb="SOP", alpha="SIN", src="r1", a="0.r", to=2, w="r"),
        alu(rgb="SOP", alpha="COS", src="r1", a="0.g", to=2, w="g"),
        alu(src="r2", asrc="r1", A="0.rg1", B="0.11a", C="0.00h", a="0.a", b="0.1", c="0.0", o="rgba", wait=True),
    ],
    # Several targets in one program, MIN, MAX, CND; the targets keep what was written last.
    "targets": [
        alu(rgb="MIN", alpha="MAX", src="r0 c0", asrc="r0 c0", A="0.rgb", B="1.rgb", a="0.r", b="1.a", to=1, w="rgba"),
        mov(0, "c1", o="rgba", target=1),
        alu(rgb="CND", alpha="CND", src="c1 c0 r1", asrc="c1 c0 r1", A="0.rgb", B="1.rgb", C="2.ggg", a="0.a", b="1.a",
            c="2.a", o="rgba"),
        mov(0, "r1", o="ga", target=1, wait=True),
    ],
    # IF, ELSE, ENDIF by the ALU result, as the driver writes them: ENDIF jumps to what follows it.
    "branch": [
        alu(src="r0 c0", A="0.rrr", B="0.111", C="-1.rrr", result=("r", "<")),
        flow(func=0x0F, b0=INCR, b1=INCR, addr=4, uncovered=True),
        mov(1, "c1", w="rgba"),
        flow(func=0x00, b0=0, b1=DECR, pop=1, other=True, addr=6),
        alu(src="r0 c1", asrc="c1", A="0.rg0", B="1.bbb", C="1.rgb", a="0.a", b="0.h", c="0.0", to=1, w="rgba"),
        flow(func=0x00, any=True, b0=DECR, pop=1, addr=6),
        mov(0, "r1", o="rgba", wait=True),
    ],
    # BGNLOOP, IF, BRK, ENDIF, ENDLOOP: LOOP jumps to ENDLOOP itself, integer constant 0 has the rounds.
    "loop": [
        mov(1, "c0", w="rgba"),
        flow("LOOP", func=0x00, addr=7, uncovered=True),
        alu(src="r1 c1", A="0.rrr", B="1.rrr", C="0.ggg", asrc="r1", a="0.a", b="0.1", c="0.1", to=1, w="ra"),
        alu(src="r0 r1", asrc="r0 r1", A="0.ggg", B="0.111", C="-1.aaa", to=2, result=("r", "<")),
        flow(func=0x0F, b0=INCR, b1=0, addr=7, uncovered=True),
        flow("BREAK", func=0xFF, b1=DECR, pop=1, addr=8, uncovered=True),
        flow(func=0x00, any=True, b0=DECR, pop=1, addr=7),
        flow("ENDLOOP", func=0xFF, any=True, addr=2, uncovered=True),
        mov(0, "r1", o="rgba", wait=True),
    ],
}

if __name__ == "__main__":
    for words in PROGRAMS[sys.argv[1]]:
        print(" ".join(f"{word:08x}" for word in words))
