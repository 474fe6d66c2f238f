/* Left out, because ptxas 12.4 makes other code of them than they say: .ftz of a conversion to f16 (lost); saturation
 * of an integer whose range it knows (taken for a number of another sign, or lost: hence %zero, which it does not
 * know); guards of testp and set (lost); abs.s16 and neg.s16 (their result counts as 16 bits without sign); bfe from a
 * constant past the end; subtraction of the lowest number with saturation; cvt.u16.s8 (sign in the upper half); NaN of
 * 64 bits to 8 or 16 (two conversions).
 *
 * The generator of random kernels: a walk over templates. In a template
 *
 *   $r $d $h $f $g $p  a register of 32, 64, 16 bits, f32, f64, a predicate; $y $z: of f16, f16x2
 *   $R $D $H $F $G     the same or an immediate        $Q  a predicate or its opposite
 *   $s                 a shift amount or position: a register with one below 128, or a small immediate
 *   $0 .. $9           a number below 4, 8, 16 ... 2048
 *   {a|b|}             one of these
 *
 * Bits go from integers to floats, never back: the payload of a NaN is nobody's promise. NaNs are stored as one.
 * Floating-point operations are written with their rounding: others the assembler may join. */
#include "generate.h"

#include "../ref/rig.h"

#include <string.h>

static const char *const integers[] = {
    "{add|sub}.{s32|u32} $r, $r, $R;",
    "{add|sub}.{s64|u64} $d, $d, $D;",
    "{add|sub}.s32.sat $r, $r, $r;",
    "{add|sub|mul.lo}.{s16|u16} $h, $h, $H;",
    "mul.{lo|hi}.{s32|u32} $r, $r, $R;",
    "mul.{lo|hi}.{s64|u64} $d, $d, $D;",
    "mul.hi.{s16|u16} $h, $h, $H;",
    "mul.wide.{s32|u32} $d, $r, $R;",
    "mul.wide.{s16|u16} $r, $h, $H;",
    "mad.{lo|hi}.{s32|u32} $r, $r, $R, $r;",
    "mad.{lo|hi}.{s64|u64} $d, $d, $D, $d;",
    "mad.hi.sat.s32 $r, $r, $r, $r;",
    "mad.lo.{s16|u16} $h, $h, $H, $h;",
    "mad.wide.{s32|u32} $d, $r, $R, $d;",
    "mad.wide.{s16|u16} $r, $h, $h, $r;",
    "mul24.{lo|hi}.{s32|u32} $r, $r, $R;",
    "mad24.{lo|hi}.{s32|u32} $r, $r, $r, $r;",
    "sad.{s32|u32} $r, $r, $R, $r;",
    "sad.{s64|u64} $d, $d, $d, $d;",
    "sad.{s16|u16} $h, $h, $h, $h;",
    "{{ .reg .b32 z; or.b32 z, $r, 1; {div|rem}.{u32|s32} $r, $r, z; }}",
    "{{ .reg .b64 z; or.b64 z, $d, 1; {div|rem}.{u64|s64} $d, $d, z; }}",
    "{{ .reg .b16 z; or.b16 z, $h, 1; {div|rem}.{u16|s16} $h, $h, z; }}",
    "{div|rem}.{u32|s32} $r, $r, {7|10|-3|1000003|64};",
    "{div|rem}.{u64|s64} $d, $d, {7|10|1000003|4096};",
    "{{ add.cc.u32 $r, $r, $R; {addc.cc.u32|addc.cc.s32} $r, $r, $R; addc.u32 $r, $r, $R; }}",
    "{{ sub.cc.u32 $r, $r, $R; subc.cc.u32 $r, $r, $R; subc.u32 $r, $r, $R; }}",
    "{{ add.cc.u64 $d, $d, $D; addc.u64 $d, $d, $D; }}",
    "{{ mad.lo.cc.u32 $r, $r, $r, $r; madc.hi.cc.u32 $r, $r, $r, $r; addc.u32 $r, $r, 0; }}",
    "{{ mad.hi.cc.{u32|s32} $r, $r, $r, $r; madc.lo.{u32|s32} $r, $r, $r, $r; }}",
    "abs.{s32 $r, $r|s64 $d, $d};",
    "neg.{s32 $r, $r|s64 $d, $d};",
    "{min|max}.{s32|u32} $r, $r, $R;",
    "{min|max}.{s64|u64} $d, $d, $D;",
    "{min|max}.{s16|u16} $h, $h, $H;",
    "{popc|clz}.b32 $r, $r;",
    "{popc|clz}.b64 $r, $d;",
    "bfind.{|shiftamt.}{s32|u32} $r, $r;",
    "bfind.{|shiftamt.}{s64|u64} $r, $d;",
    "brev.{b32 $r, $r|b64 $d, $d};",
    "bfe.{s32|u32} $r, $r, $s, $s;",
    "bfe.{s64|u64} $d, $d, $s, $s;",
    "bfi.b32 $r, $r, $r, $s, $s;",
    "bfi.b64 $d, $d, $d, $s, $s;",
    "{and|or|xor}.b32 $r, $r, $R;",
    "{and|or|xor}.b64 $d, $d, $D;",
    "{and|or|xor}.b16 $h, $h, $H;",
    "{and|or|xor}.pred $p, $p, $p;",
    "not.{b32 $r, $r|b64 $d, $d|b16 $h, $h|pred $p, $p};",
    "cnot.{b32 $r, $r|b64 $d, $d|b16 $h, $h};",
    "lop3.b32 $r, $r, $R, $r, $6;",
    "and.b32 %k{0|1}, $r, {31|63|127};",
    "{shl.b32|shr.u32|shr.s32} $r, $r, {$s|$r};",
    "{shl.b64|shr.u64|shr.s64} $d, $d, {$s|$r};",
    "{shl.b16|shr.u16|shr.s16} $h, $h, {$s|$r};",
    "shf.{l|r}.{wrap|clamp}.b32 $r, $r, $r, {$s|$r};",
    "prmt.b32{|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16} $r, $r, $r, $r;",
    "prmt.b32 $r, $r, $r, $9;",
    "setp.{eq|ne|lt|le|gt|ge}.{s32|u32} $p, $r, $R;",
    "setp.{eq|ne|lt|le|gt|ge}.{s64|u64} $p, $d, $D;",
    "setp.{eq|ne|lt|le|gt|ge}.{s16|u16} $p, $h, $H;",
    "setp.{lo|ls|hi|hs}.u32 $p, $r, $R;",
    "setp.{lo|ls|hi|hs}.u64 $p, $d, $D;",
    "setp.{eq|ne|lt|ge}.{and|or|xor}.{s32|u32} $p, $r, $R, $Q;",
    "setp.{eq|ne|lt|ge}.{and|or|xor}.{s64|u64} %p0|%p1, $d, $d, $Q;",
    "setp.{eq|ne|lt|ge}.{s32|u32} %p2|%p3, $r, $R;",
    "set.{eq|ne|lt|ge}.{u32|s32}.{s32|u32} $r, $r, $R;",
    "set.{eq|ne|lt|ge}.f32.{s32|u32} $f, $r, $R;",
    "set.{gt|le}.{and|or|xor}.u32.{s64|u64} $r, $d, $d, $Q;",
    "selp.b32 $r, $r, $R, $p;",
    "selp.b64 $d, $d, $D, $p;",
    "selp.b16 $h, $h, $H, $p;",
    "slct.{b32|u32|s32}.s32 $r, $r, $R, $r;",
    "slct.{b64|u64|s64}.s32 $d, $d, $d, $r;",
    "slct.b16.s32 $h, $h, $h, $r;",
    "mov.b32 $r, $R;",
    "mov.b64 $d, $D;",
    "mov.b64 $d, {$r, $r};",
    "{{ .reg .b32 y, z; mov.b64 {y, z}, $d; xor.b32 $r, y, z; }}",
    "mov.b32 $r, {$h, $h};",
    "mov.b64 $d, {$h, $h, $h, $h};",
    "{{ .reg .b16 y, z; mov.b32 {y, z}, $r; sub.s16 $h, y, z; }}",
};

