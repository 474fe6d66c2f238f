/* LSC messages of vISA. Source: docs/visa.md, "Verdicts". */
#include "isa/visa/atomics.h"
#include "isa/visa/check_inner.h"

enum { UGM, UGML, TGM, SLM };
enum { D8 = 1, D16, D32, D64, D8C32, D16C32, D16C32H };
enum { FLAT = 1, BSS, SS, BTI, ARG };
enum { A16 = 1, A32, A64 };
enum { ELEMS_1 = 1, ELEMS_2, ELEMS_3, ELEMS_4, ELEMS_8, ELEMS_64 = 8 };
enum { PLAIN = 1, TRANSPOSED };

/* What a sub-operation is. */
enum { LOAD = 1, STORE = 2, ATOMIC = 4, QUAD = 8, STRIDED = 16, BLOCK = 32 };
enum { IINC = 8, ICAS = 18, FADD = 19, FSUB = 20, STORE_QUAD = 6, STORE_BLOCK = 7, READ_STATE = 30 };
static const uint8_t ops[32] = {
    LOAD,   LOAD | STRIDED, LOAD | QUAD, LOAD | BLOCK, STORE,  STORE | STRIDED, STORE | QUAD, STORE | BLOCK, ATOMIC,
    ATOMIC, ATOMIC,         ATOMIC,      ATOMIC,       ATOMIC, ATOMIC,          ATOMIC,       ATOMIC,        ATOMIC,
    ATOMIC, ATOMIC,         ATOMIC,      ATOMIC,       ATOMIC, ATOMIC,          ATOMIC,       ATOMIC,        ATOMIC,
    LOAD,   STORE,          0,           LOAD,         0,
};

struct lsc {
    unsigned is; /* a set of what its sub-operation is */
    unsigned sub, sfid, size, order, elems, channels;
};

static unsigned size_bytes(unsigned size)
{
    static const uint8_t bytes[] = {0, 1, 2, 4, 8, 4, 4, 4};
    return size < sizeof bytes ? bytes[size] : 0;
}

/* ---- caches ----------------------------------------------------------------------------------------------- */

enum { DF, UC, CA, WB, WT, ST, RI };
#define PAIR(l1, l3) (1ull << ((l1)*8 + (l3)))
static bool cache_fits(const struct lsc *m, unsigned l1, unsigned l3)
{
    const uint64_t all = PAIR(DF, DF) | PAIR(UC, UC);
    const uint64_t loads =
        all | PAIR(UC, CA) | PAIR(CA, UC) | PAIR(CA, CA) | PAIR(ST, UC) | PAIR(ST, CA) | PAIR(RI, CA);
    const uint64_t stores =
        all | PAIR(UC, WB) | PAIR(WB, WB) | PAIR(WT, UC) | PAIR(WT, WB) | PAIR(ST, UC) | PAIR(ST, WB);
    const uint64_t atomics = all | PAIR(UC, WB);
    if (m->sfid == TGM || m->sfid == UGML)
        return l1 == DF && l3 == DF;
    uint64_t set = m->is & LOAD ? loads : m->is & STORE ? stores : atomics;
    return l1 <= RI && l3 <= RI && set >> (l1 * 8 + l3) & 1;
}

static void check_cache(struct visa_checker *c, const struct lsc *m)
{
    unsigned l1 = (unsigned)visa_role_value(c, "l1"), l3 = (unsigned)visa_role_value(c, "l3");
    if (!cache_fits(m, l1, l3))
        visa_refuse(c, NULL, "lsc-cache", "these cache options do not go with '%s'%s", visa_op_name(c),
                    m->sfid == TGM || m->sfid == UGML ? ": .tgm and .ugml take the default" : "");
}

/* ---- shapes ----------------------------------------------------------------------------------------------- */

