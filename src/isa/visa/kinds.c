/* The kinds of fields, and the words of numbers. Sources: docs/visa.md, "Operands in bytes", "LSC". */
#include "isa/visa/rows.h"

#include <string.h>

/* Options of rt_write_3d in the order that their operands have, with their bits. */
static const struct {
    const char *word;
    uint8_t bit;
} targets[] = {{"SI", 11}, {"CPS", 8},  {"RTI", 2}, {"A", 3},   {"O", 4},      {"Z", 5},
               {"ST", 6},  {"LRTW", 7}, {"PS", 9},  {"CM", 10}, {"NULLRT", 12}};
enum { TARGETS = sizeof targets / sizeof *targets };

int visa_target_option(const char *word, size_t length)
{
    for (unsigned i = 0; i < TARGETS; i++)
        if (strlen(targets[i].word) == length && memcmp(targets[i].word, word, length) == 0)
            return targets[i].bit;
    return -1;
}

const char *visa_target_word(unsigned bit)
{
    for (unsigned i = 0; i < TARGETS; i++)
        if (targets[i].bit == bit)
            return targets[i].word;
    return NULL;
}

static const char *const relations[] = {"eq", "ne", "gt", "ge", "lt", "le"};
static const char *const owords[] = {"1", "2", "4", "8", "16"};
static const char *const modified[] = {"", ".modified "};
static const char *const media[] = {"nomod", "modified", "top", "bottom", "top_mod", "bottom_mod"};
static const char *const eltsizes[] = {"1", "2", "4"};
static const char *const counts[] = {"1", "2", "4", "8"};
static const char *const blocks[] = {"1", "4", "8"};
static const char *const channel[] = {"R", "G", "B", "A"};
static const char *const sendc[] = {"", "c"};
static const char *const sends[] = {"", "c", "_eot", "c_eot"};
static const char *const sampling[] = {
    "",      ".pixel_null_mask",      ".cps",      ".pixel_null_mask.cps",
    ".divS", ".pixel_null_mask.divS", ".cps.divS", ".pixel_null_mask.cps.divS",
};
static const char *const avs_output[] = {"AVS_16_FULL", "AVS_16_DOWN_SAMPLE", "AVS_8_FULL", "AVS_8_DOWN_SAMPLE"};
static const char *const avs_exec[] = {"AVS_16x4", "AVS_8x4", "AVS_16x8"};
static const char *const sfids[] = {"ugm", "ugml", "tgm", "slm"};
static const char *const lsc_fences[] = {"none", "evict", "invalidate", "discard", "clean", "flushl3", "type6"};
static const char *const lsc_scopes[] = {"group", "local", "tile", "gpu", "gpus", "sysrel", "sysacq"};

#define WORDS(name, bytes, list)                                                                 \
    {                                                                                            \
        name, VISA_FIELD_NUMBER, VISA_STYLE_WORDS, bytes, sizeof(list) / sizeof *(list), list, 0 \
    }
#define OWN(name, bytes)                                           \
    {                                                              \
        name, VISA_FIELD_NUMBER, VISA_STYLE_OWN, bytes, 0, NULL, 0 \
    }
#define NUMBER(name, style, bytes)                        \
    {                                                     \
        name, VISA_FIELD_NUMBER, style, bytes, 0, NULL, 0 \
    }
#define STRUCTURE(name, code)                      \
    {                                              \
        name, code, VISA_STYLE_NONE, 0, 0, NULL, 0 \
    }

const struct visa_kind visa_kinds[] = {
    STRUCTURE("E", VISA_FIELD_EXEC),
    STRUCTURE("P", VISA_FIELD_PREDICATE),
    STRUCTURE("=", VISA_FIELD_CONSTANT),
    STRUCTURE("#", VISA_FIELD_COUNT),
    STRUCTURE("D", VISA_FIELD_DESTINATION),
    STRUCTURE("V", VISA_FIELD_SOURCE),
    {"W", VISA_FIELD_SOURCE, VISA_STYLE_BARE, 0, 0, NULL, 0},
    {"A", VISA_FIELD_SOURCE, VISA_STYLE_ADDRESS, 0, 0, NULL, 0},
    STRUCTURE("R", VISA_FIELD_RAW),
    STRUCTURE("S", VISA_FIELD_SURFACE),
    STRUCTURE("M", VISA_FIELD_SAMPLER),
    STRUCTURE("L", VISA_FIELD_LABEL),
    STRUCTURE("F", VISA_FIELD_FUNCTION),
    STRUCTURE("N", VISA_FIELD_FILE),
    STRUCTURE("LL", VISA_FIELD_LABELS),
    STRUCTURE("RR", VISA_FIELD_RAWS),
    STRUCTURE("RT", VISA_FIELD_TARGETS),
    NUMBER("u8", VISA_STYLE_DECIMAL, 1),
    NUMBER("u16", VISA_STYLE_DECIMAL, 2),
    NUMBER("u32", VISA_STYLE_DECIMAL, 4),
    NUMBER("x32", VISA_STYLE_HEX, 4),
    WORDS("relation", 1, relations),
    WORDS("owords", 1, owords),
    WORDS("svmowords", 1, owords),
    WORDS("modified", 1, modified),
    WORDS("media", 1, media),
    WORDS("eltsize", 1, eltsizes),
    WORDS("count", 1, counts),
    WORDS("svmblock", 1, blocks),
    WORDS("channel", 1, channel),
    WORDS("sendc", 1, sendc),
    WORDS("sends", 1, sends),
    {"sample", VISA_FIELD_NUMBER, VISA_STYLE_WORDS, 1, 8, sampling, 40},
    {"ffid", VISA_FIELD_NUMBER, VISA_STYLE_DECIMAL, 1, 0, NULL, 36},
    NUMBER("channels", VISA_STYLE_CHANNELS, 1),
    NUMBER("oldchannels", VISA_STYLE_CHANNELS, 1),
    NUMBER("unorm", VISA_STYLE_UNORM, 1),
    NUMBER("oldexec", VISA_STYLE_OLD_EXEC, 1),
    NUMBER("atomic", VISA_STYLE_ATOMIC, 1),
    NUMBER("fence", VISA_STYLE_FENCE, 1),
    NUMBER("dpas", VISA_STYLE_DPAS, 4),
    NUMBER("bfn", VISA_STYLE_HEX, 1),
    WORDS("avsoutput", 1, avs_output),
    WORDS("avsexec", 1, avs_exec),
    NUMBER("rtmode", VISA_STYLE_TARGET, 2),
    NUMBER("lifetime", VISA_STYLE_LIFETIME, 1),
    NUMBER("lifetimevar", VISA_STYLE_VARIABLE, 4),
    WORDS("lscsfid", 1, sfids),
    WORDS("lscfence", 1, lsc_fences),
    WORDS("lscscope", 1, lsc_scopes),
    OWN("lsccache", 1),
    OWN("lscmodel", 1),
    OWN("lscscale", 2),
    OWN("lscoffset", 4),
    OWN("lscasize", 1),
    OWN("lscdata", 1),
    OWN("lscorder", 1),
    OWN("lscelems", 1),
    OWN("lscchannels", 1),
    OWN("lsccount", 1),
    OWN("lscextent", 2),
};
const unsigned visa_nkinds = sizeof visa_kinds / sizeof *visa_kinds;

const char *visa_word(const struct visa_kind *kind, uint64_t value)
{
    return kind->style == VISA_STYLE_WORDS && value < kind->count ? kind->words[value] : NULL;
}
