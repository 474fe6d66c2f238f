/* The words that vISA's text reserves, found by name: mnemonics of the rows, and what follows dots. Source:
 * docs/visa.md, "Text". */
#include "isa/visa/lex.h"

#include "base/namemap.h"
#include "base/once.h"

#include <stdlib.h>
#include <string.h>

enum { MNEMONICS = VISA_ROWS + 16, RESERVED = 32 };

struct visa_words {
    struct namemap reserved, dotted, own;
    struct visa_token tokens[MNEMONICS + RESERVED]; /* of reserved words */
    struct visa_mnemonic mnemonics[MNEMONICS];
    char names[MNEMONICS][24]; /* of those that rows name */
    unsigned ntokens, nmnemonics;
};

/* ---- what follows dots ------------------------------------------------------------------------------------ */

#define DOT(class, value)                          \
    {                                              \
        VISA_TOKEN_DOTTED, class, 0, 0, 0, (value) \
    }
static const struct {
    const char *word;
    struct visa_token token;
} dotted[] = {
    {"version", DOT(VISA_DOT_DIRECTIVE, VISA_DIRECTIVE_VERSION)},
    {"kernel", DOT(VISA_DOT_DIRECTIVE, VISA_DIRECTIVE_KERNEL)},
    {"function", DOT(VISA_DOT_DIRECTIVE, VISA_DIRECTIVE_FUNCTION)},
    {"global_function", DOT(VISA_DOT_DIRECTIVE, VISA_DIRECTIVE_GLOBAL_FUNCTION)},
    {"funcdecl", DOT(VISA_DOT_DIRECTIVE, VISA_DIRECTIVE_FUNCDECL)},
    {"decl", DOT(VISA_DOT_DIRECTIVE, VISA_DIRECTIVE_DECL)},
    {"input", DOT(VISA_DOT_DIRECTIVE, VISA_DIRECTIVE_INPUT)},
    {"parameter", DOT(VISA_DOT_DIRECTIVE, VISA_DIRECTIVE_PARAMETER)},
    {"kernel_attr", DOT(VISA_DOT_DIRECTIVE, VISA_DIRECTIVE_KERNEL_ATTR)},
    {"file", DOT(VISA_DOT_DIRECTIVE, VISA_DIRECTIVE_FILE)},
    {"loc", DOT(VISA_DOT_DIRECTIVE, VISA_DIRECTIVE_LOC)},
    {"add", DOT(VISA_DOT_ATOMIC, 0)},
    {"sub", DOT(VISA_DOT_ATOMIC, 1)},
    {"inc", DOT(VISA_DOT_ATOMIC, 2)},
    {"dec", DOT(VISA_DOT_ATOMIC, 3)},
    {"min", DOT(VISA_DOT_ATOMIC, 4)},
    {"max", DOT(VISA_DOT_ATOMIC, 5)},
    {"xchg", DOT(VISA_DOT_ATOMIC, 6)},
    {"cmpxchg", DOT(VISA_DOT_ATOMIC, 7)},
    {"and", DOT(VISA_DOT_ATOMIC, 8)},
    {"or", DOT(VISA_DOT_ATOMIC, 9)},
    {"xor", DOT(VISA_DOT_ATOMIC, 10)},
    {"minsint", DOT(VISA_DOT_ATOMIC, 11)},
    {"maxsint", DOT(VISA_DOT_ATOMIC, 12)},
    {"fmax", DOT(VISA_DOT_ATOMIC, 16)},
    {"fmin", DOT(VISA_DOT_ATOMIC, 17)},
    {"fcmpwr", DOT(VISA_DOT_ATOMIC, 18)},
    {"fadd", DOT(VISA_DOT_ATOMIC, 19)},
    {"fsub", DOT(VISA_DOT_ATOMIC, 20)},
    {"sat", DOT(VISA_DOT_SAT, 0)},
    {"eq", DOT(VISA_DOT_RELATION, 0)},
    {"ne", DOT(VISA_DOT_RELATION, 1)},
    {"gt", DOT(VISA_DOT_RELATION, 2)},
    {"ge", DOT(VISA_DOT_RELATION, 3)},
    {"lt", DOT(VISA_DOT_RELATION, 4)},
    {"le", DOT(VISA_DOT_RELATION, 5)},
    {"EQ", DOT(VISA_DOT_BAD_RELATION, 0)},
    {"NE", DOT(VISA_DOT_BAD_RELATION, 1)},
    {"GT", DOT(VISA_DOT_BAD_RELATION, 2)},
    {"GE", DOT(VISA_DOT_BAD_RELATION, 3)},
    {"LT", DOT(VISA_DOT_BAD_RELATION, 4)},
    {"LE", DOT(VISA_DOT_BAD_RELATION, 5)},
    {"nomod", DOT(VISA_DOT_MEDIA, 0)},
    {"modified", DOT(VISA_DOT_MEDIA, 1)},
    {"top", DOT(VISA_DOT_MEDIA, 2)},
    {"bottom", DOT(VISA_DOT_MEDIA, 3)},
    {"top_mod", DOT(VISA_DOT_MEDIA, 4)},
    {"bottom_mod", DOT(VISA_DOT_MEDIA, 5)},
    {"mod", DOT(VISA_DOT_MOD, 1)},
    {"df", DOT(VISA_DOT_CACHE, 0)},
    {"uc", DOT(VISA_DOT_CACHE, 1)},
    {"ca", DOT(VISA_DOT_CACHE, 2)},
    {"wb", DOT(VISA_DOT_CACHE, 3)},
    {"wt", DOT(VISA_DOT_CACHE, 4)},
    {"st", DOT(VISA_DOT_CACHE, 5)},
    {"ri", DOT(VISA_DOT_CACHE, 6)},
    {"none", DOT(VISA_DOT_FENCE, 0)},
    {"evict", DOT(VISA_DOT_FENCE, 1)},
    {"invalidate", DOT(VISA_DOT_FENCE, 2)},
    {"discard", DOT(VISA_DOT_FENCE, 3)},
    {"clean", DOT(VISA_DOT_FENCE, 4)},
    {"flushl3", DOT(VISA_DOT_FENCE, 5)},
    {"type6", DOT(VISA_DOT_FENCE, 6)},
    {"group", DOT(VISA_DOT_SCOPE, 0)},
    {"local", DOT(VISA_DOT_SCOPE, 1)},
    {"tile", DOT(VISA_DOT_SCOPE, 2)},
    {"gpu", DOT(VISA_DOT_SCOPE, 3)},
    {"gpus", DOT(VISA_DOT_SCOPE, 4)},
    {"sysrel", DOT(VISA_DOT_SCOPE, 5)},
    {"sysacq", DOT(VISA_DOT_SCOPE, 6)},
    {"ugm", DOT(VISA_DOT_UNTYPED, 0)},
    {"ugml", DOT(VISA_DOT_UNTYPED, 1)},
    {"tgm", DOT(VISA_DOT_TYPED, 2)},
    {"slm", DOT(VISA_DOT_UNTYPED, 3)},
    {"any", DOT(VISA_DOT_CONTROL, VISA_PRED_ANY)},
    {"all", DOT(VISA_DOT_CONTROL, VISA_PRED_ALL)},
    {"pixel_null_mask", DOT(VISA_DOT_PIXEL_NULL, 0)},
    {"cps", DOT(VISA_DOT_CPS, 0)},
    {"divS", DOT(VISA_DOT_DIVS, 0)},
};
enum { DOTTED = sizeof dotted / sizeof *dotted };