static const char *const videos[] = {
    "{vadd|vsub|vabsdiff|vmin|vmax}.{s32|u32}.{s32|u32}.{s32|u32}{|.sat} $r, $r, $r;",
    "{vadd|vsub|vabsdiff|vmin|vmax}.s32.u32.u32 $r, $r{.b0|.b1|.b2|.b3|.h0|.h1}, $r{.b0|.b1|.b2|.b3|.h0|.h1};",
    "{vshl|vshr}.u32.u32.u32.{clamp|wrap} $r, $r, $r;",
    "vset.{s32|u32}.{s32|u32}.{eq|ne|lt|le|gt|ge} $r, $r, $r;",
};

static const char *const floats[] = {
    "{add|sub|mul}.{rn|rz|rm|rp}{|.ftz}{|.sat}.f32 $f, $f, $F;",
    "fma.{rn|rz|rm|rp}{|.ftz}{|.sat}.f32 $f, $f, $F, $f;",
    "{add|sub|mul}.{rn|rz|rm|rp}.f64 $g, $g, $G;",
    "fma.{rn|rz|rm|rp}.f64 $g, $g, $G, $g;",
    "div.{rn|rz|rm|rp}{|.ftz}.f32 $f, $f, $f;",
    "div.{rn|rz|rm|rp}.f64 $g, $g, $g;",
    "{rcp|sqrt}.{rn|rz|rm|rp}{|.ftz}.f32 $f, $f;",
    "{rcp|sqrt}.{rn|rz|rm|rp}.f64 $g, $g;",
    "{min|max}{|.ftz}.f32 $f, $f, $F;",
    "{min|max}.f64 $g, $g, $G;",
    "{abs|neg}{|.ftz}.f32 $f, $f;",
    "{abs|neg}.f64 $g, $g;",
    "copysign.{f32 $f, 0f{80000000|3f800000}, $f|f64 $g, 0d{8000000000000000|3ff0000000000000}, $g};",
    "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{|.ftz}.f32 $p, $f, $F;",
    "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}.f64 $p, $g, $G;",
    "setp.{eq|lt|geu|nan}.{and|or|xor}.f32 %p0|%p2, $f, $F, $Q;",
    "setp.{eq|lt|geu|nan}.{and|or|xor}.f64 %p1|%p3, $g, $g, $Q;",
    "set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|nan}{|.ftz}.{u32.f32 $r|f32.f32 $f}, $f, $F;",
    "set.{eq|ne|lt|geu|num}.{and|or|xor}.{u32.f64 $r|f32.f64 $f}, $g, $g, $Q;",
    "selp.f32 $f, $f, $F, $p;",
    "selp.f64 $g, $g, $G, $p;",
    "slct{|.ftz}.{u32|s32|b32}.f32 $r, $r, $R, $f;",
    "slct{|.ftz}.f32.f32 $f, $f, $f, $f;",
    "slct.f64.s32 $g, $g, $g, $r;",
    "testp.{finite|infinite|number|notanumber|subnormal}.f32 $p, $f;",
    "testp.{finite|infinite|number|notanumber|subnormal}.f64 $p, $g;",
    "mov.f32 $f, $F;",
    "mov.f64 $g, $G;",
    "mov.b32 $f, $r;",
    "mov.b64 $g, $d;",
    "mov.b16 $y, $h;",
};

static const char *const conversions[] = {
    "cvt.{u8|s8|s16|u32|s32}.{u8|s8|u16|s16|u32|s32} $r, $r;",
    "cvt.u16.{u8|u16|s16|u32|s32} $r, $r;",
    "cvt.{u32|s32}.{u16|s16|u8|s8} $r, $h;",
    "cvt.{u16|s16|u8|s8}.{u32|s32|u16|s16|u8|s8} $h, $r;",
    "cvt.{u64|s64}.{u8|s8|u16|s16|u32|s32} $d, $r;",
    "cvt.{u8|s8|u16|s16|u32|s32}.{u64|s64} $r, $d;",
    "{{ .reg .b32 z; add.u32 z, $r, %zero; cvt.sat.{u8|s8|u16|s16}.{u32|s32} $r, z; }}",
    "{{ .reg .b64 z; add.u64 z, $d, %zero64; cvt.sat.{u8|s8|u16|s16|u32|s32}.{u64|s64} $r, z; }}",
    "{{ .reg .b32 z; add.u32 z, $r, %zero; cvt.sat.{u32.s32|s32.u32|u8.s16|s8.u16|u16.s8|u8.s8|s16.u16} $r, z; }}",
    "{{ .reg .b64 z; add.u64 z, $d, %zero64; cvt.sat.{u64.s64|s64.u64} $d, z; }}",
    "cvt.{rn|rz|rm|rp}{|.sat}.f32.{u32|s32|u16|s16|u8|s8} $f, $r;",
    "cvt.{rn|rz|rm|rp}.f32.{u64|s64} $f, $d;",
    "cvt.{rn|rz|rm|rp}.f64.{u32|s32|u16|s16|u8|s8} $g, $r;",
    "cvt.{rn|rz|rm|rp}.f64.{u64|s64} $g, $d;",
    "cvt.{rni|rzi|rmi|rpi}{|.ftz}{|.sat}.{u8|s8|u16|s16|u32|s32}.f32 $r, $f;",
    "cvt.{rni|rzi|rmi|rpi}{|.ftz}.{u64|s64}.f32 $d, $f;",
    "cvt.{rni|rzi|rmi|rpi}.{u32|s32}.f64 $r, $g;",
    "{{ .reg .f64 z; max.f64 z, $g, 0d0000000000000000; cvt.{rni|rzi|rmi|rpi}.{u8|s8|u16|s16}.f64 $r, z; }}",
    "{{ .reg .f64 z; min.f64 z, $g, 0d4100000000000000; cvt.{rni|rzi|rmi|rpi}.{u8|s8|u16|s16}.f64 $r, z; }}",
    "cvt.{rni|rzi|rmi|rpi}.{u64|s64}.f64 $d, $g;",
    "cvt.{rni|rzi|rmi|rpi}{|.ftz}{|.sat}.f32.f32 $f, $f;",
    "cvt.{rni|rzi|rmi|rpi}{|.sat}.f64.f64 $g, $g;",
    "cvt{|.ftz}{|.sat}.f64.f32 $g, $f;",
    "cvt.{rn|rz|rm|rp}{|.ftz}{|.sat}.f32.f64 $f, $g;",
    "cvt.{rn|rz|rm|rp}{|.sat}.f16.f32 $y, $f;",
    "cvt.{rn|rz|rm|rp}{|.sat}.f16.f64 $y, $g;",
    "cvt{|.ftz}{|.sat}.f32.f16 $f, $y;",
    "cvt{|.sat}.f64.f16 $g, $y;",
    "cvt.{rn|rz|rm|rp}.f16.{u32|s32|u16|s16|u8|s8} $y, $r;",
    "cvt.{rn|rz|rm|rp}.f16.{u64|s64} $y, $d;",
    "cvt.{rni|rzi|rmi|rpi}.{u8|s8|u16|s16|u32|s32}.f16 $r, $y;",
    "cvt.{rni|rzi|rmi|rpi}.{u64|s64}.f16 $d, $y;",
    "cvt.{rni|rzi|rmi|rpi}.f16.f16 $y, $y;",
};

