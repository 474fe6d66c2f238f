/* ALU and OUTPUT instructions of CTM: random ones against plain C (ctm_ref.h), and what the guide's tables say. */
#include "ctm_ref.h"
#include "ctm_run.h"

enum { PROCESSORS = CTM_BLOCK_X * CTM_BLOCK_Y, WORK = 9 /* temporaries that programs use */ };

static uint64_t seed = 0x2545f4914f6cdd1d;

static uint32_t random32(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

static uint32_t below(uint32_t n)
{
    return (uint32_t)((uint64_t)random32() * n >> 32);
}

/* Bits that are worth looking at. */
static uint32_t random_float(void)
{
    static const uint32_t special[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff,
                                       0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000,
                                       0x3effffff, 0x3f000001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                       0x7fffffff, 0x7f800001, 0xffc00000, 0x3f7fffff, 0x40000000, 0x3e800000};
    uint32_t kind = below(8), r = random32();
    if (kind == 0)
        return r;
    if (kind == 1)
        return special[below(sizeof special / sizeof *special)];
    if (kind == 2) /* a small whole number, or half of one */
        return ref_bits((float)((int)below(17) - 8) / (float)(1 + below(2)));
    return (r & 0x807fffff) | (121 + below(14)) << 23; /* from 1/64 to 128 */
}

/* ---- random programs ------------------------------------------------------------------------------------------ */

static void set_any(struct ctm_inst *inst, enum ctm_field field)
{
    ctm_set(inst, field, random32());
}

static void random_sources(struct ctm_inst *inst, bool relative)
{
    for (unsigned word = 1; word <= 2; word++) {
        inst->word[word] = random32() & 0xc0000000;
        for (unsigned n = 0; n < 3; n++) {
            uint32_t kind = below(8), address = kind < 5 ? 1 + below(WORK - 1) : below(256), is_constant = kind == 5;
            address = kind > 5 ? address | 128 : address;
            uint32_t rel = relative && kind <= 5 ? below(2) : 0;
            inst->word[word] |= (address | is_constant << 8 | rel << 9) << 10 * n;
        }
    }
}

static void random_operations(struct ctm_inst *inst)
{
    static const uint8_t rgb_ops[] = {CTM_RGB_MAD, CTM_RGB_MAD, CTM_RGB_DP3, CTM_RGB_DP4, CTM_RGB_D2A,
                                      CTM_RGB_MIN, CTM_RGB_MAX, CTM_RGB_CND, CTM_RGB_CMP, CTM_RGB_FRC,
                                      CTM_RGB_SOP, CTM_RGB_MDH, CTM_RGB_MDV};
    static const uint8_t others[] = {CTM_ALPHA_MAD, CTM_ALPHA_MIN, CTM_ALPHA_MAX, CTM_ALPHA_CND,
                                     CTM_ALPHA_CMP, CTM_ALPHA_FRC, CTM_ALPHA_MDH, CTM_ALPHA_MDV};
    uint32_t rgb = rgb_ops[below(sizeof rgb_ops)], alpha = CTM_ALPHA_EX2 + below(6);
    bool dot = rgb == CTM_RGB_DP3 || rgb == CTM_RGB_DP4 || rgb == CTM_RGB_D2A;
    if (rgb != CTM_RGB_SOP && below(3))
        alpha = dot && below(2) ? CTM_ALPHA_DP : others[below(sizeof others)];
    ctm_set(inst, CTM_RGB_OP, rgb);
    ctm_set(inst, CTM_ALPHA_OP, alpha);
    bool rgb_moves = rgb >= CTM_RGB_MIN && rgb <= CTM_RGB_CMP,
         alpha_moves = alpha >= CTM_ALPHA_MIN && alpha <= CTM_ALPHA_CMP;
    ctm_set(inst, CTM_RGB_OMOD, below(2) ? 0 : below(rgb_moves ? 8 : 7));
    ctm_set(inst, CTM_ALPHA_OMOD, below(2) ? 0 : below(alpha_moves ? 8 : 7));
}

/* A - C, and A * A, of which the lowering knows more than of others. */
static void random_known(struct ctm_inst *inst)
{
    bool square = below(2);
    ctm_set(inst, CTM_RGB_OP, CTM_RGB_MAD);
    ctm_set(inst, CTM_RGB_SEL_B, square ? ctm_get(inst, CTM_RGB_SEL_A) : ctm_get(inst, CTM_RGB_SEL_B));
    ctm_set(inst, CTM_RGB_MOD_B, square ? ctm_get(inst, CTM_RGB_MOD_A) : CTM_IMOD_OFF);
    ctm_set(inst, CTM_RGB_MOD_C, square ? CTM_IMOD_OFF : CTM_IMOD_NEG);
    for (unsigned c = 0; c < 3; c++) {
        unsigned a = ctm_get(inst, (enum ctm_field)(CTM_RED_SWIZ_A + c));
        ctm_set(inst, (enum ctm_field)(CTM_RED_SWIZ_B + c), square ? a : CTM_SWIZ_ONE);
        ctm_set(inst, (enum ctm_field)(CTM_RED_SWIZ_C + c), square ? CTM_SWIZ_ZERO : below(4));
    }
}

/* Any ALU or OUTPUT instruction that is valid. */
static struct ctm_inst random_inst(bool relative)
{
    struct ctm_inst inst;
    for (unsigned w = 0; w < CTM_WORDS; w++)
        inst.word[w] = random32();
    ctm_set(&inst, CTM_TYPE, below(3) ? CTM_TYPE_ALU : CTM_TYPE_OUTPUT);
    ctm_set(&inst, CTM_RGB_PRED_SEL, below(2) ? 0 : below(6));
    ctm_set(&inst, CTM_ALPHA_PRED_SEL, below(2) ? 0 : below(6));
    ctm_set(&inst, CTM_LAST, 0);
    random_sources(&inst, relative);
    random_operations(&inst);
    if (!below(8) && ctm_get(&inst, CTM_RGB_OMOD) != CTM_OMOD_DISABLED && ctm_get(&inst, CTM_ALPHA_OP) != CTM_ALPHA_DP)
        random_known(&inst);
    ctm_set(&inst, CTM_RGB_ADDRD, 1 + below(WORK - 1));
    ctm_set(&inst, CTM_ALPHA_ADDRD, below(2) ? ctm_get(&inst, CTM_RGB_ADDRD) : 1 + below(WORK - 1));
    if (!relative) {
        ctm_set(&inst, CTM_RGB_ADDRD_REL, 0);
        ctm_set(&inst, CTM_ALPHA_ADDRD_REL, 0);
    }
    return inst;
}

/* Bits of constant `number` to a temporary, by predicates. */
static struct ctm_inst load_constant(unsigned temp, unsigned number, bool predicated)
{
    struct ctm_inst inst = ctm_copy_out(0, 0);
    ctm_set(&inst, CTM_TYPE, CTM_TYPE_ALU);
    ctm_set(&inst, CTM_RGB_ADDR0, number);
    ctm_set(&inst, CTM_ALPHA_ADDR0, number);
    ctm_set(&inst, CTM_RGB_ADDR0_CONST, 1);
    ctm_set(&inst, CTM_ALPHA_ADDR0_CONST, 1);
    ctm_set(&inst, CTM_RGB_OMASK, 0);
    ctm_set(&inst, CTM_ALPHA_OMASK, 0);
    ctm_set(&inst, CTM_RGB_WMASK, 7);
    ctm_set(&inst, CTM_ALPHA_WMASK, 1);
    ctm_set(&inst, CTM_RGB_ADDRD, temp);
    ctm_set(&inst, CTM_ALPHA_ADDRD, temp);
    ctm_set(&inst, CTM_RGB_PRED_SEL, predicated);
    ctm_set(&inst, CTM_ALPHA_PRED_SEL, predicated);
    return inst;
}

/* Predicates that differ from processor to processor: fractions of sums of i and j, each times a constant. */
static void add_predicates(struct ctm_run *t)
{
    struct ctm_inst inst = ctm_blank(CTM_TYPE_ALU);
    ctm_set(&inst, CTM_RGB_ADDR0, 0);
    ctm_set(&inst, CTM_RGB_ADDR1, below(256));
    ctm_set(&inst, CTM_RGB_ADDR1_CONST, 1);
    set_any(&inst, CTM_RGB_MOD_B);
    for (unsigned c = 0; c < 3; c++) {
        ctm_set(&inst, (enum ctm_field)(CTM_RED_SWIZ_A + c), below(2));
        ctm_set(&inst, (enum ctm_field)(CTM_RED_SWIZ_B + c), below(3));
        ctm_set(&inst, (enum ctm_field)(CTM_RED_SWIZ_C + c), below(2));
    }
    ctm_set(&inst, CTM_RGB_SEL_B, 1);
    ctm_set(&inst, CTM_RGB_MOD_C, CTM_IMOD_NEG);
    ctm_set(&inst, CTM_RGB_OMASK, 7);
    ctm_set(&inst, CTM_ALPHA_OMASK, 1);
    ctm_set(&inst, CTM_ALPHA_ADDR0, 0);
    ctm_set(&inst, CTM_ALPHA_SWIZ_A, below(2));
    ctm_set(&inst, CTM_ALPHA_SWIZ_B, 6);
    ctm_set(&inst, CTM_ALPHA_SEL_C, 2);
    ctm_set(&inst, CTM_ALPHA_ADDR2, 0xb8 + below(24)); /* 1 to 15 */
    ctm_set(&inst, CTM_ALPHA_SWIZ_C, 3);
    ctm_set(&inst, CTM_ALPHA_MOD_C, CTM_IMOD_NEG);
    set_any(&inst, CTM_RGB_TARGET);
    set_any(&inst, CTM_ALPHA_TARGET);
    ctm_run_add(t, inst);
}

static void add_values(struct ctm_run *t)
{
    for (unsigned temp = 1; temp < WORK; temp++)
        for (unsigned round = 0; round < 3; round++) {
            if (round)
                add_predicates(t);
            ctm_run_add(t, load_constant(temp, below(256), round != 0));
        }
}

struct trial {
    struct ctm_run run;
    struct surface *out[CTM_OUTPUTS], *cond;
    uint32_t constants[CTM_FLOATS][CTM_CHANNELS];
    struct ctm_ref refs[PROCESSORS];
};

static void trial_begin(struct trial *t)
{
    memset(t, 0, sizeof *t);
    ctm_run_begin(&t->run);
    for (unsigned o = 0; o < CTM_OUTPUTS; o++)
        t->out[o] = ctm_run_surface(&t->run, CTM_PARAM_OUTPUTS + 8 * o, "rgba32float", CTM_BLOCK_X, CTM_BLOCK_Y);
    t->cond = ctm_run_surface(&t->run, CTM_PARAM_COND, "r32float", CTM_BLOCK_X, CTM_BLOCK_Y);
    ctm_run_u32(&t->run, CTM_PARAM_COND_MASK, 1);
    t->run.program.condout = true;
}

static void trial_constants(struct trial *t)
{
    for (unsigned i = 0; i < CTM_FLOATS * CTM_CHANNELS; i++)
        t->constants[i / CTM_CHANNELS][i % CTM_CHANNELS] = random_float();
    memcpy(t->run.params + CTM_PARAM_FLOATS, t->constants, sizeof t->constants);
}

/* A loop over what lies between, by integer constant 0: what it does to the program counter and aL. */
struct loop {
    uint8_t count, start;
    int8_t step;
    unsigned left;
};

static uint32_t next_pc(struct loop *loop, const struct ctm_inst *inst, uint32_t pc, int32_t *al)
{
    bool begins = ctm_get(inst, CTM_FC_OP) == CTM_FC_LOOP;
    loop->left = begins ? loop->count : loop->left - 1;
    *al = begins ? loop->start : *al + loop->step;
    bool jumps = begins ? !loop->left : loop->left != 0;
    *al = loop->left ? *al : 0; /* outside of loops */
    return jumps ? ctm_get(inst, CTM_JUMP_ADDR) : pc + 1;
}

static void add_loop(struct ctm_run *t, bool begins, uint32_t target)
{
    struct ctm_inst inst = ctm_blank(CTM_TYPE_FC);
    ctm_set(&inst, CTM_FC_OP, begins ? CTM_FC_LOOP : CTM_FC_ENDLOOP);
    ctm_set(&inst, CTM_JUMP_FUNC, begins ? 0 : 255);
    ctm_set(&inst, CTM_JUMP_ANY, !begins);
    ctm_set(&inst, CTM_JUMP_ADDR, target);
    ctm_run_add(t, inst);
}

/* What the program does, processor by processor. */
static void trial_expect(struct trial *t)
{
    for (unsigned n = 0; n < PROCESSORS; n++) {
        t->refs[n] = (struct ctm_ref){.zero_times = ctm_zero_times(&t->run.program), .constant = t->constants};
        t->refs[n].temp[0][0] = ref_bits((float)(n % CTM_BLOCK_X));
        t->refs[n].temp[0][1] = ref_bits((float)(n / CTM_BLOCK_X));
        t->refs[n].temp[0][3] = 0x3f800000;
    }
    struct loop loop = {t->run.params[CTM_PARAM_INTS], t->run.params[CTM_PARAM_INTS + 1],
                        (int8_t)t->run.params[CTM_PARAM_INTS + 2], 0};
    int32_t al = 0;
    for (uint32_t pc = 0; pc < t->run.program.ninsts;) {
        static struct ctm_ref before[PROCESSORS];
        const struct ctm_inst *inst = &t->run.insts[pc];
        if (ctm_get(inst, CTM_TYPE) == CTM_TYPE_FC) {
            pc = next_pc(&loop, inst, pc, &al);
            continue;
        }
        for (unsigned n = 0; n < PROCESSORS; n++)
            t->refs[n].al = al;
        memcpy(before, t->refs, sizeof before);
        for (unsigned n = 0; n < PROCESSORS; n++) {
            unsigned first = n & ~(1u | CTM_BLOCK_X);
            const struct ctm_ref *const quad[4] = {&before[first], &before[first + 1], &before[first + CTM_BLOCK_X],
                                                   &before[first + CTM_BLOCK_X + 1]};
            ctm_ref_alu(quad, (n & 1) + (n & CTM_BLOCK_X ? 2 : 0), inst, &t->refs[n]);
        }
        pc++;
    }
}

static void trial_compare(const struct trial *t, unsigned number)
{
    static uint32_t texels[PROCESSORS][CTM_CHANNELS], cond[PROCESSORS];
    for (unsigned o = 0; o < CTM_OUTPUTS; o++) {
        bool written = false; /* as far as the masks say */
        for (uint32_t pc = 0; pc < t->run.program.ninsts; pc++) {
            const struct ctm_inst *inst = &t->run.insts[pc];
            bool rgb = ctm_get(inst, CTM_RGB_OMASK) && ctm_get(inst, CTM_RGB_TARGET) == o;
            bool alpha = ctm_get(inst, CTM_ALPHA_OMASK) && ctm_get(inst, CTM_ALPHA_TARGET) == o;
            written |= ctm_get(inst, CTM_TYPE) == CTM_TYPE_OUTPUT && (rgb || alpha);
        }
        ctm_run_texels(t->out[o], texels);
        for (unsigned n = 0; n < PROCESSORS && written; n++)
            for (unsigned c = 0; c < CTM_CHANNELS; c++)
                if (texels[n][c] != t->refs[n].output[o][c])
                    fail_msg("program %u: processor %u, output %u, channel %u: 0x%08x, not 0x%08x", number, n, o, c,
                             (unsigned)texels[n][c], (unsigned)t->refs[n].output[o][c]);
    }
    ctm_run_texels(t->cond, cond);
    for (unsigned n = 0; n < PROCESSORS; n++)
        if (cond[n] != t->refs[n].cond)
            fail_msg("program %u: processor %u: conditional value 0x%08x, not 0x%08x", number, n, (unsigned)cond[n],
                     (unsigned)t->refs[n].cond);
}

static void trial_run(struct trial *t, unsigned number)
{
    trial_expect(t);
    if (!ctm_run_go(&t->run))
        fail_msg("program %u: %s", number, t->run.error.message);
    trial_compare(t, number);
    ctm_run_again(&t->run);
}

static void add_body(struct ctm_run *t, unsigned count, bool relative, bool loops)
{
    uint32_t begin = t->program.ninsts;
    if (loops) {
        for (unsigned k = 0; k < 3; k++)
            t->params[CTM_PARAM_INTS + k] = (unsigned char)(k ? random32() : below(5));
        t->program.info[CTM_INFO_US_FC_CTRL] = 0x80000000;
        add_loop(t, true, begin + count + 2);
    }
    for (unsigned i = 0; i < count; i++)
        ctm_run_add(t, random_inst(relative));
    if (loops) {
        add_loop(t, false, begin + 1);
        ctm_run_add(t, ctm_blank(CTM_TYPE_OUTPUT));
    }
}

/* Programs of `count` random instructions; then four temporaries are looked at, or what the program put out. */
static void random_programs(unsigned programs, unsigned count, bool relative, bool loops)
{
    static struct trial t;
    trial_begin(&t);
    for (unsigned n = 0; n < programs; n++) {
        trial_constants(&t);
        t.run.program.info[CTM_INFO_US_CONFIG] = n % 4 == 3 ? 2 : 0;
        add_values(&t.run);
        add_body(&t.run, count, relative, loops);
        for (unsigned o = 0; o < CTM_OUTPUTS; o++)
            if (n % 3)
                ctm_run_add(&t.run, ctm_copy_out(n % 3 == 1 ? 1 + o : WORK - 1 - o, o));
        trial_run(&t, n);
    }
    ctm_run_end(&t.run);
}

static void test_random_single(void **state)
{
    (void)state;
    random_programs(600, 1, false, false);
}

static void test_random(void **state)
{
    (void)state;
    random_programs(300, 30, false, false);
}

/* Temporaries in memory, since aL is added to some; it is 0 outside of loops. */
static void test_random_relative(void **state)
{
    (void)state;
    random_programs(100, 20, true, false);
}

/* aL from a loop, of any start and step: addresses wrap. */
static void test_random_loop(void **state)
{
    (void)state;
    random_programs(100, 20, true, true);
    random_programs(100, 20, false, true);
}

/* ---- what tables say ------------------------------------------------------------------------------------------ */

/* One operation of red of the constants 0, 1 and 2, and the same of alpha where it has that operation. */
struct table_row {
    uint8_t rgb, alpha; /* 255: none */
    uint8_t omod, clamp, zero_times;
    uint32_t a, b, c, want;
};
enum { NO_OP = 255 };
enum {
    PZ = 0,
    NZ = 0x80000000,
    ONE = 0x3f800000,
    TWO = 0x40000000,
    HALF = 0x3f000000,
    INF = 0x7f800000,
    NINF = 0xff800000,
    NAN_ = 0x7fffffff,
    OTHER_NAN = 0xffc00001,
    TINY = 1,
    NTINY = 0x80000001,
    LEAST = 0x00800000,
    MONE = 0xbf800000
};
#define MAD            CTM_RGB_MAD, CTM_ALPHA_MAD
#define MIN            CTM_RGB_MIN, CTM_ALPHA_MIN
#define MAX            CTM_RGB_MAX, CTM_ALPHA_MAX
#define CND            CTM_RGB_CND, CTM_ALPHA_CND
#define CMP            CTM_RGB_CMP, CTM_ALPHA_CMP
#define FRC            CTM_RGB_FRC, CTM_ALPHA_FRC
#define FUNCTION(name) CTM_RGB_SOP, CTM_ALPHA_##name

/* docs/ctm.md, "The ALU". */
static const struct table_row table[] = {
    /* clang-format off */
    /* Additions and multiplications are halves of MAD. */
    {MAD, 0, 0, 0, PZ, PZ, NZ, PZ},          {MAD, 0, 0, 0, NZ, ONE, PZ, PZ},      {MAD, 0, 0, 0, NZ, PZ, NZ, NZ},
    {MAD, 0, 0, 0, NZ, PZ, TWO, TWO},        {MAD, 0, 0, 0, ONE, INF, NINF, NAN_}, {MAD, 0, 0, 0, INF, ONE, MONE, INF},
    {MAD, 0, 0, 0, PZ, INF, ONE, NAN_},      {MAD, 0, 0, 0, PZ, OTHER_NAN, ONE, NAN_},
    {MAD, 0, 0, 1, PZ, INF, ONE, ONE},       {MAD, 0, 0, 1, OTHER_NAN, NZ, NZ, PZ}, {MAD, 0, 0, 1, NZ, ONE, NZ, NZ},
    {MAD, 0, 0, 1, TINY, NINF, TWO, TWO},    {MAD, 0, 0, 1, ONE, INF, NINF, NAN_},
    /* The product is rounded: 1 + 2^-23 squared, less 1 + 2^-22. */
    {MAD, 0, 0, 0, 0x3f800001, 0x3f800001, 0xbf800002, PZ},
    /* Subnormals are zeros of their sign, in and out. */
    {MAD, 0, 0, 0, TINY, ONE, NTINY, PZ},    {MAD, 0, 0, 0, NTINY, ONE, NZ, NZ},   {MAD, 0, 0, 0, LEAST, HALF, PZ, PZ},
    {MAD, CTM_OMOD_D2, 0, 0, LEAST, MONE, NZ, NZ},
    /* MIN and MAX: the second of two zeros, and beside a NaN; bits with OMOD_DISABLED. */
    {MIN, 7, 0, 0, PZ, NZ, ONE, NZ},         {MIN, 7, 0, 0, NZ, PZ, ONE, PZ},      {MAX, 7, 0, 0, PZ, NZ, ONE, NZ},
    {MAX, 7, 0, 0, NZ, PZ, ONE, PZ},         {MIN, 7, 0, 0, TINY, NTINY, ONE, NTINY}, {MAX, 7, 0, 0, TINY, PZ, ONE, PZ},
    {MIN, 7, 0, 0, OTHER_NAN, ONE, ONE, ONE}, {MAX, 7, 0, 0, ONE, OTHER_NAN, ONE, OTHER_NAN},
    {MIN, 0, 0, 0, ONE, OTHER_NAN, ONE, NAN_}, {MIN, 0, 0, 0, TWO, NTINY, ONE, NZ}, {MIN, 7, 0, 0, NINF, INF, ONE, NINF},
    {MAX, 7, 0, 0, NINF, INF, ONE, INF},     {MAX, 7, 1, 0, TWO, ONE, ONE, TWO},
    /* CND and CMP. */
    {CND, 7, 0, 0, ONE, TWO, HALF, TWO},     {CND, 7, 0, 0, ONE, TWO, 0x3f000001, ONE}, {CND, 7, 0, 0, ONE, TWO, NAN_, TWO},
    {CMP, 7, 0, 0, ONE, TWO, NZ, ONE},       {CMP, 7, 0, 0, ONE, TWO, NTINY, ONE}, {CMP, 7, 0, 0, ONE, TWO, 0x80800000, TWO},
    {CMP, 7, 0, 0, ONE, TWO, NAN_, TWO},     {CMP, 7, 0, 0, OTHER_NAN, TWO, ONE, TWO},
    {CMP, 7, 0, 0, ONE, OTHER_NAN, ONE, OTHER_NAN}, {CMP, 7, 0, 0, TINY, TWO, ONE, TINY}, {CMP, 0, 0, 0, NTINY, TWO, ONE, NZ},
    {FRC, 0, 0, 0, 0x3fc00000, PZ, PZ, HALF}, {FRC, 0, 0, 0, 0xbe800000, PZ, PZ, 0x3f400000}, {FRC, 0, 0, 0, NZ, PZ, PZ, PZ},
    {FRC, 0, 0, 0, INF, PZ, PZ, NAN_},
    /* Output modifiers and clamp. */
    {MAD, CTM_OMOD_U2, 0, 0, ONE, ONE, PZ, TWO}, {MAD, CTM_OMOD_U4, 0, 0, HALF, ONE, PZ, TWO},
    {MAD, CTM_OMOD_U8, 0, 0, 0x3e800000, ONE, PZ, TWO}, {MAD, CTM_OMOD_D2, 0, 0, ONE, ONE, PZ, HALF},
    {MAD, CTM_OMOD_D4, 0, 0, TWO, ONE, PZ, HALF}, {MAD, CTM_OMOD_D8, 0, 0, 0x40800000, ONE, PZ, HALF},
    {MAD, CTM_OMOD_U8, 0, 0, 0x7f000000, ONE, PZ, INF}, {MAD, 0, 1, 0, MONE, ONE, PZ, PZ}, {MAD, 0, 1, 0, TWO, ONE, PZ, ONE},
    {MAD, 0, 1, 0, INF, PZ, PZ, PZ},         {MAD, 0, 1, 0, NZ, ONE, NZ, PZ},      {MAD, CTM_OMOD_D4, 1, 0, TWO, ONE, PZ, HALF},
    {MIN, 0, 1, 0, TWO, INF, PZ, ONE},       {MIN, 0, 1, 0, ONE, OTHER_NAN, PZ, PZ},
    /* Transcendentals; what overflows before the modifier has overflowed. */
    {FUNCTION(EX2), 0, 0, 0, PZ, PZ, PZ, ONE},  {FUNCTION(EX2), 0, 0, 0, NZ, PZ, PZ, ONE}, {FUNCTION(EX2), 0, 0, 0, INF, PZ, PZ, INF},
    {FUNCTION(EX2), 0, 0, 0, NINF, PZ, PZ, PZ}, {FUNCTION(EX2), 0, 0, 0, NAN_, PZ, PZ, NAN_},
    {FUNCTION(EX2), CTM_OMOD_D8, 0, 0, 0x43000000, PZ, PZ, INF}, {FUNCTION(EX2), CTM_OMOD_U8, 0, 0, 0xc2fe0000, PZ, PZ, PZ},
    {FUNCTION(LN2), 0, 0, 0, PZ, PZ, PZ, NINF}, {FUNCTION(LN2), 0, 0, 0, NTINY, PZ, PZ, NINF}, {FUNCTION(LN2), 0, 0, 0, MONE, PZ, PZ, NAN_},
    {FUNCTION(LN2), 0, 0, 0, INF, PZ, PZ, INF}, {FUNCTION(LN2), 0, 0, 0, NINF, PZ, PZ, NAN_}, {FUNCTION(LN2), 0, 0, 0, TWO, PZ, PZ, ONE},
    {FUNCTION(RCP), 0, 0, 0, PZ, PZ, PZ, INF},  {FUNCTION(RCP), 0, 0, 0, NZ, PZ, PZ, NINF}, {FUNCTION(RCP), 0, 0, 0, NTINY, PZ, PZ, NINF},
    {FUNCTION(RCP), 0, 0, 0, INF, PZ, PZ, PZ},  {FUNCTION(RCP), 0, 0, 0, NINF, PZ, PZ, NZ}, {FUNCTION(RCP), 0, 0, 0, OTHER_NAN, PZ, PZ, NAN_},
    {FUNCTION(RCP), 0, 0, 0, TWO, PZ, PZ, HALF}, {FUNCTION(RSQ), 0, 0, 0, PZ, PZ, PZ, INF}, {FUNCTION(RSQ), 0, 0, 0, NZ, PZ, PZ, NINF},
    {FUNCTION(RSQ), 0, 0, 0, MONE, PZ, PZ, NAN_}, {FUNCTION(RSQ), 0, 0, 0, INF, PZ, PZ, PZ}, {FUNCTION(RSQ), 0, 0, 0, NINF, PZ, PZ, NAN_},
    {FUNCTION(RSQ), 0, 0, 0, 0x3e800000, PZ, PZ, TWO},
    {FUNCTION(SIN), 0, 0, 0, PZ, PZ, PZ, PZ},   {FUNCTION(SIN), 0, 0, 0, NZ, PZ, PZ, NZ}, {FUNCTION(SIN), 0, 0, 0, INF, PZ, PZ, NAN_},
    {FUNCTION(SIN), 0, 0, 0, 0x3e800000, PZ, PZ, ONE}, {FUNCTION(SIN), 0, 0, 0, 0x3f400000, PZ, PZ, MONE},
    {FUNCTION(SIN), 0, 0, 0, HALF, PZ, PZ, PZ}, {FUNCTION(SIN), 0, 0, 0, 0x7f7fffff, PZ, PZ, PZ}, {FUNCTION(SIN), 0, 0, 0, 0xc9800000, PZ, PZ, NZ},
    {FUNCTION(COS), 0, 0, 0, PZ, PZ, PZ, ONE},  {FUNCTION(COS), 0, 0, 0, NZ, PZ, PZ, ONE}, {FUNCTION(COS), 0, 0, 0, NINF, PZ, PZ, NAN_},
    {FUNCTION(COS), 0, 0, 0, HALF, PZ, PZ, MONE}, {FUNCTION(COS), 0, 0, 0, 0x3e800000, PZ, PZ, PZ}, {FUNCTION(COS), 0, 0, 0, 0x7f7fffff, PZ, PZ, ONE},
    {FUNCTION(COS), 0, 0, 0, 0x3e000000, PZ, PZ, 0x3f3504f3}, /* an eighth of a turn: sqrt(1/2) */
    /* clang-format on */
};

/* A, B and C are the constants 0, 1 and 2, in red and in alpha. */
static struct ctm_inst of_constants(const struct table_row *row, enum ctm_type type)
{
    struct ctm_inst inst = ctm_blank(type);
    for (unsigned n = 0; n < 3; n++) {
        inst.word[1] = (inst.word[1] & ~(0x3ffu << 10 * n)) | (n | 1u << 8) << 10 * n;
        inst.word[2] = (inst.word[2] & ~(0x3ffu << 10 * n)) | (n | 1u << 8) << 10 * n;
    }
    ctm_set(&inst, CTM_RGB_OP, row->rgb);
    ctm_set(&inst, CTM_ALPHA_OP, row->alpha);
    ctm_set(&inst, CTM_RGB_SEL_B, 1);
    ctm_set(&inst, CTM_RGB_SEL_C, 2);
    ctm_set(&inst, CTM_ALPHA_SEL_B, 1);
    ctm_set(&inst, CTM_ALPHA_SEL_C, 2);
    ctm_set(&inst, CTM_ALPHA_SWIZ_A, 3);
    ctm_set(&inst, CTM_ALPHA_SWIZ_B, 3);
    ctm_set(&inst, CTM_ALPHA_SWIZ_C, 3);
    ctm_set(&inst, CTM_RGB_OMOD, row->omod);
    ctm_set(&inst, CTM_ALPHA_OMOD, row->omod);
    ctm_set(&inst, CTM_RGB_CLAMP, row->clamp);
    ctm_set(&inst, CTM_ALPHA_CLAMP, row->clamp);
    return inst;
}

static void put_constants(struct ctm_run *t, const struct table_row *row)
{
    const uint32_t values[] = {row->a, row->b, row->c};
    for (unsigned i = 0; i < 12; i++)
        ctm_run_u32(t, CTM_PARAM_FLOATS + 4 * i, values[i / 4]);
}

static void test_table(void **state)
{
    struct ctm_run t;
    static uint32_t texels[PROCESSORS][CTM_CHANNELS];
    (void)state;
    ctm_run_begin(&t);
    struct surface *out = ctm_run_surface(&t, CTM_PARAM_OUTPUTS, "rgba32float", CTM_BLOCK_X, CTM_BLOCK_Y);
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        struct ctm_inst inst = of_constants(&table[i], CTM_TYPE_OUTPUT);
        ctm_set(&inst, CTM_RGB_OMASK, 1);
        ctm_set(&inst, CTM_ALPHA_OMASK, 1);
        put_constants(&t, &table[i]);
        t.program.info[CTM_INFO_US_CONFIG] = table[i].zero_times ? 2 : 0;
        ctm_run_add(&t, inst);
        if (!ctm_run_go(&t))
            fail_msg("row %u: %s", i, t.error.message);
        ctm_run_texels(out, texels);
        for (unsigned c = 0; c < CTM_CHANNELS; c += 3)
            if (texels[PROCESSORS - 1][c] != table[i].want)
                fail_msg("row %u, channel %u: 0x%08x, not 0x%08x", i, c, (unsigned)texels[PROCESSORS - 1][c],
                         (unsigned)table[i].want);
        ctm_run_again(&t);
    }
    ctm_run_end(&t);
}

