/* A PTX module as written: declarations and statements in order, names resolved, nothing lowered.
 *
 *   parse.c   text -> struct ptx_module (all syntax and name errors are reported, recovery at ';')
 *   check.c   rows: modifiers, operand shapes and types, version and target gates
 *   lower.c   struct ptx_module -> struct lane_module
 *   print.c   canonical text; parsing it again prints the same
 */
#ifndef ATOLL_ISA_PTX_AST_H
#define ATOLL_ISA_PTX_AST_H

#include "isa/diag.h"
#include "isa/insn.h"

struct lane_module;

enum ptx_keyword {
    PTX_UNKNOWN,
#define KEYWORD(id, text, class) PTX_##id,
#include "isa/ptx/keywords.h"
#undef KEYWORD
    PTX_KEYWORDS
};

const char *ptx_keyword_text(enum ptx_keyword keyword);             /* without the dot */
char ptx_keyword_class(enum ptx_keyword keyword);                   /* 'T', 'V', ... */
enum ptx_keyword ptx_keyword_find(const char *text, size_t length); /* PTX_UNKNOWN if none */

enum ptx_decl_kind {
    PTX_DECL_REG,    /* .reg; count > 0 for %r<count> */
    PTX_DECL_VAR,    /* .global .const .shared .local */
    PTX_DECL_PARAM,  /* .param of an entry */
    PTX_DECL_FPARAM, /* .param or .reg parameter or result of a .func, and .param in a body */
    PTX_DECL_FUNC,   /* .entry, .func */
    PTX_DECL_LABEL,
    PTX_DECL_PROTO,   /* label: .callprototype */
    PTX_DECL_TARGETS, /* label: .calltargets / .branchtargets */
};

enum { PTX_DIMS = 8 };

enum ptx_linkage {
    PTX_LINK_NONE = 0,
    PTX_LINK_EXTERN = 1,
    PTX_LINK_VISIBLE = 2,
    PTX_LINK_WEAK = 4,
    PTX_LINK_COMMON = 8
};

enum ptx_init_kind {
    PTX_INIT_INT,
    PTX_INIT_F32,
    PTX_INIT_F64,
    PTX_INIT_SYMBOL,
    PTX_INIT_LIST,
    PTX_INIT_STRING,
    PTX_INIT_FIELD /* name = value of an opaque type */,
    PTX_INIT_NAME /* value of a field */
};

struct ptx_init {
    uint8_t kind;           /* enum ptx_init_kind */
    bool generic;           /* generic(symbol) */
    uint8_t mask_byte;      /* 0xFF00(symbol)-style byte selectors: index of the byte + 1, 0 = whole address */
    struct span span, name; /* name: of a field, or of a string's bytes */
    uint64_t value;         /* integer, float bits, addend */
    struct ptx_decl *decl;
    struct ptx_init *children;
    uint32_t count;
};

struct ptx_decl {
    uint8_t kind;    /* enum ptx_decl_kind */
    uint8_t linkage; /* set of enum ptx_linkage */
    uint16_t space;  /* PTX_reg, PTX_global, ... */
    uint16_t type;   /* PTX_b32 ..., PTX_surfref */
    uint8_t vec;     /* 1, 2, 4 */
    uint8_t ndims;   /* array dimensions, 0 = scalar */
    bool unsized;    /* first dimension [] */
    bool pointer;    /* .ptr */
    bool managed, defined, used;
    bool repeated;      /* declared again under a name that resolves to another ptx_decl: nothing refers to this one */
    uint16_t ptr_space; /* of .ptr; 0 = none */
    uint32_t align;     /* as written; 0 = natural */
    uint32_t ptr_align;
    uint64_t dims[PTX_DIMS]; /* dims[0] of an unsized array with an initialiser is counted from it */
    uint64_t elements;       /* product of dims; 1 for a scalar; 0 = unsized, without initialiser */
    uint32_t count;          /* of %r<count>; 0 = a single name */
    const char *name;        /* terminated; without <count> */
    struct span span;
    struct span attribute;        /* .attribute(...) as written; length 0 = none */
    struct ptx_init *init;        /* NULL = none */
    struct ptx_func *func;        /* of PTX_DECL_FUNC: the definition if there is one (through .alias too), or else the
                                     first declaration; PROTO: its signature */
    struct insn_operand *targets; /* of PTX_DECL_TARGETS */
    uint32_t ntargets;
    uint32_t id;           /* for the lowering: register, symbol, block or function number */
    uint32_t module_order; /* position in the module, for version checks */
    /* Of variables, when modules are joined: the declaration that stands for this one, NULL = itself; and the alignment
     * that others ask of it. */
    struct ptx_decl *linked;
    uint32_t link_align;
};

/* Several registers as one operand: in braces, or declared so. */
static inline bool insn_is_vector(const struct insn_operand *op)
{
    return op->kind == INSN_TUPLE || (op->kind == INSN_REG && op->decl->vec > 1 && op->part == 0);
}

enum ptx_stmt_kind { PTX_STMT_INSN, PTX_STMT_LABEL, PTX_STMT_DECL, PTX_STMT_OPEN, PTX_STMT_CLOSE, PTX_STMT_DIRECTIVE };

