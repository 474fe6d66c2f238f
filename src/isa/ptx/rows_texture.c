/* Rows of textures: tex, tld4, txq. Checked as ptxas 13.0 does it, not executed. Geometries, types and gates: PTX ISA,
 * "Texture Instructions". */
#include "isa/ptx/rows.h"
#include "isa/ptx/tuple.h"
#include "isa/ptx/vector.h"

/* What a geometry takes. */
struct texture_shape {
    uint16_t geometry;
    uint8_t coordinates; /* at least; a vector has 1, 2 or 4 */
    uint8_t offsets;     /* 0 = takes none */
    uint8_t gradients;
    bool layers;  /* the first coordinate is a number */
    bool compare; /* takes a reference value */
};

static const struct texture_shape texture_shapes[] = {
    {PTX__1d, 1, 1, 1, false, true},  {PTX__2d, 2, 2, 2, false, true},   {PTX__3d, 4, 4, 4, false, false},
    {PTX_a1d, 2, 1, 1, true, true},   {PTX_a2d, 4, 2, 2, true, true},    {PTX_cube, 4, 0, 4, false, true},
    {PTX_acube, 4, 0, 4, true, true}, {PTX__2dms, 4, 2, 0, true, false}, {PTX_a2dms, 4, 2, 0, true, false},
};

static const struct texture_shape *shape_of(const struct ptx_form *form)
{
    unsigned i = 0;
    while (i + 1 < sizeof(texture_shapes) / sizeof(texture_shapes[0]) && texture_shapes[i].geometry != form->geom)
        i++;
    return &texture_shapes[i];
}

/* A name of the opaque type, or a 64-bit integer register with a handle. */
static bool check_object(struct checker *c, const struct insn_operand *op, uint16_t type)
{
    if (op->kind == INSN_BAD)
        return false;
    if (op->kind == INSN_SYMBOL && op->decl != NULL && op->decl->type == type && op->value == 0)
        return true;
    if (op->kind == INSN_SYMBOL && op->decl != NULL)
        return check_error(c, op->span, "operand-type", "'%s' is no .%s", op->decl->name,
                           ptx_keyword_text((enum ptx_keyword)type));
    if (op->kind == INSN_REG && op->decl->vec <= 1 && op->part == 0 && ptx_type_bits(op->decl->type) == 64 &&
        ptx_type_kind(op->decl->type) != 'f')
        return check_gate(c, op->span, 31, 20, "a texture by its handle");
    return check_error(c, op->span, "operand-type", "the name of a .%s or a 64-bit integer register is wanted",
                       ptx_keyword_text((enum ptx_keyword)type));
}

/* One coordinate: .f32 takes untyped and integer registers too, as ptxas does; .s32 no float. */
static bool check_coordinate(struct checker *c, const struct insn_operand *op, bool number, uint16_t type)
{
    uint16_t reg = ptx_operand_type(op);
    bool bits = !number && type == PTX_f32 && reg != 0 && ptx_type_bits(reg) == 32 && ptx_type_kind(reg) != 'p';
    return bits || check_source(c, op, number ? PTX_u32 : type, false);
}

static bool check_coordinates(struct checker *c, const struct insn_operand *op, const struct ptx_form *form)
{
    const struct texture_shape *shape = shape_of(form);
    uint16_t type = form->types[1];
    if (op->kind == INSN_BAD)
        return false;
    if (op->kind != INSN_TUPLE) {
        bool vector = op->kind == INSN_REG && op->decl->vec > 1 && op->part == 0;
        if (vector ? op->decl->vec >= shape->coordinates : check_coordinate(c, op, shape->layers, type))
            return vector || shape->coordinates == 1 ||
                   check_lenient(c, op->span, "missing-coordinates", "a vector of %u coordinates is wanted",
                                 shape->coordinates);
        return vector && check_error(c, op->span, "operand-count", "a vector of at least %u coordinates is wanted",
                                     shape->coordinates);
    }
    if (op->count < shape->coordinates || (op->count != 1 && op->count != 2 && op->count != 4))
        return check_error(c, op->span, "operand-count", "a vector of %s%u coordinates is wanted; %u were written",
                           shape->coordinates < 4 ? "at least " : "", shape->coordinates, op->count);
    bool ok = true;
    for (unsigned i = 0; i < op->count; i++)
        ok &= check_coordinate(c, &op->children[i], i == 0 && shape->layers, type);
    return ok;
}