static const char *const halves[] = {
    "{add|sub|mul}.rn{|.ftz}{|.sat}.f16 $y, $y, $y;",
    "fma.rn{|.ftz}{|.sat}.f16 $y, $y, $y, $y;",
    "{add|sub|mul}.rn{|.ftz}{|.sat}.f16x2 $z, $z, $z;",
    "fma.rn{|.ftz}{|.sat}.f16x2 $z, $z, $z, $z;",
    "neg{|.ftz}.{f16 $y, $y|f16x2 $z, $z};",
    "abs{|.ftz}.{f16 $y, $y|f16x2 $z, $z};",
    "mov.b32 $z, $r;",
    "mov.b32 $z, {$y, $y};",
    "mov.b32 {$y, %y3}, $z;",
    "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{|.ftz}.f16 $p, $y, $y;",
    "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{|.ftz}.f16x2 %p1|%p2, $z, $z;",
    "set.{eq|ne|lt|geu|nan}{|.ftz}.f16x2.f16x2 $z, $z, $z;",
    "set.{eq|ne|lt|geu|nan}{|.ftz}.u32.f16 $r, $y, $y;",
};

/* Memory of the thread: %sg scratch, %ss shared (32 bits), %sl local (32 bits), %gs %gl generic; 32 bytes each. */
static const char *const memories[] = {
    "ld.global.b32 $r, [%in+{4|8|12|16|256}];",
    "ld.global{|.cg|.ca|.cv|.nc}.{b32 $r|b64 $d|f32 $f|f64 $g|u16 $h}, [%in+{8|16|24|512|1024}];",
    "ld.global.{u8|s8|u16|s16} $r, [%in+{2|4|6|128}];",
    "ld.global.{u8|s8|u16|s16|u32|s32} $d, [%in+{4|8|128}];",
    "ld.global.v2.{b32 {%r1, %r3}|f64 {%g1, %g3}|u16 {%h1, %h3}|u8 {%r1, %r3}}, [%in+{16|32|48}];",
    "ld.global.v4.{b32 {%r0, %r1, %r3, %r2}|f32 {%f0, %f1, %f3, %f2}|s8 {%r0, %r1, %r3, %r2}|u16 {%h0, %h1, %h3, "
    "%h2}}, [%in+{16|32}];",
    "{{ .reg .b64 z; and.b64 z, $d, 8184; add.s64 z, %base, z; ld.global.b{64 $d|32 $r}, [z]; }}",
    "{{ .reg .b64 y; .reg .b32 z; and.b32 z, $r, 4092; cvt.u64.u32 y, z; add.s64 y, %base, y; ld.b32 $r, [y]; }}",
    "st{.global|}.{b32|s8|u16} [%sg+{0|4|8|12}], $r;",
    "st.{global.b64|b64|global.b32|global.u8} [%sg+{0|8|16|24}], $d;",
    "st.global.b16 [%sg+6], $h;",
    "{{ .reg .f32 z; max.f32 z, $f, 0fbf800000; st.{global|global.cg}.f32 [%sg+4], z; }}",
    "{{ .reg .f64 z; min.f64 z, $g, 0d4000000000000000; st.f64 [%sg+8], z; }}",
    "st.global.v2.{b32 [%sg+8], {$r, $r}|b64 [%sg+16], {$d, $d}|u8 [%sg+2], {$r, $r}};",
    "st.global.v4.{b32 [%sg+16], {$r, $r, $r, $r}|u16 [%sg+8], {$h, $h, $h, $h}};",
    "ld{.global|}.{b32|s8|u16} $r, [%sg+{0|4|8|12}];",
    "ld{.global|}.b64 $d, [%sg+{0|8|16|24}];",
    "st.shared.{b32|s8|u16} [%ss+{0|4|8|12}], $r;",
    "st.shared.b64 [%ss+{0|8|16|24}], $d;",
    "st.shared.v4.b32 [%ss+{0|16}], {$r, $r, $r, $r};",
    "ld.shared.{b32|s8|u16|s16|u8} $r, [%ss+{0|4|8|12}];",
    "ld.shared.{b64 $d|f64 $g|v2.b32 {%r1, %r3}}, [%ss+{0|8|16|24}];",
    "{{ .reg .b32 z; and.b32 z, $r, 28; add.s32 z, z, %ss; {st.shared.b32 [z], $r|ld.shared.b32 $r, [z]}; }}",
    "{st.b32 [%gs+{0|4|8}], $r|ld.b32 $r, [%gs+{0|4|8}]};",
    "{st.v2.b64 [%gs+{0|16}], {%d1, %d3}|ld.v2.b64 {%d1, %d3}, [%gs+{0|16}]};",
    "st.local.{b32|s8|u16} [%sl+{0|4|8|12}], $r;",
    "st.local.b64 [%sl+{0|8|16|24}], $d;",
    "ld.local.{b32|s8|u16|s16|u8} $r, [%sl+{0|4|8|12}];",
    "ld.local.{b64 $d|f64 $g|v4.b32 {%r0, %r1, %r3, %r2}}, [%sl+{0|16}];",
    "{{ .reg .b32 z; and.b32 z, $r, 28; add.s32 z, z, %sl; {st.local.b32 [z], $r|ld.local.b32 $r, [z]}; }}",
    "{st.b32 [%gl+{0|4|8}], $r|ld.b32 $r, [%gl+{0|4|8}]|ld.s8 $r, [%gl+{1|2|3}]};",
    "ld.param.{b32 $r, [words+{0|4}]|u8 $r, [words+{1|2|3|7}]|f64 $g, [double]|s16 $r, [double+6]};",
    "{{ .reg .b64 z; .reg .b32 y; and.b32 y, $r, 60; cvt.u64.u32 z, y; mov.u64 y64, table; add.s64 z, z, y64; "
    "ld.const.b32 $r, [z]; }}",
    "ld.const.{b32 $r, [table+{0|4|20}]|b64 $d, [table+8]|u8 $r, [table+7]|v2.b32 {%r1, %r3}, [table+16]};",
    "isspacep.{global|shared|local} $p, {%gs|%gl|%sg};",
    "atom{.global|}.{add.u32|min.u32|max.u32|and.b32|or.b32|xor.b32|exch.b32|inc.u32|dec.u32} $r, [%sg+{0|4|8}], $r;",
    "atom{.global|}.{min|max}.s32 $r, [%sg+{0|4|8}], $r;",
    "atom.global.{add.u64|min.u64|max.s64|exch.b64|and.b64|xor.b64|min.s64|max.u64} $d, [%sg+{8|16}], $d;",
    "atom.global.cas.{b32 $r, [%sg+4], $r, $r|b64 $d, [%sg+8], $d, $d};",
    "atom.shared.{add.u32|min.u32|max.u32|and.b32|or.b32|xor.b32|exch.b32|inc.u32|dec.u32} $r, [%ss+{0|4|8}], $r;",
    "atom.shared.{min|max}.s32 $r, [%ss+{0|4|8}], $r;",
    "atom.shared.{add.u64|min.u64|max.s64|exch.b64|and.b64|xor.b64|min.s64|max.u64} $d, [%ss+{8|16}], $d;",
    "atom.shared.cas.{b32 $r, [%ss+4], $r, $r|b64 $d, [%ss+8], $d, $d};",
    "atom.{global.add.f32 $f, [%sg+4]|shared.add.f32 $f, [%ss+4]}, $f;",
    "atom.add.f32 $f, [%gs+4], $f;",
    "atom.{add.u32|min.s32|exch.b32|inc.u32} $r, [%gs+{4|8}], $r;",
    "atom.cas.b{32 $r, [%gs+4], $r, $r|64 $d, [%gs+8], $d, $d};",
    "red.global.{add.u32|min.u32|max.s32|and.b32|or.b32|xor.b32|inc.u32|dec.u32} [%sg+{0|4|8}], $r;",
    "red.global.{add.u64|min.u64|or.b64} [%sg+8], $d;",
    "red.global.add.f32 [%sg+8], $f;",
    "red.global.add.u32 [%common], $r;",
    "red.global.max.u32 [%common+4], $r;",
    "red.global.xor.b32 [%common+8], $r;",
    "red.global.min.s32 [%common+12], $r;",
    "red.global.add.u64 [%common+16], $d;",
    "red.shared.add.u32 [shared_common], $r;",
    "red.shared.or.b32 [shared_common+4], $r;",
    "red.shared.{min.u64|add.u64} [%ss+8], $d;",
    "membar.{cta|gl|sys};",
    "prefetch.global.L{1|2} [%sg];",
};

