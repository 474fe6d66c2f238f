/* Surfaces: suld, sust, sured, suq. What combines with what is in the patterns; this file adds what the notation cannot
 * say (coordinates, data registers, the handle) and the lowering.
 *
 * The patterns are what ptxas 13.0 accepts, not what the PTX ISA text says. They differ:
 *   - a clamp word is required; some examples of the text have none
 *   - sust.p takes array geometries and cache words; sured.p takes .b32 and, for min and max, .b64, no other type
 *   - .1d_buffer exists (PTX 4.3) and .4d is another name of it; cubes and multisampled surfaces do not
 *   - sured has no xor, inc, dec, exch (ptxas crashes on them), no cas, no array geometries, no vectors
 *
 * Gates that no assembler of today can be asked about are the text's ("PTX ISA Notes", "Target ISA Notes").
 */
#include "isa/ptx/surface.h"
#include "isa/layer.h"
#include "isa/ptx/lower.h"
#include "isa/ptx/tuple.h"

#include <string.h>

#define BUFFERS         "1d_buffer~@43|4d~@43"
#define GEOMETRY        "1d|2d|3d@30/20|a1d@30/20|a2d@30/20|" BUFFERS
#define FLAT_GEOMETRY   "1d|2d|3d@30/20|" BUFFERS
#define FLAT_GEOMETRY_B "1d|2d|3d@30/20|1d_buffer~@43/50|4d~@43/50" /* sured.b on buffers: not on Kepler */
#define CLAMP           "trap|clamp@20/20|zero@20/20"
#define LOAD_CACHE      "ca@20/20|cg@20/20|cs@20/20|cv@20/20?"
#define STORE_CACHE     "wb@20/20|cg@20/20|cs@20/20|wt@20/20?"

static ptx_check_fn check_suld, check_sust, check_sured, check_suq;
static ptx_lower_fn lower_suld, lower_sust, lower_sured, lower_suq;

static const struct ptx_pattern suld_patterns[] = {
    {.mods = "b " GEOMETRY " " LOAD_CACHE " v2|v4? b8|b16|b32 " CLAMP, .version = 15},
    {.mods = "b " GEOMETRY " " LOAD_CACHE " v2? b64 " CLAMP, .version = 15},
};

/* Array geometries of sust.p came with PTX 4.1; the text has neither them nor cache words of sust.p. */
static const struct ptx_pattern sust_patterns[] = {
    {.mods = "b " GEOMETRY " " STORE_CACHE " v2|v4? b8|b16|b32 " CLAMP, .version = 15},
    {.mods = "b " GEOMETRY " " STORE_CACHE " v2? b64 " CLAMP, .version = 15},
    {.mods = "p 1d|2d|3d@30|a1d~@41|a2d~@41|" BUFFERS " wb~|cg~|cs~|wt~? v2|v4? b32 " CLAMP,
     .version = 20,
     .target = 20},
};

#define REDUCE(mods_)                                        \
    {                                                        \
        .mods = mods_ " " CLAMP, .version = 20, .target = 20 \
    }
static const struct ptx_pattern sured_patterns[] = {
    REDUCE("b add " FLAT_GEOMETRY_B " u32|s32|u64"),
    REDUCE("b min|max " FLAT_GEOMETRY_B " u32|s32|u64@81/50|s64@81/50"),
    REDUCE("b and|or " FLAT_GEOMETRY_B " b32"),
    REDUCE("p add|and|or " FLAT_GEOMETRY " b32"),
    REDUCE("p min|max " FLAT_GEOMETRY " b32|b64@81/50"),
};

static const struct ptx_pattern suq_patterns[] = {
    {.mods = "width|height|depth|channel_data_type@21|channel_order@21|array_size@41|memory_layout@42 b32",
     .version = 15},
};

const struct ptx_row ptx_row_suld = {"suld", "load from a surface", PTX_PATTERNS(suld_patterns), check_suld,
                                     lower_suld};
