/* Reading DWARF entries as far as parameters of functions need it. Source: DWARF Debugging Information Format, version
 * 5, sections 7.5 (format of the information) and 7.5.6 (forms); versions 2 to 4 differ in headers only.
 *
 *   .debug_info     unit: length, version, [type], abbreviations, address size | entries
 *   entry           ULEB code | values as the abbreviation of this code says; code 0 ends the entries of a parent
 *   .debug_abbrev   ULEB code, ULEB tag, u8 has children | pairs of ULEB attribute and form, ended by 0 0 | ... | 0
 */
#include "isa/dwarf_read.h"

enum { TAG_FORMAL_PARAMETER = 0x05, TAG_SUBPROGRAM = 0x2e };
enum {
    AT_NAME = 0x03,
    AT_ABSTRACT_ORIGIN = 0x31,
    AT_SPECIFICATION = 0x47,
    AT_LINKAGE_NAME = 0x6e,
    AT_MIPS_LINKAGE_NAME = 0x2007
};
enum {
    ENTRY_REFERENCES = 4,   /* followed from an entry without a name */
    STEPS_MOST = 100000000, /* attributes and abbreviations looked at: hostile files end here */
    STRING_UNENDED = 1000,  /* steps */
    ABBREVIATIONS = 1024,   /* found by their code; further ones by looking through */
};

struct unit {
    const struct dwarf *dwarf;
    size_t start, end; /* in .debug_info */
    size_t entries;    /* where they start */
    size_t abbreviations;
    unsigned version, address_size, offset_size;
    size_t known[ABBREVIATIONS]; /* place after the code n + 1; 0 = not known */
    uint64_t *steps;
};

struct entry {
    uint64_t tag;
    bool children;
    const char *name, *linkage; /* NULL: none */
    size_t reference;           /* entry that says more; 0 = none */
};

/* A string of another section. Its length counts as steps: many entries can name one long string. */
static const char *string_at(const struct unit *u, const struct dwarf_section *section, uint64_t offset)
{
    struct reader r = reader_at(section, offset, section->size);
    const char *text = r.broken || *u->steps >= STEPS_MOST ? NULL : string_here(&r);
    *u->steps += text ? strlen(text) / 16 : STRING_UNENDED;
    return text;
}

/* Sizes of forms that are only skipped; 0: none of them. */
static unsigned form_size(const struct unit *u, uint64_t form)
{
    switch (form) {
    case 0x0b: /* data1 flag ref1 strx1 addrx1 */
    case 0x0c:
    case 0x11:
    case 0x25:
    case 0x29:
        return 1;
    case 0x05: /* data2 ref2 strx2 addrx2 */
    case 0x12:
    case 0x26:
    case 0x2a:
        return 2;
    case 0x27: /* strx3 addrx3 */
    case 0x2b:
        return 3;
    case 0x06: /* data4 ref4 ref_sup4 strx4 addrx4 */
    case 0x13:
    case 0x1c:
    case 0x28:
    case 0x2c:
        return 4;
    case 0x07: /* data8 ref8 ref_sig8 ref_sup8 */
    case 0x14:
    case 0x20:
    case 0x24:
        return 8;
    case 0x1e: /* data16 */
        return 16;
    case 0x01: /* addr */
        return u->address_size;
    case 0x0e: /* strp sec_offset strp_sup line_strp */
    case 0x17:
    case 0x1d:
    case 0x1f:
        return u->offset_size;
    case 0x10: /* ref_addr: an address in version 2 */
        return u->version <= 2 ? u->address_size : u->offset_size;
    default:
        return 0;
    }
}

/* What a value says, as far as it can be a name or a reference. */
struct value {
    const char *text;
    size_t entry; /* in .debug_info; 0: none */
};

static void value_block(struct reader *r, uint64_t form)
{
    switch (form) {
    case 0x03: /* block2 */
        skip(r, get(r, 2));
        break;
    case 0x04: /* block4 */
        skip(r, get(r, 4));
        break;
    case 0x09: /* block exprloc */
    case 0x18:
        skip(r, get_uleb(r));
        break;
    case 0x0a: /* block1 */
        skip(r, get(r, 1));
        break;
    case 0x0d: /* sdata udata strx addrx loclistx rnglistx */
    case 0x0f:
    case 0x1a:
    case 0x1b:
    case 0x22:
    case 0x23:
        get_uleb(r);
        break;
    case 0x19: /* flag_present implicit_const: nothing here */
    case 0x21:
        break;
    default:
        r->broken = true;
    }
}

static struct value value_read(const struct unit *u, struct reader *r, uint64_t form)
{
    struct value value = {0};
    for (int i = 0; form == 0x16 && i < 4; i++) /* indirect: the form is before the value */
        form = get_uleb(r);
    unsigned size = form_size(u, form);
    uint64_t number = 0;
    if (size)
        number = get(r, size);
    else if (form == 0x08)
        value.text = string_here(r);
    else if (form == 0x15) /* ref_udata */
        number = get_uleb(r);
    else
        value_block(r, form);
    if (form == 0x0e)
        value.text = string_at(u, &u->dwarf->str, number);
    else if (form == 0x1f)
        value.text = string_at(u, &u->dwarf->line_str, number);
    else if (form >= 0x11 && form <= 0x15)
        value.entry = number < u->end - u->start ? u->start + (size_t)number : 0;
    else if (form == 0x10)
        value.entry = (size_t)number;
    return value;
}

static bool step(const struct unit *u)
{
    return *u->steps < STEPS_MOST && ++*u->steps;
}

