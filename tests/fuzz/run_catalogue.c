/* All that pure operations can be: instructions with every field, found by asking the verifier and the engine. */
#include "run_catalogue.h"

#include <string.h>

#include "engine/engine.h"
#include "lane/form.h"
#include "lane/names.h"

enum { TRIES = 160, MOST_OF_OP = 24 };

/* Results that do not depend on who runs when. The generator writes frame and sreg itself. */
static bool usable(unsigned op)
{
    if (op == LANE_OP_frame || op == LANE_OP_sreg || op == LANE_OP_suq)
        return false;
    return lane_is(op, LANE_PURE) || run_warp_wide(op);
}

bool run_warp_wide(unsigned op)
{
    return lane_is(op, LANE_WARP) && lane_is(op, LANE_WAITS) && *lane_rows[op].dst;
}

static uint32_t draw(uint64_t *random, uint32_t n)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (uint32_t)(*random >> 33) % n;
}

/* Any values in the fields that the row uses; LANE_WHOLE is the generator's. */
static struct lane_inst guess(unsigned op, uint64_t *random)
{
    const struct lane_row *row = &lane_rows[op];
    struct lane_inst inst = {.op = (uint16_t)op, .type = (uint8_t)draw(random, LANE_TYPES)};
    if (lane_uses(row, '2'))
        inst.type2 = (uint8_t)draw(random, LANE_TYPES);
    if (lane_uses(row, 'r') && draw(random, 2))
        inst.round = (uint8_t)draw(random, LANE_ROUNDS);
    if (lane_uses(row, 'f') && draw(random, 2))
        inst.flags = (uint16_t)(1u << draw(random, 8));
    if (lane_uses(row, 'c'))
        inst.cmp = (uint8_t)draw(random, LANE_CMPS);
    if (lane_uses(row, 'm'))
        inst.mode = (uint8_t)draw(random, 8);
    if (lane_aux(row) == 'n')
        inst.aux = draw(random, 512);
    unsigned bits = lane_type_bits(inst.type), part = lane_type_bits(inst.type2);
    uint8_t parts = part && bits / part < 16 ? (uint8_t)(bits / part) : 1;
    inst.ndst = strchr(row->dst, '*') ? parts : (uint8_t)strlen(row->dst);
    inst.nsrc = strchr(row->src, '*') ? parts : (uint8_t)strlen(row->src);
    return inst;
}

/* A kernel of nothing but this instruction is accepted and ends. */
static bool runs(struct device *device, const struct lane_inst *inst)
{
    const struct lane_row *row = &lane_rows[inst->op];
    struct lane_module module = {0};
    struct lane_builder b;
    struct lane_operand o[32];
    struct atoll_error error;
    struct program *program = NULL;
    uint32_t f = lane_add_func(&module);
    module.funcs[f].name = "k";
    module.funcs[f].kernel = module.funcs[f].defined = true;
    lane_begin(&b, &module, f);
    lane_block(&b);
    bool good = true;
    for (unsigned i = 0; i < (unsigned)inst->ndst + inst->nsrc; i++) {
        bool dst = i < inst->ndst;
        unsigned width = lane_letter_width(inst, lane_letter(dst ? row->dst : row->src, dst ? i : i - inst->ndst));
        good = good && width;
        o[i] = lane_reg(&b, width ? width : 32, NULL);
    }
    struct lane_inst *made = lane_emit(&b, inst->op, inst->type, inst->ndst, o, inst->nsrc, o + inst->ndst);
    struct lane_inst fields = *inst;
    fields.first = made->first;
    *made = fields;
    lane_emit(&b, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
    good = lane_end(&b, &error) && good && lane_verify(&module, &error) &&
           program_create(device, &module, 0, NULL, &program, &error) &&
           program_launch(program, "", &(struct atoll_launch_options){.order = ATOLL_ORDER_DETERMINISTIC}, NULL, NULL,
                          &error);
    program_destroy(program);
    lane_module_free(&module);
    return good;
}

static bool known(const struct run_catalogue *c, uint32_t from, const struct lane_inst *inst)
{
    for (uint32_t i = from; i < c->count; i++)
        if (memcmp(&c->at[i], inst, sizeof *inst) == 0)
            return true;
    return false;
}

void run_catalogue_make(struct run_catalogue *c, struct device *device)
{
    uint64_t random = 88172645463325252u;
    for (unsigned op = 0; op < LANE_OPS; op++) {
        uint32_t first = c->count;
        for (unsigned i = 0; usable(op) && i < TRIES && c->count < first + MOST_OF_OP && c->count < RUN_FORMS; i++) {
            struct lane_inst inst = guess(op, &random);
            if (inst.type < LANE_TYPES && !known(c, first, &inst) && runs(device, &inst))
                c->at[c->count++] = inst;
        }
        c->ops += c->count > first;
        c->wide += run_warp_wide(op) ? c->count - first : 0;
    }
}
