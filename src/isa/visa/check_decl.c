/* Declarations, inputs and attributes as vISA's verifier wants them. Source: docs/visa.md, "Verdicts". */
#include "isa/visa/check_inner.h"

enum { MOST_STATES = 128, INPUT_REGISTERS = 255, REGISTERS = 256u, LAST_ALIGN = 9, ADDRESSES = 16 };

static uint32_t var_bytes(const struct visa_var *var)
{
    return var->elements * visa_type_bytes(var->type);
}

/* ---- variables -------------------------------------------------------------------------------------------- */

/* Where the chain of aliases ends and how far into it it leads; NULL: it goes round. */
static const struct visa_var *alias_root(const struct visa_object *object, const struct visa_var *var, uint32_t *offset)
{
    *offset = 0;
    for (uint32_t steps = 0; steps <= object->nvars[VISA_G]; steps++) {
        const struct visa_var *next = visa_declared(object, VISA_G, var->alias);
        if (!next)
            return var;
        *offset += var->alias_bytes;
        var = next;
    }
    return NULL;
}

/* Codes of alignment, which the tool compares as numbers. Of its type a variable has words at least, of a register or
 * more the register's bytes. */
static unsigned type_align(const struct visa_checker *c, const struct visa_var *var)
{
    enum { WORD = 1, DWORD, QWORD, BYTES_32 = 7, BYTES_64 = 8 };
    unsigned size = visa_type_bytes(var->type);
    if (var_bytes(var) >= c->row->grf)
        return c->row->grf == VISA_GRF_PVC ? BYTES_64 : BYTES_32;
    return size == 8 ? QWORD : size == 4 ? DWORD : WORD;
}

static void check_alias(struct visa_checker *c, const struct visa_var *var, const char *name)
{
    uint32_t offset;
    if (!var->alias && var->alias_bytes)
        visa_refuse_var(c, var, "alias-offset", "'%s' has the offset %u of an alias but is none", name,
                        var->alias_bytes);
    if (!visa_declared(c->object, VISA_G, var->alias))
        return;
    const struct visa_var *root = alias_root(c->object, var, &offset);
    if (!root) {
        visa_refuse_var(c, var, "alias-circle", "'%s' is an alias of itself", name);
        return;
    }
    if (offset >= var_bytes(root))
        visa_refuse_var(c, var, "alias-offset", "'%s' begins at byte %u of a variable of %u bytes", name, offset,
                        var_bytes(root));
    unsigned has = root->align > type_align(c, root) ? root->align : type_align(c, root);
    if (has < type_align(c, var))
        visa_refuse_var(c, var, "alias-align",
                        "'%s' of type %s may not begin where the variable it is an alias of does", name,
                        visa_type_name(var->type));
}

static void check_general(struct visa_checker *c, uint32_t index)
{
    const struct visa_var *var = &c->object->vars[VISA_G][index];
    const char *name = visa_name(c->object, VISA_G, index + VISA_FIRST_G);
    if (!visa_type_in(VISA_SET_INTS | VISA_SET_FLOATS | 1u << VISA_BF, var->type)) {
        visa_refuse_var(c, var, "variable-type", "'%s' has type %s, which no variable has", name,
                        visa_type_name(var->type));
        return;
    }
    if (var->elements == 0 || var->elements > (unsigned)REGISTERS * c->row->grf)
        visa_refuse_var(c, var, "variable-size", "'%s' has %u elements: wanted 1 to %u", name, var->elements,
                        (unsigned)REGISTERS * c->row->grf);
    check_alias(c, var, name);
    if (var->align > LAST_ALIGN)
        visa_refuse_var(c, var, "variable-align", "'%s' has the alignment code %u: wanted 0 to %u", name, var->align,
                        LAST_ALIGN);
}

static void check_predicate(struct visa_checker *c, uint32_t index)
{
    const struct visa_var *var = &c->object->vars[VISA_P][index];
    unsigned n = var->elements;
    if (n == 0 || n > VISA_CHANNELS || (n & (n - 1)))
        visa_refuse_var(c, var, "predicate-size", "predicate '%s' has %u elements: wanted 1, 2, 4, 8, 16 or 32",
                        visa_name(c->object, VISA_P, index + VISA_FIRST_P), n);
}

static void check_address(struct visa_checker *c, uint32_t index)
{
    const struct visa_var *var = &c->object->vars[VISA_A][index];
    if (var->elements > ADDRESSES)
        visa_refuse_var(c, var, "address-size", "address '%s' has %u elements: wanted at most %u",
                        visa_name(c->object, VISA_A, index), var->elements, ADDRESSES);
}

