/* The text of LSC: caches, shape of the data, addresses. Source: docs/visa.md, "LSC".
 *
 *     lsc_load.ugm.ca.ca (M1, 16)  V32:d32x2t  flat[4*V33-0x10]:a64
 *                  {cache}              {shape}  {address}                     */
#include "isa/visa/print.h"

#include <inttypes.h>
#include <string.h>

static const char *const caches[] = {"df", "uc", "ca", "wb", "wt", "st", "ri"};
static const char *const models[] = {"?", "flat", "bss", "ss", "bti", "arg"};
static const char *const address_sizes[] = {"?", "a16", "a32", "a64"};
static const char *const data_sizes[] = {"?", "d8", "d16", "d32", "d64", "d8c32", "d16c32", "d16c32h"};
static const char *const elements[] = {"", "", "x2", "x3", "x4", "x8", "x16", "x32", "x64"};

static const char *one_of(const char *const *list, size_t count, uint64_t value)
{
    return value < count ? list[value] : "?";
}
#define ONE_OF(list, value) one_of(list, sizeof(list) / sizeof *(list), value)

static const struct visa_operand *role(const struct visa_printing *p, const char *name)
{
    return visa_operand(p->form, p->inst, name);
}

static uint64_t number(const struct visa_printing *p, const char *name)
{
    const struct visa_operand *op = role(p, name);
    return op ? op->value : 0;
}

static void put_cache(struct text *out, const struct visa_printing *p)
{
    static const char *const sfids[] = {".ugm", ".ugml", ".tgm", ".slm"};
    uint64_t l1 = number(p, "l1"), l3 = number(p, "l3");
    if (role(p, "sfid"))
        text_puts(out, ONE_OF(sfids, number(p, "sfid")));
    if (l1 || l3)
        text_printf(out, ".%s", ONE_OF(caches, l1));
    if (l3)
        text_printf(out, ".%s", ONE_OF(caches, l3));
}

static void put_shape(struct text *out, const struct visa_printing *p)
{
    uint64_t channels = number(p, "channels"), elems = number(p, "elems");
    text_printf(out, ":%s", ONE_OF(data_sizes, number(p, "data")));
    if (elems == 0 || elems > 8 || p->inst->row->is & VISA_IS_QUAD) {
        text_puts(out, ".");
        for (unsigned i = 0; i < 4; i++)
            if (channels >> i & 1)
                text_add(out, &"xyzw"[i], 1);
    } else {
        text_puts(out, ONE_OF(elements, elems));
    }
    if (number(p, "order") == 2)
        text_puts(out, "t");
}

/* Numbers have no type here, scalars no region. */
static void put_scalar(struct text *out, const struct visa_printing *p, const struct visa_operand *op)
{
    if (op->class == VISA_IMMEDIATE)
        text_printf(out, "0x%" PRIx64, op->value);
    else if (op->class == VISA_GENERAL)
        visa_put_bare(out, p->object, op);
    else
        visa_put_vector(out, p->object, op);
}

static void put_model(struct text *out, const struct visa_printing *p)
{
    uint64_t model = number(p, "model");
    text_puts(out, ONE_OF(models, model));
    if (model <= 1)
        return;
    const struct visa_operand *surface = role(p, "surface");
    text_puts(out, "(");
    put_scalar(out, p, surface);
    text_puts(out, ")");
}

static void put_address(struct text *out, const struct visa_printing *p)
{
    uint64_t scale = number(p, "scale");
    int32_t offset = (int32_t)number(p, "offset");
    put_model(out, p);
    text_puts(out, "[");
    if (scale > 1)
        text_printf(out, "%" PRIu64 "*", scale);
    visa_put_raw_name(out, p->object, role(p, "base"));
    if (offset)
        text_printf(out, "%c0x%" PRIX32, offset < 0 ? '-' : '+', offset < 0 ? 0u - (uint32_t)offset : (uint32_t)offset);
    text_printf(out, "]:%s", ONE_OF(address_sizes, number(p, "asize")));
}

static void put_texel(struct text *out, const struct visa_printing *p)
{
    static const char *const coordinates[] = {"u", "v", "r", "lod"};
    unsigned last = 0;
    for (unsigned i = 0; i < 4; i++)
        if (role(p, coordinates[i])->id)
            last = i;
    put_model(out, p);
    text_puts(out, "[");
    for (unsigned i = 0; i <= last; i++) {
        text_puts(out, i ? "," : "");
        visa_put_raw_name(out, p->object, role(p, coordinates[i]));
    }
    text_printf(out, "]:%s", ONE_OF(address_sizes, number(p, "asize")));
}

static void put_shape2d(struct text *out, const struct visa_printing *p)
{
    uint64_t blocks = number(p, "blocks");
    text_printf(out, ":%s.", ONE_OF(data_sizes, number(p, "data")));
    if (blocks > 1)
        text_printf(out, "%" PRIu64 "x", blocks);
    text_printf(out, "%" PRIu64 "x%" PRIu64, number(p, "width"), number(p, "height"));
    bool vnni = number(p, "vnni");
    text_puts(out, number(p, "order") == 2 ? "t" : vnni ? "n" : "");
    text_puts(out, vnni ? "t" : "");
}

static void put_address2d(struct text *out, const struct visa_printing *p)
{
    static const char *const parts[] = {"base", "w", "h", "pitch", "x", "y"};
    text_puts(out, "flat[");
    for (unsigned i = 0; i < 6; i++) {
        text_puts(out, i ? "," : "");
        put_scalar(out, p, role(p, parts[i]));
    }
    text_puts(out, "]");
}

void visa_print_lsc(struct text *out, const struct visa_printing *p, const struct visa_piece *piece)
{
    static const struct {
        const char *name;
        void (*put)(struct text *out, const struct visa_printing *p);
    } composites[] = {{"cache", put_cache},        {"shape", put_shape},  {"address", put_address},
                      {"texel", put_texel},        {"target", put_model}, {"shape2d", put_shape2d},
                      {"address2d", put_address2d}};
    for (unsigned i = 0; i < sizeof composites / sizeof *composites; i++)
        if (strlen(composites[i].name) == piece->length && memcmp(composites[i].name, piece->text, piece->length) == 0)
            composites[i].put(out, p);
}