/* ---- words without dots ----------------------------------------------------------------------------------- */

#define WORD(kind, value)         \
    {                             \
        kind, 0, 0, 0, 0, (value) \
    }
static const struct {
    const char *word;
    struct visa_token token;
} reserved[] = {
    {"asin", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_WORD)},
    {"acos", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_WORD)},
    {"atan", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_WORD)},
    {"lsc_ccs_update", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_WORD)},
    {"lsc_apndctr_atomic_add", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_WORD)},
    {"lsc_apndctr_atomic_sub", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_WORD)},
    {"flat", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_MODEL | 1 << 8)},
    {"bss", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_MODEL | 2 << 8)},
    {"ss", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_MODEL | 3 << 8)},
    {"bti", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_MODEL | 4 << 8)},
    {"arg", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_MODEL | 5 << 8)},
    {"AVS_16_FULL", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_AVS_OUTPUT)},
    {"AVS_16_DOWN_SAMPLE", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_AVS_OUTPUT | 1 << 8)},
    {"AVS_8_FULL", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_AVS_OUTPUT | 2 << 8)},
    {"AVS_8_DOWN_SAMPLE", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_AVS_OUTPUT | 3 << 8)},
    {"AVS_4x4", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_AVS_EXEC | 255 << 8)},
    {"AVS_4x8", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_AVS_EXEC | 255 << 8)},
    {"AVS_8x4", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_AVS_EXEC | 1 << 8)},
    {"AVS_8x8", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_AVS_EXEC | 255 << 8)},
    {"AVS_16x4", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_AVS_EXEC)},
    {"AVS_16x8", WORD(VISA_TOKEN_RESERVED, VISA_RESERVED_AVS_EXEC | 2 << 8)},
};