static void check_vector(struct visa_checker *c, const struct lsc *m)
{
    bool single = m->elems == ELEMS_1;
    if (!single && m->size != D32 && m->size != D64)
        visa_refuse(c, NULL, "lsc-shape", "only d32 and d64 come as vectors");
    if (m->sfid == UGML && !single && m->elems != ELEMS_2 && m->elems != ELEMS_4)
        visa_refuse(c, NULL, "lsc-shape", ".ugml has vectors of 1, 2 and 4");
    if ((m->sfid == UGM || m->sfid == SLM) && (m->elems < ELEMS_1 || m->elems > ELEMS_8))
        visa_refuse(c, NULL, "lsc-shape", "without a transposition a vector has 1, 2, 3, 4 or 8 elements");
    if (!(m->is & ATOMIC))
        return;
    if (m->size != D16C32 && m->size != D32 && m->size != D64)
        visa_refuse(c, NULL, "lsc-shape", "atomics are of d16c32, d32 or d64");
    if (m->sfid == SLM && m->size == D64 && m->sub != ICAS)
        visa_refuse(c, NULL, "lsc-shape", "of d64, .slm has lsc_atomic_icas only");
    if ((m->sub == FADD || m->sub == FSUB) && m->sfid != UGM && m->sfid != UGML)
        visa_refuse(c, NULL, "lsc-shape", "lsc_atomic_fadd and lsc_atomic_fsub are of .ugm and .ugml");
}

static void check_order(struct visa_checker *c, const struct lsc *m)
{
    if (m->order != PLAIN && m->order != TRANSPOSED)
        visa_refuse(c, NULL, "lsc-shape", "order code %u: wanted 1 or 2", m->order);
    if (m->order == TRANSPOSED) {
        if (m->is & (QUAD | ATOMIC))
            visa_refuse(c, NULL, "lsc-shape", "'%s' is not transposed", visa_op_name(c));
        if (visa_channels(c) != 1)
            visa_refuse(c, NULL, "exec-size", "what is transposed has 1 channel, not %u", visa_channels(c));
    } else if (m->sub == STORE_QUAD && m->is & QUAD) {
        if (!m->channels || m->channels > 15 || (m->channels & (m->channels + 1)))
            visa_refuse(c, NULL, "lsc-shape", "lsc_store_quad stores .x, .xy, .xyz or .xyzw");
    } else if (!(m->is & QUAD)) {
        check_vector(c, m);
    }
}

/* Elements of a channel; 0: it was reported that there is no such number. */
static unsigned elements_of(struct visa_checker *c, const struct lsc *m)
{
    static const uint8_t counts[] = {0, 1, 2, 3, 4, 8, 16, 32, 64};
    if (m->is & QUAD) {
        unsigned count = 0;
        if (m->channels == 0 || m->channels > 15)
            visa_refuse(c, NULL, "lsc-shape", "channel mask %u: wanted 1 to 15", m->channels);
        else
            for (unsigned i = 0; i < 4; i++)
                count += m->channels >> i & 1;
        return count;
    }
    if (m->elems < ELEMS_1 || m->elems > ELEMS_64) {
        visa_refuse(c, NULL, "lsc-shape", "vector code %u: wanted 1 to 8", m->elems);
        return 0;
    }
    if (m->elems != ELEMS_1 && m->is & ATOMIC)
        visa_refuse(c, NULL, "lsc-shape", "atomics are of single elements");
    if (m->elems != ELEMS_1 && m->size >= D8C32)
        visa_refuse(c, NULL, "lsc-shape", "what is converted is no vector");
    return counts[m->elems];
}

static void check_shape(struct visa_checker *c, const struct lsc *m)
{
    unsigned bytes = size_bytes(m->size), grf = c->row->grf;
    if (!bytes) {
        visa_refuse(c, NULL, "lsc-shape", "data size code %u: wanted 1 to 7", m->size);
        return;
    }
    check_order(c, m);
    unsigned elements = elements_of(c, m);
    unsigned row = m->order == TRANSPOSED ? elements * bytes / grf : bytes * visa_channels(c) / grf;
    unsigned registers = (row ? row : 1) * (m->order == TRANSPOSED ? 1 : elements);
    if (elements && registers > 8)
        visa_refuse(c, NULL, "lsc-shape", "the message moves %u registers: wanted at most 8", registers);
}

