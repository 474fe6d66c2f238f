/* The objects behind the handles of atoll.h. */
#ifndef ATOLL_API_API_H
#define ATOLL_API_API_H

#include "engine/engine.h"
#include "isa/family.h"

struct atoll_device {
    struct device *device;
    uint64_t limit;                 /* bytes of memory */
    uint64_t surface_bytes;         /* of all surfaces: they count against the limit too */
    struct atoll_surface *surfaces; /* list of all */
    struct atoll_module *modules;   /* list of all */
};

struct atoll_surface {
    struct atoll_device *owner;
    struct atoll_surface *next, **link; /* list of the device */
    struct surface *surface;
    uint64_t address;      /* of the device memory that holds its texels; 0: memory of its own */
    bool lost;             /* that memory was freed: it has no handle and no texels */
    char name[SPACE_NAME]; /* for messages; "": none */
};

struct atoll_kernel {
    struct atoll_module *module;
    uint32_t func;           /* index in the lane module */
    struct program *program; /* made by the first launch */
    bool measured;           /* shared_bytes and dynamic_shared are known */
    uint32_t shared_bytes;
    bool dynamic_shared;
    const char *source_name; /* in C++; NULL: none */
    const char **names;      /* of the parameters in the source; NULL: none is known, "": this one is not */
};

struct atoll_module {
    struct atoll_device *owner;        /* NULL: can be inspected but not run */
    struct atoll_module *next, **link; /* list of the device */
    struct arena arena;                /* everything that lives as long as the module */
    const char *file;                  /* of several sources the names of all: "a, b" */
    struct family_source *sources;
    unsigned nsources;
    const struct family *family; /* of all sources */
    struct front *front;         /* what was written */
    struct lane_module lanes;
    struct atoll_kernel *kernels;
    uint32_t nkernels;
    uint64_t *addresses; /* of symbol n at [n - 1]; 0 = none */
};

/* surface.c: before the allocation at `address` is freed. Surfaces there lose their texels. */
void surfaces_forget(struct atoll_device *device, uint64_t address);
/* Whether the surface still has its texels; `function` is for messages. */
bool surface_alive(const struct atoll_surface *surface, const char *function, struct atoll_error *error);

/* variables.c: memory of the module's variables. */
bool module_allocate(struct atoll_module *module, struct atoll_error *error);
void module_release(struct atoll_module *module);
/* The variable whose memory starts at `address`, or NULL. */
const char *module_owner(const struct atoll_device *device, uint64_t address);

/* module.c: hands a text over to the caller of the library, or frees it when all was not well. */
struct text;
bool api_give(struct text *out, bool ok, char **text, size_t *size, struct atoll_error *error);

/* names.c: what parameters are called in the source. From the debug information of the module. */
bool module_name_parameters(struct atoll_module *module);
/* NULL: not known. */
const char *kernel_source_name(const struct atoll_kernel *kernel, uint32_t parameter);

/* info.c */
void module_info(const struct atoll_module *module, struct text *out);
void module_info_json(const struct atoll_module *module, struct text *out);

#endif
