/* The listing of code, between listing.c and list_code.c. */
#ifndef ATOLL_ISA_SASS_LIST_CODE_H
#define ATOLL_ISA_SASS_LIST_CODE_H

#include "isa/sass/listing.h"

struct list_label {
    uint64_t value;
    uint32_t symbol;
};

struct lister {
    const struct isa_table *table;
    const struct sass_module *module;
    struct sass_listing options;
    struct text *out;
    struct atoll_error *error;
    struct arena arena;
    bool *labels, *by_name, *unique; /* symbols that are labels; symbols, sections with a name of their own */
    unsigned next_label;             /* number of the next .L_x_N */
};

/* A name, quoted where the assembler would not take it bare. */
void list_name(struct text *out, const char *name);
void list_symbol_reference(struct lister *l, uint32_t index);
bool list_labels_of(struct lister *l, uint32_t section, struct list_label **first, unsigned *count);

/* Whether every bit of the section can be said as code: bit 63 of control words cannot. */
bool list_is_code(const struct sass_section *s);
bool list_text(struct lister *l, uint32_t section);

#endif
