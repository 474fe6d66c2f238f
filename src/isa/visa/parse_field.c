/* Fields of vISA's instructions as text: which operands a place takes, numbers and their words, labels, lists. */
#include "isa/visa/atomics.h"
#include "isa/visa/parse_inner.h"

#include "base/chars.h"

#include <string.h>
#include <strings.h>

#define BIT(class) (1u << (class))
enum {
    G = BIT(VISA_GENERAL),
    A = BIT(VISA_ADDRESS),
    P = BIT(VISA_PREDICATE),
    I = BIT(VISA_INDIRECT),
    AO = BIT(VISA_ADDRESS_OF),
    IMM = BIT(VISA_IMMEDIATE),
    ST = BIT(VISA_STATE),
};

/* ---- what operands a place takes -------------------------------------------------------------------------- */

/* Where it is not the usual: destinations general or indirect, sources those and immediates. */
static const struct {
    enum visa_row_id row;
    const char *role;
    unsigned classes;
} unusual[] = {
    {VISA_ROW_mov, "dst", G | I | A},       {VISA_ROW_mov, "a", G | I | IMM | A | AO | P},
    {VISA_ROW_movs, "dst", G | ST},         {VISA_ROW_movs, "a", G | I | IMM | ST},
    {VISA_ROW_addr_add, "dst", A},          {VISA_ROW_addr_add, "a", G | A | AO},
    {VISA_ROW_addr_add, "b", G | IMM | AO}, {VISA_ROW_setp, "dst", P},
    {VISA_ROW_cmp, "dst", P | G | I},       {VISA_ROW_fcvt, "dst", G},
    {VISA_ROW_fcvt, "a", G | IMM},          {VISA_ROW_line, "a", G},
    {VISA_ROW_wait, "mask", G | IMM},       {VISA_ROW_raw_send, "desc", G | IMM},
    {VISA_ROW_raw_sends, "desc", G | IMM},  {VISA_ROW_raw_sends, "exdesc", G | IMM},
};

/* The second operand depends on the first: predicates go with predicates, states with what they come from. */
unsigned visa_text_classes(const struct visa_row *row, const struct visa_inst *inst, const struct visa_field *field)
{
    bool destination = field->kind->code == VISA_FIELD_DESTINATION;
    unsigned classes = destination ? G | I : G | I | IMM;
    enum visa_row_id id = visa_row_id(row);
    if (row->is & VISA_IS_LOGIC)
        return destination ? G | I | P : inst->ops[0].class == VISA_PREDICATE ? P : classes;
    for (unsigned i = 0; i < sizeof unusual / sizeof *unusual; i++)
        if (unusual[i].row == id && strcmp(unusual[i].role, field->role) == 0)
            classes = unusual[i].classes;
    if (id == VISA_ROW_mov && !destination && inst->ops[0].class == VISA_ADDRESS)
        classes &= ~(unsigned)P;
    if (id == VISA_ROW_movs && !destination && inst->ops[0].class == VISA_GENERAL)
        classes = ST;
    return classes;
}

/* ---- numbers ---------------------------------------------------------------------------------------------- */

static bool take_dotted(struct visa_parser *p, enum visa_dotted class, const char *wanted, uint64_t *value)
{
    if (!visa_is_dotted(p, class))
        return visa_wanted(p, wanted);
    *value = p->token.value;
    visa_next(p);
    return true;
}

static bool relation(struct visa_parser *p, uint64_t *value)
{
    if (visa_is_dotted(p, VISA_DOT_BAD_RELATION))
        return visa_wrong_at(p, "syntax", p->token.pos, p->token.length, "relations are written in lower case");
    return take_dotted(p, VISA_DOT_RELATION, "a relation: .eq, .ne, .gt, .ge, .lt or .le", value);
}

