/* Cases of integer, bit and video instructions. */
#include "generate_pure.h"

#define ALL_INTS "u16 s16 u32 s32 u64 s64"
#define SIGNED   "s16 s32 s64"
#define BITS     "b16 b32 b64"

static const struct pure_row arithmetic[] = {
    ROW("{add,sub,mul.lo,mul.hi,min,max}.~", "~ : ~ ~", ALL_INTS),
    ROW("{mad.lo,mad.hi,sad}.~", "~ : ~ ~ ~", ALL_INTS),
    ROW("{add,sub}.sat.s32", "s32 : s32 s32", NULL),
    ROW("mad.hi.sat.s32", "s32 : s32 s32 s32", NULL),
    ROW("mul.wide.~16", "~32 : ~16 ~16", "u s"),
    ROW("mul.wide.~32", "~64 : ~32 ~32", "u s"),
    ROW("mad.wide.~16", "~32 : ~16 ~16 ~32", "u s"),
    ROW("mad.wide.~32", "~64 : ~32 ~32 ~64", "u s"),
    ROW("mul24.{lo,hi}.~", "~ : ~ ~", "u32 s32"),
    ROW("mad24.{lo,hi}.~", "~ : ~ ~ ~", "u32 s32"),
    ROW("mad24.hi.sat.s32", "s32 : s32 s32 s32", NULL),
    ROW("{div,rem}.~", "~ : ~ ~*", ALL_INTS),
    ROW("{div,rem}.~", "~ : ~ ~", ALL_INTS, .class = HW_CHOICE, .tag = "zero"),
    ROW("{abs,neg}.~", "~ : ~", SIGNED),
    ROW("{add,min,max}.~", "~ : ~ ~", "u16x2 s16x2", .sm = 90, .version = 80),
    ROW("{min,max}.relu.~", "~ : ~ ~", "s16x2 s32", .sm = 90, .version = 80),
};

static const struct pure_row carries[] = {
    ROW("add.cc.~ $d, $a, $b; addc.cc.~ $e, $b, $a; addc.~ $f, $a, $a;", "~ ~ ~ : ~ ~", "u32 s32 u64 s64"),
    ROW("sub.cc.~ $d, $a, $b; subc.cc.~ $e, $b, $a; subc.~ $f, $a, $a;", "~ ~ ~ : ~ ~", "u32 s32 u64 s64"),
    ROW("mad.lo.cc.~ $d, $a, $b, $c; madc.hi.cc.~ $e, $a, $b, $c; addc.~ $f, $a, $b;", "~ ~ ~ : ~ ~ ~",
        "u32 s32 u64 s64"),
    ROW("mad.hi.cc.~ $d, $a, $b, $c; madc.lo.cc.~ $e, $b, $c, $a; madc.hi.~ $f, $a, $b, $c;", "~ ~ ~ : ~ ~ ~",
        "u32 s32 u64 s64"),
    ROW("add.cc.~ $d, $a, $b; madc.lo.~ $e, $a, $b, $c; subc.~ $f, $a, $c;", "~ ~ ~ : ~ ~ ~", "u32 u64",
        .tag = "mixed"),
};

static const struct pure_row bits[] = {
    ROW("{and,or,xor}.~", "~ : ~ ~", BITS),
    ROW("{not,cnot}.~", "~ : ~", BITS),
    ROW("{and,or,xor}.pred", "p : p p", NULL),
    ROW("not.pred", "p : p", NULL),
    ROW("{brev}.~", "~ : ~", "b32 b64"),
    ROW("{popc,clz}.~", "u32 : ~", "b32 b64"),
    ROW("bfind{,.shiftamt}.~", "u32 : ~", "u32 s32 u64 s64"),
    ROW("shl.~", "~ : ~ n", BITS),
    ROW("shr.~", "~ : ~ n", BITS " " ALL_INTS),
    ROW("shf.{l,r}.{clamp,wrap}.b32", "b32 : b32 b32 n", NULL),
    ROW("bfe.~", "~ : ~ n n", "u32 s32 u64 s64"),
    ROW("bfi.~", "~ : ~ ~ n n", "b32 b64"),
    ROW("fns.b32", "b32 : b32 l k", NULL),
    ROW("bmsk.{clamp,wrap}.b32", "b32 : n n", NULL),
    ROW("szext.{clamp,wrap}.~", "~ : ~ n", "u32 s32"),
    ROW("prmt.b32{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}", "b32 : b32 b32 b32", NULL),
    ROW("prmt.b32 $d, $a, $b, {0x3210,0x7654,0x0123,0x89ab,0xfedc,0x4c80,0xffff,0x5f1e};", "b32 : b32 b32", NULL,
        .tag = "constant"),
    ROW("lop3.b32 $d, $a, $b, $c, {0x96,0xe8,0x80,0xfe,0x01,0xca,0x1b,0x7f,0x00,0xff,0xf0,0xcc,0xaa,0x3c,0x6a,0xd8};",
        "b32 : b32 b32 b32", NULL),
    ROW("lop3.{or,and}.b32 $d|$e, $a, $b, $c, {0x96,0xe8,0x01,0x80}, $i;", "b32 p : b32 b32 b32 p", NULL,
        .version = 82),
    ROW("dp4a.{u32,s32}.{u32,s32}", "b32 : b32 b32 b32", NULL),
    ROW("dp2a.{lo,hi}.{u32,s32}.{u32,s32}", "b32 : b32 b32 b32", NULL),
    ROW("shl.~ $d, $a, {0,1,15,16,17,31,32,33,63,64,65,4096};", "~ : ~", BITS, .tag = "constant"),
    ROW("shr.~ $d, $a, {0,1,15,16,17,31,32,33,63,64,65,4096};", "~ : ~", "u16 s16 u32 s32 u64 s64", .tag = "constant"),
};