/* Predicates of +0, -0, a subnormal, infinities, a NaN, 1, -1, by all four comparisons, after the modifier or without.
 */
static void test_predicates(void **state)
{
    static const uint32_t values[] = {PZ, NZ, NTINY, INF, NINF, OTHER_NAN, ONE, MONE};
    static const uint8_t want[] = {5, 5, 5, 12, 10, 8, 12, 10}; /* EQUAL 1, LESS 2, GREATER_EQUAL 4, NOT_EQUAL 8 */
    struct ctm_run t;
    static uint32_t texels[PROCESSORS][CTM_CHANNELS];
    (void)state;
    ctm_run_begin(&t);
    struct surface *out = ctm_run_surface(&t, CTM_PARAM_OUTPUTS, "rgba32float", CTM_BLOCK_X, CTM_BLOCK_Y);
    for (unsigned i = 0; i < 64; i++) {
        struct table_row row = {MIN, i & 32 ? CTM_OMOD_DISABLED : 0, 0, 0, values[i / 4 % 8], values[i / 4 % 8], 0, 0};
        struct ctm_inst test = of_constants(&row, CTM_TYPE_ALU), show = load_constant(0, 5, true);
        ctm_set(&test, CTM_RGB_OMASK, 1);
        ctm_set(&test, CTM_ALPHA_OMASK, 1);
        ctm_set(&test, CTM_RGB_TARGET, i);
        ctm_set(&test, CTM_ALPHA_TARGET, i);
        put_constants(&t, &row);
        for (unsigned c = 0; c < 4; c++)
            ctm_run_u32(&t, CTM_PARAM_FLOATS + 16 * 5 + 4 * c, TWO);
        ctm_run_add(&t, test);
        ctm_run_add(&t, load_constant(0, 6, false));
        ctm_run_add(&t, show);
        ctm_run_add(&t, ctm_copy_out(0, 0));
        assert_true(ctm_run_go(&t));
        ctm_run_texels(out, texels);
        bool holds = want[i / 4 % 8] >> (i & 3) & 1;
        for (unsigned c = 0; c < 4; c++) /* green and blue stay false */
            if (texels[0][c] != (holds && c % 3 == 0 ? TWO : 0))
                fail_msg("0x%08x by %u, channel %u: 0x%08x", (unsigned)values[i / 4 % 8], i & 3, c,
                         (unsigned)texels[0][c]);
        ctm_run_again(&t);
    }
    ctm_run_end(&t);
}

