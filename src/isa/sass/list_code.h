/* The listing of code, between listing.c, list_labels.c and list_code.c. */
#ifndef ATOLL_ISA_SASS_LIST_CODE_H
#define ATOLL_ISA_SASS_LIST_CODE_H

#include "isa/sass/listing.h"

struct list_label {
    uint64_t value;
    uint32_t symbol;
    uint32_t number; /* .L_x_N in place of a name that it lacks: N + 1 */
};

/* An instruction that jumps where registers or the branch stack say, and where that may be: a record of
 * EIATTR_INDIRECT_BRANCH_TARGETS. */
struct list_indirect {
    uint64_t address;
    const uint8_t *targets; /* words */
    uint32_t count;
};

/* The code of a section and what is known of its addresses. */
struct list_code {
    struct sass_code code;
    uint32_t section;
    uint64_t size;
    uint32_t *labels;           /* .L_x_N by address / 8, the end's too: N + 1 */
    struct list_label *symbols; /* by list_place, at one place the last symbol first */
    unsigned nsymbols;
    const struct sass_relocation **relocations; /* by offset; NULL: operands are numbers */
    unsigned nrelocations;
    struct list_indirect *indirect; /* by address */
    unsigned nindirect, room;
    bool *second;           /* instructions that close a pair; NULL: not yet looked for */
    uint32_t *noted, notes; /* by address / 8: the last note that named it; count of notes */
};

/* Columns of words and of branch targets; 0 = not written. */
struct list_columns {
    unsigned words, notes;
};

struct lister {
    const struct isa_table *table;
    const struct sass_module *module;
    struct sass_listing options;
    struct text *out;
    struct atoll_error *error;
    struct arena arena;
    struct list_columns columns;
    bool *labels, *by_name, *unique; /* symbols that are labels; symbols, sections with a name of their own */
    uint32_t next_label;             /* number of the next .L_x_N */
    uint32_t next_data;              /* number of the next .L_N */
    bool *branches;                  /* by form: whether it may have a target */
    struct list_code *codes;         /* by section; code.insns is NULL for what is no code */
};

/* A name, quoted where the assembler would not take it bare. */
void list_name(struct text *out, const char *name);
void list_symbol_reference(struct lister *l, uint32_t index);
/* .other of a symbol that has some, after `head`. */
void list_other(struct lister *l, const char *head, const struct sass_symbol *s);
bool list_labels_of(struct lister *l, uint32_t section, struct list_label **first, unsigned *count);
/* The record of .nv.info at `at` <= size; false: none whole. */
bool list_attribute_at(const struct sass_section *s, uint64_t at, struct sass_attribute *a);

/* Whether every bit of the section can be said as code: bit 63 of control words cannot. */
bool list_is_code(const struct sass_section *s);

/* Decodes all code and numbers its labels. */
bool list_codes(struct lister *l);
/* The columns of all code of a listing. */
void list_columns(struct lister *l);
bool list_text(struct lister *l, uint32_t section);

/* Where the line of an address is: that of a control word is the instruction after it. */
static inline uint64_t list_place(uint64_t address)
{
    return address % SASS_BUNDLE ? address : address + 8;
}
/* The same; that of the second instruction of a pair is the first. */
uint64_t list_pair(const struct list_code *c, uint64_t address);
/* The same in this code, whose end has a line of its own. */
static inline uint64_t list_mark_place(const struct list_code *c, uint64_t address)
{
    return address == c->size ? address : list_place(address);
}
/* The name of a function or a label at an address that a branch goes to or a function ends at, or NULL. */
const char *list_name_at(const struct lister *l, const struct list_code *c, uint64_t address);
/* Whether the instruction issues with the next one (docs/maxwell.md, "Control bits"). `place`: NULL in raw code. */
bool list_is_dual(const struct sass_code *code, const struct list_code *place, const struct sass_listing *options,
                  size_t index);
/* Where the branch `index` goes, as an address that has a label or could have one. */
bool list_target(const struct lister *l, const struct list_code *c, size_t index, uint64_t *target);
/* Adds `(.L_x_3) or `(f) for the target of a branch; BRX of relocatable files: `(((.L_x_3 - .) - 0x8)). */
void list_target_name(const struct lister *l, const struct list_code *c, size_t index, uint64_t target,
                      struct text *out);
/* Adds what stands for a place that a relocation fills in; the bit it begins at, 0 = none that is known. */
unsigned list_relocation(const struct lister *l, const struct sass_relocation *r, struct text *out);

#endif