/* Need all lanes. */
static const char *const warps[] = {
    "shfl.sync.{up|down|bfly|idx}.b32 $r, $r, $s, {0|31|0x1f|6175|7967}, -1;",
    "shfl.sync.{up|down|bfly|idx}.b32 $r|$p, $r, $R, $R, -1;",
    "vote.sync.{all|any|uni}.pred $p, $Q, -1;",
    "vote.sync.ballot.b32 $r, $Q, -1;",
    "bar.sync 0;",
    "bar.sync {1|2|$0}, 64;",
    "barrier.sync 3;",
    "bar.red.popc.u32 $r, {0|1}, $Q;",
    "bar.red.{and|or}.pred $p, 0{|, 64}, $Q;",
    "{{ .reg .b32 y, z; ld.shared.b32 z, [shared_common]; bar.sync 0; xor.b32 $r, $r, z; }}",
    "mov.u32 $r, {%laneid|%tid.x|%ctaid.x|%ntid.x|%nctaid.x|%lanemask_lt|%lanemask_ge|%lanemask_eq|%tid.y|%ntid.z};",
};

/* Coordinates: %x0 %x1 %x2 within every surface (x even in texels of 4 bytes: %xb = 8 * x bytes), %o0 %o1 %o2 also
 * outside; %ob in bytes. */