/* ".4": a dot and one of the words, which are numbers. */
static bool dotted_word(struct visa_parser *p, const struct visa_kind *kind, uint64_t *value)
{
    if (!visa_expect(p, '.'))
        return false;
    struct visa_token t = p->token;
    for (unsigned i = 0; i < kind->count && t.kind == VISA_TOKEN_DECIMAL; i++)
        if (strlen(kind->words[i]) == t.length && memcmp(kind->words[i], visa_text_of(p, &t), t.length) == 0) {
            *value = i;
            visa_next(p);
            return true;
        }
    char wanted[64] = "one of";
    for (unsigned i = 0; i < kind->count && strlen(wanted) + strlen(kind->words[i]) + 2 < sizeof wanted; i++)
        strcat(strcat(wanted, " "), kind->words[i]);
    return visa_wanted(p, wanted);
}

/* A count of owords is where others have their execution size; a mask before it says nothing. */
static bool owords(struct visa_parser *p, uint64_t *value)
{
    uint8_t exec;
    uint32_t pos = p->token.pos;
    if (!visa_read_exec(p, &exec))
        return false;
    *value = exec & 7;
    return *value < 5 || visa_wrong_at(p, "range", pos, p->previous - pos, "32 owords: 1, 2, 4, 8 or 16");
}

static bool channel(struct visa_parser *p, uint64_t *value)
{
    uint64_t mask = 0;
    struct visa_token t = p->token;
    if (!take_dotted(p, VISA_DOT_CHANNELS, "a channel: .R, .G, .B or .A", &mask))
        return false;
    for (*value = 0; *value < 4; ++*value)
        if (mask == 1u << *value)
            return true;
    return visa_wrong_at(p, "syntax", t.pos, t.length, "several channels: one of .R, .G, .B and .A");
}

/* What a sampler's instruction says before its channels; each has those that its row's words have. */
static bool sampling(struct visa_parser *p, const struct visa_reading *r, uint64_t *value)
{
    static const enum visa_dotted flags[] = {VISA_DOT_PIXEL_NULL, VISA_DOT_CPS, VISA_DOT_DIVS};
    unsigned count = r->form->row->opcode == visa_rows[VISA_ROW_sample_3d].opcode ? 3 : 1;
    for (unsigned i = 0; i < count; i++)
        if (visa_is_dotted(p, flags[i])) {
            *value |= (uint64_t)1 << i;
            visa_next(p);
        }
    return true;
}

static bool sfid(struct visa_parser *p, uint64_t *value)
{
    bool typed = visa_is_dotted(p, VISA_DOT_TYPED);
    return take_dotted(p, typed ? VISA_DOT_TYPED : VISA_DOT_UNTYPED, "a memory: .ugm, .ugml, .tgm or .slm", value);
}

/* .mod, which Intel's tool reads and does not store; .modified, Atoll's word for what bytes can say. */
static bool modified(struct visa_parser *p, uint64_t *value)
{
    bool own = visa_is_dotted(p, VISA_DOT_MEDIA) && p->token.value == 1;
    if (own)
        p->spelling = VISA_SPELLED_OWN;
    *value = own;
    if (own || visa_is_dotted(p, VISA_DOT_MOD))
        visa_next(p);
    return true;
}

static bool avs_word(struct visa_parser *p, enum visa_reserved which, uint64_t *value)
{
    if (!visa_is(p, VISA_TOKEN_RESERVED) || (p->token.value & 255) != which || p->token.value >> 8 == 255)
        return visa_wanted(p, which == VISA_RESERVED_AVS_EXEC ? "AVS_16x4, AVS_8x4 or AVS_16x8"
                                                              : "AVS_16_FULL, AVS_16_DOWN_SAMPLE, AVS_8_FULL or "
                                                                "AVS_8_DOWN_SAMPLE");
    *value = p->token.value >> 8;
    visa_next(p);
    return true;
}

