/* The canonical text of a module: one statement a line, tabs, numbers in one form. Parsing it prints the same again.
 * Integers are decimal, floats are their bits; modifiers stay as they were written, in their order. */
#include "base/text.h"
#include "isa/ptx/ast.h"
#include "isa/ptx/lex.h"

#include <inttypes.h>
#include <string.h>

struct printer {
    const struct ptx_module *module;
    struct text *out;
    unsigned indent;
};

static void put(struct printer *p, const char *text)
{
    text_puts(p->out, text);
}

static void put_span(struct printer *p, struct span span)
{
    text_add(p->out, p->module->source + span.pos, span.length);
}

static void put_number(struct printer *p, uint64_t value)
{
    char digits[24];
    unsigned at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    text_add(p->out, digits + at, sizeof digits - at);
}

static void put_signed(struct printer *p, uint64_t value)
{
    if ((int64_t)value < 0) {
        put(p, "-");
        value = 0 - value;
    }
    put_number(p, value);
}

static void put_indent(struct printer *p)
{
    static const char tabs[] = "\t\t\t\t\t\t\t\t";
    for (unsigned left = p->indent; left;) {
        unsigned some = left < sizeof tabs - 1 ? left : (unsigned)sizeof tabs - 1;
        text_add(p->out, tabs, some);
        left -= some;
    }
}

/* A piece of source without its comments, one space between words. */
static void put_words(struct printer *p, struct span span)
{
    struct lexer lexer = {.text = p->module->source, .pos = span.pos, .size = span.pos + span.length};
    struct token token;
    unsigned before = '(';
    for (lex_next(&lexer, &token); token.kind != TOKEN_END; lex_next(&lexer, &token)) {
        bool tight = before == '(' || token.kind == ',' || token.kind == ')' || token.kind == '(';
        if (!tight)
            put(p, " ");
        put_span(p, (struct span){token.pos, token.length});
        before = token.kind;
    }
}

static bool starts_with(const struct printer *p, struct span span, const char *word)
{
    size_t length = strlen(word);
    return span.length >= length && memcmp(p->module->source + span.pos, word, length) == 0;
}

/* Directives with a string list or names end in ';', those of debug information do not. */
static void put_directive(struct printer *p, struct span span)
{
    if (starts_with(p, span, ".section"))
        put_span(p, span);
    else
        put_words(p, span);
    put(p, starts_with(p, span, ".pragma") || starts_with(p, span, ".alias") ? ";\n" : "\n");
}

/* ---- operands ---- */

static void put_operand(struct printer *p, const struct insn_operand *operand);

static void put_children(struct printer *p, const struct insn_operand *operand, unsigned from)
{
    for (unsigned i = from; i < operand->count; i++) {
        if (i > 0)
            put(p, ", ");
        put_operand(p, &operand->children[i]);
    }
}

static void put_register(struct printer *p, const struct insn_operand *operand)
{
    static const char *const parts[] = {"",    ".x",  ".y",  ".z",  ".w", ".b0", ".b1",
                                        ".b2", ".b3", ".h0", ".h1", ".b", ".h"};
    if (operand->minus)
        put(p, "-");
    put(p, operand->decl->name);
    if (operand->decl->count)
        put_number(p, operand->number);
    put(p, parts[operand->part]);
    if (operand->part >= PART_BYTES)
        for (unsigned i = operand->count; i-- > 0;)
            put_number(p, operand->index >> 4 * i & 15);
}

static void put_offset(struct printer *p, uint64_t offset)
{
    if (offset == 0)
        return;
    put(p, "+");
    put_signed(p, offset);
}

static void put_integer(struct printer *p, const struct insn_operand *operand)
{
    if (!operand->is_unsigned) {
        put_signed(p, operand->value);
        return;
    }
    put_number(p, operand->value);
    if (operand->value <= INT64_MAX) /* larger ones are unsigned without it */
        put(p, "U");
}

static void put_mem(struct printer *p, const struct insn_operand *operand)
{
    put(p, "[");
    put_operand(p, &operand->children[0]);
    put_offset(p, operand->value);
    put_children(p, operand, 1);
    put(p, "]");
}

static void put_operand(struct printer *p, const struct insn_operand *operand)
{
    switch (operand->kind) {
    case INSN_REG:
        put_register(p, operand);
        break;
    case INSN_SREG:
        put(p, "%");
        put(p, ptx_sreg_name((unsigned)operand->value));
        break;
    case INSN_SYMBOL:
        if (operand->decl)
            put(p, operand->decl->name);
        put_offset(p, operand->value);
        break;
    case INSN_INT:
        put_integer(p, operand);
        break;
    case INSN_F32:
        text_printf(p->out, "0f%08" PRIX32, (uint32_t)operand->value);
        break;
    case INSN_F64:
        text_printf(p->out, "0d%016" PRIX64, operand->value);
        break;
    case INSN_TUPLE:
        put(p, "{");
        put_children(p, operand, 0);
        put(p, "}");
        break;
    case INSN_ARGS:
        put(p, "(");
        put_children(p, operand, 0);
        put(p, ")");
        break;
    case INSN_MEM:
        put_mem(p, operand);
        break;
    case INSN_PIPE:
        put_operand(p, &operand->children[0]);
        put(p, "|");
        put_operand(p, &operand->children[1]);
        break;
    case INSN_NOT:
        put(p, "!");
        put_operand(p, &operand->children[0]);
        break;
    case INSN_SINK:
        put(p, "_");
        break;
    default:
        put_words(p, operand->span);
    }
}

