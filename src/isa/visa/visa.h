/* Intel vISA as it is written, in text (.visaasm) or in bytes (.isa): kernels with their declarations and instructions,
 * loss-free. Sources: docs/visa.md.
 *
 *   module = kernels, functions
 *   object = a kernel or function: strings, declarations in index spaces, inputs, attributes, instructions
 *   instruction = a row (rows.h), an execution size and mask, a predicate, and operands in the row's order
 */
#ifndef ATOLL_ISA_VISA_VISA_H
#define ATOLL_ISA_VISA_VISA_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

struct diag;

/* ---- types ------------------------------------------------------------------------------------------------ */

/* Name in text, bytes of an element. In the order of the codes in bytes. */
#define VISA_TYPE_LIST(X) \
    X(UD, "ud", 4)        \
    X(D, "d", 4)          \
    X(UW, "uw", 2)        \
    X(W, "w", 2)          \
    X(UB, "ub", 1)        \
    X(B, "b", 1)          \
    X(DF, "df", 8)        \
    X(F, "f", 4)          \
    X(V, "v", 4)          \
    X(VF, "vf", 4)        \
    X(BOOL, "bool", 1)    \
    X(UQ, "uq", 8)        \
    X(UV, "uv", 4)        \
    X(Q, "q", 8)          \
    X(HF, "hf", 2)        \
    X(BF, "bf", 2)
enum visa_type {
#define VISA_TYPE(name, text, bytes) VISA_##name,
    VISA_TYPE_LIST(VISA_TYPE)
#undef VISA_TYPE
        VISA_TYPES
};
extern const char *const visa_type_names[VISA_TYPES];
unsigned visa_type_bytes(unsigned type); /* 0: no type */
bool visa_type_float(unsigned type);     /* df f vf hf bf */
bool visa_type_signed(unsigned type);    /* d w b q v */

/* ---- operands --------------------------------------------------------------------------------------------- */

enum {
    VISA_GRF = 32,        /* bytes of a register that rows of operands count, but on PVC */
    VISA_GRF_PVC = 64,    /* there */
    VISA_CHANNELS = 32,   /* the widest execution size */
    VISA_OPERANDS = 24,   /* the most that an instruction has, but for lists */
    VISA_LIST = 64,       /* the longest list: labels of switchjmp, payload of samplers */
    VISA_STRING = 4096,   /* the longest text of a name or string literal */
    VISA_ATTRIBUTE = 255, /* bytes of an attribute's value */
};

/* What an operand is. The first ones have the numbers of the class bits of a vector operand. */
enum visa_class {
    VISA_GENERAL,    /* V32(0,0)<1;1,0>: id, row, column, region */
    VISA_ADDRESS,    /* A0(0)<1>: id, element, width */
    VISA_PREDICATE,  /* P1: a predicate word */
    VISA_INDIRECT,   /* r[A0(0),4]<1;1,0>:ud : id, element, bytes, type, region */
    VISA_ADDRESS_OF, /* &V32[4]: text only; bytes have what is meant, a general or a state operand */
    VISA_IMMEDIATE,  /* type, value */
    VISA_STATE,      /* T6(0): id, element, space */
    VISA_RAW,        /* V32.0: id, bytes; id 0, bytes 0: null */
    VISA_SURFACE,    /* T6: id */
    VISA_SAMPLER,    /* S0: id */
    VISA_LABEL,      /* id */
    VISA_NUMBER,     /* value: the row's field says of what */
    VISA_LIST_OF,    /* of operands: list, value = count */
};

/* Bits of visa_operand.modifier: 3 bits of the tag. */
enum visa_modifier { VISA_PLAIN, VISA_ABS, VISA_NEG, VISA_NEG_ABS, VISA_SATURATE, VISA_NOT, VISA_MODIFIERS };

/* Region codes: 0 = null, else 0, 1, 2, 4, 8, 16, 32. A region: vertical stride | width << 4 | horizontal stride << 8.
 */
static inline unsigned visa_region(unsigned vertical, unsigned width, unsigned horizontal)
{
    return vertical | width << 4 | horizontal << 8;
}
/* What a code says; -1 for null and codes that say nothing. */
static inline int visa_stride(unsigned code)
{
    return code == 0 || code > 7 ? -1 : (1 << code) >> 2;
}

