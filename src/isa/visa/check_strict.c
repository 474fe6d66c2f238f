/* What Intel's tool takes though the machine cannot do it, and what the documentation asks beyond the tool. Source:
 * docs/visa.md, "Verdicts", "What the tool does not see". */
#include "isa/visa/atomics.h"
#include "isa/visa/check_inner.h"

/* Groups of 8 channels begin at M1, M3, M5, M7, of 16 at M1 and M5. */
static bool group_is_whole(const struct visa_checker *c)
{
    return visa_exec_first(c->inst->exec) % visa_channels(c) == 0;
}

static bool has_width(const struct visa_checker *c)
{
    return !(c->rule->flags & VISA_RULE_NO_WIDTH) && c->form->nfields && visa_channels(c) >= 8 &&
           visa_channels(c) + visa_exec_first(c->inst->exec) <= VISA_CHANNELS;
}

/* The machine's operation that a float operation becomes. */
static const char *becomes(unsigned op)
{
    static const char *const names[] = {"and", "or", "xor", "xchg", "inc"};
    return op >= 16 && op < 21 ? names[op - 16] : NULL;
}

static void doubt_atomic(struct visa_checker *c)
{
    unsigned op = (unsigned)visa_role_value(c, "op") & 31;
    bool half = (visa_role_value(c, "op") >> 5 & 7) == 1;
    if (becomes(op))
        visa_doubt(c, NULL, "atomic-float", "typed atomics have no floats on any machine: Intel's tool makes this '%s'",
                   becomes(op));
    if (half && c->row->generation < 12)
        visa_doubt(c, NULL, "atomic-half", "%s has no 16-bit typed atomics: they came with TGLLP", c->row->name);
    if (visa_channels(c) > 8)
        visa_doubt(c, NULL, "atomic-width",
                   "a typed atomic has at most 8 channels: of %u, Intel's tool gets one register back",
                   visa_channels(c));
}

void visa_check_doubts(struct visa_checker *c)
{
    if (!c->strict && has_width(c) && !group_is_whole(c))
        visa_doubt(c, NULL, "exec-group", "%u channels do not begin at M%u: Intel's tool takes M1 and drops _NM",
                   visa_channels(c), visa_exec_first(c->inst->exec) / 4 + 1);
    if (c->inst->row == &visa_rows[VISA_ROW_typed_atomic])
        doubt_atomic(c);
}

/* ---- the documentation ------------------------------------------------------------------------------------ */

static void want_source(struct visa_checker *c, const char *role, bool is, uint32_t types)
{
    const struct visa_operand *op = visa_role(c, role);
    if (is && op->id == VISA_NULL)
        visa_refuse(c, op, "page-operand", "this operation has %s: wanted a variable, not %%null", role);
    else if (!is && op->id != VISA_NULL)
        visa_refuse(c, op, "page-operand", "this operation has no %s: wanted %%null.0", role);
    else if (is)
        visa_check_raw_type(c, op, types);
}

static void check_page_atomic(struct visa_checker *c)
{
    enum { LAST = 18 };
    static const char *const coordinates[] = {"u", "v", "r", "lod"};
    unsigned op = (unsigned)visa_role_value(c, "op") & 31;
    uint32_t types = visa_atomics[op].kind == VISA_ATOMIC_SIGNED ? 1u << VISA_D : 1u << VISA_UD;
    if (op > LAST || !visa_atomics[op].name)
        visa_refuse(c, NULL, "page-operation", "typed_atomic has no operation %u", op);
    if (visa_channels(c) != 8)
        visa_refuse(c, NULL, "page-width", "typed_atomic has 8 channels, not %u", visa_channels(c));
    if (visa_role(c, "u")->id == VISA_NULL)
        visa_refuse(c, visa_role(c, "u"), "page-operand", "every surface has u: wanted a variable, not %%null");
    for (unsigned i = 0; i < 4; i++)
        visa_check_raw_type(c, visa_role(c, coordinates[i]), 1u << VISA_UD);
    /* The page says two things of fcmpwr and predec: they are taken to have two sources and none. */
    want_source(c, "src0", visa_atomic_sources(&visa_atomics[op]) > 0, types);
    want_source(c, "src1", visa_atomic_sources(&visa_atomics[op]) > 1, 1u << VISA_UD);
    visa_check_raw_type(c, visa_role(c, "dst"), types);
}

void visa_check_page(struct visa_checker *c)
{
    if (has_width(c) && !group_is_whole(c))
        visa_refuse(c, NULL, "page-mask", "%u channels begin at a multiple of %u, not at %u", visa_channels(c),
                    visa_channels(c), visa_exec_first(c->inst->exec));
    if (c->inst->row == &visa_rows[VISA_ROW_typed_atomic])
        check_page_atomic(c);
}
