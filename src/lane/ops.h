/* The operations of the lane program, one row each. Include with LANE_OP defined; no include guard on purpose.
 *
 * LANE_OP(name, dst, src, types, uses, is)
 *
 * dst, src: a letter per operand.
 *   t  as wide as .type        u  as wide as .type2      w  twice as wide as .type
 *   p  predicate               4  32 bits                8  64 bits
 *   h  16 bits                 o  predicate, may be LANE_NONE (destination not wanted / source = false)
 *   a  address: 32 or 64 bits  x  any width of at least .access.type (memory data); as a destination may be LANE_NONE
 *   *  the letter before it repeats any number of times (also none); the count is ndst/nsrc
 * types: letters for the types that .type may have.
 *   p pred   b b8..b64 (q: b128 too)   i u/s 8..64   n u/s 16..64  m u/s 32 and 64  f f32 f64   h f16 bf16 f16x2 bf16x2
 *   k u16x2 s16x2   s packed floats of 8 bits and less: e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2 ue8m0x2
 *   . none (LANE_VOID)
 *   or a list of names: "u32 s32"
 * uses: letters for the other fields.
 *   r round  f flags  c cmp  m mode  2 type2
 *   and what aux is: a access  b block  t jump table  k call  s string  n number
 * is: its properties, enum lane_property. What verifier, engine and front ends have to know of an operation beyond its
 *   operands is here; they ask lane_is().
 */

/* clang-format off */
/* -- moves and selection -- */
LANE_OP(mov, "t", "t", "p q", "", LANE_PURE)          /* d = a */
LANE_OP(selp, "t", "ttp", "q", "", LANE_PURE)         /* d = c ? a : b */
LANE_OP(slct, "t", "ttu", "b", "f2", LANE_PURE)       /* d = c >= 0 ? a : b; type2 s32 or f32 (NaN selects b) */
LANE_OP(pack, "t", "u*", "q", "2", LANE_PURE)         /* d = sources of type2's width side by side, first = low bits */
LANE_OP(unpack, "u*", "t", "q", "2", LANE_PURE)       /* inverse; a destination may be LANE_NONE */
LANE_OP(sreg, "t", "", "b32 b64", "m", LANE_PURE | LANE_CLOCK) /* d = special register; mode = enum lane_sreg */
LANE_OP(frame, "t", "", "b32 b64", "n", LANE_PURE)    /* d = local address of byte aux in this function's local frame */

/* -- integers (floats where the types say so). The result wraps unless LANE_SAT -- */
LANE_OP(add, "t", "tt", "i f h k", "rf", LANE_PURE | LANE_MAKES_NAN)
LANE_OP(sub, "t", "tt", "i f h k", "rf", LANE_PURE | LANE_MAKES_NAN)
LANE_OP(mul, "t", "tt", "i f h", "rf", LANE_PURE | LANE_MAKES_NAN)     /* low half of integers */
LANE_OP(mulhi, "t", "tt", "n", "", LANE_PURE)         /* high half */
LANE_OP(mulwide, "w", "tt", "u16 s16 u32 s32", "", LANE_PURE)
LANE_OP(mad, "t", "ttt", "n", "f", LANE_PURE)         /* low half of a*b, + c; SAT: s32 mulhi-style clamp is madhi's */
LANE_OP(madhi, "t", "ttt", "n", "f", LANE_PURE)       /* high half of a*b, + c; SAT clamps (s32) */
LANE_OP(madwide, "w", "ttw", "u16 s16 u32 s32", "", LANE_PURE)
LANE_OP(mul24, "t", "tt", "u32 s32", "m", LANE_PURE)  /* 24x24 bits; mode 0: bits 0..31, 1: bits 16..47 */
LANE_OP(mad24, "t", "ttt", "u32 s32", "fm", LANE_PURE)
LANE_OP(mad16, "4", "444", "b32", "n", LANE_PURE)     /* product of halves of a and b, + c; aux = enum lane_mad16 */
LANE_OP(sad, "t", "ttt", "n", "", LANE_PURE)          /* c + |a - b| */
/* integers: x/0 = all ones; MIN/-1 = MIN (named choices) */
LANE_OP(div, "t", "tt", "n f f16", "rf", LANE_PURE | LANE_MAKES_NAN | LANE_TRAPS)
LANE_OP(rem, "t", "tt", "n", "", LANE_PURE | LANE_TRAPS) /* x rem 0 = x; MIN rem -1 = 0 */
LANE_OP(abs, "t", "t", "s16 s32 s64 f h", "f", LANE_PURE)
LANE_OP(neg, "t", "t", "s16 s32 s64 f h", "f", LANE_PURE)
LANE_OP(min, "t", "tt", "i f h k", "f", LANE_PURE)
LANE_OP(max, "t", "tt", "i f h k", "f", LANE_PURE)
LANE_OP(addc, "to", "tto", "m", "", LANE_PURE)        /* d, carry out = a + b + carry in */
LANE_OP(subc, "to", "tto", "m", "", LANE_PURE)        /* d, borrow out = a - b - borrow in (predicate true = borrow) */
LANE_OP(madc, "to", "ttto", "m", "m", LANE_PURE)      /* d, carry out = (mode 0 low, 1 high half of a*b) + c + carry in */
/* c + dot product of 4 bytes; type: a's signedness, type2: b's */
LANE_OP(dp4a, "4", "444", "u32 s32", "2", LANE_PURE)
LANE_OP(dp2a, "4", "444", "u32 s32", "2m", LANE_PURE) /* 2 halves of a with bytes of b; mode 0 .lo, 1 .hi */

