/* What a vISA kernel finds when it starts, and what its launch must give: the parameter space of its lane function.
 * Sources: docs/visa.md, "The launch".
 *
 * As written (no ABI) each general input is a parameter of its name. With the ABI "opencl" the parameters are those of
 * the OpenCL kernel, and inputs get their bytes from them, from words of the launch, or from local ids. In both,
 * binding-table indices and samplers that the kernel names and no argument stands for are parameters "bti1",
 * "sampler0" that need not be given. */
#ifndef ATOLL_ISA_VISA_LAUNCH_H
#define ATOLL_ISA_VISA_LAUNCH_H

#include "isa/visa/visa.h"

struct lane_builder;

enum {
    VISA_BTIS = 256,
    VISA_SAMPLERS = 32,
    VISA_OWN_BTI = 128,  /* from here on: indices of surface variables of which the text never says which they hold */
    VISA_BTI_BYTES = 24, /* a slot: address, size in bytes, surface handle; zeros: nothing is bound */
    VISA_SAMPLER_BYTES = 16 /* struct sampler_state; zeros: there is none */
};
#define VISA_NO_BTI    UINT32_MAX
#define VISA_NOT_NAMED UINT32_MAX

/* What the accesses of a kernel name. */
struct visa_used {
    bool btis[VISA_BTIS], samplers[VISA_SAMPLERS];
    bool sampled[VISA_BTIS], typed[VISA_BTIS], buffer[VISA_BTIS]; /* by messages to the sampler, on texels, on bytes */
    const uint32_t *of_surface; /* by index in the space T: the one index that the variable ever means, or VISA_NO_BTI;
                                   may be NULL */
    uint32_t nsurfaces;         /* elements of of_surface */
    bool scratch;               /* messages to %scratch */
    const bool *inputs;         /* of object->inputs: whether code names its variable; NULL: not known */
};

/* What the runtime tells kernels of samplers that are arguments, 4 bytes each (docs/visa.md, "The launch"). */
enum visa_sampler_word { VISA_SAMPLER_ADDRESS = 1, VISA_SAMPLER_NORMALIZED, VISA_SAMPLER_SNAP };

/* Where an input's bytes come from. */
enum visa_home_kind {
    VISA_HOME_NONE,     /* nothing is there: a surface or sampler, whose index is used->of_surface's */
    VISA_HOME_BYTES,    /* the parameter space at `at` */
    VISA_HOME_SAMPLER,  /* enum visa_sampler_word in `axis`, of the sampler in the parameter space at `at` */
    VISA_HOME_LOCAL_ID, /* 16-bit local ids of `axis`, of lanes `first` and on; zero from the last lane on */
};
struct visa_home {
    uint8_t kind; /* enum visa_home_kind */
    uint8_t axis, first;
    uint32_t at;
};

struct visa_launch {
    unsigned simd;            /* lanes of a hardware thread: 8, 16, 32 */
    uint32_t slm_bytes;       /* static ones */
    uint32_t scratch_bytes;   /* of a hardware thread, behind %scratch */
    bool private_base;        /* flat addresses reach private memory: all threads have the same base there */
    struct visa_home *inputs; /* of object->inputs */
    uint32_t bti_at[VISA_BTIS], sampler_at[VISA_SAMPLERS]; /* in the parameter space; VISA_NOT_NAMED */
};

/* Decides all that, and fills the function that `b` builds: warp_lanes, local_bytes, required_block, parameters, words,
 * and a symbol for its shared memory. ATOLL_UNSUPPORTED: the description has nothing on this kernel. */
bool visa_launch_make(struct arena *arena, const struct visa_object *object, const struct atoll_module_options *options,
                      const struct visa_used *used, struct lane_builder *b, struct visa_launch *out,
                      struct atoll_error *error);

/* The names of ABIs, NULL at the end (abi.c). */
extern const char *const visa_abis[];

#endif
