/* Cases of conversions, moves, loads and stores. */
#include "generate_pure.h"

#define SMALL "{u8,s8,u16,s16}"
#define ROUND "{rn,rz,rm,rp}"
#define WHOLE "{rni,rzi,rmi,rpi}"

/* Sources and results of 8 bits are in registers of 16. */
static const struct pure_row integers[] = {
    ROW("cvt." SMALL "." SMALL, "b16 : b16", NULL),
    ROW("cvt." SMALL ".{u32,s32}", "b16 : b32", NULL),
    ROW("cvt." SMALL ".{u64,s64}", "b16 : b64", NULL),
    ROW("cvt.{u32,s32}." SMALL, "b32 : b16", NULL),
    ROW("cvt.{u32,s32}.{u32,s32}", "b32 : b32", NULL),
    ROW("cvt.{u32,s32}.{u64,s64}", "b32 : b64", NULL),
    ROW("cvt.{u64,s64}." SMALL, "b64 : b16", NULL),
    ROW("cvt.{u64,s64}.{u32,s32}", "b64 : b32", NULL),
    ROW("cvt.{u64,s64}.{u64,s64}", "b64 : b64", NULL),
    ROW("cvt." SMALL "." SMALL, "b32 : b32", NULL, .tag = "wide"), /* registers wider than the types */
    ROW("cvt." SMALL ".{u32,s32}", "b64 : b64", NULL, .tag = "wide"),
    ROW("cvt.sat.{u8.s8,s8.u8,u16.s8,u8.u16,s8.u16,u8.s16,s8.s16,s16.u16,u16.s16}", "b16 : b16", NULL),
    ROW("cvt.sat." SMALL ".{u32,s32}", "b16 : b32", NULL),
    ROW("cvt.sat." SMALL ".{u64,s64}", "b16 : b64", NULL),
    ROW("cvt.sat.{u32.s8,u32.s16}", "b32 : b16", NULL),
    ROW("cvt.sat.{u32.s32,s32.u32}", "b32 : b32", NULL),
    ROW("cvt.sat.{u32,s32}.{u64,s64}", "b32 : b64", NULL),
    ROW("cvt.sat.{u64.s8,u64.s16}", "b64 : b16", NULL),
    ROW("cvt.sat.u64.s32", "b64 : b32", NULL),
    ROW("cvt.sat.{u64.s64,s64.u64}", "b64 : b64", NULL),
    ROW("cvt.pack.sat.{u16,s16}.s32", "b32 : b32 b32", NULL),
    ROW("cvt.pack.sat.{u8,s8,u4,s4,u2,s2}.s32.b32", "b32 : b32 b32 b32", NULL),
};

static const struct pure_row to_floats[] = {
    ROW("cvt." ROUND ".f32." SMALL, "f32 : b16", NULL),
    ROW("cvt." ROUND ".sat.f32.{s8,s16}", "f32 : b16", NULL),
    ROW("cvt." ROUND "{,.sat}.f32.{u32,s32}", "f32 : b32", NULL),
    ROW("cvt." ROUND "{,.sat}.f32.{u64,s64}", "f32 : b64", NULL),
    ROW("cvt." ROUND ".f16." SMALL, "f16 : b16", NULL),
    ROW("cvt." ROUND "{,.sat}.f16.{u32,s32}", "f16 : b32", NULL),
    ROW("cvt." ROUND "{,.sat}.f16.{u64,s64}", "f16 : b64", NULL),
    ROW("cvt." ROUND ".f64." SMALL, "f64 : b16", NULL),
    ROW("cvt.rn{,.sat}.f64.{u32,s32}", "f64 : b32", NULL),
    ROW("cvt." ROUND "{,.sat}.f64.{u64,s64}", "f64 : b64", NULL),
    ROW("cvt." ROUND ".bf16.{u16,s16}", "bf16 : b16", NULL, .sm = 90),
    ROW(".reg .~ %x$@; ld.global.~ %x$@, [%rd1+$A]; cvt." ROUND ".bf16.~ $d, %x$@;", "bf16 : b16", "u8 s8", .sm = 90,
        .name = "cvt.bf16.~"),
    ROW("cvt." ROUND ".bf16.{u32,s32}", "bf16 : b32", NULL, .sm = 90),
    ROW("cvt." ROUND ".bf16.{u64,s64}", "bf16 : b64", NULL, .sm = 90),
};