const struct ptx_row ptx_row_sust = {"sust", "store to a surface", PTX_PATTERNS(sust_patterns), check_sust, lower_sust};
const struct ptx_row ptx_row_sured = {"sured", "reduce a surface element with a value", PTX_PATTERNS(sured_patterns),
                                      check_sured, lower_sured};
const struct ptx_row ptx_row_suq = {"suq", "query an attribute of a surface", PTX_PATTERNS(suq_patterns), check_suq,
                                    lower_suq};

/* ---- geometries -------------------------------------------------------------------------------------- */

static const struct geometry geometries[] = {
    {PTX__1d, LANE_DIM_1D, 1, 1, {0}, "{x}"},
    {PTX__1d_buffer, LANE_DIM_1D_BUFFER, 1, 1, {0}, "{x}"},
    {PTX__4d, LANE_DIM_1D_BUFFER, 1, 1, {0}, "{x}"},
    {PTX_a1d, LANE_DIM_1D_ARRAY, 2, 2, {1, 0}, "{layer, x}"},
    {PTX__2d, LANE_DIM_2D, 2, 2, {0, 1}, "{x, y}"},
    {PTX_a2d, LANE_DIM_2D_ARRAY, 4, 3, {1, 2, 0}, "{layer, x, y, _}"},
    {PTX__3d, LANE_DIM_3D, 4, 3, {0, 1, 2}, "{x, y, z, _}"},
};

const struct geometry *geometry_find(uint16_t keyword)
{
    unsigned i = 0;
    while (i + 1 < sizeof(geometries) / sizeof(geometries[0]) && geometries[i].keyword != keyword)
        i++;
    return &geometries[i];
}

/* ---- checking ---------------------------------------------------------------------------------------- */

/* suld.b, sust.p ... are the mnemonics: the unit is right after the name. */
static bool check_unit(struct checker *c, const struct insn *insn)
{
    return insn->mods[0] == PTX_b || insn->mods[0] == PTX_p ||
           check_error(c, insn->mod_spans[0], "illegal-modifier", "'%s' must be followed by .b or .p at once",
                       insn->row->name);
}

/* A surface reference by name, or a 64-bit integer register that holds a handle. */
static bool check_handle(struct checker *c, const struct insn_operand *op)
{
    if (op->kind == INSN_BAD)
        return false;
    if (op->kind == INSN_SYMBOL && op->decl != NULL && op->decl->type == PTX_surfref && op->decl->ndims == 0 &&
        op->value == 0)
        return true;
    if (op->kind == INSN_SYMBOL && op->decl != NULL && op->decl->type == PTX_surfref)
        return check_error(c, op->span, "operand-type",
                           "one surface reference is wanted; move the address of an element of '%s' to a register",
                           op->decl->name);
    if (op->kind == INSN_REG && op->decl->vec <= 1 && op->part == 0 && ptx_type_bits(op->decl->type) == 64 &&
        ptx_type_kind(op->decl->type) != 'f')
        return check_gate(c, op->span, SURFACE_HANDLE_VERSION, SURFACE_HANDLE_TARGET, "a surface by its handle");
    return check_error(c, op->span, "operand-type", "the name of a .surfref or a 64-bit integer register is wanted");
}

static bool check_single_coordinate(struct checker *c, const struct insn_operand *op, const struct geometry *geometry,
                                    const char *word)
{
    uint16_t type = op->kind == INSN_REG && op->part == 0 ? op->decl->type : PTX_UNKNOWN;
    char kind = ptx_type_kind(type);
    if (ptx_type_bits(type) != 32 || (kind != 'b' && kind != 'u' && kind != 's'))
        return check_error(c, op->span, "operand-type",
                           "coordinates are a vector {...} or one register, of 32-bit integers");
    /* ptxas takes one register for any geometry and leaves the other coordinates to chance. Named choice: they are 0.
     */
    return geometry->coordinates == 1 ||
           check_lenient(c, op->span, "missing-coordinates",
                         ".%s wants a vector of %u coordinates; the missing ones are 0", word, geometry->least);
}