/* Words that say more than their row: another word for it, and a number. */
static const struct {
    const char *word;
    enum visa_row_id row;
    uint8_t preset;
    bool own;
} presets[] = {
    {"fence_global", VISA_ROW_fence, 0, false},       {"fence_local", VISA_ROW_fence, 0x20, false},
    {"fence_sw", VISA_ROW_fence, 0x80, false},        {"raw_send", VISA_ROW_raw_send, 0, false},
    {"raw_sendc", VISA_ROW_raw_send, 1, false},       {"raw_sends", VISA_ROW_raw_sends, 0, false},
    {"raw_sendsc", VISA_ROW_raw_sends, 1, false},     {"raw_sends_eot", VISA_ROW_raw_sends, 2, false},
    {"raw_sendsc_eot", VISA_ROW_raw_sends, 3, false}, {"lifetime.start", VISA_ROW_lifetime, 0, false},
    {"lifetime.end", VISA_ROW_lifetime, 1, false},    {"fccall", VISA_ROW_call, VISA_LABEL_FC, false},
    {"TYPED_ATOMIC", VISA_ROW_typed_atomic, 0, true},
};

/* Rows whose names Intel's tool reads as names of variables. */
static bool own_row(enum visa_row_id row)
{
    return row == VISA_ROW_sample_lod || row == VISA_ROW_vme_idm;
}

/* ---- the table -------------------------------------------------------------------------------------------- */

static bool mnemonic_add(struct visa_words *words, struct visa_mnemonic mnemonic)
{
    unsigned at = words->nmnemonics++;
    words->mnemonics[at] = mnemonic;
    if (mnemonic.own)
        return namemap_add(&words->own, mnemonic.word, strlen(mnemonic.word), at);
    words->tokens[words->ntokens] = (struct visa_token)WORD(VISA_TOKEN_MNEMONIC, at);
    return namemap_add(&words->reserved, mnemonic.word, strlen(mnemonic.word), words->ntokens++);
}

/* dpas and bfn are words only with what is after their dot. */
static bool keeps_dot(const struct visa_form *form)
{
    enum visa_row_id row = visa_row_id(form->row);
    return row == VISA_ROW_dpas || row == VISA_ROW_dpasw || row == VISA_ROW_bfn;
}

/* The first word of a row's text, with dots that are of it: "nbarrier.wait". */
static size_t first_word(const struct visa_form *form, const char **word, bool *typed)
{
    unsigned i = 0;
    while (i < form->npieces && form->pieces[i].code == VISA_PIECE_OWN)
        i++;
    if (i == form->npieces || form->pieces[i].code != VISA_PIECE_LITERAL || form->pieces[i].text[0] == '.')
        return 0;
    size_t length = form->pieces[i].length;
    *word = form->pieces[i].text;
    *typed = length > 4 && memcmp(*word + length - 4, ".tgm", 4) == 0;
    if (*typed)
        return length - 4;
    return (*word)[length - 1] == '.' && !keeps_dot(form) ? length - 1 : length;
}