static void put_insn(struct printer *p, const struct insn *insn)
{
    put_indent(p);
    if (insn->guard) {
        put(p, insn->guard_not ? "@!" : "@");
        put_operand(p, insn->guard);
        put(p, " ");
    }
    put_span(p, insn->name);
    for (unsigned i = 0; i < insn->nmods; i++) {
        put(p, ".");
        put_span(p, insn->mod_spans[i]);
    }
    for (unsigned i = 0; i < insn->noperands; i++) {
        put(p, i ? ", " : " ");
        put_operand(p, &insn->operands[i]);
    }
    put(p, ";\n");
}

/* ---- declarations ---- */

static void put_init(struct printer *p, const struct ptx_init *init);

static void put_symbol(struct printer *p, const struct ptx_init *init)
{
    if (init->mask_byte)
        text_printf(p->out, "0x%" PRIX64 "(", UINT64_C(0xff) << 8 * (init->mask_byte - 1));
    if (init->generic)
        put(p, "generic(");
    put(p, init->decl ? init->decl->name : "");
    if (init->generic)
        put(p, ")");
    put_offset(p, init->value);
    if (init->mask_byte)
        put(p, ")");
}

static void put_init(struct printer *p, const struct ptx_init *init)
{
    switch (init->kind) {
    case PTX_INIT_F32:
        text_printf(p->out, "0f%08" PRIX32, (uint32_t)init->value);
        break;
    case PTX_INIT_F64:
        text_printf(p->out, "0d%016" PRIX64, init->value);
        break;
    case PTX_INIT_SYMBOL:
        put_symbol(p, init);
        break;
    case PTX_INIT_LIST:
        put(p, "{");
        for (uint32_t i = 0; i < init->count; i++) {
            if (i)
                put(p, ", ");
            put_init(p, &init->children[i]);
        }
        put(p, "}");
        break;
    case PTX_INIT_FIELD:
        put_span(p, init->name);
        put(p, " = ");
        if (init->count)
            put_init(p, init->children);
        break;
    case PTX_INIT_NAME:
        put_span(p, init->name);
        break;
    default:
        put_signed(p, init->value);
    }
}

static void put_linkage(struct printer *p, const struct ptx_decl *decl)
{
    static const struct {
        uint8_t bit;
        const char *text;
    } words[] = {{PTX_LINK_EXTERN, ".extern "},
                 {PTX_LINK_VISIBLE, ".visible "},
                 {PTX_LINK_WEAK, ".weak "},
                 {PTX_LINK_COMMON, ".common "}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (decl->linkage & words[i].bit)
            put(p, words[i].text);
}

static void put_keyword(struct printer *p, unsigned keyword)
{
    put(p, ".");
    put(p, ptx_keyword_text((enum ptx_keyword)keyword));
    put(p, " ");
}

static void put_align(struct printer *p, uint32_t align)
{
    if (align == 0)
        return;
    put(p, ".align ");
    put_number(p, align);
    put(p, " ");
}

static void put_dimensions(struct printer *p, const struct ptx_decl *decl)
{
    for (unsigned i = 0; i < decl->ndims; i++) {
        put(p, "[");
        if (i > 0 || !decl->unsized)
            put_number(p, decl->dims[i]);
        put(p, "]");
    }
}

/* Everything but the ';'. */
static void put_variable(struct printer *p, const struct ptx_decl *decl)
{
    put_linkage(p, decl);
    put_keyword(p, decl->space);
    if (decl->attribute.length) {
        put_words(p, decl->attribute);
        put(p, " ");
    }
    put_align(p, decl->align);
    if (decl->vec > 1)
        put(p, decl->vec == 2 ? ".v2 " : ".v4 ");
    put_keyword(p, decl->type);
    if (decl->pointer) {
        put(p, ".ptr ");
        if (decl->ptr_space)
            put_keyword(p, decl->ptr_space);
        put_align(p, decl->ptr_align);
    }
    put(p, decl->name ? decl->name : "_");
    if (decl->count) {
        put(p, "<");
        put_number(p, decl->count);
        put(p, ">");
    }
    put_dimensions(p, decl);
    if (decl->init) {
        put(p, " = ");
        put_init(p, decl->init);
    }
}

static void put_list(struct printer *p, struct ptx_decl *const *decls, uint32_t count)
{
    put(p, "(");
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            put(p, ", ");
        put_variable(p, decls[i]);
    }
    put(p, ")");
}

