/* The assembler of modules, between its files: assemble.c reads lines, assemble_insn.c instructions, assemble_data.c
 * directives; assemble_build.c makes a module of what they said. */
#ifndef ATOLL_ISA_SASS_ASSEMBLE_H
#define ATOLL_ISA_SASS_ASSEMBLE_H

#include "isa/sass/code.h"
#include "isa/sass/listing.h"

/* An instruction that names a label or a symbol: it is read when all of them are known. */
struct asm_late {
    const char *text; /* without label, braces and annotations */
    uint32_t section, length, line, column, line_at;
    size_t index;
    bool no_rules;
};

struct asm_section {
    const char *name;
    uint32_t line; /* where it begins first */
    uint32_t next; /* of the same name and another type: index + 1, 0 = none */
    uint32_t type, link, info;
    uint64_t flags, align, entry, address;
    bool link_given, info_given, registers_given;
    uint32_t registers;
    bool code;               /* holds instructions */
    bool scheduled;          /* control bits of some were chosen */
    struct text data;        /* bytes; of NOBITS none */
    uint64_t zeros;          /* size of NOBITS */
    struct sass_insn *insns; /* from realloc */
    size_t ninsns, room;
    uint32_t final;         /* index in the module */
    uint32_t shared, local; /* .shared, .local */
    uint32_t *parameters;   /* sizes of .param */
    unsigned nparameters;
    struct namemap labels; /* indexes in the assembler's */
};

struct asm_label {
    const char *name;
    uint32_t section, line;
    uint64_t at; /* instruction or byte */
};

/* A 32-bit place that gets the index of a symbol. */
struct asm_fixup {
    const char *symbol; /* NULL: `index` is it */
    uint32_t section, line, index;
    uint64_t offset;
    bool moved; /* by asm_info_follow */
};

/* A place in data that gets the offset of a label, or the distance from another. */
struct asm_value {
    const char *plus, *minus; /* minus: NULL = the section's start */
    uint64_t addend, offset;
    uint32_t section, line, column, bytes;
};

/* A place that the linker fills. */
struct asm_relocation {
    const char *symbol;
    uint32_t section, type, line;
    uint64_t offset, addend;
};

/* What is known of a symbol, from .symbol lines (in order) or from .type and its like. */
struct asm_symbol {
    const char *name, *section; /* section NULL: by number */
    const char *own_name;       /* NULL: `name` */
    uint8_t info, other;
    bool listed, has_section, has_value, has_size, size_is_label;
    uint32_t section_number, line, where; /* where: section of the directive */
    uint32_t older;                       /* the last one before of the same name: index + 1, 0 = none */
    uint64_t value, size, align;
    const char *size_label;
};

struct assembler {
    const struct isa_table *table;
    struct sass_module *module;
    struct atoll_error *error;
    struct arena arena; /* what only the assembling needs */
    unsigned arch;
    bool flags_given, in_comment, no_rules;
    bool no_memory;         /* while a name was read */
    uint32_t line, line_at; /* line_at: the byte of the text where the line begins */
    struct diag *diag;      /* gets all mistakes; NULL: the first one ends it */
    struct asm_section *sections;
    unsigned nsections, current; /* current: index + 1 */
    uint64_t zeros;              /* bytes of sections that single numbers stand for */
    struct asm_label *labels;
    unsigned nlabels;
    struct asm_symbol *symbols;
    unsigned nsymbols;
    struct namemap section_names, symbol_names, label_names; /* the first section, the last symbol, the first label */
    bool symbols_listed;
    struct asm_fixup *fixups;
    unsigned nfixups;
    struct asm_late *late;
    unsigned nlate;
    struct asm_value *values;
    unsigned nvalues;
    struct asm_relocation *relocations;
    unsigned nrelocations;
};

/* A place in a line. */
struct asm_cursor {
    struct assembler *as;
    const char *start, *at, *end;
    uint32_t before; /* bytes of the line before start */
};

bool asm_mistake(struct asm_cursor *c, const char *wanted);
bool asm_mistake_here(struct asm_cursor *c, const char *wanted); /* what is at the cursor is said too */
void asm_blanks(struct asm_cursor *c);
bool asm_char(struct asm_cursor *c, char ch);
/* The same, or a mistake: "wanted `wanted`". */
bool asm_want(struct asm_cursor *c, char ch, const char *wanted);
bool asm_end(struct asm_cursor *c);
/* A name, bare or quoted; a copy in the module's arena. NULL: there is none (no error is set). */
const char *asm_name(struct asm_cursor *c);
bool asm_number(struct asm_cursor *c, uint64_t *value);
/* A quoted string into the arena, its length (escapes: \xNN). */
const char *asm_string(struct asm_cursor *c, size_t *length);

/* After a mistake: whether to go on, since it was reported. */
bool asm_go_on(struct assembler *as);

/* assemble_data.c: what a word with a dot says. */
bool asm_directive(struct asm_cursor *c, const char *name);
/* A line of cuobjdump that is neither directive nor instruction. */
bool asm_heading(struct asm_cursor *c, bool *said);
struct asm_section *asm_section_start(struct assembler *as, const char *name, uint32_t type, uint64_t flags);
struct asm_section *asm_section_current(struct asm_cursor *c);
/* The first section of a name, as an index + 1; 0: none. */
uint32_t asm_section_named(const struct assembler *as, const char *name);
/* The last symbol of a name, a new one where there is none. */
struct asm_symbol *asm_symbol_named(struct assembler *as, const char *name);
struct asm_symbol *asm_symbol_find(const struct assembler *as, const char *name);

bool asm_label_add(struct asm_cursor *c, const char *name);
const struct asm_label *asm_label_find(const struct assembler *as, uint32_t section, const char *name, size_t length);

/* A place of `section` under the cursor that gets the index of a symbol (NULL: `index`). */
bool asm_fixup_add(struct asm_cursor *c, const char *symbol, uint32_t index, uint64_t offset);

/* assemble_symbol.c. Whether a text that is no instruction may be one when its label or symbol is known. */
bool asm_names_symbol(const struct isa_table *table, const char *text, size_t length);
/* The instruction with a number in place of its label or symbol. */
bool asm_symbols_resolve(struct assembler *as, const struct asm_late *late, char out[ISA_TEXT], size_t *length);
/* Reads a label or symbol as data of 1, 2, 4 or 8 bytes, which hold *held until it is known. Taken: it was one. */
bool asm_value_take(struct asm_cursor *c, unsigned bytes, uint64_t *held, bool *taken);
/* Writes the labels of data, when code has its size. */
bool asm_values_resolve(struct assembler *as);

/* assemble_insn.c: one instruction and its annotations, which end at `end`. */
bool asm_insn_take(struct asm_cursor *c, const char *end);
/* Reads the instructions that are late. */
bool asm_late_read(struct assembler *as);
/* Chooses control bits and makes the bytes of a section of code. */
bool asm_code_encode(struct assembler *as, uint32_t section);
/* Offset of a label as symbols count: that of the bundle for the first instruction of one. */
uint64_t asm_label_offset(const struct assembler *as, const struct asm_label *label);

/* assemble_info.c: makes the attributes of a section of code that tell where instructions are. */
bool asm_info_follow(struct assembler *as, uint32_t code);

/* assemble_build.c */
bool asm_build(struct assembler *as);

#endif