/* [texture {, sampler}, coordinates] */
static bool check_place(struct checker *c, const struct insn_operand *op, const struct ptx_form *form)
{
    if (op->kind == INSN_BAD)
        return false;
    if (op->kind != INSN_MEM || op->count < 2 || op->count > 3 || op->value != 0)
        return check_error(c, op->span, "operand-type", "[texture, coordinates] is wanted");
    bool ok = check_object(c, &op->children[0], PTX_texref);
    if (op->count == 3)
        ok &= check_object(c, &op->children[1], PTX_samplerref);
    return check_coordinates(c, &op->children[op->count - 1U], form) && ok;
}

/* {d, d, d, d} or {...}|p */
static bool check_result(struct checker *c, const struct insn_operand *op, const struct ptx_form *form)
{
    const struct insn_operand *d = op->kind == INSN_PIPE ? &op->children[0] : op;
    if (d->kind == INSN_REG && d->decl->vec == form->vec && d->part == 0)
        return check_data(c, d, form->types[0], form->vec, true);
    if (!check_vector(c, d, form->vec, form->types[0], true))
        return false;
    if (op->kind != INSN_PIPE)
        return true;
    return check_gate(c, op->span, 71, 60, "a predicate for residency") &&
           (op->children[1].kind == INSN_SINK || check_dest(c, &op->children[1], PTX_pred, false));
}

static bool is_compare(const struct insn_operand *op)
{
    return op->kind == INSN_F32 || op->kind == INSN_F64 || ptx_operand_type(op) == PTX_f32;
}

static bool check_offset(struct checker *c, const struct insn_operand *op, const struct texture_shape *shape)
{
    if (shape->offsets == 0)
        return check_error(c, op->span, "operand-count", "cubes take no offset");
    if (!check_gate(c, op->span, 43, 30, "an offset"))
        return false;
    if (shape->offsets == 1 && op->kind != INSN_TUPLE)
        return check_source(c, op, PTX_s32, false);
    return check_vector(c, op, shape->offsets, PTX_s32, false);
}

static bool check_compare(struct checker *c, const struct insn_operand *op, const struct ptx_form *form)
{
    if (!shape_of(form)->compare || form->types[1] != PTX_f32)
        return check_error(c, op->span, "operand-count", "this form takes no reference value");
    return check_gate(c, op->span, 43, 30, "a reference value") && check_source(c, op, PTX_f32, false);
}

/* After the place and what .level and .grad add: {, offset} {, reference value} */
static bool check_rest(struct checker *c, const struct insn *insn, const struct ptx_form *form, unsigned next)
{
    unsigned left = insn->noperands - next;
    if (left > 2)
        return check_error(c, insn->name, "operand-count", "'%s' takes at most %u operands here, not %u",
                           insn->row->name, next + 2, insn->noperands);
    bool ok = true;
    if (left == 2 || (left == 1 && !is_compare(&insn->operands[next]))) {
        ok = check_offset(c, &insn->operands[next], shape_of(form));
        next++;
    }
    return next == insn->noperands || (check_compare(c, &insn->operands[next], form) && ok) ? ok : false;
}

static bool check_lookup(struct checker *c, const struct insn *insn, const struct ptx_form *form, unsigned fixed)
{
    if (insn->noperands < fixed)
        return check_error(c, insn->name, "operand-count", "'%s' takes at least %u operands here, not %u",
                           insn->row->name, fixed, insn->noperands);
    bool ok = check_result(c, &insn->operands[0], form);
    return check_place(c, &insn->operands[1], form) && ok;
}

static bool check_tex(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    return check_lookup(c, insn, form, 2) && check_rest(c, insn, form, 2);
}