/* .loc: three numbers each, file, line and column. */
struct ptx_loc {
    uint32_t place[3], caller[3];
    struct span function; /* label of a section, or .debug_str; length 0: not inlined, and there is no `caller` */
    uint64_t offset;      /* from it */
};

struct ptx_stmt {
    uint8_t kind;     /* enum ptx_stmt_kind */
    struct span span; /* DIRECTIVE (.pragma, .loc ...): the whole text up to and without the ';' */
    union {
        struct insn *insn;         /* INSN */
        const struct ptx_loc *loc; /* DIRECTIVE: of .loc; else NULL */
    };
    struct ptx_decl *decl; /* LABEL, DECL (also PROTO and TARGETS) */
};

struct ptx_func {
    struct ptx_decl *decl;
    bool entry, has_body, noreturn;
    bool reached; /* when modules are joined: from a kernel or an initial value */
    struct ptx_decl **results, **params;
    uint32_t nresults, nparams;
    struct ptx_stmt *stmts;
    uint32_t nstmts;
    uint32_t maxntid[3], reqntid[3], reqnctapercluster[3], minnctapersm, maxnctapersm, maxnreg; /* 0 = not given */
    struct span *directives; /* all directives between signature and body, as written, in order */
    uint32_t ndirectives;
};

enum ptx_item_kind { PTX_ITEM_DECL, PTX_ITEM_FUNC, PTX_ITEM_DIRECTIVE };

struct ptx_item {
    uint8_t kind; /* enum ptx_item_kind */
    struct span span;
    struct ptx_decl *decl;
    struct ptx_func *func;
};

/* .file: number and name. */
struct ptx_file {
    uint32_t number;
    const char *name; /* terminated */
};

struct ptx_module {
    struct arena *arena;
    const char *source;
    size_t size;
    const char *file;   /* of modules that are joined with others; NULL: the only one */
    unsigned version;   /* 10 * major + minor; effective (option overrides) */
    unsigned target;    /* sm number; effective */
    char target_suffix; /* 'a', 'f' or 0 */
    struct span version_span, target_span;
    unsigned address_size;     /* 32 or 64 */
    bool fmad;                 /* products are fused into sums where no rounding modifier is (fuse.c) */
    bool independent_textures; /* .target ..., texmode_independent */
    struct ptx_item *items;
    uint32_t nitems;
    struct ptx_func **funcs; /* every .entry and .func, declarations too */
    uint32_t nfuncs;
    struct ptx_file *files;
    uint32_t nfiles;
};

/* False and an error where options ask for a version or a target that PTX does not have. */
bool ptx_options_check(const struct atoll_module_options *options, struct atoll_error *error);

/* Parses the text of `diag`, with options that were checked. The module is complete even when errors were reported (bad
 * operands are INSN_BAD, unknown mnemonics have no row); false only when memory ran out. Everything is allocated in
 * `arena`; the source text must outlive the module. */
bool ptx_parse(struct arena *arena, struct diag *diag, struct ptx_module **module);

/* The same, but nothing of a function's body is kept: `done` sees each when it has been read, and then its memory is
 * used for the next. */
typedef void ptx_body_fn(void *user, struct ptx_module *module, struct ptx_func *func);
bool ptx_parse_bodies(struct arena *arena, struct diag *diag, ptx_body_fn *done, void *user,
                      struct ptx_module **module);

/* Validates every instruction and declaration against the rows. True when no error was reported. */
bool ptx_check(struct ptx_module *module, struct diag *diag);
/* ptx_parse and ptx_check at once, of a module that is not to be lowered: memory for the largest function and the
 * declarations only. The messages are the same; they come function by function. False only when memory ran out. */
bool ptx_validate(struct diag *diag);

/* Gives the names that modules share one meaning (link.c has the rules), after all of them were checked. diags: of each
 * module; errors are reported there. They have one arena, and each its file. False only when memory ran out. */
bool ptx_link(struct ptx_module *const *modules, struct diag *diags, unsigned count);

/* Lowers a module that was checked without errors. Instructions that are known but cannot be executed become
 * LANE_OP_unsupported with a message. */
bool ptx_lower(struct ptx_module *module, struct lane_module *out, struct atoll_error *error);
/* The same of modules that ptx_link has joined without errors. */
bool ptx_lower_all(struct ptx_module *const *modules, unsigned count, struct lane_module *out,
                   struct atoll_error *error);

struct text;
void ptx_print(const struct ptx_module *module, struct text *out);

/* The row of a mnemonic (without modifiers), NULL if there is none. */
const struct ptx_row *ptx_row_find(const char *name, size_t length);
const char *ptx_row_name(const struct ptx_row *row);

/* Special registers: PTX name without '%' ("tid.x"). */
enum ptx_sreg_none { PTX_SREG_UNKNOWN = 0xffff };
unsigned ptx_sreg_find(const char *name, size_t length); /* index in the table of sregs.c, or PTX_SREG_UNKNOWN */
const char *ptx_sreg_name(unsigned sreg);
unsigned ptx_sreg_lane(unsigned sreg);  /* enum lane_sreg */
unsigned ptx_sreg_type(unsigned sreg);  /* PTX_u32 or PTX_u64 (PTX_pred for %is_explicit_cluster) */
unsigned ptx_sreg_width(unsigned sreg); /* 1; 4 for a whole vector (%tid), of which ptx_sreg_lane is the .x */

#endif