/* ---- addresses -------------------------------------------------------------------------------------------- */

static void check_address(struct visa_checker *c, const struct lsc *m)
{
    unsigned model = (unsigned)visa_role_value(c, "model"), size = (unsigned)visa_role_value(c, "asize");
    const struct visa_operand *op = visa_role(c, "surface");
    if (size == A16 && m->sfid != SLM)
        visa_refuse(c, NULL, "lsc-address", ":a16 is of .slm");
    if (size == A64 && (m->sfid == TGM || m->sfid == SLM))
        visa_refuse(c, NULL, "lsc-address", ".tgm and .slm have no :a64");
    if (model < FLAT || model > ARG) {
        visa_refuse(c, NULL, "lsc-address", "address model code %u: wanted 1 to 5", model);
        return;
    }
    bool flat = model == FLAT || model == ARG;
    if (flat && m->sfid == TGM)
        visa_refuse(c, NULL, "lsc-address", ".tgm has no flat addresses");
    if (!flat && m->sfid == SLM)
        visa_refuse(c, NULL, "lsc-address", ".slm has flat addresses only");
    if (op->class != VISA_IMMEDIATE && op->class != VISA_GENERAL)
        visa_refuse(c, op, "operand-kind", "a surface is a number or a variable");
    else if (flat && (op->class == VISA_IMMEDIATE ? (uint32_t)op->value != 0 : op->id != VISA_NULL))
        visa_refuse(c, op, "lsc-address", "a flat address has no surface");
    else if (!flat && op->class == VISA_GENERAL && op->id == VISA_NULL)
        visa_refuse(c, op, "lsc-address", "the surface is %%null");
}

static void check_arithmetic(struct visa_checker *c)
{
    unsigned scale = (unsigned)visa_role_value(c, "scale");
    int32_t offset = (int32_t)visa_role_value(c, "offset");
    const struct visa_operand *pitch = visa_role(c, "pitch");
    if (scale & (scale - 1))
        visa_refuse(c, NULL, "lsc-address", "scale %u: wanted a power of two", scale);
    if (visa_role_value(c, "asize") == A16 && (offset > 0x7FFF || offset < -0x7FFF))
        visa_refuse(c, NULL, "lsc-address", "offset %d does not go into 16 bits", offset);
    if (!pitch)
        return;
    if (pitch->class == VISA_IMMEDIATE ? (int32_t)pitch->value > 0xFFFF
                                       : pitch->class != VISA_GENERAL || pitch->id == VISA_NULL)
        visa_refuse(c, pitch, "lsc-address", "a pitch is a variable or a number of at most 16 bits");
}

/* ---- data ------------------------------------------------------------------------------------------------- */

static void want_null(struct visa_checker *c, const char *role, bool null)
{
    const struct visa_operand *op = visa_role(c, role);
    if (!op || op->class != VISA_RAW || (op->id == VISA_NULL) == null)
        return;
    if (null)
        visa_refuse(c, op, "operand-null", "'%s' has no %s: wanted %%null", visa_op_name(c), role);
    else
        visa_refuse(c, op, "operand-null", "'%s' wants a variable as %s, not %%null", visa_op_name(c), role);
}

static void check_data(struct visa_checker *c, const struct lsc *m)
{
    if (m->is & STORE)
        want_null(c, "dst", true);
    if (m->is & ATOMIC) {
        unsigned sources = visa_atomic_sources(&visa_lsc_atomics[m->sub]);
        want_null(c, "src1", sources < 1);
        want_null(c, "src2", sources < 2);
    } else {
        want_null(c, "src1", !(m->is & STORE));
        want_null(c, "src2", true);
    }
}

/* ---- blocks ----------------------------------------------------------------------------------------------- */

