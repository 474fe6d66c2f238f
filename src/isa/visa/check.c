/* The walk of vISA's verifier over objects and instructions. Source: docs/visa.md, "Verdicts". */
#include "isa/visa/check_inner.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- reports ---------------------------------------------------------------------------------------------- */

/* What was read from bytes has no place in a text. */
static void report(struct visa_checker *c, enum atoll_severity severity, const struct visa_operand *op,
                   const char *code, const char *format, va_list args)
{
    const struct visa_inst *inst = c->inst;
    char message[500];
    vsnprintf(message, sizeof message, format, args);
    if (!inst->line) {
        diag_report(c->diag, severity, code, 0, 0, "%s, instruction %u (byte %u): %s", c->object->name, c->number,
                    inst->pos, message);
        return;
    }
    bool placed = op && op->length;
    diag_report(c->diag, severity, code, placed ? op->pos : inst->pos, placed ? op->length : inst->length, "%s",
                message);
}

void visa_refuse(struct visa_checker *c, const struct visa_operand *op, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(c, ATOLL_ERROR, op, code, format, args);
    va_end(args);
}

void visa_doubt(struct visa_checker *c, const struct visa_operand *op, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report(c, ATOLL_WARNING, op, code, format, args);
    va_end(args);
}

void visa_refuse_var(struct visa_checker *c, const struct visa_var *var, const char *code, const char *format, ...)
{
    char message[500];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (var && var->length)
        diag_report(c->diag, ATOLL_ERROR, code, var->pos, var->length, "%s", message);
    else
        diag_report(c->diag, ATOLL_ERROR, code, 0, 0, "%s: %s", c->object->name, message);
}

/* ---- operands of instructions ----------------------------------------------------------------------------- */

const struct visa_operand *visa_role(const struct visa_checker *c, const char *role)
{
    return visa_operand(c->form, c->inst, role);
}

uint64_t visa_role_value(const struct visa_checker *c, const char *role)
{
    const struct visa_operand *op = visa_role(c, role);
    return op ? op->value : 0;
}

static bool has_field(const struct visa_form *form, enum visa_field_code code)
{
    for (unsigned i = 0; i < form->nfields; i++)
        if (form->fields[i].kind->code == code)
            return true;
    return false;
}

/* ---- instructions ----------------------------------------------------------------------------------------- */

static void check_width(struct visa_checker *c)
{
    unsigned exec = c->inst->exec, channels = visa_exec_channels(exec), first = visa_exec_first(exec);
    if ((exec & 15) > 5)
        visa_refuse(c, NULL, "exec-size", "execution size code %u: wanted 0 to 5, which are 1 to 32 channels",
                    exec & 15);
    else if (channels + first > VISA_CHANNELS)
        visa_refuse(c, NULL, "exec-mask", "%u channels from channel %u on: there are 32", channels, first);
}

static void check_predicate(struct visa_checker *c)
{
    unsigned id = c->inst->predicate & VISA_PRED_ID;
    if (id > c->object->nvars[VISA_P])
        visa_refuse(c, NULL, "predicate-index", "predicate %u: the object declares %u", id, c->object->nvars[VISA_P]);
}

/* Spellings of the documentation and of Atoll are none of the tool's. */
static void check_spelling(struct visa_checker *c)
{
    if (!c->inst->line || c->platform == VISA_PLATFORMS)
        return;
    if (c->inst->spelling == VISA_SPELLED_PAGE)
        visa_refuse(c, NULL, "spelling", "Intel's tool wants '%s' in lower case, and minsint, maxsint for IMIN, IMAX",
                    visa_op_name(c));
    if (c->inst->spelling == VISA_SPELLED_OWN)
        visa_refuse(c, NULL, "spelling", "this spelling of '%s' is Atoll's: Intel's tool reads it from bytes only",
                    visa_op_name(c));
}

static void check_inst(struct visa_checker *c)
{
    c->form = visa_form(c->table, c->inst->row);
    c->rule = visa_rule(c->inst->row);
    check_spelling(c);
    if (c->platform < c->rule->first)
        visa_refuse(c, NULL, "platform", "'%s' needs %s or later, not %s", visa_op_name(c),
                    visa_platforms[c->rule->first].name, c->row->name);
    visa_check_operands(c);
    if (!(c->rule->flags & VISA_RULE_NO_WIDTH) && has_field(c->form, VISA_FIELD_EXEC))
        check_width(c);
    if (has_field(c->form, VISA_FIELD_PREDICATE))
        check_predicate(c);
    if (c->rule->check)
        c->rule->check(c);
    visa_check_bf(c);
    visa_check_doubts(c);
    if (c->strict)
        visa_check_page(c);
}

/* ---- objects ---------------------------------------------------------------------------------------------- */

static void check_labels(struct visa_checker *c)
{
    const struct visa_object *object = c->object;
    for (uint32_t i = 0; i < object->nvars[VISA_L]; i++) {
        const struct visa_var *label = &object->vars[VISA_L][i];
        if (c->labels[i] == VISA_LABEL_USED && label->kind != VISA_LABEL_FC)
            visa_refuse_var(c, label, "undefined-label", "label '%s' is jumped to but stands nowhere",
                            visa_name(object, VISA_L, i));
    }
}

static bool check_object(struct visa_checker *c, const struct visa_object *object)
{
    c->object = object;
    c->labels = calloc(object->nvars[VISA_L] + 1u, 1);
    if (!c->labels)
        return false;
    for (c->number = 0; c->number < object->ninsts && !c->diag->stop; c->number++) {
        c->inst = &object->insts[c->number];
        check_inst(c);
    }
    visa_check_declarations(c);
    check_labels(c);
    free(c->labels);
    return true;
}

bool visa_check(const struct visa_module *module, enum visa_platform platform, bool strict, struct diag *diag)
{
    struct atoll_error error = {0};
    struct visa_checker c = {.platform = platform, .row = &visa_platforms[platform], .diag = diag, .strict = strict};
    bool ok = true;
    c.table = visa_table(&error);
    if (!c.table)
        return false;
    for (unsigned i = 0; ok && i < module->nkernels; i++)
        ok = check_object(&c, &module->kernels[i]);
    for (unsigned i = 0; ok && i < module->nfunctions; i++)
        ok = check_object(&c, &module->functions[i]);
    return ok;
}