static bool check_coordinates(struct checker *c, const struct insn_operand *op, uint16_t geom)
{
    const struct geometry *geometry = geometry_find(geom);
    const char *word = ptx_keyword_text((enum ptx_keyword)geom);
    struct tuple tuple;
    struct element element;
    if (op->kind == INSN_BAD)
        return false;
    if (!tuple_open(op, &tuple) || (tuple.count != 1 && tuple.count != 2 && tuple.count != 4))
        return check_error(c, op->span, "operand-count", "a coordinate vector has 1, 2 or 4 elements");
    if (!tuple.braces)
        return check_single_coordinate(c, op, geometry, word);
    if (!tuple_sources(c, &tuple) || !tuple_join(c, &tuple, 32, &element))
        return false;
    bool integer = element.kind == 'b' || element.kind == 'i';
    bool mixed = element.type == 0 && !element.constants;
    if (!(integer || mixed) || (element.bits != 0 && element.bits != 32))
        return check_error(c, op->span, "operand-type", "coordinates are 32-bit integers");
    if (tuple.count < geometry->least)
        return check_error(c, op->span, "operand-count",
                           ".%s wants a vector of at least %u coordinates; %u were written", word, geometry->least,
                           tuple.count);
    if (tuple.count > geometry->least &&
        !check_lenient(c, op->span, "surplus-coordinates", ".%s takes %u coordinate%s; the others are ignored", word,
                       geometry->least, geometry->least == 1 ? "" : "s"))
        return false;
    /* For ptxas elements of different types are untyped bits. Named choice: the bits of a float are the coordinate,
     * wider registers (after an integer constant) give their low bits, predicates 0 or 1. */
    return !element.odd || check_lenient(c, op->span, "odd-coordinates",
                                         "coordinates are 32-bit integers; what else stands here is taken bit for bit");
}

/* [a, b] */
static bool check_place(struct checker *c, const struct insn_operand *op, uint16_t geom)
{
    if (op->kind == INSN_BAD)
        return false;
    if (op->kind != INSN_MEM || op->count != 2 || op->value != 0)
        return check_error(c, op->span, "operand-type", "[surface, coordinates] is wanted");
    bool ok = check_handle(c, &op->children[0]);
    return check_coordinates(c, &op->children[1], geom) && ok;
}

/* Integer constants fit every type; float constants only an untyped one of their own size. */
static bool check_constant(struct checker *c, const struct insn_operand *op, uint16_t type)
{
    unsigned bits = op->kind == INSN_F32 ? 32 : 64;
    if (op->kind == INSN_INT || (ptx_type_kind(type) == 'b' && ptx_type_bits(type) == bits))
        return true;
    return check_error(c, op->span, "operand-type", "a %u-bit float stands where .%s is wanted", bits,
                       ptx_keyword_text(type));
}

/* The address of a variable plus an offset is a constant expression for ptxas, the bare name is not. */
static bool check_symbol_data(struct checker *c, const struct insn_operand *op)
{
    bool function = op->decl != NULL && op->decl->kind == PTX_DECL_FUNC;
    bool offset = op->decl != NULL && (op->decl->kind == PTX_DECL_VAR) && op->value != 0;
    return function || offset ||
           check_error(c, op->span, "operand-type",
                       "a register or a constant is wanted; move the address to a register");
}