/* Of surfaces, the tool looks at those from the seventh declaration on only. */
static void check_states(struct visa_checker *c, enum visa_space space, uint32_t from)
{
    for (uint32_t i = from; i < c->object->nvars[space]; i++) {
        const struct visa_var *var = &c->object->vars[space][i];
        if (var->elements > MOST_STATES)
            visa_refuse_var(c, var, "state-size", "'%s' has %u elements: wanted at most %u",
                            visa_name(c->object, space, i + visa_first[space]), var->elements, MOST_STATES);
    }
}

/* ---- inputs ----------------------------------------------------------------------------------------------- */

static const struct visa_var *input_var(const struct visa_checker *c, const struct visa_input *input)
{
    static const uint8_t spaces[] = {VISA_G, VISA_S, VISA_T};
    return (input->kind & 3) < 3 ? visa_declared(c->object, spaces[input->kind & 3], input->id) : NULL;
}

static const char *input_name(const struct visa_checker *c, const struct visa_input *input)
{
    static const uint8_t spaces[] = {VISA_G, VISA_S, VISA_T};
    const char *name = (input->kind & 3) < 3 ? visa_name(c->object, spaces[input->kind & 3], input->id) : NULL;
    return name ? name : "?";
}

/* Wanted bytes are those of the variable; -1: there is no rule. */
static void check_input_size(struct visa_checker *c, const struct visa_input *input, const struct visa_var *var)
{
    unsigned class = input->kind & 3, grf = c->row->grf;
    uint32_t wanted = class == VISA_INPUT_GENERAL ? var_bytes(var) : var->elements * 4u;
    uint32_t begin = (uint32_t)(int32_t)input->offset;
    if (class != VISA_INPUT_SAMPLER && wanted != input->size)
        visa_refuse_var(c, var, "input-size", "input '%s' has %u bytes: wanted %u, as its variable has",
                        input_name(c, input), input->size, wanted);
    if (class == VISA_INPUT_GENERAL && input->size && input->size < grf &&
        begin / grf != (begin + input->size - 1) / grf)
        visa_refuse_var(c, var, "input-offset", "input '%s' at byte %d begins in one register and ends in the next",
                        input_name(c, input), input->offset);
}

static void check_input_place(struct visa_checker *c, uint32_t number)
{
    const struct visa_input *input = &c->object->inputs[number];
    const struct visa_var *var = input_var(c, input);
    int begin = input->offset, end = begin + input->size;
    if ((uint32_t)end >= c->row->grf * (uint32_t)INPUT_REGISTERS)
        visa_refuse_var(c, var, "input-offset", "input '%s' ends at byte %d: wanted less than %u", input_name(c, input),
                        end, c->row->grf * (uint32_t)INPUT_REGISTERS);
    for (uint32_t i = 0; i < number; i++) {
        const struct visa_input *other = &c->object->inputs[i];
        int from = other->offset, to = from + other->size;
        if ((begin >= from && begin < to) || (from >= begin && from < end))
            visa_refuse_var(c, var, "input-overlap", "input '%s' has bytes %d to %d, of which '%s' has some",
                            input_name(c, input), begin, end - 1, input_name(c, other));
    }
}

static void check_inputs(struct visa_checker *c)
{
    bool implicit = false;
    for (uint32_t i = 0; i < c->object->ninputs; i++) {
        const struct visa_input *input = &c->object->inputs[i];
        const struct visa_var *var = input_var(c, input);
        check_input_place(c, i);
        if (implicit && !(input->kind >> 3))
            visa_refuse_var(c, var, "input-order", "input '%s' comes after an implicit one", input_name(c, input));
        implicit = implicit || input->kind >> 3;
        if (var)
            check_input_size(c, input, var);
        else
            visa_refuse_var(c, NULL, "input-variable", "input %u is of variable %u, which is not declared", i,
                            input->id);
    }
}

/* ---- attributes ------------------------------------------------------------------------------------------- */

static void check_once(struct visa_checker *c, const char *name)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < c->object->nattributes; i++)
        count += c->object->attributes[i].name < c->object->nstrings &&
                 strcmp(c->object->strings[c->object->attributes[i].name], name) == 0;
    if (count > 1)
        visa_refuse_var(c, NULL, "attribute-twice", "attribute '%s' stands %u times: wanted at most once", name, count);
}

void visa_check_declarations(struct visa_checker *c)
{
    for (uint32_t i = 0; i < c->object->nvars[VISA_G]; i++)
        check_general(c, i);
    for (uint32_t i = 0; i < c->object->nvars[VISA_A]; i++)
        check_address(c, i);
    for (uint32_t i = 0; i < c->object->nvars[VISA_P]; i++)
        check_predicate(c, i);
    check_states(c, VISA_S, 0);
    check_states(c, VISA_T, VISA_FIRST_T);
    check_inputs(c);
    check_once(c, "SLMSize");
    check_once(c, "NBarrierCnt");
}