/* Goes past the attributes of an abbreviation. */
static void attributes_skip(const struct unit *u, struct reader *r)
{
    while (!r->broken && step(u)) {
        uint64_t attribute = get_uleb(r), form = get_uleb(r);
        if (form == 0x21)
            get_uleb(r);
        if (attribute == 0 && form == 0)
            return;
    }
    r->broken = true;
}

/* The abbreviation of a code, at its tag. Those passed on the way become known. */
static struct reader abbreviation_find(struct unit *u, uint64_t code)
{
    const struct dwarf_section *section = &u->dwarf->abbrev;
    if (code <= ABBREVIATIONS && u->known[code - 1])
        return reader_at(section, u->known[code - 1], section->size);
    struct reader r = reader_at(section, u->abbreviations, section->size);
    while (!r.broken && step(u)) {
        uint64_t here = get_uleb(&r);
        if (here == 0)
            break;
        if (here <= ABBREVIATIONS && !u->known[here - 1])
            u->known[here - 1] = (size_t)(r.at - section->bytes);
        if (here == code)
            return r;
        get_uleb(&r);
        get(&r, 1);
        attributes_skip(u, &r);
    }
    r.broken = true;
    return r;
}

/* Reads the entry of a code and goes past it. */
static bool entry_read(struct unit *u, struct reader *r, uint64_t code, struct entry *e)
{
    struct reader a = abbreviation_find(u, code);
    *e = (struct entry){.tag = get_uleb(&a), .children = get(&a, 1) != 0};
    while (!a.broken && !r->broken && step(u)) {
        uint64_t attribute = get_uleb(&a), form = get_uleb(&a);
        if (form == 0x21)
            get_uleb(&a);
        if (attribute == 0 && form == 0)
            return true;
        struct value value = value_read(u, r, form);
        if (attribute == AT_NAME)
            e->name = value.text;
        else if (attribute == AT_LINKAGE_NAME || attribute == AT_MIPS_LINKAGE_NAME)
            e->linkage = value.text;
        else if (attribute == AT_ABSTRACT_ORIGIN || attribute == AT_SPECIFICATION)
            e->reference = value.entry;
    }
    return false;
}

/* Takes what an entry does not say itself from the one that it refers to, in the same unit. */
static void entry_complete(struct unit *u, struct entry *e)
{
    size_t at = e->reference;
    for (int i = 0; i < ENTRY_REFERENCES && at >= u->entries && at < u->end; i++) {
        struct reader r = reader_at(&u->dwarf->info, at, u->end);
        struct entry other;
        uint64_t code = get_uleb(&r);
        if (r.broken || code == 0 || !entry_read(u, &r, code, &other))
            return;
        e->name = e->name ? e->name : other.name;
        e->linkage = e->linkage ? e->linkage : other.linkage;
        at = other.reference;
    }
}

/* The header of the unit that starts at `start`. */
static bool unit_open(struct unit *u, size_t start)
{
    const struct dwarf_section *info = &u->dwarf->info;
    struct reader r = reader_at(info, start, info->size);
    uint64_t length = get(&r, 4);
    memset(u->known, 0, sizeof u->known);
    u->start = start;
    u->offset_size = length == 0xffffffff ? 8 : 4;
    if (u->offset_size == 8)
        length = get(&r, 8);
    if (r.broken || length > (uint64_t)(r.end - r.at))
        return false;
    u->end = (size_t)(r.at - info->bytes) + (size_t)length;
    r.end = info->bytes + u->end;
    u->version = (unsigned)get(&r, 2);
    unsigned type = 1; /* compilation unit */
    if (u->version >= 5) {
        type = (unsigned)get(&r, 1);
        u->address_size = (unsigned)get(&r, 1);
    }
    u->abbreviations = (size_t)get(&r, u->offset_size);
    if (u->version < 5)
        u->address_size = (unsigned)get(&r, 1);
    else if (type == 4 || type == 5) /* skeleton, split: an identifier */
        get(&r, 8);
    u->entries = (size_t)(r.at - info->bytes);
    return !r.broken && u->version >= 2 && u->version <= 5 && type != 2 && type != 6; /* those: types */
}

/* Walks the entries of a unit. The parameters of a function are entries directly below its own. */
static void unit_walk(struct unit *u, dwarf_found *found, void *user)
{
    struct reader r = reader_at(&u->dwarf->info, u->entries, u->end);
    const char *function = NULL;
    uint64_t depth = 0, inside = UINT64_MAX; /* of the function's children */
    uint32_t position = 0;
    while (!r.broken && r.at < r.end && step(u)) {
        struct entry e;
        uint64_t code = get_uleb(&r);
        if (code == 0) {
            depth -= depth > 0;
            continue;
        }
        if (!entry_read(u, &r, code, &e))
            return;
        if (e.tag == TAG_SUBPROGRAM) {
            entry_complete(u, &e);
            function = e.linkage ? e.linkage : e.name;
            inside = e.children && function ? depth + 1 : UINT64_MAX;
            position = 0;
        } else if (e.tag == TAG_FORMAL_PARAMETER && depth == inside) {
            entry_complete(u, &e);
            found(user, function, position++, e.name ? e.name : "");
        }
        depth += e.children;
    }
}

void dwarf_parameters(const struct dwarf *dwarf, dwarf_found *found, void *user)
{
    uint64_t steps = 0;
    struct unit u = {.dwarf = dwarf, .steps = &steps};
    for (size_t start = 0; start + 11 < dwarf->info.size; start = u.end) {
        u.end = 0;
        bool ok = unit_open(&u, start);
        if (u.end <= start)
            return;
        if (ok)
            unit_walk(&u, found, user);
    }
}
