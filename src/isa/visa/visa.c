/* Names and numbers of vISA. Sources: docs/visa.md. */
#include "isa/visa/visa.h"

#include <string.h>

const char *const visa_type_names[VISA_TYPES] = {
#define VISA_TYPE(name, text, bytes) text,
    VISA_TYPE_LIST(VISA_TYPE)
#undef VISA_TYPE
};

unsigned visa_type_bytes(unsigned type)
{
    static const uint8_t sizes[VISA_TYPES] = {
#define VISA_TYPE(name, text, bytes) bytes,
        VISA_TYPE_LIST(VISA_TYPE)
#undef VISA_TYPE
    };
    return type < VISA_TYPES ? sizes[type] : 0;
}

bool visa_type_float(unsigned type)
{
    return type == VISA_F || type == VISA_DF || type == VISA_HF || type == VISA_BF || type == VISA_VF;
}

bool visa_type_signed(unsigned type)
{
    return type == VISA_D || type == VISA_W || type == VISA_B || type == VISA_Q || type == VISA_V;
}

const uint32_t visa_first[VISA_SPACES] = {
    [VISA_G] = VISA_FIRST_G,
    [VISA_P] = VISA_FIRST_P,
    [VISA_T] = VISA_FIRST_T,
};

const struct visa_predefined visa_predefined[VISA_FIRST_G] = {
    [VISA_NULL] = {"%null", VISA_UD, 1},
    [VISA_THREAD_X] = {"%thread_x", VISA_UW, 1},
    [VISA_THREAD_Y] = {"%thread_y", VISA_UW, 1},
    [VISA_GROUP_ID_X] = {"%group_id_x", VISA_UD, 1},
    [VISA_GROUP_ID_Y] = {"%group_id_y", VISA_UD, 1},
    [VISA_GROUP_ID_Z] = {"%group_id_z", VISA_UD, 1},
    [VISA_TSC] = {"%tsc", VISA_UD, 5},
    [VISA_R0] = {"%r0", VISA_UD, 8},
    [VISA_ARG] = {"%arg", VISA_UD, 256},
    [VISA_RETVAL] = {"%retval", VISA_UD, 96},
    [VISA_SP] = {"%sp", VISA_UD, 1},
    [VISA_FP] = {"%fp", VISA_UD, 1},
    [VISA_HW_ID] = {"%hw_id", VISA_UD, 1},
    [VISA_SR0] = {"%sr0", VISA_UD, 4},
    [VISA_CR0] = {"%cr0", VISA_UD, 1},
    [VISA_CE0] = {"%ce0", VISA_UD, 1},
    [VISA_DBG0] = {"%dbg0", VISA_UD, 2},
    [VISA_COLOR] = {"%color", VISA_UW, 1},
    [VISA_IMPL_ARG] = {"%impl_arg_buf_ptr", VISA_UQ, 1},
    [VISA_LOCAL_ID] = {"%local_id_buf_ptr", VISA_UQ, 1},
    [VISA_MSG0] = {"%msg0", VISA_UD, 3},
};

const char *const visa_predefined_surfaces[VISA_FIRST_T] = {"%slm", "T1", "T2", "TSS", "%bss", "%scratch"};

static const char *predefined_name(enum visa_space space, uint32_t index)
{
    if (space == VISA_G && index < VISA_FIRST_G)
        return visa_predefined[index].name;
    return space == VISA_T && index < VISA_FIRST_T ? visa_predefined_surfaces[index] : NULL;
}

const char *visa_name(const struct visa_object *object, enum visa_space space, uint32_t index)
{
    const struct visa_var *var = visa_declared(object, space, index);
    if (space == VISA_S && !var && index == VISA_BINDLESS_SAMPLER)
        return "S31";
    return var ? object->strings[var->name] : predefined_name(space, index);
}

unsigned visa_var_type(const struct visa_object *object, uint32_t id)
{
    const struct visa_var *var = visa_declared(object, VISA_G, id);
    if (var)
        return var->type;
    return id < VISA_FIRST_G && visa_predefined[id].name ? visa_predefined[id].type : VISA_TYPES;
}

uint32_t visa_var_elements(const struct visa_object *object, uint32_t id)
{
    const struct visa_var *var = visa_declared(object, VISA_G, id);
    if (var)
        return var->elements;
    return id < VISA_FIRST_G ? visa_predefined[id].elements : 0;
}

unsigned visa_type_of_operand(const struct visa_object *object, const struct visa_operand *op)
{
    switch (op->class) {
    case VISA_GENERAL:
    case VISA_RAW:
        /* The two pointers are wider for Intel's tool than their declarations say. */
        return op->id == VISA_SP || op->id == VISA_FP ? VISA_UQ : visa_var_type(object, op->id);
    case VISA_PREDICATE:
        return VISA_BOOL;
    case VISA_ADDRESS:
    case VISA_ADDRESS_OF:
        return VISA_UW;
    case VISA_INDIRECT:
    case VISA_IMMEDIATE:
        return op->type;
    case VISA_STATE:
        return VISA_UD;
    }
    return VISA_TYPES;
}

uint32_t visa_alias_root(const struct visa_object *object, uint32_t id, uint32_t steps, uint32_t *at)
{
    const struct visa_var *var = visa_declared(object, VISA_G, id);
    *at = 0;
    for (uint32_t i = 0; var && var->alias && i < steps; i++) {
        *at += var->alias_bytes;
        id = var->alias;
        var = visa_declared(object, VISA_G, id);
    }
    return id;
}

const struct visa_attribute *visa_attribute(const struct visa_object *object, const struct visa_attribute *list,
                                            uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(object->strings[list[i].name], name) == 0)
            return &list[i];
    return NULL;
}

int32_t visa_attribute_value(const struct visa_attribute *attribute)
{
    uint32_t value = 0;
    if (attribute->size == 0)
        return 1;
    for (unsigned i = 0; i < attribute->size && i < 4; i++)
        value |= (uint32_t)(uint8_t)attribute->value[i] << (8 * i);
    return (int32_t)value;
}
