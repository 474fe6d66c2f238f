/* CTM programs to the lane program. A group of processors with one program counter is a warp: every jump is taken by
 * all lanes of the warp or by none, and which of them are active is in registers, as docs/ctm.md, "Flow control" has
 * it; or each lane takes its own way, where nobody can see that (docs/ctm.md, "Apart").
 *
 * lower.c walks over the instructions and holds temporaries, constants and guards; alu.c does ALU and OUTPUT, flow.c
 * flow control and who is active, texture.c lookups, the semaphore and uncached writes, units.c what PE and CO do
 * before and after, plain.c what is known where they do nothing, rotate.c loops of processors that go their own ways.
 */
#ifndef ATOLL_ISA_CTM_LOWER_H
#define ATOLL_ISA_CTM_LOWER_H

#include "isa/ctm/launch.h"
#include "lane/lane.h"

enum { CTM_SMALL_BITS = 20 };

static const struct lane_operand none = {LANE_NONE, 0}; /* no operand */

struct ctm_flow;    /* flow.c's own */
struct ctm_texture; /* texture.c's own */
struct ctm_plain;   /* plain.c's own */

struct ctm_lower {
    struct arena *arena;
    struct lane_builder *b;
    const struct ctm_program *program;
    enum ctm_tex_write tex_write;
    bool together; /* a group has one program counter, also where nobody could see that it has not */
    bool wide;     /* nobody can see how processors are grouped: blocks are wide */
    struct atoll_error *error;
    bool failed;

    struct lane_operand temp[CTM_TEMPS][CTM_CHANNELS]; /* registers of 32 bits, made when first named */
    struct lane_operand pred[CTM_CHANNELS];            /* predicate bits */
    struct lane_operand alu_result;                    /* predicate */
    struct lane_operand output[CTM_OUTPUTS][CTM_CHANNELS];
    struct lane_operand cond_out;  /* the conditional output value */
    struct lane_operand i, j;      /* the index pair, u32; not in an ordinary launch */
    struct lane_operand index[2];  /* the same as floats, */
    struct lane_operand at[2];     /* and where those look up, s32; in an ordinary launch the index pair itself */
    struct lane_operand extent[2]; /* of the domain */
    struct lane_operand usual;     /* predicate, the same in all lanes of a block: an ordinary launch, and all of the
                                      block in the domain (units.c); LANE_NONE: there is other code for it (plain.c) */
    struct lane_operand small;     /* the same: all that index pairs are made of is below 2^CTM_SMALL_BITS */
    struct lane_operand alive;     /* predicate: in the domain, not killed */
    struct lane_operand al;        /* aL, s32, the same in all lanes */
    bool temps_indexed;            /* some address of a temporary has aL added: temporaries lie in the space regfile */
    bool flows;                    /* the program has FC instructions */
    uint32_t block[2];             /* index pairs of a block, along each axis */
    struct ctm_flow *flow;
    struct ctm_texture *texture;
    bool scaled[CTM_INPUTS]; /* words of the parameter space say the input's size */
    struct ctm_plain *plain; /* while the program is lowered for plain launches alone; NULL: for any */

    const struct ctm_inst *inst; /* at hand */
    uint32_t pc;

    /* lower.c's own */
    struct lane_operand constant[CTM_FLOATS][CTM_CHANNELS]; /* made when first named */
    uint8_t temp_written[CTM_TEMPS];                        /* channels, so far in the order of the program */
    uint8_t pred_written, output_written[CTM_OUTPUTS];
    bool output_named[CTM_OUTPUTS]; /* by instructions that nobody gets to */
    bool cond_written;
    uint32_t first;                           /* lane instruction with which the instruction at hand begins */
    uint8_t writes_made;                      /* channels of which `writes` is known */
    struct lane_operand writes[CTM_CHANNELS]; /* of the instruction at hand */
};

/* ---- lower.c ---------------------------------------------------------------------------------------------- */

/* `together`: as struct ctm_lower has it; for tests. */
bool ctm_lower_program(struct arena *arena, const struct ctm_program *program, enum ctm_tex_write tex_write,
                       bool together, struct lane_module *lanes, struct atoll_error *error);
