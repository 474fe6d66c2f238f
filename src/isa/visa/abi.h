/* The arguments of an OpenCL kernel and the inputs of its vISA (docs/visa.md, "The launch"): how they belong together.
 *
 * A description says it, in one of two forms: the .ze_info that ocloc writes (abi_zeinfo.c), or a short list of what
 * the arguments are (abi_list.c), from which places are deduced by the rules of Intel's compiler (abi_deduce.c). */
#ifndef ATOLL_ISA_VISA_ABI_H
#define ATOLL_ISA_VISA_ABI_H

#include "isa/visa/launch_inner.h"

enum abi_kind { ABI_NONE, ABI_GLOBAL, ABI_CONSTANT, ABI_LOCAL, ABI_VALUE, ABI_IMAGE, ABI_SAMPLER, ABI_KINDS };
enum abi_access { ABI_UNSAID, ABI_READ, ABI_WRITE, ABI_READ_WRITE, ABI_ACCESSES };
extern const char *const abi_kind_names[ABI_KINDS], *const abi_access_names[ABI_ACCESSES];
/* Of images, in the order of their binding-table indices; 0: not said. */
enum { ABI_DIMENSIONS = 7, ABI_ARGUMENTS = 256, ABI_GRF = 32, ABI_HEADER = 32 /* bytes before the arguments */ };
extern const char *const abi_dimension_names[ABI_DIMENSIONS];

struct abi_argument {
    uint8_t kind, access; /* enum abi_kind, enum abi_access */
    uint8_t dimension;
    uint32_t size;    /* of values, in bytes; 0: as its input */
    uint32_t input;   /* of the object, whose type the value has; UINT32_MAX: none is known */
    uint32_t bti;     /* VISA_NO_BTI: not known, or none */
    uint32_t sampler; /* UINT32_MAX: by the order of samplers */
    const char *name; /* in the source; may be NULL */
    const char *type; /* of the command line; may be NULL */
    uint32_t at;      /* its parameter */
};

/* What a part of the payload holds. */
enum abi_what {
    ABI_ARGUMENT,  /* bytes of an argument's parameter */
    ABI_PARAMETER, /* a parameter of the input's own name */
    ABI_WORDS,     /* what the launch knows: from here on, abi_words[what - ABI_WORDS] */
};
struct abi_words {
    const char *name; /* as .ze_info has it */
    uint8_t size;     /* bytes */
    uint8_t count, bytes;
    bool zero;       /* holds nothing but zeros */
    uint8_t kind;    /* enum lane_word_kind of the first of `count` words of `bytes` */
    uint8_t suq;     /* of LANE_WORD_SURFACE */
    uint8_t sampler; /* enum visa_sampler_word; 0: not of a sampler */
};
extern const struct abi_words abi_words[];
/* ABI_WORDS + its number; 0: there is none of this name. */
unsigned abi_words_find(const char *name);

struct abi_piece {
    uint32_t offset, size;     /* in the cross-thread payload */
    unsigned what;             /* enum abi_what; 0 is ABI_ARGUMENT */
    const char *unknown;       /* what it is called where it has no meaning here; else NULL */
    uint32_t argument, source; /* from which of the argument's bytes on */
};

/* What the list says of an input by its name. */
struct abi_named {
    const char *name;
    unsigned what;
};

struct abi_inline_sampler {
    uint32_t index;
    uint64_t state[2];
};

struct abi {
    struct launcher *l;
    bool found; /* the kernel is described */
    unsigned simd;
    uint32_t slm_bytes, private_bytes, required[3];
    uint32_t scratch_bytes; /* of a hardware thread */
    bool placed;            /* pieces and indices are known */
    uint32_t per_thread;    /* bytes of local ids before the payload */
    uint32_t payload;       /* where it begins among the registers; 0: to be found */
    struct abi_argument arguments[ABI_ARGUMENTS];
    uint32_t count;
    struct abi_piece *pieces;
    uint32_t npieces;
    struct abi_named *named;
    uint32_t nnamed;
    struct abi_inline_sampler samplers[VISA_SAMPLERS];
    uint32_t nsamplers;
};

/* The description's part on the kernel. */
bool abi_zeinfo(struct abi *abi, const char *text);
bool abi_list(struct abi *abi, const char *text);
/* Places and indices of what a list says. */
bool abi_deduce(struct abi *abi);

bool abi_piece(struct abi *abi, const struct abi_piece *piece);
/* Before the message: the kernel. */
bool abi_fail(const struct abi *abi, enum atoll_status status, const char *format, ...) PRINTF_LIKE(3, 4);
/* Index of text[0..length) in a list of names, `count`: it is none of them. */
unsigned abi_name(const char *const *names, unsigned count, const char *text, size_t length);
/* General inputs by their offsets. Returns how many. NULL: no memory. */
const uint32_t *abi_inputs(const struct abi *abi, uint32_t *count);

/* All of it, for launch.c. */
bool abi_opencl(struct launcher *l);

#endif
