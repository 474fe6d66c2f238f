/* Rows: what Atoll knows about a PTX mnemonic. A row is data: its patterns are written in a small notation that the
 * checker, the lowering, `explain`, the reference and the generator of test modules all read. There is no second list.
 *
 * A pattern is one form of an instruction, e.g. for add:
 *
 *   mods      "sat? s32"                       operands "d>t a:t b:t"
 *   mods      "rn|rz|rm|rp? ftz? sat? f32"     operands "d>t a:t b:t"
 *
 * mods: slots, separated by spaces. A slot is words separated by '|'; each modifier of an instruction must find a slot
 * of its own that has its word; a slot that ends in '?' may stay empty. Modifiers are in any order, but types (class
 * T) fill type slots from left to right, and so do state spaces (S) and layouts (L). Slots that end in '!' come first
 * and hold the words that belong to the mnemonic: fence.proxy is "proxy! ...", and .proxy must follow `fence` at once.
 * A word may have a gate: "relu@70/80" = PTX 7.0 and sm_80, "b128@83" = PTX 8.3. What only ptxas takes and the text of
 * the PTX ISA does not have gives a warning, with --strict an error: words with '~' ("4d~@43"), and slots left empty
 * that end in '-' instead of '?'. The first pattern that fits an instruction is its form.
 *
 * operands: one token an operand: a name for messages, '>' (destination) or ':' (source), a letter, flags.
 *   t u v  of the first, second, third type        w  twice as wide as the first type
 *   p  predicate    4  32 bits    8  64 bits    h  16 bits   (untyped: b32, b64, b16)
 *   x  memory data of the first type: .vec elements in a tuple, registers may be wider
 *   y  the same, registers exactly of the type's width
 *   m  [address] in the instruction's space         n  in its second space
 *   s  [address] in shared memory                   g  generic [address]
 *   c  [address] in Tensor Memory
 *   l  label     *  anything: the row's or the pattern's check looks at it
 *   flags: ? may be missing    ! may be !p    | may be d|p with a second predicate    _ may be the sink
 *          # immediate only    % no immediate    ~ register may be wider than the type
 *          + repeats (only the last)
 * NULL operands: the check looks at the operands itself, their number too.
 */
#ifndef ATOLL_ISA_PTX_ROW_H
#define ATOLL_ISA_PTX_ROW_H

#include "base/bitset.h"
#include "base/namemap.h"
#include "isa/ptx/ast.h"
#include "lane/lane.h"

struct checker;
struct lowerer;
struct ptx_form;

typedef bool ptx_check_fn(struct checker *c, const struct insn *insn, const struct ptx_form *form);
typedef void ptx_lower_fn(struct lowerer *l, const struct insn *insn, const struct ptx_form *form);

struct ptx_pattern {
    const char *mods, *operands;
    uint8_t version, target; /* gate of the whole form: 10 * major + minor, sm number; 0 = none */
    const char *only;        /* the targets with a suffix that have it, "90a 100f"; NULL = any (ptx_target_has) */
    uint16_t op;             /* enum lane_op of ptx_lower_simple */
    uint8_t mode;            /* lane_inst.mode of ptx_lower_simple */
    ptx_check_fn *check;     /* beyond the notation; NULL = the row's */
    ptx_lower_fn *lower;     /* NULL = the row's */
};

struct ptx_row {
    const char *name, *summary; /* summary: one line for explain */
    const struct ptx_pattern *patterns;
    unsigned npatterns;
    ptx_check_fn *check; /* NULL = nothing beyond the notation */
    ptx_lower_fn *lower; /* NULL = ptx_lower_simple */
};

#define PTX_PATTERNS(array) (array), sizeof(array) / sizeof((array)[0])

/* Every row, sorted by name: add.c etc. define `const struct ptx_row ptx_row_<name>`. */
#define ROW(id) extern const struct ptx_row ptx_row_##id;
#include "isa/ptx/row_list.h"
#undef ROW

/* Row number `index` in order of names, NULL past the end. */
const struct ptx_row *ptx_row_at(unsigned index);

/* Is sm_<target><suffix> among `targets`? "90a": sm_90a alone. "100f": with suffix a or f, from sm_100 on in its family
 * (PTX ISA, ".target": families sm_100 sm_103, sm_110, sm_120 sm_121; sm_101 is sm_110). */
bool ptx_target_has(const char *targets, unsigned target, char suffix);

/* ---- the modifiers of an instruction, understood ------------------------------------------------ */

enum { PTX_TYPES = 4 };