/* -- bits -- */
LANE_OP(and, "t", "tt", "p b", "", LANE_PURE)
LANE_OP(or, "t", "tt", "p b", "", LANE_PURE)
LANE_OP(xor, "t", "tt", "p b", "", LANE_PURE)
LANE_OP(not, "t", "t", "p b", "", LANE_PURE)
LANE_OP(cnot, "t", "t", "b", "", LANE_PURE)           /* a == 0 ? 1 : 0 */
LANE_OP(lop3, "t", "ttt", "b32", "n", LANE_PURE)      /* aux = look-up table */
LANE_OP(shl, "t", "t4", "b", "", LANE_PURE)           /* amounts above the width give 0 */
LANE_OP(shr, "t", "t4", "b i", "", LANE_PURE)         /* signed types fill with the sign; amounts are clamped */
/* funnel shift of {b,a} by c; mode 0 left, 1 right; LANE_CLAMP or wrap */
LANE_OP(shf, "4", "444", "b32", "fm", LANE_PURE)
LANE_OP(bfe, "t", "t44", "m", "", LANE_PURE)          /* position b, length c */
LANE_OP(bfi, "t", "tt44", "b32 b64", "", LANE_PURE)   /* insert a into b at position c, length d */
/* most significant non-sign bit; LANE_CLAMP = .shiftamt; none: all ones */
LANE_OP(bfind, "4", "t", "m", "f", LANE_PURE)
LANE_OP(brev, "t", "t", "b32 b64", "", LANE_PURE)
LANE_OP(clz, "4", "t", "b32 b64", "", LANE_PURE)
LANE_OP(popc, "4", "t", "b32 b64", "", LANE_PURE)
LANE_OP(fns, "4", "444", "b32", "", LANE_PURE)        /* n-th set bit of a from base b, offset c (signed) */
LANE_OP(prmt, "4", "444", "b32", "m", LANE_PURE)      /* mode = enum lane_prmt */
LANE_OP(bmsk, "4", "44", "b32", "f", LANE_PURE)       /* mask at position a, width b */
LANE_OP(szext, "4", "44", "u32 s32", "f", LANE_PURE)  /* sign- or zero-extend from bit b */

/* -- floats: f32, f64 and halves. Rules of rounding, FTZ, NaN and saturation: docs/design.md, "numbers" -- */
LANE_OP(fma, "t", "ttt", "f h", "rf", LANE_PURE | LANE_MAKES_NAN)
LANE_OP(rcp, "t", "t", "f f16", "rf", LANE_PURE | LANE_MAKES_NAN)
LANE_OP(sqrt, "t", "t", "f f16", "rf", LANE_PURE | LANE_MAKES_NAN)
LANE_OP(rsqrt, "t", "t", "f f16", "f", LANE_PURE | LANE_MAKES_NAN)
LANE_OP(rcp64h, "8", "8", "f64", "f", LANE_PURE)      /* rcp.approx.ftz.f64: 20-bit start value, low word 0 */
LANE_OP(rsqrt64h, "8", "8", "f64", "f", LANE_PURE)
LANE_OP(sin, "t", "t", "f32 f16", "f", LANE_PURE | LANE_MAKES_NAN)
LANE_OP(cos, "t", "t", "f32 f16", "f", LANE_PURE | LANE_MAKES_NAN)
LANE_OP(sinturn, "t", "t", "f32", "f", LANE_PURE)    /* sin(2 pi a); 0 of a's sign at multiples of 1/2 */
LANE_OP(costurn, "t", "t", "f32", "f", LANE_PURE)    /* cos(2 pi a); +0 where it is 0 */
LANE_OP(lg2, "t", "t", "f32 f16", "f", LANE_PURE | LANE_MAKES_NAN)
LANE_OP(ex2, "t", "t", "f32 f16 bf16 f16x2 bf16x2", "f", LANE_PURE)
LANE_OP(pow, "t", "tt", "f32 f16", "f", LANE_PURE | LANE_MAKES_NAN)   /* 2^(b * log2(a)): NaN where a < 0, of 0^0, inf^0, 1^inf */
LANE_OP(tanh, "t", "t", "f32 f16 bf16 f16x2 bf16x2", "f", LANE_PURE)
LANE_OP(copysign, "t", "tt", "f", "", LANE_PURE)      /* sign of a, magnitude of b */
LANE_OP(testp, "p", "t", "f", "m", LANE_PURE)         /* mode = enum lane_testp */