/* One operand without braces: as wide as the element or wider, of any class (PTX ISA: as ld and st). */
static bool check_single_data(struct checker *c, const struct insn_operand *op, uint16_t type, bool dest)
{
    if (op->kind == INSN_REG) {
        char kind = ptx_type_kind(op->decl->type);
        bool integers = ptx_type_kind(type) != 'b'; /* sured.u32 ... refuse float registers */
        bool is_float = kind == 'f' && op->decl->type != PTX_f16x2;
        if ((kind == 'b' || kind == 'u' || kind == 's' || kind == 'f') && !(integers && is_float) &&
            ptx_type_bits(op->decl->type) >= ptx_type_bits(type))
            return true;
        return check_error(c, op->span, "operand-type", "register is .%s; .%s or a wider one is wanted",
                           ptx_keyword_text(op->decl->type), ptx_keyword_text(type));
    }
    if (!dest && (op->kind == INSN_INT || op->kind == INSN_F32 || op->kind == INSN_F64))
        return check_constant(c, op, type);
    if (!dest && op->kind == INSN_SYMBOL)
        return check_symbol_data(c, op);
    return check_error(c, op->span, "operand-type",
                       dest ? "a register or a vector of registers is wanted"
                            : "a register, a constant or a vector of them is wanted");
}

/* Do joined elements hold values of `type`? Without .vec the vector as a whole must be large enough. */
static bool check_width(struct checker *c, const struct insn_operand *op, const struct tuple *tuple,
                        const struct element *element, uint16_t type, unsigned vec)
{
    unsigned want = ptx_type_bits(type), have = vec > 1 ? element->bits : element->bits * tuple->count;
    bool fits = element->bits == 0 || have >= want;
    if (element->constants && element->kind == 'f')
        fits = element->type != 0 && ptx_type_bits(element->type) == element->bits;
    return (fits && element->kind != 'p') ||
           check_error(c, op->span, "operand-type", "elements of %u bits stand where .%s is wanted", element->bits,
                       ptx_keyword_text(type));
}

/* The data of suld and sust. A vector without .vec is one element: loads give it to every register, stores take the
 * first (read from the code that ptxas makes). */
static bool check_surface_data(struct checker *c, const struct insn_operand *op, const struct ptx_form *form, bool dest)
{
    uint16_t type = form->types[0];
    unsigned vec = form->vec;
    struct tuple tuple;
    struct element element;
    if (op->kind == INSN_BAD)
        return false;
    if (!tuple_open(op, &tuple) || (tuple.braces && tuple.count != 1 && tuple.count != 2 && tuple.count != 4))
        return check_error(c, op->span, "operand-count", "a vector has 1, 2 or 4 elements here");
    if (tuple.braces ? vec > 1 && tuple.count != vec : vec > 1)
        return check_error(c, op->span, "operand-count", ".v%u wants a vector of %u elements", vec, vec);
    if (!tuple.braces)
        return check_single_data(c, op, type, dest);
    if (!(dest ? tuple_destinations(c, op, &tuple) : tuple_sources(c, &tuple)))
        return false;
    unsigned bits = vec > 1 ? ptx_type_bits(type) : ptx_type_bits(type) / tuple.count;
    if (!tuple_join(c, &tuple, bits, &element) || !check_width(c, op, &tuple, &element, type, vec))
        return false;
    return vec > 1 || tuple.count == 1 ||
           check_lenient(c, op->span, "vector-without-vec", "no .v%u is written: one element is %s", tuple.count,
                         dest ? "loaded, for every register" : "stored, the first");
}

bool surface_check_form(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    (void)form;
    return check_unit(c, insn);
}

static bool check_count(struct checker *c, const struct insn *insn)
{
    return insn->noperands == 2 || check_error(c, insn->name, "operand-count", "'%s' takes 2 operands here, not %u",
                                               insn->row->name, insn->noperands);
}

static bool check_suld(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    if (!surface_check_form(c, insn, form) || !check_count(c, insn))
        return false;
    bool ok = check_surface_data(c, &insn->operands[0], form, true);
    return check_place(c, &insn->operands[1], form->geom) && ok;
}

static bool check_sust(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    if (!surface_check_form(c, insn, form) || !check_count(c, insn))
        return false;
    bool ok = check_place(c, &insn->operands[0], form->geom);
    return check_surface_data(c, &insn->operands[1], form, false) && ok;
}