/* Comparisons of integers and selections; floats: generate_float.c. */
static const struct pure_row choices[] = {
    ROW("setp.{eq,ne,lt,le,gt,ge}.~", "p : ~ ~", SIGNED),
    ROW("setp.{eq,ne,lt,le,gt,ge,lo,ls,hi,hs}.~", "p : ~ ~", "u16 u32 u64"),
    ROW("setp.{eq,ne}.~", "p : ~ ~", BITS),
    ROW("setp.{lt,ne}.{and,or,xor}.~ $d|$e, $a, $b, {,!}$c;", "p p : ~ ~ p", SIGNED " u16 u32 u64"),
    ROW("set.{eq,lt,ge}.{u32,s32,f32}.~", "b32 : ~ ~", ALL_INTS),
    ROW("set.{eq,ne}.{u32,s32,f32}.~", "b32 : ~ ~", BITS),
    ROW("set.{ne,le}.{and,or,xor}.{u32,f32}.~", "b32 : ~ ~ p", "u16 s32 u64"),
    ROW("set.{ne,le}.f16.~", "b16 : ~ ~", ALL_INTS),
    ROW("set.{ne,le}.bf16.~", "b16 : ~ ~", ALL_INTS, .sm = 90),
    ROW("selp.~", "~ : ~ ~ p", "b16 b32 b64 u16 s32 u64 f32 f64"),
    ROW("slct.~.s32", "~ : ~ ~ s32", "b16 b32 b64 u16 s32 u64 f32 f64"),
    ROW("slct{,.ftz}.~.f32", "~ : ~ ~ f32", "b16 b32 b64 f32 f64"),
};

/* Forms that machines without these instructions emulate in another way than the PTX ISA tells are choices
 * (docs/hardware.md, "Choices"). */
#define FIVE     "vadd vsub vabsdiff vmin vmax"
#define EMULATED .class = HW_CHOICE

