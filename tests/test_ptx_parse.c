/* The PTX parser: messages and recovery, names and scopes, operands and constants as they come out. */
#include "ptx_text.h"

static void expect(const char *body, const char *messages)
{
    struct parsed p;
    parse_around(&p, "", body);
    if (strcmp(p.messages.bytes, messages) != 0)
        fprintf(stderr, "%s:\n%s", body, p.texts.bytes);
    assert_string_equal(p.messages.bytes, messages);
    parsed_free(&p);
}

static void expect_hint(const char *body, const char *message)
{
    struct parsed p;
    parse_around(&p, "", body);
    assert_non_null(strstr(p.texts.bytes, message));
    parsed_free(&p);
}

/* Statement `index` from the end of the kernel's body, which ends in ret. */
static const struct insn *insn_before_ret(const struct parsed *p)
{
    const struct ptx_func *func = p->module->funcs[p->module->nfuncs - 1];
    assert_true(func->nstmts >= 2);
    const struct ptx_stmt *stmt = &func->stmts[func->nstmts - 2];
    assert_int_equal(stmt->kind, PTX_STMT_INSN);
    return stmt->insn;
}

/* ---- errors ---- */

static void one_error_a_mistake(void **state)
{
    (void)state;
    expect("add.s32 %r1 %r2, %r3;\nmov.u32 %r1, 5;", "6:13 syntax\n");
    expect("mov.b32 {%r1, %r2, ;\nmov.u32 %r1, zz;", "6:20 syntax\n7:14 unknown-name\n");
    expect("mov.u32 %r1, 5\nmov.u32 %r2, 6;", "6:14 syntax\n");
    expect(".reg .b32 x\nmov.u32 x, 6;", "6:11 syntax\n");
    expect("ld.global.u32 %r1, [%rd1;\n@%p1 ret;", "6:25 syntax\n");
    expect(".reg .b33 x;\nmov.u32 x, 6;", "6:6 bad-type\n");
    expect("mov.u32 %r1, 5u;\nmov.u32 %r1, 018;\nmov.f32 %f1, 0f3f;",
           "6:14 bad-number\n7:14 bad-number\n8:14 bad-number\n");
    expect("mov.u32 %r1, \xff\xfe 5;", "6:14 bad-character\n");
    expect("$ mov.u32 %r1, 5;", "6:1 bad-character\n");
    expect(";", "6:1 syntax\n");
    expect("/* open", "6:1 open-comment\n");
    expect(".pragma \"open;\n.reg .b32 x;", "6:9 open-string\n7:1 syntax\n");
    expect("mov.u32 %r1, 1/0;", "6:14 division-by-zero\n");
    expect("mov.u32 %r1, 1+2.0;", "6:14 constant-type\n");
    expect("{ mov.u32 %r1, 1;", "9:1 syntax\n");
    expect(".entr x;\nmov.u32 %r1, zz;", "6:1 unknown-directive\n7:14 unknown-name\n");
}

static void unknown_opcode_is_parsed_on(void **state)
{
    (void)state;
    expect("movv.u32 %r1, zz;\nret;", "6:1 unknown-opcode\n6:15 unknown-name\n");
    expect_hint("movv.u32 %r1, 5;", "did you mean 'mov'?");
    expect("nonsense.a.b.c {%r1}, [%rd1];", "6:1 unknown-opcode\n");
    expect("mov.frob.u32 %r1, 5;", ""); /* modifiers are the checker's */
}

static void limits(void **state)
{
    (void)state;
    expect("mov.b8.b8.b8.b8.b8.b8.b8.b8.b8.b8.b8.b8.b8.b8.b8.b8.b8 %r1, 5;", "6:52 too-many-modifiers\n");
    expect("mov %r1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7;", "6:55 too-many-operands\n");
    struct text deep = {0};
    text_puts(&deep, "mov.u32 %r1, ");
    for (int i = 0; i < 1000; i++)
        text_puts(&deep, "(");
    text_puts(&deep, "1;");
    expect(deep.bytes, "6:270 too-deep\n");
    text_free(&deep);
    for (int i = 0; i < 1000; i++)
        text_puts(&deep, "{");
    for (int i = 0; i < 1000; i++)
        text_puts(&deep, "}");
    expect(deep.bytes, "6:255 too-deep\n");
    text_free(&deep);
}