static bool check_sured(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    struct tuple tuple;
    if (!surface_check_form(c, insn, form) || !check_count(c, insn))
        return false;
    bool ok = check_place(c, &insn->operands[0], form->geom);
    const struct insn_operand *data = &insn->operands[1];
    if (data->kind == INSN_BAD)
        return false;
    if (!tuple_open(data, &tuple) || tuple.braces)
        return check_error(c, data->span, "operand-type", "sured takes one value, no vector");
    return check_single_data(c, data, form->types[0], false) && ok;
}

/* [a+0] is no [a]: ptxas takes no offset here. */
static bool has_offset(const struct checker *c, const struct insn_operand *op)
{
    return op->value != 0 || memchr(c->module->source + op->span.pos, '+', op->span.length) != NULL;
}

static bool check_suq(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    if (!check_count(c, insn))
        return false;
    const struct insn_operand *a = &insn->operands[1];
    bool ok = check_dest(c, &insn->operands[0], form->types[0], false);
    if (a->kind == INSN_BAD)
        return false;
    if (a->kind != INSN_MEM || a->count != 1 || has_offset(c, a))
        return check_error(c, a->span, "operand-type", "[surface] is wanted");
    return check_handle(c, &a->children[0]) && ok;
}

/* ---- lowering ---------------------------------------------------------------------------------------- */

/* Handle, coordinates and data of one access. */
struct surface_operands {
    struct lane_operand dst[TUPLE_MOST], src[1 + 3 + TUPLE_MOST];
    unsigned ndst, nsrc;
};

/* [a, b]: handle, then the coordinates in the order of the lane program. Coordinates that were not written are 0. */
static void lower_place(struct lowerer *l, const struct insn_operand *op, const struct geometry *geometry,
                        struct surface_operands *operands)
{
    struct tuple tuple;
    operands->src[operands->nsrc++] = lower_source(l, &op->children[0], PTX_u64);
    tuple_open(&op->children[1], &tuple);
    for (unsigned i = 0; i < geometry->coordinates; i++) {
        unsigned from = geometry->from[i];
        struct lane_operand at =
            from < tuple.count ? tuple_source(l, &tuple.at[from], PTX_b32) : lower_const(l, PTX_u32, 0);
        if (i && lane_geometries[geometry->dim].axes[i - 1] == LANE_AXIS_LAYER)
            at = isa_layer(&l->b, at);
        operands->src[operands->nsrc++] = at;
    }
}

/* A source that is at least as wide as the element. */
static struct lane_operand lower_element(struct lowerer *l, const struct insn_operand *op, uint16_t type)
{
    if (op->kind == INSN_SYMBOL)
        return lower_source(l, op, PTX_u64);
    if (op->kind == INSN_REG && ptx_type_bits(op->decl->type) >= ptx_type_bits(type))
        return lower_data(l, op, type);
    return tuple_source(l, op, type);
}

static void lower_values(struct lowerer *l, const struct insn_operand *op, const struct ptx_form *form,
                         struct surface_operands *operands)
{
    struct tuple tuple;
    tuple_open(op, &tuple);
    for (unsigned i = 0; i < form->vec; i++) /* without .vec only the first of a vector */
        operands->src[operands->nsrc++] = lower_element(l, &tuple.at[i], form->types[0]);
}

/* Executes as weak; sured is relaxed at system scope (read from the code that ptxas makes). An H100 says what .clamp is
 * in short rows and what sured.p makes of snorm (docs/hardware.md, "Answers about surfaces and atomics"). */
static struct lane_access describe(const struct ptx_form *form)
{
    struct lane_access access = {.space = LANE_SURFACE,
                                 .type = (uint8_t)ptx_type_lane(form->types[0]),
                                 .vec = form->vec,
                                 .dim = geometry_find(form->geom)->dim};
    access.formatted = ptx_form_has(form, PTX_p);
    access.unit = access.formatted ? LANE_UNIT_SAMPLE : LANE_UNIT_BYTE;
    access.clamp = ptx_form_has(form, PTX_trap)    ? LANE_CLAMP_TRAP
                   : ptx_form_has(form, PTX_clamp) ? LANE_CLAMP_NEAR
                                                   : LANE_CLAMP_ZERO;
    access.short_rows = access.clamp == LANE_CLAMP_NEAR;
    return access;
}