static bool word_number(struct visa_parser *p, const struct visa_reading *r, const struct visa_kind *kind,
                        uint64_t *value)
{
    const char *name = kind->name;
    if (strcmp(name, "relation") == 0)
        return relation(p, value);
    if (strcmp(name, "count") == 0 || strcmp(name, "eltsize") == 0 || strcmp(name, "svmblock") == 0)
        return dotted_word(p, kind, value);
    if (strcmp(name, "sample") == 0)
        return sampling(p, r, value);
    if (strcmp(name, "channel") == 0)
        return channel(p, value);
    if (strcmp(name, "owords") == 0 || strcmp(name, "svmowords") == 0)
        return owords(p, value);
    if (strcmp(name, "modified") == 0)
        return modified(p, value);
    if (strcmp(name, "media") == 0)
        return take_dotted(p, VISA_DOT_MEDIA, "a mode: .nomod, .modified, .top, .bottom, .top_mod or .bottom_mod",
                           value);
    if (strcmp(name, "lscsfid") == 0)
        return sfid(p, value);
    if (strcmp(name, "lscfence") == 0)
        return take_dotted(p, VISA_DOT_FENCE,
                           "what the fence does: .none, .evict, .invalidate, .discard, .clean, .flushl3 or .type6",
                           value);
    if (strcmp(name, "lscscope") == 0)
        return take_dotted(p, VISA_DOT_SCOPE, "a scope: .group, .local, .tile, .gpu, .gpus, .sysrel or .sysacq", value);
    if (strcmp(name, "avsoutput") == 0)
        return avs_word(p, VISA_RESERVED_AVS_OUTPUT, value);
    if (strcmp(name, "avsexec") == 0)
        return avs_word(p, VISA_RESERVED_AVS_EXEC, value);
    *value = r->mnemonic->preset; /* raw_sendc, raw_sends_eot */
    return true;
}

/* ---- atomics ---------------------------------------------------------------------------------------------- */

/* "op14": a code that has no name; VISA_ATOMICS: it is none. */
static unsigned reserved_atomic(const char *text, size_t length)
{
    unsigned number = 0;
    if (length < 3 || length > 4 || memcmp(text, "op", 2) != 0)
        return VISA_ATOMICS;
    for (size_t i = 2; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return VISA_ATOMICS;
        number = number * 10 + (unsigned)(text[i] - '0');
    }
    return number < VISA_ATOMICS && !visa_atomics[number].name ? number : VISA_ATOMICS;
}

/* Names that Intel's tool does not read: of its documentation, which upper case is too, and Atoll's own. */
static bool atomic_own(struct visa_parser *p, const char *text, size_t length, bool upper, uint64_t *value)
{
    enum { PREDEC = 13 };
    unsigned op = visa_atomic_named(visa_atomics, text, length, upper);
    bool page = upper || (op < VISA_ATOMICS && op != PREDEC);
    if (!upper && op == VISA_ATOMICS)
        op = reserved_atomic(text, length);
    if (op == VISA_ATOMICS)
        return false;
    *value = op;
    p->spelling = page ? VISA_SPELLED_PAGE : VISA_SPELLED_OWN;
    return true;
}