/* What has no meaning stops whoever gets there, and says what it is; channels that nothing takes do not count. */
static void test_wrong(void **state)
{
    static const struct {
        uint8_t rgb, alpha;
        const char *says;
    } wrong[] = {{CTM_RGB_SOP, CTM_ALPHA_MAD, "OP_RGB_SOP beside"},
                 {CTM_RGB_MAD, CTM_ALPHA_DP, "OP_ALPHA_DP beside"},
                 {6, CTM_ALPHA_MAD, "RGB_OP"},
                 {13, CTM_ALPHA_MAD, "RGB_OP"},
                 {CTM_RGB_MAD, 4, "ALPHA_OP"}};
    struct ctm_run t;
    (void)state;
    ctm_run_begin(&t);
    ctm_run_surface(&t, CTM_PARAM_OUTPUTS, "rgba32float", CTM_BLOCK_X, CTM_BLOCK_Y);
    for (unsigned i = 0; i < 2 * sizeof wrong / sizeof *wrong; i++) {
        struct table_row row = {wrong[i / 2].rgb, wrong[i / 2].alpha, 0, 0, 0, 0, 0, 0, 0};
        struct ctm_inst inst = of_constants(&row, CTM_TYPE_OUTPUT);
        bool rgb = wrong[i / 2].rgb != CTM_RGB_MAD;
        ctm_set(&inst, CTM_RGB_OMASK, i & 1 ? rgb : !rgb);
        ctm_set(&inst, CTM_ALPHA_OMASK, i & 1 ? !rgb : rgb);
        ctm_run_add(&t, inst);
        assert_true(ctm_run_go(&t) == !(i & 1));
        if (i & 1) {
            assert_int_equal(t.error.status, ATOLL_UNSUPPORTED);
            assert_non_null(strstr(t.error.message, wrong[i / 2].says));
            assert_non_null(strstr(t.error.message, "instruction 0 (OUTPUT)"));
        }
        ctm_run_again(&t);
    }
    ctm_run_end(&t);
}

/* ---- the index pair ------------------------------------------------------------------------------------------- */

static void test_index(void **state)
{
    struct ctm_run t;
    float texels[CTM_BLOCK_Y][CTM_BLOCK_X][4];
    (void)state;
    ctm_run_begin(&t);
    struct surface *out = ctm_run_surface(&t, CTM_PARAM_OUTPUTS, "rgba32float", CTM_BLOCK_X, CTM_BLOCK_Y);
    ctm_run_add(&t, ctm_copy_out(0, 0));
    if (!ctm_run_go(&t))
        fail_msg("%s", t.error.message);
    ctm_run_texels(out, texels);
    for (unsigned y = 0; y < CTM_BLOCK_Y; y++)
        for (unsigned x = 0; x < CTM_BLOCK_X; x++) {
            const float want[4] = {(float)x, (float)y, 0, 1};
            assert_memory_equal(texels[y][x], want, sizeof want);
        }
    ctm_run_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index),           cmocka_unit_test(test_table),         cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_wrong),           cmocka_unit_test(test_random_single), cmocka_unit_test(test_random),
        cmocka_unit_test(test_random_relative), cmocka_unit_test(test_random_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