static void put_directives(struct printer *p, const struct ptx_func *func, const char *before)
{
    for (uint32_t i = 0; i < func->ndirectives; i++) {
        put(p, before);
        put_words(p, func->directives[i]);
        if (starts_with(p, func->directives[i], ".pragma"))
            put(p, ";");
    }
}

static void put_prototype(struct printer *p, const struct ptx_decl *decl)
{
    const struct ptx_func *func = decl->func;
    put(p, decl->name);
    put(p, ": .callprototype ");
    put_list(p, func->results, func->nresults);
    put(p, " _ ");
    put_list(p, func->params, func->nparams);
    put_directives(p, func, " ");
    put(p, ";\n");
}

static void put_targets(struct printer *p, const struct ptx_decl *decl)
{
    bool calls = decl->ntargets && decl->targets[0].decl && decl->targets[0].decl->kind == PTX_DECL_FUNC;
    put(p, decl->name);
    put(p, calls ? ": .calltargets " : ": .branchtargets ");
    for (uint32_t i = 0; i < decl->ntargets; i++) {
        if (i)
            put(p, ", ");
        put_operand(p, &decl->targets[i]);
    }
    put(p, ";\n");
}

/* ---- functions and the module ---- */

static void put_body_decl(struct printer *p, const struct ptx_decl *decl)
{
    if (decl->kind == PTX_DECL_PROTO) {
        put_prototype(p, decl);
    } else if (decl->kind == PTX_DECL_TARGETS) {
        put_targets(p, decl);
    } else {
        put_indent(p);
        put_variable(p, decl);
        put(p, ";\n");
    }
}

static void put_stmt(struct printer *p, const struct ptx_stmt *stmt)
{
    switch (stmt->kind) {
    case PTX_STMT_INSN:
        put_insn(p, stmt->insn);
        break;
    case PTX_STMT_LABEL:
        put(p, stmt->decl->name);
        put(p, ":\n");
        break;
    case PTX_STMT_DECL:
        put_body_decl(p, stmt->decl);
        break;
    case PTX_STMT_OPEN:
        put_indent(p);
        put(p, "{\n");
        p->indent++;
        break;
    case PTX_STMT_CLOSE:
        p->indent--;
        put_indent(p);
        put(p, "}\n");
        break;
    default:
        put_indent(p);
        put_directive(p, stmt->span);
    }
}

static void put_signature(struct printer *p, const struct ptx_func *func)
{
    put_linkage(p, func->decl);
    put(p, func->entry ? ".entry " : ".func ");
    if (func->decl->attribute.length) {
        put_words(p, func->decl->attribute);
        put(p, " ");
    }
    if (func->nresults) {
        put_list(p, func->results, func->nresults);
        put(p, " ");
    }
    put(p, func->decl->name);
    put(p, "(");
    for (uint32_t i = 0; i < func->nparams; i++) {
        put(p, i ? ",\n\t" : "\n\t");
        put_variable(p, func->params[i]);
    }
    put(p, func->nparams ? "\n)" : ")");
    put_directives(p, func, "\n");
}

static void put_function(struct printer *p, const struct ptx_func *func)
{
    put(p, "\n");
    put_signature(p, func);
    if (!func->has_body) {
        uint32_t last = func->ndirectives;
        bool ended = last && starts_with(p, func->directives[last - 1], ".pragma");
        put(p, ended ? "\n" : last ? "\n;\n" : ";\n");
        return;
    }
    put(p, "\n{\n");
    p->indent = 1;
    for (uint32_t i = 0; i < func->nstmts; i++)
        put_stmt(p, &func->stmts[i]);
    p->indent = 0;
    put(p, "}\n");
}

static void put_header(struct printer *p)
{
    const struct ptx_module *module = p->module;
    text_printf(p->out, ".version %u.%u\n.target sm_%u", module->version / 10, module->version % 10, module->target);
    if (module->target_suffix)
        text_add(p->out, &module->target_suffix, 1);
    struct span options = module->target_span;
    const char *comma = options.length ? memchr(module->source + options.pos, ',', options.length) : NULL;
    if (comma) {
        uint32_t skipped = (uint32_t)(comma - module->source) - options.pos;
        put_words(p, (struct span){options.pos + skipped, options.length - skipped});
    }
    text_printf(p->out, "\n.address_size %u\n", module->address_size);
}

void ptx_print(const struct ptx_module *module, struct text *out)
{
    struct printer p = {.module = module, .out = out};
    unsigned before = PTX_ITEM_FUNC;
    put_header(&p);
    for (uint32_t i = 0; i < module->nitems; i++) {
        const struct ptx_item *item = &module->items[i];
        if (item->kind == PTX_ITEM_FUNC) {
            put_function(&p, item->func);
        } else {
            if (before == PTX_ITEM_FUNC)
                put(&p, "\n");
            if (item->kind == PTX_ITEM_DECL) {
                put_variable(&p, item->decl);
                put(&p, ";\n");
            } else {
                put_directive(&p, item->span);
            }
        }
        before = item->kind;
    }
}