static const char *const surfaces[] = {
    "suld.b.1d.b{8|16|32}.{trap|clamp|zero} $r, [%s1, {%xb}];",
    "suld.b.2d.b{8|16|32}.{trap|clamp|zero} $r, [%s2, {%xb, %x1}];",
    "suld.b.3d.b{8|16|32}.{trap|clamp|zero} $r, [%s3, {%xb, %x1, %x2, %x2}];",
    "suld.b.a1d.b{8|16|32}.{trap|clamp|zero} $r, [%s4, {%x2, %xb}];",
    "suld.b.a2d.b{8|16|32}.{trap|clamp|zero} $r, [%s5, {%x2, %xb, %x1, %x1}];",
    "suld.b.1d.{v2.b32|v2.b16}.{clamp|zero} {%r1, %r3}, [%s1, {%ob}];",
    "suld.b.2d.{b64.{clamp|zero|trap} $d|v2.b32.trap {%r1, %r3}}, [%s2, {%xb, %x1}];",
    "suld.b.2d.b{8|16|32}.{clamp|zero} $r, [%s2, {%ob, %o1}];",
    "suld.b.3d.b{8|16|32}.{clamp|zero} $r, [%s3, {%ob, %o1, %o2, %o2}];",
    "suld.b.a1d.b{8|16|32}.{clamp|zero} $r, [%s4, {%x2, %ob}];",
    "suld.b.a2d.b{8|16|32}.{clamp|zero} $r, [%s5, {%x2, %ob, %o1, %o1}];",
    "suld.b.2d.v4.{b8|b16|b32}.{clamp|zero} {%r0, %r1, %r3, %r2}, [%s2, {%oq, %o1}];",
    "sust.b.1d.b{8|16|32}.{trap|clamp|zero} [%s1, {%xb}], $r;",
    "sust.b.2d.b{8|16|32}.{trap|clamp|zero} [%s2, {%xb, %x1}], $r;",
    "sust.b.3d.b{8|16|32}.{trap|clamp|zero} [%s3, {%xb, %x1, %x2, %x2}], $r;",
    "sust.b.a1d.b{8|16|32}.{trap|clamp|zero} [%s4, {%x2, %xb}], $r;",
    "sust.b.a2d.b{8|16|32}.{trap|clamp|zero} [%s5, {%x2, %xb, %x1, %x1}], $r;",
    "sust.b.2d.b64.{trap|clamp|zero} [%s2, {%xb, %x1}], $d;",
    "sust.b.2d.v2.b32.{clamp|zero} [%s2, {%ob, %x1}], {$r, $r};",
    "sust.b.2d.v4.{b8|b16|b32}.{clamp|zero} [%s2, {%oq, %o1}], {$r, $r, $r, $r};",
    "sust.b.2d.b{8|16|32}.{clamp|zero} [%s2, {%ob, %o1}], $r;",
    "sust.b.3d.b{8|16|32}.{clamp|zero} [%s3, {%ob, %o1, %o2, %o2}], $r;",
    "sust.b.a2d.b{8|16|32}.{clamp|zero} [%s5, {%x2, %ob, %o1, %o1}], $r;",
    "sust.p.1d.b32.{trap|clamp|zero} [%s1, {%x0}], $r;",
    "sust.p.2d.b32.{trap|clamp|zero} [%s2, {%x0, %x1}], $r;",
    "sust.p.2d.v2.b32.{clamp|zero} [%s2, {%o0, %o1}], {$r, $r};",
    "sust.p.3d.v4.b32.{trap|clamp|zero} [%s3, {%x0, %x1, %x2, %x2}], {$r, $r, $r, $r};",
    "sured.b.{add|min|max}.1d.{u32|s32}.{trap|clamp|zero} [%s1, {%xb}], $r;",
    "sured.b.{and|or}.2d.b32.{trap|clamp|zero} [%s2, {%xb, %x1}], $r;",
    "sured.b.{add|min|max}.2d.{u32|s32}.{clamp|zero} [%s2, {%ob, %o1}], $r;",
    "sured.b.add.2d.u64.{trap|clamp|zero} [%s2, {%xb, %x1}], $d;",
    "sured.b.{add|min|max}.3d.{u32|s32}.{clamp|zero} [%s3, {%ob, %o1, %o2, %o2}], $r;",
    "sured.p.{add|min|max|and|or}.2d.b32.{trap|clamp|zero} [%s2, {%x0, %x1}], $r;",
    "sured.p.{add|min|max}.1d.b32.{clamp|zero} [%s1, {%o0}], $r;",
    "suq.{width|height}.b32 $r, [%s2];",
};

struct list {
    const char *const *at;
    size_t count;
};
#define LIST(array)                             \
    {                                           \
        array, sizeof(array) / sizeof(array)[0] \
    }

enum { INTEGERS, FLOATS, CONVERSIONS, MEMORIES, WARPS, SURFACES, VIDEOS, HALVES, LISTS };
static const struct list lists[LISTS] = {LIST(integers), LIST(floats),   LIST(conversions), LIST(memories),
                                         LIST(warps),    LIST(surfaces), LIST(videos),      LIST(halves)};

/* Parts in 16 that a kind of kernel takes from each list. */
static const uint8_t shares[DIFFERENTIAL_KINDS][LISTS] = {
    [DIFFERENTIAL_INTEGER] = {16, 0, 0, 0, 0, 0, 0, 0}, [DIFFERENTIAL_FLOAT] = {3, 11, 2, 0, 0, 0, 0, 0},
    [DIFFERENTIAL_CONVERT] = {3, 3, 10, 0, 0, 0, 0, 0}, [DIFFERENTIAL_MEMORY] = {5, 0, 0, 11, 0, 0, 0, 0},
    [DIFFERENTIAL_WARP] = {5, 1, 1, 3, 6, 0, 0, 0},     [DIFFERENTIAL_SURFACE] = {5, 0, 0, 0, 0, 11, 0, 0},
    [DIFFERENTIAL_MIXED] = {6, 3, 2, 3, 2, 0, 0, 0},    [DIFFERENTIAL_HALF] = {3, 2, 2, 0, 0, 0, 0, 9},
};

struct walk {
    struct text *out;
    uint32_t random;
    enum differential_kind kind;
    unsigned labels, depth, budget;
    bool apart;    /* lanes may have parted: nothing that needs all of them */
    bool function; /* no parameters, no memory bases here */
};

static uint32_t below(struct walk *w, uint32_t bound)
{
    return rig_random(&w->random) % bound;
}

static uint64_t value(struct walk *w)
{
    static const uint64_t special[] = {0,    1,      0x7fffffff, 0x80000000,         0xffffffff,
                                       0xff, 0x8000, 0xffff,     0x7fffffffffffffff, 0x8000000000000000};
    uint64_t word = (uint64_t)rig_random(&w->random) << 32 | rig_random(&w->random);
    switch (below(w, 4)) {
    case 0:
        return special[below(w, sizeof special / sizeof *special)];
    case 1:
        return word % 64;
    case 2:
        return -(word % 64);
    default:
        return word;
    }
}

static void immediate(struct walk *w, char kind)
{
    static const uint32_t singles[] = {0,          0x80000000, 0x3f800000, 0xbfc00000,
                                       0x00400000, 0x7f7fffff, 0x4b000001, 0x7f800000};
    static const uint64_t doubles[] = {0,
                                       0x8000000000000000,
                                       0x3ff0000000000000,
                                       0xbff8000000000000,
                                       0x0008000000000000,
                                       0x7fefffffffffffff,
                                       0x4330000000000001,
                                       0x7ff0000000000000};
    uint64_t v = value(w);
    if (kind == 'R')
        text_printf(w->out, "%d", (int)(uint32_t)v);
    else if (kind == 'D')
        text_printf(w->out, "0x%llx", (unsigned long long)v);
    else if (kind == 'H')
        text_printf(w->out, "%d", (int)(int16_t)v);
    else if (kind == 'F')
        text_printf(w->out, "0f%08x", singles[below(w, 8)] + below(w, 2) * below(w, 3) * 4097);
    else
        text_printf(w->out, "0d%016llx",
                    (unsigned long long)(doubles[below(w, 8)] + below(w, 2) * below(w, 3) * 4097ull));
}