static bool row_add(struct visa_words *words, const struct visa_form *form, enum visa_row_id row)
{
    const char *word = "";
    bool typed = false;
    size_t length = first_word(form, &word, &typed);
    for (unsigned i = 0; i < sizeof presets / sizeof *presets; i++)
        if (presets[i].row == row && !presets[i].own && row != VISA_ROW_call)
            return true;
    if (length == 0 || length >= sizeof words->names[0])
        return length == 0;
    uint32_t token = namemap_find(&words->reserved, word, length);
    if (token != UINT32_MAX) {
        struct visa_mnemonic *known = &words->mnemonics[words->tokens[token].value];
        *(typed ? &known->typed : &known->form) = form;
        return true;
    }
    char *name = words->names[words->nmnemonics];
    memcpy(name, word, length);
    return mnemonic_add(words, (struct visa_mnemonic){name, typed ? NULL : form, typed ? form : NULL, 0, own_row(row)});
}

static bool fill(struct visa_words *words, const struct visa_table *table)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < VISA_ROWS; i++)
        ok = row_add(words, &table->forms[i], (enum visa_row_id)i);
    for (unsigned i = 0; ok && i < sizeof presets / sizeof *presets; i++)
        ok = mnemonic_add(words, (struct visa_mnemonic){presets[i].word, &table->forms[presets[i].row], NULL,
                                                        presets[i].preset, presets[i].own});
    for (unsigned i = 0; ok && i < sizeof reserved / sizeof *reserved; i++) {
        words->tokens[words->ntokens] = reserved[i].token;
        ok = namemap_add(&words->reserved, reserved[i].word, strlen(reserved[i].word), words->ntokens++);
    }
    for (unsigned i = 0; ok && i < DOTTED; i++)
        ok = namemap_add(&words->dotted, dotted[i].word, strlen(dotted[i].word), i);
    return ok;
}

static void words_free(struct visa_words *words)
{
    if (!words)
        return;
    namemap_free(&words->reserved);
    namemap_free(&words->dotted);
    namemap_free(&words->own);
    free(words);
}

const struct visa_words *visa_words(struct atoll_error *error)
{
    MADE_ONCE(struct visa_words) made;
    struct visa_words *words = once_get(made), *first;
    const struct visa_table *table = words ? NULL : visa_table(error);
    if (words || !table)
        return words;
    words = calloc(1, sizeof *words);
    if (!words || !fill(words, table)) {
        error_memory(error);
        words_free(words);
        return NULL;
    }
    if (once_keep(made, words, first))
        return words;
    words_free(words);
    return first;
}

const struct visa_token *visa_words_find(const struct visa_words *words, const char *word, size_t length)
{
    uint32_t at = namemap_find(&words->reserved, word, length);
    return at == UINT32_MAX ? NULL : &words->tokens[at];
}

const struct visa_token *visa_words_dotted(const struct visa_words *words, const char *word, size_t length)
{
    uint32_t at = namemap_find(&words->dotted, word, length);
    return at == UINT32_MAX ? NULL : &dotted[at].token;
}

const struct visa_mnemonic *visa_mnemonic_at(const struct visa_words *words, uint64_t index)
{
    return &words->mnemonics[index];
}

struct nearest visa_mnemonic_nearest(const struct visa_words *words, const char *word, size_t length)
{
    struct nearest nearest = nearest_to(word, length);
    for (unsigned i = 0; i < words->nmnemonics; i++)
        nearest_try(&nearest, words->mnemonics[i].word);
    return nearest;
}

const struct visa_mnemonic *visa_mnemonic_own(const struct visa_words *words, const char *word, size_t length)
{
    uint32_t at = namemap_find(&words->own, word, length);
    return at == UINT32_MAX ? NULL : &words->mnemonics[at];
}