/* -- comparison -- */
LANE_OP(setp, "p", "tt", "b i f f16 bf16", "fc", LANE_PURE)
LANE_OP(setp2, "pp", "tt", "f16x2 bf16x2", "fc", LANE_PURE) /* one predicate per half */
LANE_OP(set2, "4", "44", "f16x2 bf16x2", "fcm", LANE_PURE) /* per half: mode 0: 1.0 or 0.0; mode 1: 0xffff or 0 */

/* -- conversion -- */
/* d(type) = a(type2). Integer to integer truncates or extends by type2's signedness (SAT clamps); float to integer
 * rounds (RNI..RPI), clamps, NaN gives 0, but from f64 or to 64 bits the top bit; integer to float and float to narrower
 * float round RN..RP; float to the same or wider float is exact, or rounds to an integral value with RNI..RPI. Packed
 * floats are converted element by element: s from halves (RN; ue8m0x2 RZ, RP) and to them, tf32 from f32 (RN, RZ, RNA);
 * s saturates, but ue8m0x2 gives its NaN. */
LANE_OP(cvt, "t", "u", "i b f h s tf32", "rf2", LANE_PURE)
/* d = {a high, b low}; type2 f32, or s32 (saturating) */
LANE_OP(cvtpack, "t", "uu", "f16x2 bf16x2 u16x2 s16x2 s", "rf2", LANE_PURE)
/* the same from f32, rounded by random bits: c's upper half for a, lower for b */
LANE_OP(cvtrs, "t", "uu4", "f16x2 bf16x2 s", "f2", LANE_PURE)

/* -- video (packed) -- */
/* mode 2 or 4 lanes; |a-b| per lane; LANE_CLAMP: + c, summed (.add) */
LANE_OP(vabsdiff, "4", "444", "u32 s32", "fm2", LANE_PURE)

/* -- memory. aux = access index -- */
LANE_OP(ld, "x*", "a", ".", "a", LANE_SHARES | LANE_TRAPS)
LANE_OP(st, "", "ax*", ".", "a", LANE_SHARES | LANE_TRAPS | LANE_WRITES)
/* dst: old value(s); data: vec elements of b, then of c (cas, fcas: compare, new) */
LANE_OP(atom, "x*", "ax*", ".", "a", LANE_SHARES | LANE_TRAPS | LANE_WRITES | LANE_UPDATES)
LANE_OP(red, "", "ax*", ".", "a", LANE_SHARES | LANE_TRAPS | LANE_WRITES | LANE_UPDATES)
LANE_OP(prefetch, "", "a", ".", "a", 0)               /* no effect, no check */
/* Surfaces. An access with `residency` has one more destination, the last: predicate, texel is resident */
/* src: handle, coordinates, with `level` the mip level */
LANE_OP(suld, "x*", "8x*", ".", "a", LANE_SHARES | LANE_TRAPS | LANE_TEXELS)
/* src: as suld, data */
LANE_OP(sust, "", "8x*", ".", "a", LANE_SHARES | LANE_TRAPS | LANE_WRITES | LANE_TEXELS)
/* src: as suld, data */
LANE_OP(sured, "", "8x*", ".", "a", LANE_SHARES | LANE_TRAPS | LANE_WRITES | LANE_UPDATES | LANE_TEXELS)
/* dst: old value, 0 where nothing was done; src: as sured; cas, fcas: compare, new */
LANE_OP(suatom, "x*", "8x*", ".", "a", LANE_SHARES | LANE_TRAPS | LANE_WRITES | LANE_UPDATES | LANE_TEXELS)
LANE_OP(suq, "4", "8", ".", "m", LANE_TRAPS)          /* mode = enum lane_suq */
LANE_OP(suql, "4", "84", ".", "m", LANE_TRAPS)        /* of mip level b; mode = enum lane_suql */
/* d = components R G B A, each may be LANE_NONE. src: handle, sampler (16 bytes: low and high half), u, v, r, then what
 * the mode has: enum lane_sample, which also says what aux is */
LANE_OP(sample, "4444", "8884444*", ".", "mn", LANE_SHARES | LANE_TRAPS)
LANE_OP(fence, "", "", ".", "m", LANE_SHARES)         /* mode: modes.h */
LANE_OP(isspacep, "p", "8", ".", "m", LANE_PURE)      /* mode = enum lane_space */