static void emit(struct lowerer *l, enum lane_op op, const struct lane_access *access,
                 const struct surface_operands *operands)
{
    struct lane_inst *inst =
        lower_emit(l, op, PTX_UNKNOWN, operands->ndst, operands->dst, operands->nsrc, operands->src);
    inst->type = LANE_VOID;
    inst->aux = lane_access(&l->b, access);
}

/* A vector without .vec gets one element in every register. Its registers may be narrower than the element (ptxas only
 * asks for the size of the whole); they take the low bits (named choice). */
static void lower_suld(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct surface_operands operands = {.ndst = 0};
    struct lane_access access = describe(form);
    uint16_t type = form->types[0];
    struct tuple tuple;
    lower_place(l, &insn->operands[1], geometry_find(form->geom), &operands);
    tuple_open(&insn->operands[0], &tuple);
    access.uniform_tuple = form->vec == 1 && tuple.count > 1;
    bool narrow[TUPLE_MOST] = {false};
    for (unsigned i = 0; i < tuple.count; i++) {
        const struct insn_operand *d = &tuple.at[i];
        bool data = tuple_stores(d);
        narrow[i] = data && ptx_type_bits(d->decl->type) < ptx_type_bits(type);
        operands.dst[operands.ndst++] = narrow[i] ? lower_dest(l, d, type, true)
                                        : data    ? lower_dest_data(l, d)
                                                  : (struct lane_operand){LANE_NONE, 0};
    }
    emit(l, LANE_OP_suld, &access, &operands);
    for (unsigned i = 0; i < tuple.count; i++)
        if (narrow[i])
            lower_finish(l, &tuple.at[i], type, operands.dst[i]);
}

static void lower_sust(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct surface_operands operands = {.ndst = 0};
    struct lane_access access = describe(form);
    access.fixed = access.formatted;
    lower_place(l, &insn->operands[0], geometry_find(form->geom), &operands);
    lower_values(l, &insn->operands[1], form, &operands);
    emit(l, LANE_OP_sust, &access, &operands);
}

static void lower_sured(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    struct surface_operands operands = {.ndst = 0};
    struct lane_access access = describe(form);
    access.atomic = (uint8_t)lower_atomic_word(form->op);
    access.snorm = access.formatted;
    access.order = LANE_RELAXED;
    access.scope = LANE_SCOPE_SYS;
    lower_place(l, &insn->operands[0], geometry_find(form->geom), &operands);
    lower_values(l, &insn->operands[1], form, &operands);
    emit(l, LANE_OP_sured, &access, &operands);
}

/* Height and depth are extents of coordinates: layers are the height of a 1D array, the depth of a 2D array (an H100
 * says so: docs/hardware.md, "Answers about surfaces and atomics"). */
static uint8_t query(const struct ptx_form *form)
{
    static const uint16_t words[LANE_SUQS] = {
        PTX_width, PTX_height, PTX_depth, PTX_channel_data_type, PTX_channel_order, PTX_array_size, PTX_memory_layout};
    uint8_t what = 0;
    while (what + 1 < LANE_SUQS && !ptx_form_has(form, (enum ptx_keyword)words[what]))
        what++;
    return what;
}

static void lower_suq(struct lowerer *l, const struct insn *insn, const struct ptx_form *form)
{
    const struct insn_operand *d = &insn->operands[0];
    struct lane_operand handle = lower_source(l, &insn->operands[1].children[0], PTX_u64);
    struct lane_operand value = lower_dest(l, d, PTX_b32, true);
    struct lane_inst *inst = lower_emit(l, LANE_OP_suq, PTX_UNKNOWN, 1, &value, 1, &handle);
    inst->type = LANE_VOID;
    inst->mode = query(form);
    lower_finish(l, d, PTX_b32, value);
}
