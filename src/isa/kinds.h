/* What kinds of operands are made of: for the table engine's own files, and for the kinds that a family brings. */
#ifndef ATOLL_ISA_KINDS_H
#define ATOLL_ISA_KINDS_H

#include "isa/table.h"
#include "isa/writer.h"

/* ---- bits to text -------------------------------------------------------------------------------------------- */

static inline int64_t isa_sign_extend(uint64_t value, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* Writes a number of the file of an element, or ISA_PAST. */
static inline void isa_put_register(struct isa_writer *w, const struct isa_element *e, unsigned number)
{
    const struct isa_register_text *text = &e->registers[number];
    if (w->end - w->at >= (ptrdiff_t)sizeof text->bytes) {
        memcpy(w->at, text->bytes, sizeof text->bytes);
        w->at += text->length;
    }
}

/* Whether a name stands instead of the number that begins with this field. */
static inline bool isa_spelled_here(const struct isa_writer *w, const struct isa_field *field)
{
    return w->spelled && field->pieces && field->piece[0].low == w->spelled->low;
}

/* Writes that name; false: there is none. */
static inline bool isa_put_spelled(struct isa_writer *w, const struct isa_field *field)
{
    if (!isa_spelled_here(w, field))
        return false;
    writer_put(w, w->spelled->text, w->spelled->length);
    return true;
}

/* ---- text to bits -------------------------------------------------------------------------------------------- */

/* A spelling that stands for several values; other fields tell which. */
struct isa_open_name {
    const struct isa_names *names;
    const struct isa_field *field;
    const char *at;
    size_t length;
};

struct isa_parser {
    const struct isa_table *table;
    struct isa_reader in;
    struct isa_word word, known; /* known: bits that are settled */
    uint64_t address;
    struct isa_open_name *open; /* room for OPEN_NAMES */
    unsigned nopen;
};

/* Puts a value into a field; false when bits that are settled say otherwise. */
bool isa_settle(struct isa_parser *p, const struct isa_field *field, uint64_t value);
/* The same; says what was wanted. */
bool isa_fits(struct isa_parser *p, const struct isa_field *field, uint64_t value, const char *what);
/* Settles an integer in a field that counts units of `scale`. `minus`: negative numbers belong; `plus`: numbers with
 * the top bit set do as well. `start`: where it is in the text. */
bool isa_settle_integer(struct isa_parser *p, const struct isa_field *field, uint32_t scale, struct isa_integer value,
                        bool minus, bool plus, const char *start);
/* Reads a register of a file. */
bool isa_take_register(struct isa_reader *in, const struct isa_file *file, uint64_t *number);

#endif