/* A word after a dot, whatever Intel's tool would take it for. */
static bool dotted_text(const struct visa_parser *p, const char **text, size_t *length)
{
    const char *at = visa_text_of(p, &p->token), *end = p->lexer.end;
    if (at == end || *at != '.')
        return false;
    *text = ++at;
    while (at < end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9')))
        at++;
    *length = (size_t)(at - *text);
    return *length != 0;
}

static bool atomic_operation(struct visa_parser *p, const struct visa_reading *r, uint64_t *value)
{
    const char *text;
    size_t length;
    if (visa_is_dotted(p, VISA_DOT_ATOMIC) && !r->mnemonic->own) {
        *value = p->token.value;
        visa_next(p);
        return true;
    }
    if (dotted_text(p, &text, &length) && atomic_own(p, text, length, r->mnemonic->own, value)) {
        p->lexer.at = text + length;
        p->token.length = (uint32_t)length + 1;
        visa_next(p);
        return true;
    }
    return visa_wanted(p, r->mnemonic->own
                              ? "an operation: .ADD, .SUB, .INC, .DEC, .MIN, .MAX, .XCHG, .CMPXCHG, .AND, .OR, .XOR, "
                                ".IMIN, .IMAX, .PREDEC, .FMAX, .FMIN or .FCMPWR"
                              : "an operation: .add, .sub, .inc, .dec, .min, .max, .xchg, .cmpxchg, .and, .or, .xor, "
                                ".minsint, .maxsint, .fmax, .fmin, .fcmpwr, .fadd or .fsub");
}

/* .16, of svm_atomic .32 and .64 too: bits 5 and 6. */
static bool atomic_width(struct visa_parser *p, const struct visa_reading *r, uint64_t *value)
{
    bool svm = r->form->row == &visa_rows[VISA_ROW_svm_atomic];
    const char *text;
    size_t length;
    if (dotted_text(p, &text, &length) && length == 6 && memcmp(text, "width", 5) == 0 && text[5] >= '3' &&
        text[5] <= '7') {
        *value |= (uint64_t)(text[5] - '0') << 5;
        p->lexer.at = text + length;
        p->token.length = (uint32_t)length + 1;
        p->spelling = VISA_SPELLED_OWN;
        visa_next(p);
        return true;
    }
    if (!visa_accept(p, '.'))
        return true;
    struct visa_token t = p->token;
    if (t.kind != VISA_TOKEN_DECIMAL || (t.value != 16 && t.value != 64 && (t.value != 32 || !svm)))
        return visa_wanted(p, svm ? "16, 32 or 64 bits" : "16 bits");
    if (t.value == 64 && !svm)
        p->spelling = VISA_SPELLED_OWN;
    *value |= t.value == 16 ? 32u : t.value == 64 ? 64u : 0u;
    visa_next(p);
    return true;
}

/* ---- other numbers ---------------------------------------------------------------------------------------- */

/* s8.s8.8.8 of the mnemonic itself. */
static uint64_t dpas_options(const struct visa_parser *p, const struct visa_token *word)
{
    static const char *const names[] = {"", "u1", "s1", "u2", "s2", "u4", "s4", "u8", "s8", "bf", "hf", "tf32"};
    static const uint8_t codes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const char *at = visa_text_of(p, word), *end = at + word->length;
    uint64_t value = 0;
    at = memchr(at, '.', word->length);
    for (unsigned i = 0; i < 2 && at; i++) {
        const char *next = memchr(at + 1, '.', (size_t)(end - at - 1));
        for (unsigned n = 1; next && n < sizeof names / sizeof *names; n++)
            if (strlen(names[n]) == (size_t)(next - at - 1) && strncasecmp(names[n], at + 1, strlen(names[n])) == 0)
                value |= (uint64_t)codes[n] << (8 * i);
        at = next;
    }
    return at ? value | (uint64_t)(at[1] - '0') << 16 | (uint64_t)(at[3] - '0') << 24 : 0;
}

/* The digits after bfn.x: the last two count. */
static uint64_t bfn_table(const struct visa_parser *p, const struct visa_token *word)
{
    const char *at = visa_text_of(p, word);
    struct digits digits;
    digits_read(at + 5, at + word->length, 16, &digits);
    return digits.value & 255;
}

static bool hex_number(struct visa_parser *p, const struct visa_reading *r, const struct visa_kind *kind,
                       uint64_t *value)
{
    if (kind->bytes == 1) {
        *value = bfn_table(p, &r->word);
        return r->word.length <= 21 || visa_wrong_at(p, "range", r->word.pos, r->word.length, "a table of 8 bits");
    }
    if (!visa_is(p, VISA_TOKEN_HEX))
        return visa_wanted(p, "a hexadecimal number");
    *value = p->token.value & UINT32_MAX;
    visa_next(p);
    return true;
}

/* Widths and heights of media blocks are expressions, other counts digits. */
static bool decimal_number(struct visa_parser *p, const struct visa_field *field, bool dotted, uint64_t *value)
{
    uint64_t most = field->kind->bytes == 1 ? UINT8_MAX : field->kind->bytes == 2 ? UINT16_MAX : UINT32_MAX;
    int64_t number;
    if (strcmp(field->role, "width") == 0 || strcmp(field->role, "height") == 0) {
        uint32_t pos = p->token.pos;
        if (!visa_number(p, &number))
            return false;
        *value = (uint64_t)number;
        return number >= 0 && number <= UINT8_MAX
                   ? true
                   : visa_wrong_at(p, "range", pos, p->previous - pos, "a %s of %lld: 0 to 255", field->role,
                                   (long long)number);
    }
    if (dotted && !visa_expect(p, '.'))
        return false;
    uint32_t pos = p->token.pos;
    if (!visa_digits(p, "a number", UINT64_MAX, value))
        return false;
    uint64_t kept = *value & most;
    bool sign = most == UINT32_MAX && (int64_t)*value == (int32_t)*value; /* digits are read with a sign */
    if (kept != *value && !sign)
        visa_warn(p, "range", pos, p->previous - pos, "at most %llu: it is taken as %llu, as Intel's tool does",
                  (unsigned long long)most, (unsigned long long)kept);
    *value = kept;
    return true;
}

/* The plane of a media block may be left out: then a source is here, whose type comes next. */
static bool plane(struct visa_parser *p, uint64_t *value)
{
    struct visa_lexer before = p->lexer;
    struct visa_token t = p->token;
    if (!visa_is(p, VISA_TOKEN_DECIMAL))
        return true;
    visa_next(p);
    if (visa_is(p, VISA_TOKEN_TYPE)) {
        p->lexer = before;
        p->token = t;
        return true;
    }
    *value = t.value;
    return t.value <= 15 || visa_wrong_at(p, "range", t.pos, t.length, "a plane: 0 to 15");
}

/* The first samplers have a width of their own: (8), (16), (32). */
static bool old_channels(struct visa_parser *p, const struct visa_kind *kind, uint64_t *value)
{
    uint64_t width = 0;
    if (!take_dotted(p, VISA_DOT_CHANNELS, "channels: letters of .RGBA", value) ||
        strcmp(kind->name, "oldchannels") != 0 || !visa_accept(p, '('))
        return !p->wrong;
    uint32_t pos = p->token.pos;
    if (!visa_digits(p, "8, 16 or 32 channels", UINT64_MAX, &width) || !visa_expect(p, ')'))
        return false;
    if (width != 8 && width != 16 && width != 32)
        return visa_wrong_at(p, "range", pos, 1, "%llu channels: 8, 16 or 32", (unsigned long long)width);
    *value |= width == 16 ? 16u : 0u;
    return true;
}

static bool unorm(struct visa_parser *p, uint64_t *value)
{
    uint64_t layout = 0;
    bool ok =
        take_dotted(p, VISA_DOT_CHANNELS, "channels: letters of .RGBA", value) &&
        take_dotted(p, VISA_DOT_OUTPUT, "a layout: .16-full, .16-downsampled, .8-full or .8-downsampled", &layout);
    *value |= layout << 4;
    return ok;
}

static bool fence(struct visa_parser *p, const struct visa_reading *r, uint64_t *value)
{
    *value = r->mnemonic->preset;
    if (*value != 0x80 && visa_is_dotted(p, VISA_DOT_OPTIONS)) {
        *value |= p->token.value;
        visa_next(p);
    }
    return true;
}

/* The byte of the first gathers: 8 channels are 0, 16 are 1, 1 is 2. */
static bool old_exec(struct visa_parser *p, uint64_t *value)
{
    static const int8_t codes[] = {2, -1, -1, 0, 1, -1, -1, -1};
    uint8_t exec;
    uint32_t pos = p->token.pos;
    if (!visa_read_exec(p, &exec))
        return false;
    if (codes[exec & 7] < 0)
        return visa_wrong_at(p, "exec-size", pos, p->previous - pos, "an execution size of %u: 1, 8 or 16",
                             visa_exec_channels(exec));
    *value = (exec & 0xF0u) | (uint8_t)codes[exec & 7];
    return true;
}

/* Whose lifetime: bits 4 and 5 of the first number say of which space it is. */
static bool lifetime_variable(struct visa_parser *p, struct visa_inst *inst, uint64_t *value)
{
    struct visa_token t = p->token;
    if (!visa_is(p, VISA_TOKEN_NAME))
        return visa_wanted(p, "a variable's name");
    visa_next(p);
    const struct visa_symbol *symbol = visa_variable(p, &t, VISA_G);
    if (!symbol)
        return !p->wrong && visa_wrong_name(p, &t, "undefined", "is not declared");
    if (symbol->space > VISA_P)
        return visa_wrong_name(p, &t, "wrong-kind", "is no general or address variable or predicate");
    inst->ops[0].value |= (uint64_t)symbol->space << 4;
    *value = symbol->index;
    return true;
}

/* .<SI><RTI>: what rt_write_3d has besides colours. */
static bool target_mode(struct visa_parser *p, uint64_t *value)
{
    if (!visa_is_dotted(p, VISA_DOT_TARGET))
        return true;
    const char *at = visa_text_of(p, &p->token) + 1, *end = at + p->token.length - 1;
    while (at < end) {
        size_t length = (size_t)((const char *)memchr(at, '>', (size_t)(end - at)) - at) - 1;
        int bit = visa_target_option(at + 1, length);
        if (bit < 0)
            visa_warn(p, "dropped", (uint32_t)(at - p->lexer.start), (uint32_t)length + 2,
                      "no option of rt_write_3d; they are <SI> <CPS> <RTI> <A> <O> <Z> <ST> <LRTW> <PS> <CM> <NULLRT>");
        else
            *value |= (uint64_t)1 << bit;
        at += length + 2;
    }
    visa_next(p);
    return true;
}

static bool number(struct visa_parser *p, const struct visa_reading *r, const struct visa_field *field, bool dotted,
                   struct visa_inst *inst)
{
    uint64_t *value = &inst->ops[field->operand].value;
    switch ((enum visa_style)field->kind->style) {
    case VISA_STYLE_WORDS:
        return word_number(p, r, field->kind, value);
    case VISA_STYLE_CHANNELS:
        return old_channels(p, field->kind, value);
    case VISA_STYLE_UNORM:
        return unorm(p, value);
    case VISA_STYLE_ATOMIC:
        return atomic_operation(p, r, value) && atomic_width(p, r, value);
    case VISA_STYLE_FENCE:
        return fence(p, r, value);
    case VISA_STYLE_DPAS:
        *value = dpas_options(p, &r->word);
        return true;
    case VISA_STYLE_OLD_EXEC:
        return old_exec(p, value);
    case VISA_STYLE_VARIABLE:
        return lifetime_variable(p, inst, value);
    case VISA_STYLE_LIFETIME:
        *value = r->mnemonic->preset;
        return true;
    case VISA_STYLE_HEX:
        return hex_number(p, r, field->kind, value);
    case VISA_STYLE_TARGET:
        return target_mode(p, value);
    default:
        if (strcmp(field->role, "plane") == 0)
            return plane(p, value);
        return decimal_number(p, field, dotted, value);
    }
}

/* ---- labels, strings, lists ------------------------------------------------------------------------------- */

static bool read_label(struct visa_parser *p, const struct visa_reading *r, struct visa_operand *op)
{
    bool function = r->form->row == &visa_rows[VISA_ROW_call];
    enum visa_label_kind kind = !function             ? VISA_LABEL_BLOCK
                                : r->mnemonic->preset ? VISA_LABEL_FC
                                                      : VISA_LABEL_SUBROUTINE;
    const char *text;
    size_t length;
    uint32_t pos = p->token.pos;
    if (!visa_name_or_string(p, &text, &length))
        return false;
    op->class = VISA_LABEL;
    op->pos = pos;
    op->length = p->previous - pos;
    op->id = visa_label(p, text, length, pos, kind, function);
    return op->id != VISA_NONE;
}

/* A string of the object by its number. */
static bool read_string(struct visa_parser *p, const struct visa_reading *r, bool file, struct visa_operand *op)
{
    const char *text;
    size_t length;
    if (file && !visa_is(p, VISA_TOKEN_STRING))
        return visa_wanted(p, "a file's name as a string");
    if (r->form->row == &visa_rows[VISA_ROW_fcall] && !visa_is(p, VISA_TOKEN_NAME))
        return visa_wanted(p, "a function's name");
    op->pos = p->token.pos;
    if (!visa_name_or_string(p, &text, &length))
        return false;
    op->length = p->previous - op->pos;
    uint32_t string = visa_string(p, text, length);
    op->value = string;
    if (!file && string != VISA_NONE && string > UINT16_MAX)
        return visa_wrong_at(p, "too-many", op->pos, op->length, "a function after %d other strings", UINT16_MAX);
    return string != VISA_NONE;
}

/* Room for one more of a list. */
static struct visa_operand *list_more(struct visa_parser *p, struct visa_operand *op, unsigned most)
{
    if (op->value == most) {
        visa_wrong_at(p, "too-many", p->token.pos, p->token.length, "more than %u operands in a list", most);
        return NULL;
    }
    struct visa_operand *list = arena_append(p->arena, (void *)op->list, op->value, sizeof *list);
    if (!list) {
        visa_out_of_memory(p);
        return NULL;
    }
    op->class = VISA_LIST_OF;
    op->list = list;
    list[op->value] = (struct visa_operand){0};
    return &list[op->value++];
}

/* (l0, l1, ...): commas anywhere, as Intel's tool takes them. */
static bool labels(struct visa_parser *p, const struct visa_reading *r, struct visa_operand *op)
{
    if (!visa_expect(p, '('))
        return false;
    while (!visa_accept(p, ')')) {
        if (visa_accept(p, ','))
            continue;
        if (!visa_is(p, VISA_TOKEN_NAME))
            return visa_wanted(p, "a label, or ')'");
        struct visa_operand *one = list_more(p, op, 255);
        if (!one || !read_label(p, r, one))
            return false;
    }
    return true;
}

static bool at_end(const struct visa_parser *p)
{
    return visa_is(p, VISA_TOKEN_NEWLINE) || visa_is(p, VISA_TOKEN_END) || visa_is_punctuation(p, '}');
}

static bool raws(struct visa_parser *p, struct visa_operand *op)
{
    while (!at_end(p)) {
        struct visa_operand *one = list_more(p, op, 16);
        if (!one || !visa_read_raw(p, one))
            return false;
    }
    return true;
}

/* A header, as many vector operands as the mode says, then colours and what else it says. */
static bool targets(struct visa_parser *p, uint64_t mode, struct visa_operand *op)
{
    unsigned vectors = (unsigned)((mode >> 11 & 1) + (mode >> 8 & 1) + (mode >> 2 & 1));
    unsigned values = 4 + (unsigned)((mode >> 3 & 1) + (mode >> 4 & 1) + (mode >> 5 & 1) + (mode >> 6 & 1));
    for (unsigned i = 0; i < 1 + vectors + values; i++) {
        struct visa_operand *one = list_more(p, op, VISA_LIST);
        bool vector = i >= 1 && i <= vectors;
        if (!one || !(vector ? visa_read_operand(p, one, G | IMM, false) : visa_read_raw(p, one)))
            return false;
    }
    return true;
}

/* ---- fields --------------------------------------------------------------------------------------------- */

bool visa_read_field(struct visa_parser *p, const struct visa_reading *r, const struct visa_field *field, bool dotted,
                     struct visa_inst *inst)
{
    struct visa_operand *op = &inst->ops[field->operand];
    switch ((enum visa_field_code)field->kind->code) {
    case VISA_FIELD_SOURCE:
        if (field->kind->style == VISA_STYLE_BARE)
            return visa_read_simple(p, op, visa_region(2, 2, 1));
        return visa_read_operand(p, op, visa_text_classes(r->form->row, inst, field), false);
    case VISA_FIELD_DESTINATION:
        return visa_read_operand(p, op, visa_text_classes(r->form->row, inst, field), true);
    case VISA_FIELD_RAW:
        return r->form->row->is & VISA_IS_LSC ? visa_read_payload(p, op, true) : visa_read_raw(p, op);
    case VISA_FIELD_SURFACE:
        return visa_read_state(p, op, VISA_T);
    case VISA_FIELD_SAMPLER:
        return visa_read_state(p, op, VISA_S);
    case VISA_FIELD_LABEL:
        return read_label(p, r, op);
    case VISA_FIELD_FUNCTION:
    case VISA_FIELD_FILE:
        return read_string(p, r, field->kind->code == VISA_FIELD_FILE, op);
    case VISA_FIELD_LABELS:
        return labels(p, r, op);
    case VISA_FIELD_RAWS:
        return raws(p, op);
    case VISA_FIELD_TARGETS:
        return targets(p, inst->ops[field->operand - 2].value, op);
    case VISA_FIELD_NUMBER:
        return number(p, r, field, dotted, inst);
    default:
        return true;
    }
}