static const struct pure_row from_floats[] = {
    ROW("cvt." WHOLE "{,.ftz}.{u8,s8}.f32", "b16 : f32", NULL),
    ROW("cvt." WHOLE "{,.ftz}.{u16,s16}.f32", "b16 : f32", NULL),
    ROW("cvt." WHOLE "{,.ftz}.{u32,s32}.f32", "b32 : f32", NULL),
    ROW("cvt." WHOLE "{,.ftz}.{u64,s64}.f32", "b64 : f32", NULL),
    ROW("cvt.{rni,rzi}.sat." SMALL ".~", "b16 : ~", "f32 f16 f64"),
    ROW("cvt.{rni,rzi}.sat.{u32,s32}.~", "b32 : ~", "f32 f16 f64"),
    ROW("cvt." WHOLE "." SMALL ".~", "b16 : ~", "f16 f64"),
    ROW("cvt." WHOLE ".{u32,s32}.~", "b32 : ~", "f16 f64"),
    ROW("cvt." WHOLE ".{u64,s64}.~", "b64 : ~", "f16 f64"),
    ROW("cvt." WHOLE ".{u16,s16}.bf16", "b16 : bf16", NULL, .sm = 90),
    ROW(".reg .~ %x$@; cvt." WHOLE ".~.bf16 %x$@, $a; st.global.~ [%rd0+$D], %x$@;", "m4 : bf16", "u8 s8", .sm = 90,
        .name = "cvt.~.bf16"),
    ROW("cvt." WHOLE ".{u32,s32}.bf16", "b32 : bf16", NULL, .sm = 90),
    ROW("cvt." WHOLE ".{u64,s64}.bf16", "b64 : bf16", NULL, .sm = 90),
};

static const struct pure_row floats[] = {
    ROW("cvt." ROUND "{,.ftz}{,.sat}.f32.f64", "f32 : f64", NULL),
    ROW("cvt." ROUND "{,.ftz}{,.sat}.f16.f32", "f16 : f32", NULL),
    ROW("cvt." ROUND "{,.sat}.f16.f64", "f16 : f64", NULL),
    ROW("cvt." ROUND ".bf16.~", "bf16 : ~", "f16 f64", .sm = 90),
    ROW("cvt.{rn,rz}{,.relu}{,.satfinite}.{f16,bf16}.f32", "b16 : f32", NULL, .sm = 80, .version = 81),
    ROW("cvt.{rm,rp}.bf16.f32", "b16 : f32", NULL, .sm = 90),
    ROW("cvt{,.ftz}{,.sat}.f32.f16", "f32 : f16", NULL),
    ROW("cvt.f32.bf16", "f32 : bf16", NULL, .sm = 80),
    ROW("cvt." ROUND ".f32.bf16", "f32 : bf16", NULL, .sm = 90),
    ROW("cvt{,.ftz}{,.sat}.f64.f32", "f64 : f32", NULL),
    ROW("cvt{,.sat}.f64.f16", "f64 : f16", NULL),
    ROW("cvt.f64.bf16", "f64 : bf16", NULL, .sm = 90),
    ROW("cvt{,.rn,.rz,.rm,.rp}.f16.bf16", "f16 : bf16", NULL, .sm = 90),
    ROW("cvt{,.rni,.rzi,.rmi,.rpi}{,.ftz}{,.sat}.f32.f32", "f32 : f32", NULL),
    ROW("cvt{,.rni,.rzi,.rmi,.rpi}{,.sat}.~.~", "~ : ~", "f64 f16"),
    ROW("cvt{,.rni,.rzi,.rmi,.rpi}.bf16.bf16", "bf16 : bf16", NULL, .sm = 90),
    ROW("cvt.{rn,rz}{,.relu}{,.satfinite}.{f16x2,bf16x2}.f32", "b32 : f32 f32", NULL, .sm = 80, .version = 81),
    ROW("cvt.rna{,.satfinite}.tf32.f32", "tf32 : f32", NULL, .sm = 80, .version = 81),
    ROW("cvt.{rn,rz}{,.relu}.tf32.f32", "tf32 : f32", NULL, .sm = 90),
    ROW("cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.f32", "q8 : f32 f32", NULL, .sm = 89, .version = 81),
    ROW("cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.f16x2", "q8 : f16x2", NULL, .sm = 89, .version = 81),
    ROW("cvt.rn{,.relu}.f16x2.{e4m3x2,e5m2x2}", "f16x2 : q8", NULL, .sm = 89, .version = 81),
};

static const struct pure_row moves[] = {
    ROW("mov.b32 $d, ($a,$b);", "b32 : b16 b16", NULL, .tag = "pack"),
    ROW("mov.b64 $d, ($a,$b,$c,$i);", "b64 : b16 b16 b16 b16", NULL, .tag = "pack4"),
    ROW("mov.b64 $d, ($a,$b);", "b64 : b32 b32", NULL, .tag = "pack2"),
    ROW("mov.b32 ($d,$e), $a;", "b16 b16 : b32", NULL, .tag = "unpack"),
    ROW("mov.b64 ($d,$e,$f,$g), $a;", "b16 b16 b16 b16 : b64", NULL, .tag = "unpack4"),
    ROW("mov.b64 ($d,$e), $a;", "b32 b32 : b64", NULL, .tag = "unpack2"),
    ROW("mov.b128 %q4, ($b,$a); mov.b128 ($d,$e), %q4;", "b64 b64 : b64 b64", NULL, .version = 83),
};

#define TYPES8 "{u8,s8,b8}"
#define SHARED \
    ".shared .align 16 .b8 area$@[4096]; mul.wide.u32 %rd5, %r0, 16; mov.u64 %rd4, area$@; add.u64 %rd4, %rd4, %rd5; "

