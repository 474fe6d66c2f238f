/* vISA's atomic messages: typed, on buffers, on addresses, of LSC. Source: docs/visa.md, "Atomics". */
#include "isa/visa/alu.h"
#include "isa/visa/atomics.h"
#include "isa/visa/memory.h"

/* What the instruction at hand does, and the operands that it needs: what is compared with, then what is stored. */
struct operation {
    const struct visa_atomic *atomic;
    enum lane_type type;
    unsigned bits, count;
    struct lane_operand data[2];
};

/* Of 16 bits the lower halves of dwords count. */
static struct lane_operand data_of(struct visa_lower *l, const char *role, unsigned bits)
{
    unsigned bytes = bits / 8;
    return visa_get_raw(l, visa_operand_in(l, role), 0, bytes, bytes < 4 ? 4 : bytes);
}

static bool operation_of(struct visa_lower *l, struct operation *o)
{
    *o = (struct operation){.atomic = visa_atomic_of(l->form, l->inst), .bits = visa_atomic_bits(l->form, l->inst)};
    if (!o->atomic || !o->bits) {
        visa_stop(l, "%s: %s", l->inst->row->name,
                  o->atomic ? "there is no memory of this size" : "a reserved operation");
        return false;
    }
    o->type = visa_atomic_type(o->atomic, o->bits);
    if (o->atomic->compare)
        o->data[o->count++] = data_of(l, o->atomic->compare, o->bits);
    o->data[o->count++] =
        o->atomic->data ? data_of(l, o->atomic->data, o->bits) : lane_imm(l->b, o->bits, o->atomic->constant);
    return true;
}

/* What memory held (or holds), in dwords at least: the upper half of one is 0 (named choice). */
static void give(struct visa_lower *l, const struct operation *o, struct lane_operand old)
{
    if (old.kind == LANE_NONE)
        return;
    if (o->bits == 16)
        old = visa_cvt(l, LANE_U32, LANE_U16, old);
    unsigned bytes = o->bits == 64 ? 8 : 4;
    visa_put_raw(l, visa_operand_in(l, "dst"), 0, bytes, bytes, old);
}

static bool wanted(const struct visa_lower *l)
{
    return !visa_is_null(visa_operand_in(l, "dst"));
}

void visa_dword_atomic(struct visa_lower *l, const struct visa_does *does)
{
    struct operation o;
    struct visa_buffer buffer;
    (void)does;
    if (!operation_of(l, &o) || !visa_buffer_of(l, visa_operand_in(l, "surface"), &buffer))
        return;
    struct lane_operand at = visa_get_raw(l, visa_operand_in(l, "offsets"), 0, 4, 4);
    give(l, &o, visa_atomic_at(l, &buffer, at, 0, o.atomic->lane, o.type, o.count, o.data, wanted(l)));
}

void visa_svm_atomic(struct visa_lower *l, const struct visa_does *does)
{
    struct operation o;
    struct visa_buffer buffer = visa_flat(l);
    (void)does;
    if (!operation_of(l, &o))
        return;
    struct lane_operand at = visa_get_raw(l, visa_operand_in(l, "address"), 0, 8, 8);
    give(l, &o, visa_atomic_at(l, &buffer, at, 0, o.atomic->lane, o.type, o.count, o.data, wanted(l)));
}

/* ---- texels
 * ---------------------------------------------------------------------------------------------------------- */

static void texel_atomic(struct visa_lower *l, const struct operation *o, struct lane_operand handle)
{
    static const char *const roles[] = {"u", "v", "r", "lod"};
    struct lane_operand src[7] = {handle}, old = lane_reg(l->b, o->bits, NULL);
    for (unsigned i = 0; i < 4; i++)
        src[1 + i] = visa_get_raw(l, visa_operand_in(l, roles[i]), 0, 4, 4);
    bool level = src[4].kind != LANE_CONST; /* one that is not given is the first */
    for (unsigned i = 0; i < o->count; i++)
        src[4u + level + i] = o->data[i];
    uint32_t access = lane_access(l->b, &(struct lane_access){.space = LANE_SURFACE,
                                                              .type = (uint8_t)o->type,
                                                              .vec = 1,
                                                              .atomic = o->atomic->lane,
                                                              .order = LANE_RELAXED,
                                                              .scope = LANE_SCOPE_GPU,
                                                              .dim = LANE_DIM_ANY,
                                                              .clamp = LANE_CLAMP_ZERO,
                                                              .unit = LANE_UNIT_SAMPLE,
                                                              .level = level});
    visa_masked(l, LANE_OP_suatom, 1, &old, 4u + level + o->count, src)->aux = access;
    if (l->scalar && wanted(l))
        old = visa_broadcast(l, old, o->bits, l->first);
    if (wanted(l))
        give(l, o, old);
}

void visa_typed_atomic(struct visa_lower *l, const struct visa_does *does)
{
    struct operation o;
    (void)does;
    if (!operation_of(l, &o))
        return;
    struct lane_operand handle = visa_handle_of(l, visa_operand_in(l, "surface"), 't');
    if (handle.kind != LANE_NONE)
        texel_atomic(l, &o, handle);
}

/* ---- LSC
 * -------------------------------------------------------------------------------------------------------------- */

/* mode 1: on texels. */
void visa_lsc_atomic(struct visa_lower *l, const struct visa_does *does)
{
    struct operation o;
    struct visa_buffer buffer;
    struct lane_operand at;
    if (!operation_of(l, &o))
        return;
    if (does->mode) {
        struct lane_operand handle = visa_lsc_handle(l);
        if (handle.kind != LANE_NONE)
            texel_atomic(l, &o, handle);
        return;
    }
    if (visa_lsc_place(l, "base", &buffer, &at))
        give(l, &o, visa_atomic_at(l, &buffer, at, 0, o.atomic->lane, o.type, o.count, o.data, wanted(l)));
}