static void operand(struct walk *w, char kind)
{
    static const char wide[] = "RDHFG", narrow[] = "rdhfg";
    const char *immediates = strchr(wide, kind);
    if (kind >= '0' && kind <= '9') {
        text_printf(w->out, "%u", below(w, 4u << (kind - '0')));
    } else if (kind == 's') {
        if (below(w, 3))
            text_printf(w->out, "%u", below(w, 32));
        else
            text_printf(w->out, "%%k%u", below(w, 2));
    } else if (kind == 'Q') {
        text_printf(w->out, "%s%%p%u", below(w, 2) ? "!" : "", below(w, 4));
    } else if (immediates && *immediates && below(w, 3) == 0) {
        immediate(w, kind);
    } else {
        if (immediates && *immediates)
            kind = narrow[immediates - wide];
        text_printf(w->out, "%%%c%u", kind, below(w, kind == 'r' ? 8 : 4));
    }
}

/* Past the bar or brace that ends the alternative at `at`, nested ones skipped. */
static const char *past(const char *at)
{
    int depth = 0;
    for (; *at && (depth || (*at != '|' && *at != '}')); at++)
        depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
    return at;
}

/* Braces that hold bars are a choice; others stand for themselves, {{ and }} for one. */
static bool is_choice(const char *at)
{
    const char *bar = past(at + 1);
    return *bar == '|';
}

static void expand(struct walk *w, const char *at, const char *end);

static const char *choose(struct walk *w, const char *at)
{
    unsigned count = 1;
    const char *last = past(at + 1);
    for (; *last == '|'; last = past(last + 1))
        count++;
    unsigned pick = below(w, count);
    const char *from = at + 1, *to = past(from);
    for (; pick; pick--) {
        from = to + 1;
        to = past(from);
    }
    expand(w, from, to);
    return last + 1;
}

static void expand(struct walk *w, const char *at, const char *end)
{
    while (at < end) {
        if (*at == '$') {
            operand(w, at[1]);
            at += 2;
        } else if ((at[0] == '{' && at[1] == '{') || (at[0] == '}' && at[1] == '}' && at + 1 < end)) {
            text_add(w->out, at, 1);
            at += 2;
        } else if (*at == '{' && is_choice(at)) {
            at = choose(w, at);
        } else {
            text_add(w->out, at++, 1);
        }
    }
}

static const char *pick_template(struct walk *w)
{
    for (;;) {
        uint32_t part = below(w, 16);
        unsigned list = 0;
        while (part >= shares[w->kind][list])
            part -= shares[w->kind][list++];
        if ((list == WARPS && (w->apart || w->function)) || (list == SURFACES && w->apart) ||
            ((list == MEMORIES || list == SURFACES) && w->function))
            continue;
        return lists[list].at[below(w, (uint32_t)lists[list].count)];
    }
}

static void statement(struct walk *w);

static void line(struct walk *w)
{
    const char *pattern = pick_template(w);
    bool whole = (pattern[0] == '{' && pattern[1] == '{') || strncmp(pattern, "testp", 5) == 0 ||
                 strncmp(pattern, "set.", 4) == 0;
    for (size_t i = 0; i < lists[WARPS].count; i++)
        whole |= pattern == lists[WARPS].at[i];
    text_puts(w->out, "    ");
    if (!whole && below(w, 6) == 0 && strchr(pattern, ';') == pattern + strlen(pattern) - 1)
        text_printf(w->out, "@%s%%p%u ", below(w, 2) ? "!" : "", below(w, 4));
    expand(w, pattern, pattern + strlen(pattern));
    text_puts(w->out, "\n");
}

static void block(struct walk *w, unsigned count)
{
    w->depth++;
    while (count-- && w->budget) {
        w->budget--;
        statement(w);
    }
    w->depth--;
}

static void branch(struct walk *w)
{
    unsigned label = w->labels++;
    bool apart = w->apart;
    w->apart = true;
    text_printf(w->out, "    @%s%%p%u bra E%u;\n", below(w, 2) ? "!" : "", below(w, 4), label);
    block(w, 1 + below(w, 5));
    if (below(w, 2)) {
        text_printf(w->out, "    bra D%u;\nE%u:\n", label, label);
        block(w, 1 + below(w, 5));
        text_printf(w->out, "D%u:\n", label);
    } else {
        text_printf(w->out, "E%u:\n", label);
    }
    w->apart = apart;
}

/* A loop of up to 4 rounds, the same for all lanes or not, with or without a way out of its middle. */
static void loop(struct walk *w)
{
    unsigned label = w->labels++, counter = w->depth;
    bool apart = w->apart, same = below(w, 2);
    if (same)
        text_printf(w->out, "    mov.u32 %%c%u, %u;\n", counter, 1 + below(w, 3));
    else
        text_printf(w->out, "    and.b32 %%c%u, %%r%u, 3;\n", counter, below(w, 8));
    text_printf(w->out, "L%u:\n", label);
    bool leaves = below(w, 3) == 0;
    w->apart |= !same || leaves;
    block(w, 1 + below(w, 4));
    if (leaves) {
        text_printf(w->out, "    @%%p%u bra X%u;\n", below(w, 4), label);
        block(w, 1 + below(w, 3));
    }
    text_printf(w->out, "    sub.u32 %%c%u, %%c%u, 1;\n    setp.gt.s32 %%pc, %%c%u, 0;\n    @%%pc bra L%u;\nX%u:\n",
                counter, counter, counter, label, label);
    w->apart = apart;
}

static void jump_table(struct walk *w)
{
    unsigned label = w->labels++;
    bool apart = w->apart;
    w->apart = true;
    text_printf(w->out, "    and.b32 %%t0, %%r%u, 3;\n    {\n    T%u: .branchtargets S%u_0, S%u_1, S%u_2, S%u_3;\n",
                below(w, 8), label, label, label, label, label);
    text_printf(w->out, "    brx.idx %%t0, T%u;\n    }\n", label);
    for (unsigned i = 0; i < 4; i++) {
        text_printf(w->out, "S%u_%u:\n", label, i);
        block(w, 1 + below(w, 3));
        if (below(w, 4))
            text_printf(w->out, "    bra D%u;\n", label);
    }
    text_printf(w->out, "D%u:\n", label);
    w->apart = apart;
}

static void call(struct walk *w)
{
    static const char *const names[] = {"plain", "deep", "again"};
    bool indirect = below(w, 4) == 0;
    const char *name = names[below(w, 3)];
    text_puts(w->out, "    {\n    .param .b32 a; .param .b64 b; .param .f32 c; .param .b32 o;\n");
    text_printf(w->out, "    st.param.b32 [a], %%r%u;\n    st.param.b64 [b], %%d%u;\n    st.param.f32 [c], %%f%u;\n",
                below(w, 8), below(w, 4), below(w, 4));
    if (indirect) {
        text_printf(w->out, "    selp.b64 %%u0, %%pd, %%pe, %%p%u;\n", below(w, 4));
        text_puts(w->out, "    F: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _, .param .f32 _);\n"
                          "    call (o), %u0, (a, b, c), F;\n");
    } else {
        text_printf(w->out, "    call (o), %s, (a, b, c);\n", name);
    }
    text_printf(w->out, "    ld.param.b32 %%r%u, [o];\n    }\n", below(w, 8));
}