/* -- barrier objects in shared memory; mem/mbarrier.h has their meaning. aux = access index, of type b64 -- */
/* expects b arrivals in a phase */
LANE_OP(mbarinit, "", "a4", ".", "a", LANE_SHARES | LANE_TRAPS | LANE_WRITES | LANE_OBJECT)
LANE_OP(mbarinval, "", "a", ".", "a", LANE_SHARES | LANE_TRAPS | LANE_WRITES | LANE_OBJECT)
/* b transactions; mode = enum lane_mbartx */
LANE_OP(mbartx, "", "a4", ".", "ma", LANE_SHARES | LANE_TRAPS | LANE_WRITES | LANE_OBJECT)
/* d (may be LANE_NONE) = state before; b arrivals; mode = enum lane_mbararrive */
LANE_OP(mbararrive, "8", "a4", ".", "ma", LANE_SHARES | LANE_TRAPS | LANE_WRITES | LANE_OBJECT)
/* is the phase of state or parity b over? mode = enum lane_mbarwait */
LANE_OP(mbarwait, "p", "a8", ".", "ma", LANE_SHARES | LANE_TRAPS | LANE_OBJECT | LANE_YIELDS)

/* -- warp -- */
/* d, in range = a from lane b, clamp c, member mask; mode = enum lane_shfl */
LANE_OP(shfl, "4o", "4444", ".", "m", LANE_WARP | LANE_WAITS)
LANE_OP(vote, "p", "p4", ".", "m", LANE_WARP | LANE_WAITS) /* predicate, member mask; mode ALL, ANY, UNI */
LANE_OP(ballot, "4", "p4", ".", "", LANE_WARP | LANE_WAITS)
/* mode 0 any, 1 all (second destination: all equal) */
LANE_OP(match, "4o", "t4", "b32 b64", "m", LANE_WARP | LANE_WAITS)
/* mode = enum lane_atomic: add min max and or xor; f32: min max, NAN, ABS = of magnitudes */
LANE_OP(redux, "4", "44", "b32 u32 s32 f32", "fm", LANE_WARP | LANE_WAITS)
LANE_OP(activemask, "4", "", ".", "", LANE_WARP)
LANE_OP(elect, "4o", "4", ".", "", LANE_WARP | LANE_WAITS) /* leader lane, is leader */
LANE_OP(barwarp, "", "4", ".", "", LANE_WARP | LANE_WAITS) /* member mask */

/* -- block. bar: barrier number, thread count (0 = whole block) -- */
/* mode = enum lane_bar */
LANE_OP(bar, "", "44", ".", "fm", LANE_WAITS | LANE_SHARES | LANE_WRITES | LANE_TRAPS)
/* mode 0 popc (32-bit), 1 and, 2 or (predicate; first dst LANE_NONE) */
LANE_OP(barred, "4o", "44p", ".", "fm", LANE_WAITS | LANE_SHARES | LANE_WRITES | LANE_TRAPS)

/* -- flow -- */
LANE_OP(bra, "", "", ".", "fb", LANE_ENDS)            /* aux = block */
LANE_OP(brx, "", "4", ".", "ft", LANE_ENDS | LANE_WAITS | LANE_TRAPS) /* aux = table; an index past its end traps */
/* Tokens (functions that are `stacked`): push gives each running lane one; pop ends a block and brings each lane to
 * the target of the innermost token of that kind that it holds, rid of it and of those pushed after it (enum lane_token) */
LANE_OP(push, "", "", ".", "mb", LANE_TOKEN_OP | LANE_TRAPS) /* mode = enum lane_token; aux = block, the target */
LANE_OP(pop, "", "", ".", "m", LANE_ENDS | LANE_TOKEN_OP | LANE_TRAPS) /* mode = enum lane_token */
LANE_OP(call, "", "8*", ".", "fk", LANE_WAITS | LANE_TRAPS) /* aux = call; indirect: one source */
LANE_OP(ret, "", "", ".", "", LANE_ENDS)
LANE_OP(exit, "", "", ".", "", LANE_ENDS)
LANE_OP(trap, "", "", ".", "", LANE_STOPS | LANE_TRAPS)
LANE_OP(brkpt, "", "", ".", "", 0)                    /* no effect */
LANE_OP(nanosleep, "", "4", ".", "", LANE_YIELDS)     /* lets other warps run */
/* mode = enum lane_syscall. Arguments as 64-bit values; see there */
LANE_OP(syscall, "4*", "8*", ".", "m", LANE_SHARES | LANE_WRITES | LANE_TRAPS)
/* stops the launch with strings[aux]: a known, named gap */
LANE_OP(unsupported, "", "", ".", "s", LANE_STOPS | LANE_TRAPS)
/* traps with strings[aux]; mode = enum lane_fault, the cause */
LANE_OP(fault, "", "", ".", "ms", LANE_STOPS | LANE_TRAPS)