/* The level is of the type of the coordinates. */
static bool check_level(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    return check_lookup(c, insn, form, 3) && check_source(c, &insn->operands[2], form->types[1], false) &&
           check_rest(c, insn, form, 3);
}

static bool check_gradients(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    unsigned count = shape_of(form)->gradients;
    return check_lookup(c, insn, form, 4) && check_vector(c, &insn->operands[2], count, PTX_f32, false) &&
           check_vector(c, &insn->operands[3], count, PTX_f32, false) && check_rest(c, insn, form, 4);
}

static bool check_txq(struct checker *c, const struct insn *insn, const struct ptx_form *form)
{
    bool level = ptx_form_has(form, PTX_level);
    if (insn->noperands != 2U + level)
        return check_error(c, insn->name, "operand-count", "'txq' takes %u operands here, not %u", 2U + level,
                           insn->noperands);
    const struct insn_operand *a = &insn->operands[1];
    bool sampler = ptx_form_has(form, PTX_force_unnormalized_coords);
    bool ok = check_dest(c, &insn->operands[0], PTX_b32, false);
    if (a->kind != INSN_MEM || a->count != 1 || a->value != 0)
        return a->kind != INSN_BAD && check_error(c, a->span, "operand-type", "[texture] is wanted");
    const struct insn_operand *object = &a->children[0];
    bool by_name = object->kind == INSN_SYMBOL && object->decl != NULL && object->decl->type == PTX_samplerref;
    ok &= check_object(c, object, sampler || by_name ? PTX_samplerref : PTX_texref);
    return (!level || check_source(c, &insn->operands[2], PTX_u32, false)) && ok;
}

#define FLAT    "1d|2d|3d|a1d@23|a2d@23 "
#define CUBES   "cube@30|acube@30/20 "
#define SAMPLES "2dms@32/30|a2dms@32/30 "
#define FOUR    "v4 u32|s32|f32|f16@42/53 "
#define TWO     "v2 f16x2@42/53 "
#define TEX(version, target, check, word, type)                    \
    KNOWN(version, target, check, word FLAT type "s32|f32", NULL), \
        KNOWN(version, target, check, word CUBES type "f32", NULL)

static const struct ptx_pattern tex_forms[] = {
    TEX(0, 0, check_tex, "", FOUR),
    TEX(0, 0, check_tex, "", TWO),
    KNOWN(0, 0, check_tex, SAMPLES FOUR "s32", NULL),
    KNOWN(0, 0, check_tex, SAMPLES TWO "s32", NULL),
    TEX(31, 20, check_tex, "base! ", FOUR),
    TEX(31, 20, check_tex, "base! ", TWO),
    KNOWN(32, 30, check_tex, "base! " SAMPLES FOUR "s32", NULL),
    KNOWN(32, 30, check_tex, "base! " SAMPLES TWO "s32", NULL),
    TEX(31, 20, check_level, "level! ", FOUR),
    TEX(31, 20, check_level, "level! ", TWO),
    TEX(31, 20, check_gradients, "grad! ", FOUR),
    TEX(31, 20, check_gradients, "grad! ", TWO),
};
static const struct ptx_pattern tld4_forms[] = {
    KNOWN(22, 20, check_tex, "r|g|b|a 2d|a2d@43/30|cube@43/30|acube@43/30 v4 u32|s32|f32 f32", NULL),
};
static const struct ptx_pattern txq_forms[] = {
    KNOWN(15, 0, check_txq,
          "width|height|depth|channel_data_type@21|channel_order@21|normalized_coords|force_unnormalized_coords@22|"
          "filter_mode|addr_mode_0|addr_mode_1|addr_mode_2|array_size@41|num_mipmap_levels@41|num_samples@41|"
          "memory_layout@42 b32",
          NULL),
    KNOWN(43, 30, check_txq, "level! width|height|depth b32", NULL),
};

DEFINE_KNOWN(tex, "texture look-up; not executed")
DEFINE_KNOWN(tld4, "texture gather; not executed")
DEFINE_KNOWN(txq, "texture query; not executed")