static void statement(struct walk *w)
{
    uint32_t what = below(w, 40);
    if (w->depth > 3 || what > 4)
        line(w);
    else if (what < 2)
        branch(w);
    else if (what == 2)
        loop(w);
    else if (what == 3 && !w->function)
        jump_table(w);
    else if (what == 4 && !w->function && w->kind != DIFFERENTIAL_SURFACE)
        call(w);
    else
        line(w);
}

static const char registers[] = "    .reg .b32 %k<2>, %zero, %r<8>, %t<4>, %c<8>, %x<3>, %o<3>, %xb, %ob, %oq, %ss, "
                                "%sl;\n    .reg .b64 %d<4>, %u<4>, %zero64;\n"
                                "    .reg .b16 %h<4>, %y<4>;\n    .reg .b32 %z<4>;\n    .reg .f32 %f<4>;\n    .reg "
                                ".f64 %g<4>;\n    .reg .pred %p<4>, %pc;\n";

static void functions(struct walk *w)
{
    static const char head[] =
        ".func (.param .b32 o) %s (.param .b32 a, .param .b64 b, .param .f32 c)\n{\n%s"
        "    ld.param.b32 %%r0, [a];\n    ld.param.b64 %%d0, [b];\n    ld.param.f32 %%f0, [c];\n";
    static const char spread[] =
        "    mov.u32 %zero, %tid.y;\n    cvt.u64.u32 %zero64, %zero;\n    mov.b32 %k0, 5;\n    and.b32 %k1, %r0, "
        "127;\n    mov.b32 %r1, %r0;\n    not.b32 %r2, %r0;\n    add.u32 %r3, %r0, 77;\n    mov.b32 %r4, 5;\n    "
        "mov.b32 %r5, -1;\n"
        "    mov.b32 %r6, 0;\n    mov.b32 %r7, 3;\n    not.b64 %d1, %d0;\n    mov.b64 %d2, 9;\n    mov.b64 %d3, %d0;\n"
        "    mov.f32 %f1, %f0;\n    mov.f32 %f2, 0f3f800000;\n    mov.f32 %f3, 0f40490fdb;\n    mov.f64 %g0, "
        "0d3ff8000000000000;\n"
        "    mov.f64 %g1, %g0;\n    mov.f64 %g2, %g0;\n    mov.f64 %g3, 0d4008000000000000;\n    mov.b16 %h0, 12;\n"
        "    mov.b16 %h1, -7;\n    mov.b16 %h2, %h0;\n    mov.b16 %h3, %h1;\n    setp.eq.s32 %p0, %r0, 0;\n"
        "    cvt.u16.u32 %y0, %r0;\n    mov.b16 %y1, 0x3c00;\n    mov.b16 %y2, 0x8001;\n    mov.b16 %y3, 0x4321;\n"
        "    mov.b32 %z0, %r0;\n    mov.b32 %z1, 0x3c003800;\n    mov.b32 %z2, 0x0001c000;\n    mov.b32 %z3, %r1;\n"
        "    setp.lt.s32 %p1, %r0, 0;\n    setp.ne.s32 %p2, %r0, 5;\n    setp.gt.u32 %p3, %r0, 999;\n";
    static const char *const names[] = {"plain", "deep"};
    w->function = w->apart = true;
    for (unsigned i = 0; i < 2; i++) {
        text_printf(w->out, head, names[i], registers);
        text_puts(w->out, spread);
        w->budget = 12;
        block(w, 3 + below(w, 8));
        if (i == 1)
            text_puts(
                w->out,
                "    {\n    .param .b32 x; .param .b64 y; .param .f32 z; .param .b32 v;\n    st.param.b32 [x], "
                "%r2;\n    st.param.b64 [y], %d1;\n    st.param.f32 [z], %f0;\n    call (v), plain, (x, y, z);\n    "
                "ld.param.b32 %r3, [v];\n    xor.b32 %r0, %r0, %r3;\n    }\n");
        text_puts(
            w->out,
            "    xor.b32 %r0, %r0, %r1;\n    cvt.u32.u64 %t0, %d1;\n    add.u32 %r0, %r0, %t0;\n    st.param.b32 [o], "
            "%r0;\n    ret;\n}\n");
    }
    /* Calls itself as often as the low bits of its argument say. */
    text_printf(w->out, head, "again", registers);
    text_puts(w->out,
              "    and.b32 %r1, %r0, 3;\n    setp.eq.u32 %p0, %r1, 0;\n    mov.b32 %r2, %r0;\n    @%p0 bra OUT;\n"
              "    sub.u32 %r3, %r0, 1;\n    {\n    .param .b32 x; .param .b64 y; .param .f32 z; .param .b32 v;\n"
              "    st.param.b32 [x], %r3;\n    st.param.b64 [y], %d0;\n    st.param.f32 [z], %f0;\n"
              "    call (v), again, (x, y, z);\n    ld.param.b32 %r4, [v];\n    }\n    mad.lo.u32 %r2, %r4, 31, %r0;\n"
              "OUT:\n    cvt.u32.u64 %r5, %d0;\n    xor.b32 %r2, %r2, %r5;\n    st.param.b32 [o], %r2;\n    ret;\n}\n");
    w->function = w->apart = false;
}