static void module_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *messages;
    } cases[] = {
        {"", "1:1 syntax\n"},
        {".version 9.0\n", "2:1 syntax\n"},
        {".version 9\n.target sm_75\n", "1:10 bad-version\n"},
        {".version 9.0\n.target sm_74\n", "2:9 bad-target\n"},
        {".version 7.0\n.target sm_90\n", "2:9 bad-target\n"},
        {".version 9.0\n.target sm_75, frob\n", "2:16 bad-target\n"},
        {".version 9.0\n.target sm_75\n.address_size 16\n", "3:15 bad-address-size\n"},
        {".version 9.0\n.target sm_90\n.address_size 32\n", "3:15 bad-address-size\n"},
        {".version 9.0\n.target sm_89\n.address_size 32\n", ""},
        {PTX_HEADER ".version 9.0\n", "4:1 syntax\n"},
        {PTX_HEADER ".visible .entr k() { junk }\n.visible .entry e() { ret; }\n}\n",
         "4:10 unknown-directive\n6:1 syntax\n"},
        {PTX_HEADER ".entry k() { ret;\n.entry e() { ret; }\n", "5:1 syntax\n"},
        {PTX_HEADER ".entry k(.param .u33 a, .param b, .param .u32 c) { ld.param.u32 a, [c]; }\n",
         "4:17 bad-type\n4:32 syntax\n"},
        {PTX_HEADER ".entry k(.foo\n", "4:10 syntax\n"},
        {PTX_HEADER "x y z;\n.global .u32 a;\n.global .u32 a;\n", "4:1 syntax\n6:14 redeclared\n"},
        {PTX_HEADER ".alias a, b;\n", "4:8 unknown-name\n4:11 unknown-name\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct parsed p;
        parse_text(&p, cases[i].text);
        if (strcmp(p.messages.bytes, cases[i].messages) != 0)
            fprintf(stderr, "%s:\n%s", cases[i].text, p.texts.bytes);
        assert_string_equal(p.messages.bytes, cases[i].messages);
        parsed_free(&p);
    }
}