/* A predicate word: bits 0-11 the id (0 = none), 13 any, 14 all, 15 inverse. */
enum { VISA_PRED_ID = 0xFFF, VISA_PRED_ANY = 0x2000, VISA_PRED_ALL = 0x4000, VISA_PRED_NOT = 0x8000 };

struct visa_operand {
    uint8_t class;    /* enum visa_class */
    uint8_t modifier; /* enum visa_modifier */
    uint8_t type;     /* enum visa_type */
    uint8_t row, column;
    uint8_t element; /* of addresses and states */
    uint8_t width;   /* of addresses: an execution size code */
    uint8_t space;   /* of states and addresses of variables: enum visa_space */
    uint16_t region;
    int32_t bytes; /* offset of raw and indirect operands, and of &V[..] */
    uint32_t id;
    uint64_t value;
    const struct visa_operand *list;
    uint32_t pos, length; /* in the text */
};

/* ---- instructions ----------------------------------------------------------------------------------------- */

struct visa_row;

/* Execution byte: bits 0-3 log2 of the channels, bits 4-6 mask number - 1 (first channel / 4), bit 7 no mask. */
static inline unsigned visa_exec_channels(unsigned exec)
{
    return 1u << (exec & 7);
}
static inline unsigned visa_exec_first(unsigned exec)
{
    return (exec >> 4 & 7) * 4;
}
enum { VISA_NO_MASK = 0x80 };

/* Whose words an instruction's text has; only the first are read by Intel's tool. */
enum visa_spelling {
    VISA_SPELLED_TOOL,
    VISA_SPELLED_PAGE, /* of the instruction's documentation: TYPED_ATOMIC.IMIN */
    VISA_SPELLED_OWN,  /* Atoll's, of what bytes can say and text could not: typed_atomic.predec */
};

struct visa_inst {
    const struct visa_row *row;
    uint8_t exec;
    uint8_t nops;
    uint8_t spelling; /* enum visa_spelling */
    uint16_t predicate;
    struct visa_operand *ops; /* in the order of the row's fields; execution byte and predicate are not among them */
    uint32_t pos, length;     /* in the text, or in the bytes of the object */
    uint32_t line;            /* of the text; 0 = it was read from bytes */
};

/* ---- objects ---------------------------------------------------------------------------------------------- */

enum visa_space { VISA_G, VISA_A, VISA_P, VISA_L, VISA_S, VISA_T, VISA_VME, VISA_SPACES };

/* The first index of a space that declarations get; what is below is predefined. */
enum { VISA_FIRST_G = 32, VISA_FIRST_P = 1, VISA_FIRST_T = 6, VISA_BINDLESS_SAMPLER = 31 };
extern const uint32_t visa_first[VISA_SPACES];

/* The predefined variables: name, type, elements; "": there is none of this number. */
struct visa_predefined {
    const char *name;
    uint8_t type;
    uint16_t elements;
};
extern const struct visa_predefined visa_predefined[VISA_FIRST_G];
extern const char *const visa_predefined_surfaces[VISA_FIRST_T];
enum {
    VISA_NULL,
    VISA_THREAD_X,
    VISA_THREAD_Y,
    VISA_GROUP_ID_X,
    VISA_GROUP_ID_Y,
    VISA_GROUP_ID_Z,
    VISA_TSC,
    VISA_R0,
    VISA_ARG,
    VISA_RETVAL,
    VISA_SP,
    VISA_FP,
    VISA_HW_ID,
    VISA_SR0,
    VISA_CR0,
    VISA_CE0,
    VISA_DBG0,
    VISA_COLOR,
    VISA_IMPL_ARG,
    VISA_LOCAL_ID,
    VISA_MSG0
};
enum { VISA_SLM, VISA_T1, VISA_T2, VISA_TSS, VISA_BSS, VISA_SCRATCH };

struct visa_attribute {
    uint32_t name; /* index in the object's strings */
    uint8_t size;
    const char *value; /* `size` bytes; an int is 0 (= 1), 1, 2 or 4 of them */
};

enum visa_label_kind { VISA_LABEL_BLOCK, VISA_LABEL_SUBROUTINE, VISA_LABEL_FC, VISA_LABEL_FUNCTION };