/* Blocks side by side, by their elements. */
static bool blocks_fit(unsigned size, unsigned blocks)
{
    return blocks == 1 || (blocks == 2 && size <= D32) || (blocks == 4 && size <= D16);
}

static void check_block(struct visa_checker *c, const struct lsc *m)
{
    unsigned blocks = (unsigned)visa_role_value(c, "blocks"), width = (unsigned)visa_role_value(c, "width");
    unsigned height = (unsigned)visa_role_value(c, "height"), vnni = (unsigned)visa_role_value(c, "vnni");
    unsigned bytes = size_bytes(m->size), most = m->sub == STORE_BLOCK ? 512 : 64;
    bool transposed = m->order == TRANSPOSED;
    if (!bytes || m->size > D64)
        visa_refuse(c, NULL, "lsc-shape", "data size code %u: wanted 1 to 4", m->size);
    if (m->order != PLAIN && !transposed)
        visa_refuse(c, NULL, "lsc-shape", "order code %u: wanted 1 or 2", m->order);
    if (!blocks || !width || !height) {
        visa_refuse(c, NULL, "block-size", "%u blocks of %u x %u: wanted at least one of each", blocks, width, height);
        return;
    }
    if (m->sub == STORE_BLOCK && (vnni || blocks != 1))
        visa_refuse(c, NULL, "block-size", "one block is stored, as it is");
    if (width * blocks * bytes > most)
        visa_refuse(c, NULL, "block-size", "a row has %u bytes: wanted at most %u", width * blocks * bytes, most);
    if ((transposed ? width : height) > 32)
        visa_refuse(c, NULL, "block-size", "%u rows: wanted at most 32", transposed ? width : height);
    if (transposed && !vnni ? blocks != 1 : !blocks_fit(m->size, blocks))
        visa_refuse(c, NULL, "block-size", "%u blocks side by side are too many of these elements", blocks);
    static const char *const roles[] = {"base", "w", "h", "pitch", "x", "y"};
    for (unsigned i = 0; i < 6; i++) {
        const struct visa_operand *op = visa_role(c, roles[i]);
        if (op && op->class != VISA_IMMEDIATE && op->id == VISA_NULL)
            visa_refuse(c, op, "operand-null", "'%s' wants a number or a variable, not %%null", visa_op_name(c));
    }
}

/* ---- all -------------------------------------------------------------------------------------------------- */

static void check_fence(struct visa_checker *c)
{
    unsigned op = (unsigned)visa_role_value(c, "op"), scope = (unsigned)visa_role_value(c, "scope");
    if (op > 6 || scope > 6)
        visa_refuse(c, NULL, "lsc-fence", "fence %u of scope %u: there is none", op, scope);
    else if (visa_role_value(c, "sfid") == SLM && (op || scope))
        visa_refuse(c, NULL, "lsc-fence", "a fence of .slm is .none.group");
}

void visa_check_lsc(struct visa_checker *c)
{
    if (c->inst->row->opcode == 0x8B) {
        check_fence(c);
        return;
    }
    struct lsc m = {ops[c->form->sub & 31],
                    c->form->sub,
                    c->inst->row->opcode == 0x8A ? TGM : (unsigned)visa_role_value(c, "sfid"),
                    (unsigned)visa_role_value(c, "data"),
                    (unsigned)visa_role_value(c, "order"),
                    (unsigned)visa_role_value(c, "elems"),
                    (unsigned)visa_role_value(c, "channels")};
    check_cache(c, &m);
    if (m.is & BLOCK) {
        check_block(c, &m);
    } else {
        check_arithmetic(c);
        check_shape(c, &m);
        check_address(c, &m);
        if (m.sfid == TGM)
            want_null(c, "u", m.sub == READ_STATE);
        for (unsigned i = 0; m.sub == READ_STATE && i < 3; i++)
            want_null(c, i == 0 ? "v" : i == 1 ? "r" : "lod", true);
    }
    check_data(c, &m);
}