/* A known gap: who is active and carries out the instruction at hand stops with this message. */
void ctm_stop(struct ctm_lower *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The program does what the machine has no answer to: whoever gets there, and has the guard, traps. */
void ctm_fault(struct ctm_lower *l, struct lane_operand guard, enum lane_fault cause, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* All processors of the group end here, by way of the epilogue. Ends the block. */
void ctm_finish(struct ctm_lower *l);

static inline uint32_t ctm_in(const struct ctm_lower *l, enum ctm_field field)
{
    return ctm_get(l->inst, field);
}

/* Pure operations, computed for all lanes: results are new registers, of the type's width. */
struct lane_operand ctm_one(struct ctm_lower *l, enum lane_op op, enum lane_type type, struct lane_operand a);
struct lane_operand ctm_two(struct ctm_lower *l, enum lane_op op, enum lane_type type, struct lane_operand a,
                            struct lane_operand b);
struct lane_operand ctm_compare(struct ctm_lower *l, enum lane_cmp cmp, enum lane_type type, struct lane_operand a,
                                struct lane_operand b);
struct lane_operand ctm_sreg(struct ctm_lower *l, enum lane_sreg which); /* of 32 bits */
struct lane_operand ctm_float(struct ctm_lower *l, float value);         /* a constant */
struct lane_operand ctm_u32(struct ctm_lower *l, uint32_t value);
/* dst = src in lanes where `guard` is true (LANE_NONE: in all). Predicates too. */
void ctm_move(struct ctm_lower *l, struct lane_operand guard, struct lane_operand dst, struct lane_operand src);
/* The same, of a `src` that is not read again: the operation that made it may write `dst` itself. */
void ctm_give(struct ctm_lower *l, struct lane_operand guard, struct lane_operand dst, struct lane_operand src);

/* A channel of temporary `number` (plus aL, wrapped to 128). A write is of lanes where `guard` is true. */
struct lane_operand ctm_read_temp(struct ctm_lower *l, unsigned number, bool relative, unsigned channel);
void ctm_write_temp(struct ctm_lower *l, unsigned number, bool relative, unsigned channel, struct lane_operand guard,
                    struct lane_operand value);
/* Its register, which the caller writes in all lanes; not where temporaries are indexed. */
struct lane_operand ctm_define_temp(struct ctm_lower *l, unsigned number, unsigned channel);
struct lane_operand ctm_read_const(struct ctm_lower *l, unsigned number, bool relative, unsigned channel);
/* Output registers and the conditional output value likewise. Predicate registers are written by the value's bit. */
void ctm_write_output(struct ctm_lower *l, unsigned output, unsigned channel, struct lane_operand guard,
                      struct lane_operand value);
struct lane_operand ctm_read_output(struct ctm_lower *l, unsigned output, unsigned channel);
void ctm_write_cond(struct ctm_lower *l, struct lane_operand guard, struct lane_operand value);
struct lane_operand ctm_read_cond(struct ctm_lower *l);
void ctm_write_pred(struct ctm_lower *l, unsigned channel, struct lane_operand guard, struct lane_operand value);
struct lane_operand ctm_read_pred(struct ctm_lower *l, unsigned channel);
/* 32 bits of the parameter space, the same in all lanes. */
struct lane_operand ctm_param(struct ctm_lower *l, uint32_t offset);
struct lane_operand ctm_param64(struct ctm_lower *l, uint32_t offset);

/* Who writes channel `channel` of the instruction at hand: active by flow control (or WRITE_INACTIVE), and by its
 * predicate. LANE_NONE: everybody. Made once for an instruction and kept while it is lowered. */
struct lane_operand ctm_writes(struct ctm_lower *l, unsigned channel);
/* The same without predicates. */
struct lane_operand ctm_running(struct ctm_lower *l);
/* Instructions from number `from` on, with which the last block ends, go into another block, before its instruction
 * `at`. False: no memory. */
bool ctm_move_up(struct ctm_lower *l, uint32_t from, uint32_t block, uint32_t at);
/* p and q; LANE_NONE is true. */
struct lane_operand ctm_both(struct ctm_lower *l, struct lane_operand p, struct lane_operand q);

/* ---- alu.c: ALU and OUTPUT of cached outputs -------------------------------------------------------------- */

void ctm_alu(struct ctm_lower *l);

/* ---- flow.c ----------------------------------------------------------------------------------------------- */

/* Before the first instruction: looks through the program (where lanes can be inactive, which blocks there are). */
bool ctm_flow_begin(struct ctm_lower *l);
/* After ctm_texture_begin, with l->alive, of whom there is one in each group: goes to the first instruction. */
bool ctm_flow_start(struct ctm_lower *l);
/* Then: does each processor take its own way? */
bool ctm_flow_apart(const struct ctm_lower *l);
/* Can control come to instruction l->pc? */
bool ctm_flow_reached(const struct ctm_lower *l);
/* Where control may go on from instruction `pc`, after ctm_flow_begin: instructions of the program. Room
 * for one more than it has. */
uint32_t ctm_flow_ways(const struct ctm_lower *l, uint32_t pc, uint32_t *to);
/* Starts the block of instruction l->pc, where something jumps to it. */
void ctm_flow_at(struct ctm_lower *l);
/* Who is active at the instruction at hand: a predicate, or LANE_NONE where it is known that all are who are alive.
 * What others than the lane itself see asks l->alive too. */
struct lane_operand ctm_flow_active(struct ctm_lower *l);
/* The FC instruction at hand. */
void ctm_flow(struct ctm_lower *l);
/* LAST, after the instruction at hand: the program ends where nobody is inactive. Returns whether it surely does. */
bool ctm_flow_last(struct ctm_lower *l);
/* The program's end, before anything is put out: processors that went apart are all there. */
void ctm_flow_meet(struct ctm_lower *l);
/* After the last instruction: control that runs past it stops, and jumps learn where they go. */
void ctm_flow_end(struct ctm_lower *l);
/* A lane is gone (TEX_INST_KILL_LT_0): where `gone` is true. */
void ctm_flow_kill(struct ctm_lower *l, struct lane_operand gone);

/* ---- texture.c -------------------------------------------------------------------------------------------- */

bool ctm_texture_begin(struct ctm_lower *l);
/* dst = floor(v) as a coordinate. */
void ctm_floor(struct ctm_lower *l, struct lane_operand dst, struct lane_operand v);
/* Before each instruction: results that are due at it are written. */
void ctm_texture_at(struct ctm_lower *l);
/* The TEX instruction at hand; what an uncached OUTPUT sends, of the results of its channels (LANE_NONE: not sent). */
void ctm_texture(struct ctm_lower *l);
void ctm_uncached_output(struct ctm_lower *l, const struct lane_operand value[CTM_CHANNELS]);
/* The program ends here: what is still under way is written. */
void ctm_texture_end(struct ctm_lower *l);

/* ---- units.c ---------------------------------------------------------------------------------------------- */

/* The surface of a parameter, "in3"; number -1: none is written. A trap where nothing is bound, for `who` (LANE_NONE:
 * anybody). */
struct lane_operand ctm_surface(struct ctm_lower *l, struct lane_operand who, uint32_t param, const char *name,
                                int number);
/* What is the same for all groups: first of all. */
void ctm_units_state(struct ctm_lower *l);
/* Index pair, domain, conditional execution by the PE; then outputs, through the CO. */
void ctm_units_begin(struct ctm_lower *l);
void ctm_units_end(struct ctm_lower *l);
/* The same of plain launches (plain.c). */
void ctm_units_begin_plain(struct ctm_lower *l);
void ctm_units_end_plain(struct ctm_lower *l);

/* ---- rotate.c: loops of processors that take their own ways, once all is lowered. False: no memory ------------- */

bool ctm_rotate(struct ctm_lower *l);

/* ---- plain.c ---------------------------------------------------------------------------------------------- */

/* Is the program lowered twice: for plain launches, and for any? */
bool ctm_plain_can(const struct ctm_lower *l);
/* ... and nobody can see how processors are grouped: blocks are wide. */
bool ctm_plain_wide(const struct ctm_lower *l);
/* Around the former: between them is what plain launches carry out, to the end. False: no memory. */
bool ctm_plain_begin(struct ctm_lower *l);
/* Gives l->usual for what follows, which is for any other launch. */
struct lane_operand ctm_plain_end(struct ctm_lower *l);
/* A surface of a plain launch: one is bound. */
struct lane_operand ctm_plain_surface(struct ctm_lower *l, uint32_t param);
/* floor(v), if it is the index pair and constants that are whole numbers in plain launches. */
bool ctm_plain_floor(struct ctm_lower *l, struct lane_operand v, struct lane_operand *floor);

/* ---- tidy.c ----------------------------------------------------------------------------------------------- */

/* After everything else, of a program without flow control: takes out what is computed twice or for nobody. */
bool ctm_tidy(struct ctm_lower *l);

#endif