struct visa_var {
    uint32_t name;       /* index in the object's strings */
    uint8_t type, align; /* of general variables; align: a code */
    uint8_t kind;        /* of labels: enum visa_label_kind */
    uint8_t alias_scope;
    uint16_t elements;
    uint32_t alias; /* an index of general variables; 0 = none */
    uint16_t alias_bytes;
    uint8_t nattributes;
    struct visa_attribute *attributes;
    uint32_t pos, length; /* in the text */
};

enum visa_input_class { VISA_INPUT_GENERAL, VISA_INPUT_SAMPLER, VISA_INPUT_SURFACE };
struct visa_input {
    uint8_t kind; /* bits 0-1 class, bits 3-7 number of an implicit argument */
    uint32_t id;
    int16_t offset; /* bytes in the register file */
    uint16_t size;  /* bytes */
};

/* Machine code that a compiler put beside the kernel. */
struct visa_gen {
    uint8_t platform;
    const char *bytes; /* NULL: the file ends before them */
    uint32_t size;
};

struct visa_object {
    const char *name;
    bool function;
    uint8_t linkage; /* of functions */
    struct visa_var *vars[VISA_SPACES];
    uint32_t nvars[VISA_SPACES];
    struct visa_input *inputs;
    uint32_t ninputs;
    uint8_t input_size, return_size; /* of functions, in registers */
    struct visa_attribute *attributes;
    uint32_t nattributes;
    struct visa_inst *insts;
    uint32_t ninsts;
    const char **strings; /* as Intel's tool lays them out: the kernel's name, predefined names, others as they come */
    uint32_t nstrings;
    uint32_t name_string; /* the index that the object's header says */
    uint32_t entry;       /* of the instructions, from the object's first byte, where it was read from bytes */
    struct visa_gen *gen;
    uint8_t ngen;
    bool target_implied; /* text: the attribute Target was not written */
};

struct visa_module {
    uint8_t major, minor;
    struct visa_object *kernels, *functions;
    uint16_t nkernels, nfunctions;
};

/* A declared or predefined name of a space by its index; NULL: there is none. */
const char *visa_name(const struct visa_object *object, enum visa_space space, uint32_t index);
/* The declaration of an index; NULL: predefined or none. */
static inline struct visa_var *visa_declared(const struct visa_object *object, enum visa_space space, uint32_t index)
{
    uint32_t at = index - visa_first[space];
    return index >= visa_first[space] && at < object->nvars[space] ? &object->vars[space][at] : NULL;
}
/* VISA_TYPES where `id` is no general variable. */
unsigned visa_var_type(const struct visa_object *object, uint32_t id);
uint32_t visa_var_elements(const struct visa_object *object, uint32_t id);
/* The type of an operand's elements; VISA_TYPES: it has none. */
unsigned visa_type_of_operand(const struct visa_object *object, const struct visa_operand *op);
/* The variable whose bytes another names by at most `steps` aliases, and from which byte on. */
uint32_t visa_alias_root(const struct visa_object *object, uint32_t id, uint32_t steps, uint32_t *at);
const struct visa_attribute *visa_attribute(const struct visa_object *object, const struct visa_attribute *list,
                                            uint32_t count, const char *name);
/* The number that an attribute holds. */
int32_t visa_attribute_value(const struct visa_attribute *attribute);
/* What an attribute that Intel's tool knows holds: b nothing, i a number, s a text, t the target; 0: it is unknown. */
char visa_attribute_kind(const char *name);

/* ---- services --------------------------------------------------------------------------------------------- */

/* Bytes to a module (container.c). All text lies in `bytes`, which must outlive the module. */
bool visa_read(struct arena *arena, const void *bytes, size_t size, struct visa_module *module,
               struct atoll_error *error);
/* A module to bytes of version 4.1; without machine code. */
bool visa_write(const struct visa_module *module, struct text *out, struct atoll_error *error);
bool visa_is_container(const void *bytes, size_t size);

/* Text of a module as Intel's tool writes and reads it (print.c). */
void visa_print(const struct visa_module *module, struct text *out);
void visa_print_inst(const struct visa_object *object, const struct visa_inst *inst, struct text *out);

#endif