static const struct pure_row memory[] = {
    ROW("ld{,.global}." TYPES8 " $d, [%rd1+$A];", "b16 : m8", NULL, .tag = "16"),
    ROW("ld.global.{u8,s8,b8,u16,s16,b16,u32,s32,b32,f32} $d, [%rd1+$A];", "b32 : m8", NULL, .tag = "32"),
    ROW("ld.global.{u8,s8,b8,u16,s16,b16,u32,s32,b32,u64,s64,b64,f64} $d, [%rd1+$A];", "b64 : m8", NULL, .tag = "64"),
    ROW("ld.global.nc.{u8,s8,u16,s16,u32,s32,u64} $d, [%rd1+$A];", "b64 : m8", NULL, .tag = "64"),
    ROW("ldu.global.{u8,s8,u16,s16,u32,s32,u64} $d, [%rd1+$A];", "b64 : m8", NULL, .tag = "64"),
    ROW("createpolicy.fractional.L2::{evict_last,evict_normal,evict_first}.b64 $d, {0.25,1.0};", "b64 : p", NULL,
        .class = HW_CHOICE, .sm = 80),
    ROW("ld.global.v2.{u8,s8,u16,s16,b32} ($d,$e), [%rd1+$A];", "b32 b32 : m8", NULL, .tag = "32"),
    ROW("ld.global.v2.{u8,s8,u16,s16,u32,s32,b64} ($d,$e), [%rd1+$A];", "b64 b64 : m16", NULL, .tag = "64"),
    ROW("ld.global.v4.{u8,s8,u16,s16,b32} ($d,$e,$f,$g), [%rd1+$A];", "b32 b32 b32 b32 : m16", NULL, .tag = "32"),
    ROW("ld.global.v4.{u8,s8,u16,s16,u32,s32} ($d,$e,$f,$g), [%rd1+$A];", "b64 b64 b64 b64 : m16", NULL, .tag = "64"),
    ROW("st{,.global}.{u8,s8,b8,u16,s16,b16} [%rd0+$D], $a;", "m8 : b16", NULL, .tag = "16"),
    ROW("st.global.{u8,s8,b8,u16,s16,b16,u32,s32,b32,f32} [%rd0+$D], $a;", "m8 : b32", NULL, .tag = "32"),
    ROW("st.global.{u8,s8,b8,u16,s16,b16,u32,s32,b32,u64,s64,b64,f64} [%rd0+$D], $a;", "m8 : b64", NULL, .tag = "64"),
    ROW("st.global.v2.{u8,s16,b32} [%rd0+$D], ($a,$b);", "m8 : b32 b32", NULL, .tag = "32"),
    ROW("st.global.v4.{u8,s16,b32} [%rd0+$D], ($a,$b,$c,$i);", "m16 : b32 b32 b32 b32", NULL, .tag = "32"),
    ROW("st.global.v4.{u8,s16,b32} [%rd0+$D], ($a,$b,$c,$i);", "m16 : b64 b64 b64 b64", NULL, .tag = "64"),
    ROW(SHARED "st.shared.~ [%rd4], $a; ld.shared.~ $d, [%rd4];", "b64 : b64", "u8 s8 u16 s16 u32 s32 u64",
        .name = "st.ld.shared.~"),
    ROW(".local .align 16 .b8 spot$@[16]; mov.u64 %rd4, spot$@; st.local.~ [%rd4], $a; ld.local.~ $d, [%rd4];",
        "b64 : b64", "u8 s8 u16 s16 u32 s32 u64", .name = "st.ld.local.~"),
    ROW(SHARED
        "cvta.shared.u64 %rd5, %rd4; st.shared.u64 [%rd4], $a; ld.u64 $d, [%rd5]; cvta.to.shared.u64 %rd6, %rd5; "
        "sub.u64 $e, %rd6, %rd4;",
        "b64 b64 : b64", NULL, .name = "cvta.shared"),
    ROW(SHARED "cvta.shared.u64 %rd5, %rd4; isspacep.{shared,global,local,const} $d, %rd5;", "p : p", NULL,
        .name = "isspacep.shared"),
    ROW("isspacep.{shared,global,local,const} $d, %rd0;", "p : p", NULL, .tag = "global"),
    ROW(".local .align 16 .b8 spot$@[16]; mov.u64 %rd4, spot$@; cvta.local.u64 %rd5, %rd4; st.local.u64 [%rd4], $a; "
        "ld.u64 $d, [%rd5]; isspacep.{shared,global,local,const} $e, %rd5;",
        "b64 p : b64", NULL, .name = "isspacep.local"),
};

void hw_generate_conversions(struct hw_cases *cases)
{
    pure_rows(cases, integers, HW_COUNT(integers));
    pure_rows(cases, to_floats, HW_COUNT(to_floats));
    pure_rows(cases, from_floats, HW_COUNT(from_floats));
    pure_rows(cases, floats, HW_COUNT(floats));
    pure_rows(cases, moves, HW_COUNT(moves));
    pure_rows(cases, memory, HW_COUNT(memory));
}