static const struct pure_row video[] = {
    ROW("~.{u32,s32}.{u32,s32}.{u32,s32}{,.sat} $d, $a, $b;", "b32 : b32 b32", "vadd vsub vabsdiff", EMULATED),
    ROW("~.{u32,s32}.{u32,s32}.{u32,s32}{,.sat} $d, $a, $b;", "b32 : b32 b32", "vmin vmax"),
    ROW("~.{u32,s32}.{u32,s32}.s32{,.sat} $d, $a.{b0,h1}, $b.b3;", "b32 : b32 b32", FIVE, .tag = "parts"),
    ROW("~.s32.{u32,s32}.{u32,s32} $d, $a.{b1,b2}, $b.{h0,b0};", "b32 : b32 b32", FIVE, .tag = "parts"),
    ROW("~.{u32,s32}.u32.s32{,.sat}.{add,min,max} $d, $a, $b.h1, $c;", "b32 : b32 b32 b32", FIVE, EMULATED,
        .tag = "second"),
    ROW("~.{u32,s32}.u32.s32{,.sat} $d.{b0,b2,h0,h1}, $a, $b, $c;", "b32 : b32 b32 b32", FIVE, EMULATED,
        .tag = "merged"),
    ROW("vset.{u32,s32}.{u32,s32}.{eq,ne,lt,le,gt,ge} $d, $a, $b;", "b32 : b32 b32", NULL),
    ROW("vset.{u32,s32}.{u32,s32}.{lt,ne} $d, $a.{b1,h0}, $b.{b3,h1};", "b32 : b32 b32", NULL, .tag = "parts"),
    ROW("vset.{u32,s32}.s32.ge.{add,min,max} $d, $a, $b.h1, $c;", "b32 : b32 b32 b32", NULL, EMULATED, .tag = "second"),
    ROW("vset.{u32,s32}.s32.ge $d.{b0,b1,b3,h0,h1}, $a, $b, $c;", "b32 : b32 b32 b32", NULL, EMULATED, .tag = "merged"),
    ROW("~.{u32,s32}.{u32,s32}.u32{,.sat}.{clamp,wrap} $d, $a, $b;", "b32 : b32 n", "vshl", EMULATED),
    ROW("~.{u32,s32}.{u32,s32}.u32{,.sat}.{clamp,wrap} $d, $a, $b;", "b32 : b32 n", "vshr"),
    ROW("~.{u32,s32}.{u32,s32}.u32.{clamp,wrap} $d, $a.{b1,h1}, $b.b0;", "b32 : b32 n", "vshl vshr", .tag = "parts"),
    ROW("~.{u32,s32}.s32.u32{,.sat}.clamp.{add,max} $d, $a, $b, $c;", "b32 : b32 n b32", "vshl vshr", EMULATED,
        .tag = "second"),
    ROW("~.{u32,s32}.s32.u32{,.sat}.wrap $d.{b1,h1}, $a, $b, $c;", "b32 : b32 n b32", "vshl vshr", EMULATED,
        .tag = "merged"),
    ROW("vmad.{u32,s32}.{u32,s32}.{u32,s32} $d, $a.h0, $b.h1, $c;", "b32 : b32 b32 b32", NULL, .tag = "halves"),
    ROW("vmad.u32.u32.u32{,.po}{,.sat}{,.shr7,.shr15} $d, $a, $b, $c;", "b32 : b32 b32 b32", NULL, EMULATED),
    ROW("vmad.s32.{u32,s32}.{u32,s32}{,.sat}{,.shr7} $d, $a.b1, $b.h0, $c;", "b32 : b32 b32 b32", NULL, EMULATED,
        .tag = "parts"),
    ROW("vmad.s32.s32.s32{,.sat}{,.shr15} $d, {-$a,$a}, $b, $c;", "b32 : b32 b32 b32", NULL, .tag = "product"),
    ROW("vmad.s32.s32.s32{,.sat}{,.shr15} $d, $a, $b, -$c;", "b32 : b32 b32 b32", NULL, .tag = "difference"),
};

#define SIX "vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4"

static const struct pure_row packed[] = {
    ROW("~.{u32,s32}.{u32,s32}.{u32,s32}{,.sat} $d, $a, $b, $c;", "b32 : b32 b32 b32", SIX),
    ROW("~.{u32,s32}.{u32,s32}.{u32,s32}.add $d, $a, $b, $c;", "b32 : b32 b32 b32", SIX, .tag = "sum"),
    ROW("~2.s32.{u32,s32}.s32{,.sat} $d.{h0,h1}, $a.{h13,h02}, $b.h30, $c;", "b32 : b32 b32 b32",
        "vadd vsub vavrg vabsdiff vmin vmax", .tag = "parts"),
    ROW("~4.s32.{u32,s32}.s32{,.sat} $d.{b20,b1}, $a.{b7531,b0246}, $b.b4406, $c;", "b32 : b32 b32 b32",
        "vadd vsub vavrg vabsdiff vmin vmax", .tag = "parts"),
    ROW("~.{u32,s32}.s32.{eq,ne,lt,le,gt,ge} $d, $a, $b, $c;", "b32 : b32 b32 b32", "vset2 vset4"),
    ROW("~.{u32,s32}.{u32,s32}.{ne,ge}.add $d, $a, $b, $c;", "b32 : b32 b32 b32", "vset2 vset4", .tag = "sum"),
};

void hw_generate_integers(struct hw_cases *cases)
{
    pure_rows(cases, arithmetic, HW_COUNT(arithmetic));
    pure_rows(cases, carries, HW_COUNT(carries));
    pure_rows(cases, bits, HW_COUNT(bits));
    pure_rows(cases, choices, HW_COUNT(choices));
    pure_rows(cases, video, HW_COUNT(video));
    pure_rows(cases, packed, HW_COUNT(packed));
}
