/* Cases of floats: arithmetic, approximations, comparisons. */
#include "generate_pure.h"

#define HALVES  "f16 f16x2"
#define BHALVES "bf16 bf16x2"
#define ROUND   "{.rn,.rz,.rm,.rp}"
#define COMPARE "{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}"
#define APPROX  .class = HW_OPEN, .set = "approx"

static const struct pure_row single[] = {
    /* Results just below the least normal number: tiny before they are rounded, and not after. ($a >> 5 is 0.) */
    ROW("shr.u32 $e, $a, 5; add.u32 $f, $e, 0x20000001; add.u32 $g, $e, 0x1ffffffe; mul{.rn,.rz,.rm,.rp}.ftz.f32 $d, "
        "$f, $g;",
        "b32 b32 b32 b32 : l", NULL, .class = HW_OPEN, .name = "mul{.rn,.rz,.rm,.rp}.ftz.f32", .tag = "tiny"),
    ROW("shr.u32 $e, $a, 5; add.u32 $f, $e, 0x19800000; add.u32 $g, $e, 0x9a000000; fma{.rn,.rz,.rm,.rp}.ftz.f32 $d, "
        "$f, $g, 0f00800000;",
        "b32 b32 b32 b32 : l", NULL, .class = HW_OPEN, .name = "fma{.rn,.rz,.rm,.rp}.ftz.f32", .tag = "tiny"),
    ROW("{add,sub,mul}" ROUND "{,.ftz}{,.sat}.f32", "f32 : f32 f32", NULL),
    ROW("{fma,mad}" ROUND "{,.ftz}{,.sat}.f32", "f32 : f32 f32 f32", NULL),
    ROW("{add,sub,mul}.f32", "f32 : f32 f32", NULL),
    ROW("div" ROUND "{,.ftz}.f32", "f32 : f32 f32", NULL),
    ROW("{rcp,sqrt}" ROUND "{,.ftz}.f32", "f32 : f32", NULL),
    ROW("{min,max}{,.ftz}{,.NaN}.f32", "f32 : f32 f32", NULL, .sm = 80),
    ROW("{min,max}{,.ftz}{,.NaN}.xorsign.abs.f32", "f32 : f32 f32", NULL, .sm = 86),
    ROW("{abs,neg}{,.ftz}.f32", "f32 : f32", NULL),
    ROW("copysign.f32", "f32 : f32 f32", NULL),
    ROW("testp.{finite,infinite,number,notanumber,normal,subnormal}.f32", "p : f32", NULL),
    ROW("div.{approx,full}{,.ftz}.f32", "f32 : f32 f32", NULL, APPROX),
    ROW("{rcp,sqrt,rsqrt,sin,cos,lg2,ex2}.approx{,.ftz}.f32", "f32 : f32", NULL, APPROX),
    ROW("tanh.approx.f32", "f32 : f32", NULL, APPROX),
};

static const struct pure_row wide[] = {
    ROW("{add,sub,mul,div}" ROUND ".f64", "f64 : f64 f64", NULL),
    ROW("{fma,mad}" ROUND ".f64", "f64 : f64 f64 f64", NULL),
    ROW("{add,sub,mul,min,max,copysign}.f64", "f64 : f64 f64", NULL),
    ROW("{rcp,sqrt}" ROUND ".f64", "f64 : f64", NULL),
    ROW("{abs,neg}.f64", "f64 : f64", NULL),
    ROW("testp.{finite,infinite,number,notanumber,normal,subnormal}.f64", "p : f64", NULL),
    ROW("{rcp.approx.ftz,rsqrt.approx.ftz,rsqrt.approx}.f64", "f64 : f64", NULL, APPROX),
};