struct ptx_form {
    const struct ptx_row *row;
    const struct ptx_pattern *pattern;
    uint16_t types[PTX_TYPES]; /* in written order: PTX_u32 ...; 0 = none */
    uint8_t ntypes;
    uint8_t vec;                                   /* 1, 2, 4, 8 */
    uint16_t space, space2;                        /* class S, in written order; 0 = none (generic) */
    uint16_t cmp;                                  /* class C (also lo, hi) */
    uint16_t round, geom, cache, order, scope, op; /* the first word of class R, G, K, M, P, O or B; 0 = none */
    bool gated;                                    /* some word has a gate of its own, or is known to ptxas alone */
    uint64_t words[(PTX_KEYWORDS + 63) / 64];      /* all words as a set: ptx_form_has */
};

static inline bool ptx_form_has(const struct ptx_form *form, enum ptx_keyword word)
{
    return bitset_has(form->words, word);
}

/* Forms already understood, by row and modifiers: modules repeat few of them; and patterns already read. */
struct ptx_matcher {
    struct namemap forms, patterns;
    bool failed; /* memory ran out: what it says of fits is not known */
};
#define PTX_MATCHER(memory) ((struct ptx_matcher){.forms = {.arena = (memory)}, .patterns = {.arena = (memory)}})

/* The form of an instruction; NULL if no pattern fits (or memory ran out: `failed`). */
const struct ptx_form *ptx_match(struct ptx_matcher *matcher, const struct insn *insn);

/* Walks a pattern's notation. Start with *at = mods or operands; false at the end.
 * A slot's words are [words, words + length) without the '?'. */
struct ptx_slot {
    const char *words;
    unsigned length;
    bool optional;
    bool lenient; /* '-': optional for ptxas only */
    bool lead;    /* its word belongs to the mnemonic: '!' */
    char class; /* 'T', 'S', 'L' if its words are types, spaces, layouts: such slots fill from left to right; else 0 */
};
bool ptx_next_slot(const char **at, struct ptx_slot *slot);
/* Next word of a slot: start with *at = slot->words. gate: version and target of the word, 0 = none. */
struct ptx_word {
    uint16_t keyword;
    uint8_t version, target;
    bool lenient; /* '~': ptxas alone has it */
};
bool ptx_next_word(const struct ptx_slot *slot, const char **at, struct ptx_word *word);

/* A pattern's modifiers, read once: looking a word up in its text takes too long for modules full of mistakes. */
enum { PTX_SLOTS = 24 };
struct ptx_slots {
    const struct ptx_pattern *pattern; /* first: the key */
    unsigned count;
    struct ptx_slot slot[PTX_SLOTS];
    const struct ptx_word *words[PTX_SLOTS];
    uint8_t nwords[PTX_SLOTS];
};
/* NULL: out of memory. */
const struct ptx_slots *ptx_slots_of(struct ptx_matcher *matcher, const struct ptx_pattern *pattern);
/* The word `keyword` of slot number `slot`; NULL if it is not one of its words. */
const struct ptx_word *ptx_slots_word(const struct ptx_slots *slots, unsigned slot, uint16_t keyword);

/* What fitting the modifiers of an instruction to one pattern leaves over; it fits if all words found a slot, in
 * order, and none is missing. Not `whole`: only whether it fits, up to the first word that does not. */
struct ptx_fit {
    unsigned words;  /* that found a slot */
    bool disorder;   /* spaces or layouts passed a slot that wants one of them */
    uint32_t filled; /* slots, also by types that they do not have */
    int misfit;      /* first modifier other than a type that found none, -1 = none */
    int type_misfit;
    unsigned missing; /* required slots without a word */
};
struct ptx_fit ptx_fit_pattern(const struct ptx_slots *slots, const struct insn *insn, bool whole);

struct ptx_token {
    const char *name;
    unsigned name_length;
    bool dest;
    char letter;
    bool optional, negatable, pipe, sink, immediate, no_immediate, relaxed, repeat;
};
bool ptx_next_token(const char **at, struct ptx_token *token);

/* ---- types ----------------------------------------------------------------------------------------- */

uint16_t ptx_bits_type(unsigned bits);       /* 1 -> PTX_pred, 8 to 128 -> PTX_b8 to PTX_b128; 0 = none has so many */
unsigned ptx_type_bits(uint16_t type);       /* PTX_u32 -> 32; PTX_pred -> 1; opaque types 64; 0 = not a type */
char ptx_type_kind(uint16_t type);           /* 'b', 'u', 's', 'f' (also packed floats), 'p', 'o' opaque */
enum lane_type ptx_type_lane(uint16_t type); /* LANE_VOID: has no lane type */

/* ---- checking -------------------------------------------------------------------------------------- */

struct checker {
    struct ptx_module *module;
    struct diag *diag;
    struct ptx_func *func;
    struct ptx_matcher matcher;
    bool strict;
};

