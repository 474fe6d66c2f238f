/* The verifier of vISA: refuses what Intel's tool refuses after it has read a module, and warns of what the tool takes
 * though it cannot work. Rules: docs/visa.md, "Verdicts". */
#ifndef ATOLL_ISA_VISA_CHECK_H
#define ATOLL_ISA_VISA_CHECK_H

#include "isa/diag.h"
#include "isa/visa/visa.h"

/* In the order in which instructions came: a platform has what those before it have, but for what it lacks. */
enum visa_platform {
    VISA_BDW,
    VISA_SKL,
    VISA_BXT,
    VISA_ICLLP,
    VISA_TGLLP,
    VISA_XEHP_SDV,
    VISA_DG2,
    VISA_MTL,
    VISA_PVC,
    VISA_PVCXT,
    VISA_PLATFORMS
};

enum visa_lack {
    VISA_LACKS_IEEE = 1,      /* exact division and roots: all of double precision, divm and sqrtm of single */
    VISA_LACKS_DIVISION = 2,  /* of integers */
    VISA_LACKS_BF = 4,        /* operands of type bf */
    VISA_LACKS_SWITCH = 8,    /* switchjmp */
    VISA_LACKS_ROTATE64 = 16, /* rol and ror of q and uq */
    VISA_LACKS_SAD = 32,      /* sad2, sad2add */
    VISA_LACKS_SLM_OWORD = 64 /* oword messages to %slm */
};

struct visa_platform_row {
    const char *name; /* as Intel's tool has it */
    uint8_t grf;      /* bytes of a register */
    uint8_t generation;
    uint8_t lacks; /* enum visa_lack */
};
extern const struct visa_platform_row visa_platforms[VISA_PLATFORMS + 1];

/* The platform of a name, in any case; VISA_PLATFORMS: there is none. */
enum visa_platform visa_platform_find(const char *name);

/* Reports on all objects of a module that was read without errors. An instruction that was read from bytes has no
 * place in a text: its message begins with kernel and byte. platform: VISA_PLATFORMS = none in particular: what some
 * machine has is taken, and spellings that the tool does not read are. strict: what the documentation asks of typed
 * atomics and of masks, too. False: no memory. */
bool visa_check(const struct visa_module *module, enum visa_platform platform, bool strict, struct diag *diag);

#endif