static const struct pure_row half[] = {
    ROW("{add,sub,mul}{,.rn}{,.ftz}{,.sat}.~", "~ : ~ ~", HALVES),
    ROW("fma.rn{,.ftz}{,.sat}.~", "~ : ~ ~ ~", HALVES),
    ROW("fma.rn{,.ftz}.relu.~", "~ : ~ ~ ~", HALVES, .sm = 80),
    ROW("{add,sub,mul}{,.rn}.~", "~ : ~ ~", BHALVES, .sm = 90),
    ROW("fma.rn{,.relu}.~", "~ : ~ ~ ~", BHALVES, .sm = 80),
    ROW("{min,max}{,.ftz}{,.NaN}.~", "~ : ~ ~", HALVES, .sm = 80),
    ROW("{min,max}{,.ftz}{,.NaN}.xorsign.abs.~", "~ : ~ ~", HALVES, .sm = 86),
    ROW("{min,max}{,.NaN}.~", "~ : ~ ~", BHALVES, .sm = 80),
    ROW("{min,max}{,.NaN}.xorsign.abs.~", "~ : ~ ~", BHALVES, .sm = 86),
    ROW("{abs,neg}{,.ftz}.~", "~ : ~", HALVES),
    ROW("{abs,neg}.~", "~ : ~", BHALVES, .sm = 80),
    ROW("{ex2,tanh}.approx.~", "~ : ~", HALVES, APPROX),
    ROW("{ex2.approx.ftz,tanh.approx}.~", "~ : ~", BHALVES, .sm = 90, APPROX),
};

static const struct pure_row comparisons[] = {
    ROW("setp." COMPARE "{,.ftz}.f32", "p : f32 f32", NULL),
    ROW("setp." COMPARE ".f64", "p : f64 f64", NULL),
    ROW("setp." COMPARE "{,.ftz}.f16", "p : f16 f16", NULL),
    ROW("setp." COMPARE ".bf16", "p : bf16 bf16", NULL, .sm = 90),
    ROW("setp." COMPARE "{,.ftz}.f16x2 $d|$e, $a, $b;", "p p : f16x2 f16x2", NULL),
    ROW("setp." COMPARE ".bf16x2 $d|$e, $a, $b;", "p p : bf16x2 bf16x2", NULL, .sm = 90),
    ROW("setp.{lt,neu,nan}.{and,or,xor}.~ $d|$e, $a, $b, {,!}$c;", "p p : ~ ~ p", "f32 f64"),
    ROW("setp.{lt,neu,nan}.{and,or,xor}.f16 $d, $a, $b, {,!}$c;", "p : f16 f16 p", NULL),
    ROW("setp.{lt,neu,nan}.{and,or,xor}.bf16 $d, $a, $b, {,!}$c;", "p : bf16 bf16 p", NULL, .sm = 90),
    ROW("setp.{lt,neu,nan}.{and,or,xor}.f16x2 $d|$e, $a, $b, {,!}$c;", "p p : f16x2 f16x2 p", NULL),
    ROW("setp.{lt,neu,nan}.{and,or,xor}.~ $d|$e, $a, $b, {,!}$c;", "p p : ~ ~ p", "bf16x2", .sm = 90),
    ROW("set.{lt,neu,num}{,.ftz}.{u32,s32,f32}.f32", "b32 : f32 f32", NULL),
    ROW("set.{lt,neu,num}.{u32,s32,f32}.f64", "b32 : f64 f64", NULL),
    ROW("set.{lt,geu}.{and,or,xor}{,.ftz}.{u32,f32}.f32", "b32 : f32 f32 p", NULL),
    ROW("set.{lt,neu,num}{,.ftz}.{f16,u16,s16}.f16", "b16 : f16 f16", NULL),
    ROW("set.{lt,neu,num}{,.ftz}.{u32,s32}.f16", "b32 : f16 f16", NULL),
    ROW("set.{lt,neu,num}{,.ftz}.{f16x2,u32,s32}.f16x2", "b32 : f16x2 f16x2", NULL),
    ROW("set.{lt,neu,num}.{bf16,u16,s16}.bf16", "b16 : bf16 bf16", NULL, .sm = 90),
    ROW("set.{lt,neu,num}.{u32,s32}.bf16", "b32 : bf16 bf16", NULL, .sm = 90),
    ROW("set.{lt,neu,num}.{bf16x2,u32,s32}.bf16x2", "b32 : bf16x2 bf16x2", NULL, .sm = 90),
    ROW("set.{lt,neu,num}.{f16,bf16}.~", "b16 : ~ ~", "f32 f64", .sm = 90),
    ROW("set.{lt,neu,num}.bf16.f16", "b16 : f16 f16", NULL, .sm = 90),
    ROW("set.{lt,neu,num}.ftz.f16.f32", "b16 : f32 f32", NULL),
};

void hw_generate_floats(struct hw_cases *cases)
{
    pure_rows(cases, single, HW_COUNT(single));
    pure_rows(cases, wide, HW_COUNT(wide));
    pure_rows(cases, half, HW_COUNT(half));
    pure_rows(cases, comparisons, HW_COUNT(comparisons));
}