/* Verdicts of ptxas 13.0. Line 4: sections; line 6: the body; line 9: a later section. */
static void locations(void **state)
{
    (void)state;
#define PLACE    ".loc 1 5 6\n"
#define SECTIONS ".section .debug_str { A: .b8 102, 0 } .section .debug_abbrev { B: .b8 0 }"
#define LATER    ".section .debug_loc { C: }\n"
    static const struct {
        const char *globals, *body, *messages;
    } cases[] = {
        {"", ".loc 9 0 0", ""},
        {SECTIONS, PLACE ".loc 1 2 3, function_name A, inlined_at 1 5 6", ""},
        {SECTIONS, PLACE ".loc 1 2 3, function_name B+0x63, inlined_at 0x1 5 6", ""},
        {"", PLACE ".loc 1 2 3, function_name C, inlined_at 1 5 6", ""},
        {"", PLACE ".loc 1 2 3, function_name .debug_str+4, inlined_at 1 5 6", ""},
        {"",
         "{ " PLACE "}\n.loc 1 2 3, function_name C, inlined_at 1 5 6\n.loc 2 2 2, function_name C, inlined_at 1 2 3",
         ""},
        /* labels of code, variables, registers and functions are none of a section; nor are other sections' names */
        {"", PLACE "L: .loc 1 2 3, function_name L, inlined_at 1 5 6", "7:30 unknown-name\n"},
        {".global .u32 G;", PLACE ".loc 1 2 3, function_name G, inlined_at 1 5 6", "7:27 unknown-name\n"},
        {"", PLACE ".loc 1 2 3, function_name %r1, inlined_at 1 5 6", "7:27 unknown-name\n"},
        {"", PLACE ".loc 1 2 3, function_name k, inlined_at 1 5 6", "7:27 unknown-name\n"},
        {SECTIONS, PLACE ".loc 1 2 3, function_name .debug_abbrev, inlined_at 1 5 6", "7:27 unknown-name\n"},
        {".section .debug_str { .b32 A }", PLACE ".loc 1 2 3, function_name A, inlined_at 1 5 6",
         "7:27 unknown-name\n"},
        {".section .debug_str { A: } .section .debug_info { A: }", "", "4:51 redeclared\n"},
        /* both or none, in this order, once; no expressions */
        {"", PLACE ".loc 1 2 3, function_name C", "8:1 syntax\n"},
        {"", PLACE ".loc 1 2 3, inlined_at 1 5 6", "7:13 syntax\n"},
        {"", PLACE ".loc 1 2 3, inlined_at 1 5 6, function_name C", "7:13 syntax\n"},
        {"", PLACE ".loc 1 2 3, function_name C, function_name C, inlined_at 1 5 6", "7:30 syntax\n"},
        {"", PLACE ".loc 1 2 3, function_name 4, inlined_at 1 5 6", "7:27 syntax\n"},
        {"", PLACE ".loc 1 2 3, function_name C-1, inlined_at 1 5 6", "7:28 syntax\n"},
        /* the place was named above, to the column */
        {"", ".loc 1 2 3, function_name C, inlined_at 1 5 6\n" PLACE, "6:41 bad-location\n"},
        {"", ".loc 1 5 6, function_name C, inlined_at 1 5 6", "6:41 bad-location\n"},
        {"", PLACE ".loc 1 2 3, function_name C, inlined_at 1 5 7", "7:41 bad-location\n"},
        {"", PLACE ".loc 1 2 3, function_name C, inlined_at 2 5 6", "7:41 bad-location\n"},
        /* 32 bits */
        {"", ".loc 1 4294967295 3", ""},
        {"", ".loc 1 18446744073709551615 3", ""},
        {"", ".loc 1 4294967296 3", "6:8 integer-overflow\n"},
        {"", ".loc 4294967296 1 3", "6:6 integer-overflow\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        struct parsed p;
        text_printf(&text, "%s%s\n%s%s\nret;\n}\n%s", PTX_HEADER, cases[i].globals, PTX_ENTRY, cases[i].body, LATER);
        parse_bytes(&p, text.bytes, text.length);
        if (strcmp(p.messages.bytes, cases[i].messages) != 0)
            fprintf(stderr, "%s:\n%s", cases[i].body, p.texts.bytes);
        assert_string_equal(p.messages.bytes, cases[i].messages);
        parsed_free(&p);
        text_free(&text);
    }
}

/* function_name came with PTX 7.2; ptxas 13.0 takes it earlier. */
static void old_locations(void **state)
{
    (void)state;
    struct parsed p;
    parse_text(&p, ".version 7.1\n.target sm_80\n.section .debug_str { A: }\n.entry k() {\n" PLACE
                   ".loc 1 2 3, function_name A, inlined_at 1 5 6\nret; }\n");
    assert_string_equal(p.messages.bytes, "6:13 warning needs-version\n");
    parsed_free(&p);
}

static void max_errors_stops(void **state)
{
    (void)state;
    struct text text = {0};
    text_puts(&text, PTX_HEADER ".entry k() {\n");
    for (int i = 0; i < 100; i++)
        text_puts(&text, "mov.u32 a, 5;\n");
    text_puts(&text, "}\n");
    struct atoll_module_options options = {.max_errors = 3};
    struct diag diag = {.source = text.bytes, .size = text.length, .options = &options};
    struct arena arena = {0};
    struct ptx_module *module;
    assert_true(ptx_parse(&arena, &diag, &module));
    assert_int_equal(diag.errors, 3);
    assert_true(diag.stop);
    arena_free(&arena);
    text_free(&text);
}

static void memory_limit_is_an_error(void **state)
{
    (void)state;
    for (size_t limit = 0; limit < 200000; limit += 5000) {
        struct atoll_error error = {0};
        struct diag diag = {.first = &error};
        struct text text = {0};
        text_puts(&text, PTX_HEADER ".entry k() {\n");
        for (int i = 0; i < 300; i++)
            text_printf(&text, ".reg .b32 a%d, %%r%d_<5>; mov.b32 a%d, %%r%d_2;\n", i, i, i, i);
        text_puts(&text, "}\n");
        diag.source = text.bytes;
        diag.size = text.length;
        struct arena arena = {.limit = limit + 1};
        struct ptx_module *module = NULL;
        if (!ptx_parse(&arena, &diag, &module))
            assert_int_equal(error.status, ATOLL_MEMORY);
        else
            assert_int_equal(diag.errors, 0);
        arena_free(&arena);
        text_free(&text);
    }
}

/* ---- names ---- */

static void scopes(void **state)
{
    (void)state;
    expect("{ .reg .f32 x; mov.f32 x, 1.0; } mov.f32 x, 1.0;", "6:42 unknown-name\n");
    expect("{ L: bra L; } { L: bra L; }", "");
    expect("bra L; { L: ret; }", "6:5 unknown-name\n");
    expect("{ { bra L; } } L: ret;", "");
    expect("L: ret; L: ret;", "6:9 redeclared\n");
    expect(".reg .b32 L; L: ret;", "6:14 redeclared\n");
    expect(".reg .b32 %r3;", "6:11 redeclared\n");
    expect(".reg .b32 %r<3>;", "6:11 redeclared\n");
    expect(".reg .b32 %y5; .reg .b32 %y<6>;", "6:26 redeclared\n");
    expect(".reg .b32 %y6; .reg .b32 %y<6>; mov.b32 %y6, %y5;", "");
    expect(".reg .b32 %y1<6>, %y<10>; mov.b32 %y15, %y9;\nmov.b32 %y16, %y10;", "7:9 unknown-name\n");
    expect("mov.b32 p, 5; .reg .b32 x; mov.b32 x, y; .reg .b32 y;", "6:39 unknown-name\n");
    expect("mov.b32 %r10, %r03;", "6:9 unknown-name\n");
    expect_hint("mov.b32 %r10, 5;", "%r<10> ends at %r9");
    expect_hint(".reg .b32 counter; mov.b32 countre, 5;", "did you mean 'counter'?");
    expect("bra x; .reg .b32 x;", "6:5 unknown-name\n");
}

/* An inner label hides an outer one even when it comes after its use. */
static void labels_resolve_to_the_innermost(void **state)
{
    (void)state;
    struct parsed p;
    parse_around(&p, "", "L: { bra L; L: ret; }");
    const struct ptx_func *func = p.module->funcs[0];
    const struct ptx_stmt *outer = NULL, *use = NULL, *inner = NULL;
    for (uint32_t i = 0; i < func->nstmts; i++) {
        const struct ptx_stmt *stmt = &func->stmts[i];
        if (stmt->kind == PTX_STMT_LABEL && !outer)
            outer = stmt;
        else if (stmt->kind == PTX_STMT_LABEL)
            inner = stmt;
        else if (stmt->kind == PTX_STMT_INSN && !use)
            use = stmt;
    }
    assert_true(outer && use && inner);
    assert_ptr_equal(use->insn->operands[0].decl, inner->decl);
    parsed_free(&p);
}

static void shadowed_ranges(void **state)
{
    (void)state;
    struct parsed p;
    parse_around(&p, "", "{ .reg .f32 %r5; mov.b32 %r5, %r6; }\nret;");
    const struct ptx_func *func = p.module->funcs[0];
    const struct insn *mov = NULL;
    for (uint32_t i = 0; i < func->nstmts; i++)
        if (func->stmts[i].kind == PTX_STMT_INSN && !mov)
            mov = func->stmts[i].insn;
    assert_non_null(mov);
    assert_int_equal(mov->operands[0].decl->type, PTX_f32);
    assert_int_equal(mov->operands[0].number, 0);
    assert_int_equal(mov->operands[1].decl->type, PTX_b32);
    assert_int_equal(mov->operands[1].number, 6);
    parsed_free(&p);
}

/* A later definition takes the place of an extern declaration, for uses before it too. */
static void definitions_win(void **state)
{
    (void)state;
    struct parsed p;
    parse_around(&p,
                 ".extern .global .u32 e[]; .global .u64 use = e; .visible .global .u32 e[2] = {1, 2};"
                 ".func f(); .global .u64 fp = f; .func f() { ret; } .func g(); .alias g, f;",
                 "ret;");
    assert_string_equal(p.messages.bytes, "");
    const struct ptx_decl *e = p.module->items[1].decl->init->decl;
    assert_int_equal(e->elements, 2);
    assert_int_equal(e->linkage, PTX_LINK_VISIBLE);
    assert_false(e->repeated);
    assert_true(p.module->items[0].decl->repeated);
    assert_ptr_equal(p.module->items[2].decl, e);
    const struct ptx_decl *f = p.module->items[4].decl->init->decl;
    assert_true(f->func->has_body && f->defined);
    assert_true(p.module->items[5].decl->repeated);
    assert_ptr_equal(p.module->items[6].decl->func, f->func);
    parsed_free(&p);
}

/* ---- operands ---- */

static void addresses(void **state)
{
    (void)state;
    struct parsed p;
    parse_around(&p, ".global .u32 G[4];", "mov [G+4*2], [%rd1+-8], [64], [%rd1, %r2, {%r1, 5}];");
    const struct insn *insn = insn_before_ret(&p);
    assert_int_equal(insn->noperands, 4);
    const struct insn_operand *o = insn->operands;
    assert_int_equal(o[0].kind, INSN_MEM);
    assert_int_equal(o[0].children[0].kind, INSN_SYMBOL);
    assert_string_equal(o[0].children[0].decl->name, "G");
    assert_int_equal(o[0].value, 8);
    assert_int_equal((int64_t)o[1].value, -8);
    assert_int_equal(o[2].children[0].kind, INSN_INT);
    assert_int_equal(o[2].children[0].value, 64);
    assert_int_equal(o[3].count, 3);
    assert_int_equal(o[3].children[2].kind, INSN_TUPLE);
    assert_int_equal(o[3].children[2].children[1].value, 5);
    parsed_free(&p);
}

static void operand_forms(void **state)
{
    (void)state;
    struct parsed p;
    parse_around(&p, "", ".reg .v4 .f32 %v<2>; @!%p1 mov %v1.g, %p1|%p2, !%p3, _, -%r2.b1, %r3.b3210, %tid.x, %tid;");
    const struct insn *insn = insn_before_ret(&p);
    const struct insn_operand *o = insn->operands;
    assert_true(insn->guard && insn->guard_not);
    assert_int_equal(insn->guard->number, 1);
    assert_int_equal(o[0].part, PART_Y);
    assert_int_equal(o[0].number, 1);
    assert_int_equal(o[1].kind, INSN_PIPE);
    assert_int_equal(o[1].children[1].number, 2);
    assert_int_equal(o[2].kind, INSN_NOT);
    assert_int_equal(o[3].kind, INSN_SINK);
    assert_true(o[4].minus && o[4].part == PART_B1);
    assert_true(o[5].part == PART_BYTES && o[5].index == 0x3210 && o[5].count == 4);
    assert_int_equal(o[6].kind, INSN_SREG);
    assert_string_equal(ptx_sreg_name((unsigned)o[6].value), "tid.x");
    assert_int_equal(ptx_sreg_width((unsigned)o[7].value), 4);
    parsed_free(&p);
}

static void calls(void **state)
{
    (void)state;
    struct parsed p;
    parse_around(&p, ".func (.reg .b32 r) f(.reg .b32 a) { ret; }", "call.uni (%r1), f, (%r2, 5);");
    const struct insn *insn = insn_before_ret(&p);
    assert_int_equal(insn->noperands, 3);
    assert_int_equal(insn->operands[0].kind, INSN_ARGS);
    assert_int_equal(insn->operands[1].decl->kind, PTX_DECL_FUNC);
    assert_int_equal(insn->operands[2].count, 2);
    assert_int_equal(insn->mods[0], PTX_uni);
    parsed_free(&p);
}

/* ---- constants ---- */

static void constant(const char *text, enum insn_kind kind, uint64_t value, bool minus, bool is_unsigned)
{
    char body[200];
    struct parsed p;
    snprintf(body, sizeof body, "mov %s;", text);
    parse_around(&p, "", body);
    const struct insn_operand *o = insn_before_ret(&p)->operands;
    assert_int_equal(o->kind, kind);
    if (o->value != value)
        fprintf(stderr, "%s\n", text);
    assert_int_equal(o->value, value);
    assert_int_equal(o->minus, minus);
    assert_int_equal(o->is_unsigned, is_unsigned);
    parsed_free(&p);
}

/* Values as ptxas 13.0 computes them. */
static void constants(void **state)
{
    (void)state;
    constant("5", INSN_INT, 5, false, false);
    constant("-5", INSN_INT, (uint64_t)-5, true, false);
    constant("5U", INSN_INT, 5, false, true);
    constant("0x1F", INSN_INT, 31, false, false);
    constant("017", INSN_INT, 15, false, false);
    constant("0b101", INSN_INT, 5, false, false);
    constant("0", INSN_INT, 0, false, false);
    constant("18446744073709551615", INSN_INT, UINT64_MAX, false, true);
    constant("18446744073709551616", INSN_INT, 0, false, false);
    constant("(1+2)*3-4/2", INSN_INT, 7, false, false);
    constant("1<<64", INSN_INT, 1, false, false);
    constant("1<<65", INSN_INT, 2, false, false);
    constant("1<<-1", INSN_INT, UINT64_C(1) << 63, false, true);
    constant("-8>>1", INSN_INT, (uint64_t)-4, true, false);
    constant("-8U>>1", INSN_INT, UINT64_C(0x7ffffffffffffffc), false, true);
    constant("-7/2", INSN_INT, (uint64_t)-3, true, false);
    constant("-7 % 2", INSN_INT, 1, false, false);
    constant("(5U-6)/2", INSN_INT, UINT64_C(0x7fffffffffffffff), false, true);
    constant("-9223372036854775807-1", INSN_INT, UINT64_C(1) << 63, false, true);
    constant("1 < 2 ? 3 : 4", INSN_INT, 3, false, false);
    constant("(.u64)-1 > 0", INSN_INT, 1, false, false);
    constant("-1 > 0U", INSN_INT, 1, false, false);
    constant("!5 | ~5 & 3 ^ 1", INSN_INT, 3, false, false);
    constant("1 && 0 || 2", INSN_INT, 1, false, false);
    constant("WARP_SZ*2", INSN_INT, 64, false, false);
    constant("0f3f800000", INSN_F32, 0x3f800000, false, false);
    constant("0d3ff0000000000000", INSN_F64, UINT64_C(0x3ff0000000000000), false, false);
    constant("1.0", INSN_F64, UINT64_C(0x3ff0000000000000), false, false);
    constant("-.5", INSN_F64, UINT64_C(0xbfe0000000000000), false, false);
    constant("1.0/2.0", INSN_F64, UINT64_C(0x3fe0000000000000), false, false);
    constant("1.5 < 2.5", INSN_INT, 1, false, false);
    constant("1e3", INSN_F64, UINT64_C(0x408f400000000000), false, false);
}

static void words(void **state)
{
    (void)state;
    for (unsigned i = 1; i < PTX_KEYWORDS; i++) {
        const char *text = ptx_keyword_text((enum ptx_keyword)i);
        assert_int_equal(ptx_keyword_find(text, strlen(text)), i);
        assert_int_not_equal(ptx_keyword_class((enum ptx_keyword)i), 0);
    }
    assert_int_equal(ptx_keyword_find("frob", 4), PTX_UNKNOWN);
    for (unsigned i = 0; ptx_sreg_name(i)[0]; i++)
        assert_int_equal(ptx_sreg_find(ptx_sreg_name(i), strlen(ptx_sreg_name(i))), i);
    assert_int_equal(ptx_sreg_find("frob", 4), PTX_SREG_UNKNOWN);
}

static void header(void **state)
{
    (void)state;
    struct parsed p;
    parse_text(&p, ".version 8.7\n.target sm_100a, texmode_independent\n.address_size 64\n");
    assert_int_equal(p.diag.errors, 0);
    assert_int_equal(p.module->version, 87);
    assert_int_equal(p.module->target, 100);
    assert_int_equal(p.module->target_suffix, 'a');
    assert_true(p.module->independent_textures);
    parsed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_error_a_mistake),
        cmocka_unit_test(unknown_opcode_is_parsed_on),
        cmocka_unit_test(limits),
        cmocka_unit_test(module_errors),
        cmocka_unit_test(locations),
        cmocka_unit_test(old_locations),
        cmocka_unit_test(max_errors_stops),
        cmocka_unit_test(memory_limit_is_an_error),
        cmocka_unit_test(scopes),
        cmocka_unit_test(labels_resolve_to_the_innermost),
        cmocka_unit_test(shadowed_ranges),
        cmocka_unit_test(definitions_win),
        cmocka_unit_test(addresses),
        cmocka_unit_test(operand_forms),
        cmocka_unit_test(calls),
        cmocka_unit_test(constants),
        cmocka_unit_test(words),
        cmocka_unit_test(header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