/* Reports an error about a span of the text; always returns false. */
bool check_error(struct checker *c, struct span span, const char *code, const char *format, ...) PRINTF_LIKE(4, 5);
/* False and an error unless the module's .version and .target reach the gate. `what` names the feature. */
bool check_gate(struct checker *c, struct span span, unsigned version, unsigned target, const char *what);
/* False and an error unless the instruction has so many operands. */
bool check_count_is(struct checker *c, const struct insn *insn, unsigned count);
/* The operand is a source / destination register (or for a source: immediate, special register, address of a symbol)
 * that fits `type` by the PTX rules: same size; .b fits everything of its size; floats and integers do not mix.
 * relaxed: the register may be wider and of any class (ld, st, cvt, suld, sust). */
bool check_source(struct checker *c, const struct insn_operand *op, uint16_t type, bool relaxed);
bool check_dest(struct checker *c, const struct insn_operand *op, uint16_t type, bool relaxed);
/* Tuple of form->vec (or a single operand) of memory data. */
bool check_data(struct checker *c, const struct insn_operand *op, uint16_t type, unsigned vec, bool dest);
/* [register +- imm], [symbol + imm] or [imm], usable in `space` (PTX_global ...; 0 = generic). */
bool check_address(struct checker *c, const struct insn_operand *op, uint16_t space);
/* The type of a register operand, 0 if the operand is none. A part (.x) has the element's type. */
uint16_t ptx_operand_type(const struct insn_operand *op);

/* ---- lowering ---------------------------------------------------------------------------------------- */

struct lowerer {
    const struct ptx_module *module;
    struct lane_module *out;
    struct arena *arena;
    struct ptx_matcher matcher;
    const struct ptx_func *func;
    struct lane_builder b;
    struct lower_state *state;  /* of the current function: lower.c */
    struct lower_lines *lines;  /* of the module: lower_lines.c; NULL: it tells no source lines */
    uint32_t *function_symbols; /* by function index; 0 = none yet */
    struct atoll_error *error;
};

/* The value of a source operand as exactly `type` (a PTX type): registers that are wider or narrower are converted,
 * immediates take the type, special registers are read, names give addresses. Predicates may be !p. */
struct lane_operand lower_source(struct lowerer *l, const struct insn_operand *op, uint16_t type);
/* The same without conversion: the register itself (memory data: lane ld and st take wider registers).
 * Immediates get the type's width. */
struct lane_operand lower_data(struct lowerer *l, const struct insn_operand *op, uint16_t type);
/* A register to write a result of `type` into: the operand's own if the widths agree, else a fresh one. LANE_NONE for
 * the sink and an absent operand, unless `always` asks for a fresh register then. Emit the instruction, then call
 * lower_finish with the same operand to convert a fresh one into the operand's own (by the type's signedness). */
struct lane_operand lower_dest(struct lowerer *l, const struct insn_operand *op, uint16_t type, bool always);
void lower_finish(struct lowerer *l, const struct insn_operand *op, uint16_t type, struct lane_operand value);
/* The register behind a destination without conversion (memory data); LANE_NONE for the sink. */
struct lane_operand lower_dest_data(struct lowerer *l, const struct insn_operand *op);
/* Lane space and address of an [address]: returns the address operand (32 or 64 bits), sets access->space and
 * access->offset. */
struct lane_operand lower_address(struct lowerer *l, const struct insn_operand *op, uint16_t space,
                                  struct lane_access *access);
/* Emits with the type of the form's first type; returns as lane_emit does. */
struct lane_inst *lower_emit(struct lowerer *l, enum lane_op op, uint16_t type, unsigned ndst,
                             const struct lane_operand *dst, unsigned nsrc, const struct lane_operand *src);
/* A constant of a PTX type's width. */
struct lane_operand lower_const(struct lowerer *l, uint16_t type, uint64_t value);
/* A fresh register as wide as a PTX type. */
struct lane_operand lower_temp(struct lowerer *l, uint16_t type);
/* Stops the launch there, naming what is not supported. */
void lower_unsupported(struct lowerer *l, const char *format, ...) PRINTF_LIKE(2, 3);
/* Order and scope words of a form in lane terms (LANE_WEAK, LANE_SCOPE_NONE if absent). */
void lower_order(const struct ptx_form *form, struct lane_access *access);

/* One lane operation: pattern's op and mode, destinations and sources as the operand notation says, rounding, FTZ, SAT
 * ... from the modifiers. */
ptx_lower_fn ptx_lower_simple;
/* LANE_OP_unsupported that names the instruction with its modifiers. */
ptx_lower_fn ptx_lower_unsupported;
/* No effect. */
ptx_lower_fn ptx_lower_nothing;

#endif