static void heading(struct walk *w)
{
    text_printf(w->out, ".version 8.4\n.target %s\n.address_size 64\n.const .align 8 .b32 table[16] = {",
                w->kind == DIFFERENTIAL_HALF ? "sm_53" : "sm_50");
    for (unsigned i = 0; i < 16; i++)
        text_printf(w->out, "%s%u", i ? ", " : "", (uint32_t)value(w));
    text_puts(w->out, "};\n");
    functions(w);
    text_puts(
        w->out,
        ".visible .entry kernel(.param .u64 in, .param .u64 out, .param .u64 scratch, .param .u64 p1, .param .u64 p2,\n"
        "    .param .u64 p3, .param .u64 p4, .param .u64 p5, .param .align 8 .b8 words[8], .param .f64 double)\n");
    text_printf(w->out, "    .reqntid %u\n{\n", w->kind == DIFFERENTIAL_SURFACE ? 32 : DIFFERENTIAL_THREADS);
    text_puts(w->out, registers);
    text_puts(
        w->out,
        "    .reg .b64 %in, %out, %sg, %gs, %gl, %base, %common, %s<6>, y64, %pd, %pe;\n    .reg .b32 %gid, %me;\n"
        "    .shared .align 16 .b8 mine[2048];\n    .shared .align 8 .b32 shared_common[4];\n"
        "    .local .align 16 .b8 own[32];\n"
        "    ld.param.u64 %base, [in];\n    ld.param.u64 %out, [out];\n    ld.param.u64 %sg, [scratch];\n"
        "    cvta.to.global.u64 %base, %base;\n    cvta.to.global.u64 %out, %out;\n    cvta.to.global.u64 %sg, %sg;\n"
        "    add.s64 %common, %sg, 8192;\n"
        "    ld.param.u64 %s1, [p1];\n    ld.param.u64 %s2, [p2];\n    ld.param.u64 %s3, [p3];\n"
        "    ld.param.u64 %s4, [p4];\n    ld.param.u64 %s5, [p5];\n"
        "    mov.u32 %t0, %ctaid.x;\n    mov.u32 %me, %tid.x;\n    mad.lo.u32 %gid, %t0, 64, %me;\n"
        "    mad.wide.u32 %out, %gid, 256, %out;\n    mad.wide.u32 %in, %gid, 64, %base;\n"
        "    mad.wide.u32 %sg, %gid, 64, %sg;\n"
        "    mov.u32 %ss, mine;\n    mad.lo.u32 %ss, %me, 32, %ss;\n    mov.u32 %sl, own;\n"
        "    cvt.u64.u32 %gs, %ss;\n    cvta.shared.u64 %gs, %gs;\n    cvt.u64.u32 %gl, %sl;\n    cvta.local.u64 %gl, "
        "%gl;\n"
        "    mov.u64 %pd, plain;\n    mov.u64 %pe, again;\n");
    if (w->kind == DIFFERENTIAL_SURFACE)
        text_puts(
            w->out,
            "    and.b32 %t0, %me, 7;\n    mov.u32 %x0, %t0;\n    shr.u32 %x1, %me, 3;\n    and.b32 %x1, %x1, 3;\n"
            "    shr.u32 %x2, %me, 5;\n    shl.b32 %xb, %x0, 3;\n    ld.global.b32 %t1, [%in+60];\n"
            "    and.b32 %o0, %t1, 63;\n    sub.s32 %o0, %o0, 16;\n    shl.b32 %ob, %o0, 3;\n    shl.b32 %oq, %o0, 4;\n"
            "    shr.u32 %o1, %t1, 8;\n    and.b32 %o1, %o1, 31;\n    sub.s32 %o1, %o1, 8;\n    shr.u32 %o2, %t1, 16;\n"
            "    and.b32 %o2, %o2, 15;\n    sub.s32 %o2, %o2, 4;\n");
    for (unsigned i = 0; i < 8; i++)
        text_printf(w->out,
                    "    ld.global.b32 %%r%u, [%%in+%u];\n    st.local.b32 [own+%u], %%r%u;\n    st.shared.b32 "
                    "[%%ss+%u], %%r%u;\n",
                    i, 4 * i, 4 * i, i, 4 * i, i);
    for (unsigned i = 0; i < 4; i++)
        text_printf(w->out,
                    "    ld.global.b64 %%d%u, [%%base+%u];\n    ld.global.f32 %%f%u, [%%in+%u];\n    ld.global.f64 "
                    "%%g%u, [%%in+%u];\n"
                    "    ld.global.b16 %%h%u, [%%in+%u];\n    mov.b16 %%y%u, %%h%u;\n    mov.b32 %%z%u, %%r%u;\n    "
                    "setp.lt.s32 %%p%u, %%r%u, 0;\n",
                    i, 8 * i, i, 8 + 4 * i, i, 8 + 16 * i % 56, i, 30 + 6 * i, i, i, i, i, i, i + 2);
    text_puts(
        w->out,
        "    mov.u32 %zero, %tid.y;\n    cvt.u64.u32 %zero64, %zero;\n    and.b32 %k0, %r3, 127;\n    and.b32 %k1, "
        "%r6, 31;\n    mov.b64 %d0, {%r1, %r2};\n    mov.b64 %d1, {%r5, %r0};\n    setp.ne.s32 %pc, %me, 0;\n"
        "    @%pc bra READY;\n    mov.u32 %t0, 0;\n    st.shared.v4.b32 [shared_common], {%t0, %t0, %t0, %t0};\n"
        "READY:\n    bar.sync 0;\n");
}

/* Stores, with every NaN as the same one. */
static void store_float(struct walk *w, const char *type, char name, unsigned number, unsigned offset)
{
    text_printf(
        w->out,
        "    testp.notanumber.%s %%pc, %%%c%u;\n    @%%pc mov.%s %%%c%u, %s;\n    st.global.%s [%%out+%u], %%%c%u;\n",
        type, name, number, type, name, number, type[1] == '3' ? "0f7fffffff" : "0d7fffffffffffffff", type, offset,
        name, number);
}

static void ending(struct walk *w)
{
    text_puts(w->out, "    bar.sync 0;\n");
    for (unsigned i = 0; i < 8; i++)
        text_printf(w->out, "    st.global.b32 [%%out+%u], %%r%u;\n", 4 * i, i);
    for (unsigned i = 0; i < 4; i++) {
        text_printf(w->out,
                    "    st.global.b64 [%%out+%u], %%d%u;\n    st.global.b16 [%%out+%u], %%h%u;\n"
                    "    selp.b32 %%t0, 1, 0, %%p%u;\n    st.global.u8 [%%out+%u], %%t0;\n",
                    32 + 8 * i, i, 112 + 2 * i, i, i, 120 + i);
        store_float(w, "f32", 'f', i, 64 + 4 * i);
        store_float(w, "f64", 'g', i, 80 + 8 * i);
        text_printf(w->out, "    cvt.f32.f16 %%f%u, %%y%u;\n", i, i);
        store_float(w, "f32", 'f', i, 128 + 4 * i);
        for (unsigned half = 0; half < 2; half++) {
            text_printf(w->out, "    mov.b32 {%%y0, %%y1}, %%z%u;\n    cvt.f32.f16 %%f%u, %%y%u;\n", i, i, half);
            store_float(w, "f32", 'f', i, 144 + 8 * i + 4 * half);
        }
    }
    text_puts(
        w->out,
        "    ld.shared.b32 %t0, [%ss];\n    ld.local.b32 %t1, [%sl+4];\n    ld.shared.b32 %t2, [shared_common];\n"
        "    xor.b32 %t0, %t0, %t1;\n    xor.b32 %t0, %t0, %t2;\n    st.global.b32 [%out+124], %t0;\n    ret;\n}\n");
}

enum differential_kind differential_kind(uint32_t seed)
{
    return (enum differential_kind)(seed % DIFFERENTIAL_KINDS);
}

void differential_generate(uint32_t seed, struct text *out)
{
    struct walk w = {.out = out, .random = seed, .kind = differential_kind(seed)};
    heading(&w);
    w.budget = 30 + below(&w, 40);
    block(&w, w.budget);
    ending(&w);
}
