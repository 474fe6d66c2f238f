/* One kernel with all it may call to one lane function: what is reached, blocks, condition codes that are worth
 * writing, then the instructions in the order of their addresses. */
#include "base/hard.h"
#include "isa/sass/flow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions that several kernels call are lowered with each of them: a small file could fill any memory. */
enum { LOWERED_MOST = 1 << 21 };

/* ---- what can be reached -------------------------------------------------------------------------------- */

static bool push_address(struct sass_lowerer *l, uint64_t **list, size_t *count, size_t *room, uint64_t address)
{
    if (*count == *room) {
        size_t bigger = *room ? 2 * *room : 64;
        uint64_t *grown = arena_grow(l->arena, *list, *count, bigger, sizeof *grown);
        if (!grown) {
            l->b.failed = true;
            return false;
        }
        *list = grown;
        *room = bigger;
    }
    (*list)[(*count)++] = address;
    return true;
}

static struct sass_place *place_of(struct sass_lowerer *l, uint64_t address)
{
    const struct sass_text *text = sass_link_text(l->linked, address);
    uint64_t index = text ? sass_link_index(text, address) : UINT64_MAX;
    if (index == UINT64_MAX)
        return NULL;
    struct sass_place **places = &l->flow->places[text - l->linked->texts];
    if (!*places)
        *places = arena_array(l->arena, text->code.count + 1, sizeof **places);
    if (!*places) {
        l->b.failed = true;
        return NULL;
    }
    return &(*places)[index];
}

/* A block begins at `address`, which is to be followed. An address that is no code stays unknown: jumps there trap. */
static void visit(struct sass_lowerer *l, uint64_t address)
{
    struct sass_flow *f = l->flow;
    struct sass_place *place = place_of(l, address);
    if (!place)
        return;
    place->leader = true;
    if (!place->reached)
        push_address(l, &f->stack, &f->depth, &f->room, address);
}

static void candidate(struct sass_lowerer *l, uint64_t address)
{
    struct sass_flow *f = l->flow;
    if (!place_of(l, address))
        return;
    push_address(l, &f->candidates, &f->ncandidates, &f->candidates_room, address);
    visit(l, address);
}

/* Instructions up to the last one that does not go on with the next: what follows is padding, which runs past the end.
 */
static size_t padding_find(const struct sass_lowerer *l, const struct sass_text *text)
{
    size_t end = text->code.count;
    for (; end > 0; end--) {
        struct sass_jump jump = {0};
        const struct sass_insn *insn = &text->code.insns[end - 1];
        if (insn->form)
            sass_jump_of(l->linked, insn, text->base + sass_address(end - 1), &jump);
        if (!jump.falls)
            break;
    }
    return end;
}

/* Jump tables: words of bank 2 that are offsets of instructions (ptxas; docs/maxwell.md, "Divergence"). */
static void candidates_of_table(struct sass_lowerer *l, const struct sass_text *text)
{
    const struct sass_section *s = &l->linked->module->sections[sass_bank_section(l, text->base, 2)];
    size_t end = padding_find(l, text);
    for (uint64_t at = 0; s->bytes && at + 4 <= s->size; at += 4) {
        uint64_t word = bytes_u32(s->bytes + at);
        if (word < text->size && word % 8 == 0 &&
            sass_index_of(word) < end) /* of a control word: the instruction after it */
            candidate(l, text->base + word);
    }
}

/* Functions in the same section: their addresses are plain numbers in the code, with no relocation. */
static void candidates_of_symbols(struct sass_lowerer *l, const struct sass_text *text)
{
    const struct sass_module *m = l->linked->module;
    for (unsigned i = 0; i < m->nfunctions; i++)
        if (m->functions[i].section == text->section && !m->functions[i].entry && m->functions[i].offset < text->size)
            candidate(l, text->base + m->functions[i].offset);
}

/* Whether a relocation is that of a call, which goes to its function alone. */
static bool is_call(const struct sass_lowerer *l, const struct sass_relocation *r)
{
    uint32_t number = l->linked->text_of[r->section];
    const struct sass_code *code = number ? &l->linked->texts[number - 1].code : NULL;
    uint64_t index = sass_index_of(r->offset);
    return code && index < code->count && code->insns[index].form && sass_calls_address(code->insns[index].form);
}

/* Functions whose addresses are anywhere in the file but in calls and where debuggers read them. */
static void candidates_taken(struct sass_lowerer *l)
{
    const struct sass_module *m = l->linked->module;
    uint64_t address;
    if (l->flow->taken)
        return;
    l->flow->taken = true;
    for (unsigned i = 0; i < m->nrelocations; i++)
        if (!sass_is_debugging(&m->sections[m->relocations[i].section]) && !is_call(l, &m->relocations[i]) &&
            sass_link_pointer(l->linked, m->relocations[i].symbol, &address))
            candidate(l, address);
}

/* What sass_flow.searched has. */
enum { SEARCHED_JUMPS = 1, SEARCHED_ALL = 2, SEARCHED_MOST = 1 << 22 /* words of banks in all */ };

static void candidates_all(struct sass_lowerer *l, const struct sass_text *text)
{
    uint8_t *searched = &l->flow->searched[text - l->linked->texts];
    if (*searched & SEARCHED_ALL)
        return;
    *searched |= SEARCHED_ALL;
    size_t end = padding_find(l, text);
    for (size_t i = 0; i < end; i++)
        candidate(l, text->base + sass_address(i));
}

/* Where a jump through a constant may go: to all that the words of its bank say that are in the file. */
static void candidates_of_constant(struct sass_lowerer *l, const struct sass_text *text, uint64_t address,
                                   const struct isa_operand *op, bool relative)
{
    uint32_t section = op->bank ? sass_bank_section(l, address, op->bank) : 0;
    const struct sass_section *s = &l->linked->module->sections[section];
    candidates_taken(l);
    if (!section || !s->bytes) { /* a parameter */
        candidates_all(l, text);
        return;
    }
    uint64_t at = 0, end = s->size;
    if (op->reg == SASS_RZ) {
        at = (uint64_t)op->value;
        end = at < s->size && s->size - at >= 4 ? at + 4 : 0;
    }
    l->flow->words += end > at ? (end - at) / 4 : 0;
    for (; l->flow->words <= SEARCHED_MOST && at + 4 <= end; at += 4) {
        uint32_t to = bytes_u32(s->bytes + at) + (relative ? (uint32_t)address + 8 : 0);
        if (to % 8 == 0)
            candidate(l, to);
    }
}

/* Where an indirect jump in `text` may go. With nothing known: to any instruction of it. */
static void candidates_find(struct sass_lowerer *l, const struct sass_text *text)
{
    uint8_t *searched = &l->flow->searched[text - l->linked->texts];
    size_t before = l->flow->ncandidates;
    if (*searched & SEARCHED_JUMPS)
        return;
    *searched |= SEARCHED_JUMPS;
    candidates_of_table(l, text);
    candidates_of_symbols(l, text);
    candidates_taken(l);
    if (l->flow->ncandidates != before)
        return;
    candidates_all(l, text);
}

static void follow(struct sass_lowerer *l, uint64_t address)
{
    const struct sass_text *text = sass_link_text(l->linked, address);
    uint64_t index = sass_link_index(text, address);
    struct sass_place *places = l->flow->places[text - l->linked->texts];
    for (; index < text->code.count && !places[index].reached; index++) {
        struct sass_jump jump = {0};
        places[index].reached = true;
        l->flow->reached++;
        if (!text->code.insns[index].form)
            return;
        sass_jump_of(l->linked, &text->code.insns[index], text->base + sass_address(index), &jump);
        if (jump.to)
            visit(l, jump.target);
        if (jump.constant)
            candidates_of_constant(l, text, text->base + sass_address(index), &jump.operand, jump.relative);
        else if (jump.indirect)
            candidates_find(l, text);
        const struct isa_form *form = text->code.insns[index].form;
        if (sass_flow_kind(form) == SASS_FLOW_PUSH && sass_token(form) == LANE_TOKEN_EXIT + 1)
            l->flow->exit_tokens = true;
        if (!jump.falls)
            return;
        if (jump.ends)
            places[index + 1].leader = true; /* there is room for one after the last */
    }
}

static void reach(struct sass_lowerer *l, uint64_t entry)
{
    visit(l, entry);
    while (l->flow->depth && !l->b.failed)
        follow(l, l->flow->stack[--l->flow->depth]);
}

/* ---- condition codes that are read ------------------------------------------------------------------------ */

static unsigned flags_of_test(unsigned test)
{
    switch (test) {
    case SASS_TEST_F:
    case SASS_TEST_NUM:
    case SASS_TEST_NAN:
    case SASS_TEST_T:
        return 0;
    case SASS_TEST_EQ:
    case SASS_TEST_NE:
    case SASS_TEST_EQU:
    case SASS_TEST_NEU:
        return SASS_BIT_Z;
    case SASS_TEST_OFF:
    case SASS_TEST_OFT:
        return SASS_BIT_O;
    case SASS_TEST_LO:
    case SASS_TEST_HS:
        return SASS_BIT_C;
    case SASS_TEST_SFF:
    case SASS_TEST_SFT:
        return SASS_BIT_S;
    default:
        return test < SASS_TEST_T ? SASS_BIT_Z | SASS_BIT_S | SASS_BIT_O : SASS_BIT_C | SASS_BIT_Z;
    }
}

/* Every operation that reads CC says so by .X, a test, or its name. */
static unsigned flags_read(const struct isa_table *table, const struct sass_insn *insn)
{
    const struct isa_form *form = insn->form;
    const struct isa_word *word = &insn->word;
    unsigned by_extension = sass_does(form)->codes ? sass_does(form)->codes : SASS_BIT_Z | SASS_BIT_C;
    if (sass_does(form)->lower == sass_lower_nothing) /* NOP names a test */
        return 0;
    if (isa_any(form, SASS_MOVES_PREDICATES) && form->role[SASS_ROLE_Rd])
        return SASS_BITS_ALL;
    bool extended = isa_has(table, form, word, SASS_MOD_X) || isa_value(table, form, word, SASS_ROLE_words, 0) > 1 ||
                    isa_value(table, form, word, SASS_ROLE_minmaxx, 0);
    unsigned read = extended ? by_extension : 0;
    return read | flags_of_test(isa_value(table, form, word, SASS_ROLE_cctest, SASS_TEST_T)) |
           flags_of_test(isa_value(table, form, word, SASS_ROLE_cc, SASS_TEST_T));
}

static bool flags_written(const struct isa_table *table, const struct sass_insn *insn)
{
    return sass_guard(table, insn->form, &insn->word) == SASS_PT &&
           isa_has(table, insn->form, &insn->word, SASS_MOD_CC);
}

/* Codes that some block reads before it writes them. */
static unsigned flags_exposed(const struct sass_lowerer *l, const struct sass_text *text,
                              const struct sass_place *places)
{
    unsigned exposed = 0, open = SASS_BITS_ALL;
    for (size_t i = 0; i < text->code.count; i++) {
        if (places[i].leader)
            open = SASS_BITS_ALL;
        if (!places[i].reached || !text->code.insns[i].form)
            continue;
        exposed |= flags_read(l->table, &text->code.insns[i]) & open;
        if (flags_written(l->table, &text->code.insns[i]))
            open = 0;
    }
    return exposed;
}

static void flags_spread(const struct sass_lowerer *l, const struct sass_text *text, struct sass_place *places,
                         unsigned exposed)
{
    unsigned wanted = exposed;
    for (size_t i = text->code.count; i-- > 0;) {
        const struct sass_insn *insn = &text->code.insns[i];
        if (places[i + 1].leader)
            wanted = exposed;
        places[i].wanted = (uint8_t)wanted;
        if (!places[i].reached || !insn->form)
            continue;
        if (flags_written(l->table, insn))
            wanted = 0;
        wanted |= flags_read(l->table, insn);
    }
}

static void find_flags(struct sass_lowerer *l)
{
    unsigned exposed = 0;
    for (unsigned t = 0; t < l->linked->ntexts; t++)
        if (l->flow->places[t])
            exposed |= flags_exposed(l, &l->linked->texts[t], l->flow->places[t]);
    for (unsigned t = 0; t < l->linked->ntexts; t++)
        if (l->flow->places[t])
            flags_spread(l, &l->linked->texts[t], l->flow->places[t], exposed);
}

/* ---- instructions ------------------------------------------------------------------------------------------- */

uint32_t sass_begin_block(struct sass_lowerer *l)
{
    const struct lane_func *f = l->b.func;
    l->flow->ended = false;
    sass_forget_pairs(l);
    if (f->nblocks > 1 && f->blocks[f->nblocks - 1].count == 0)
        return f->nblocks - 1;
    return lane_block(&l->b);
}

static void drop_guard(struct sass_lowerer *l)
{
    l->guard = SASS_NOTHING;
    l->guard_not = false;
}

static void find_guard(struct sass_lowerer *l)
{
    unsigned guard = sass_guard(l->table, l->form, &l->word);
    drop_guard(l);
    if (guard == SASS_PT)
        return;
    l->guard = sass_predicate_register(l, guard & 7); /* @!PT: never, with a constant predicate */
    l->guard_not = guard >> 3;
}

/* Guards must be registers: @!PT never runs. */
static bool never_runs(const struct sass_lowerer *l)
{
    return l->guard.kind == LANE_CONST;
}

/* The place for messages: lane_inst.line counts these from 1. */
static void add_place(struct sass_lowerer *l, const struct sass_text *text, const struct sass_insn *insn)
{
    char printed[ISA_TEXT] = "?";
    struct text name = {0};
    if (insn->form)
        isa_print(l->table, insn->form, &insn->word, l->address - text->base, printed);
    text_printf(&name, "%s /*%04" PRIx64 "*/ %s", text->name, l->address - text->base, printed);
    const struct sass_section *section = &l->linked->module->sections[text->section];
    uint64_t at = l->address - text->base, index = sass_index_of(at);
    l->b.line = lane_place(&l->b, name.bytes ? name.bytes : "?", (uint32_t)at,
                           index < section->nlines ? section->lines[index] : 0);
    if (l->linked->lines.nsource || l->linked->lines.ntext) {
        struct lane_line from = sass_lines_find(&l->linked->lines, text->section, l->address - text->base);
        lane_source(&l->b, &from);
    }
    text_free(&name);
}

/* Relocations of instructions that are known put 32 bits into them. */
static bool refuse_relocation(struct sass_lowerer *l, const struct sass_text *text)
{
    const struct sass_relocation *r = text->nrelocations ? sass_link_relocation(l->linked, l->address) : NULL;
    char where[SASS_WHERE];
    if (!r || (r->type >= SASS_R_ABS32_20 && r->type <= SASS_R_ABS32_HI_20) ||
        (r->type >= SASS_R_FUNC_DESC32_20 && r->type <= SASS_R_FUNC_DESC32_HI_20))
        return false;
    const char *name = sass_relocation_name(r->type);
    sass_cannot(l, "relocation %s (type %" PRIu32 ") by '%.200s'%s", name ? name : "of unknown kind", r->type,
                l->linked->module->symbols[r->symbol].name, sass_link_where(l->linked, r, where));
    return true;
}

static void lower_insn(struct sass_lowerer *l, const struct sass_text *text, size_t index)
{
    const struct sass_insn *insn = &text->code.insns[index];
    const struct sass_place *place = &l->flow->places[text - l->linked->texts][index];
    l->form = insn->form;
    l->word = insn->word;
    l->address = text->base + sass_address(index);
    l->wanted = place->wanted;
    add_place(l, text, insn);
    drop_guard(l);
    if (!l->form) {
        sass_cannot(l, "the word %016" PRIx64 " is no instruction", insn->word.part[0]);
        return;
    }
    find_guard(l);
    if (never_runs(l) || refuse_relocation(l, text))
        return;
    l->nops = isa_operands(l->table, l->form, &l->word, l->address, l->op, SASS_OPERANDS);
    if (sass_does(l->form)->lower)
        sass_does(l->form)->lower(l);
    else
        sass_cannot(l, "%.*s", l->form->mnemonic_length, l->form->mnemonic);
}

static void lower_text(struct sass_lowerer *l, unsigned t)
{
    const struct sass_text *text = &l->linked->texts[t];
    struct sass_place *places = l->flow->places[t];
    bool falls = false;
    for (size_t i = 0; i < text->code.count && !l->b.failed; i++) {
        struct sass_jump jump = {.falls = false};
        if (!places[i].reached) {
            falls = false;
            continue;
        }
        if (places[i].leader || l->flow->ended)
            places[i].block = sass_begin_block(l);
        if (text->code.insns[i].form)
            sass_jump_of(l->linked, &text->code.insns[i], text->base + sass_address(i), &jump);
        lower_insn(l, text, i);
        falls = jump.falls;
        l->flow->ended = jump.ends || !jump.falls;
    }
    if (falls && text->code.count && places[text->code.count - 1].reached) {
        sass_begin_block(l);
        drop_guard(l);
        sass_cannot(l, "code that runs past its end");
        l->flow->ended = true;
    }
}

/* ---- jumps ---------------------------------------------------------------------------------------------------- */

static void add_fixup(struct sass_lowerer *l, struct sass_fixup fixup)
{
    struct sass_flow *f = l->flow;
    if (f->nfixups == f->fixups_room) {
        size_t bigger = f->fixups_room ? 2 * f->fixups_room : HARD(64, 1);
        struct sass_fixup *grown = arena_grow(l->arena, f->fixups, f->nfixups, bigger, sizeof *grown);
        if (!grown) {
            l->b.failed = true;
            return;
        }
        f->fixups = grown;
        f->fixups_room = bigger;
    }
    f->fixups[f->nfixups++] = fixup;
}

void sass_jump_to(struct sass_lowerer *l, uint64_t target)
{
    add_fixup(l, (struct sass_fixup){.inst = l->b.func->ninsts - 1, .target = target});
}

static int by_address(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The table of all indirect jumps of a kernel: a slot for every word of code between the lowest and the highest target;
 * the others get a target that is none (UINT64_MAX), where the lane traps. */
static uint32_t indirect_table(struct sass_lowerer *l)
{
    struct sass_flow *f = l->flow;
    if (f->has_table)
        return f->table;
    uint64_t first = f->candidates[0], last = f->candidates[f->ncandidates - 1];
    uint32_t count = (uint32_t)((last - first) / 8 + 1);
    uint32_t *blocks = arena_array(l->arena, count, sizeof *blocks);
    if (!blocks) {
        l->b.failed = true;
        return 0;
    }
    f->table = lane_table(&l->b, blocks, count);
    f->has_table = true;
    for (uint32_t slot = 0, next = 0; slot < count; slot++) {
        uint64_t address = first + 8 * (uint64_t)slot;
        bool known = f->candidates[next] == address;
        add_fixup(l, (struct sass_fixup){
                         .table = f->table, .slot = slot, .in_table = true, .target = known ? address : UINT64_MAX});
        while (next < f->ncandidates && f->candidates[next] <= address)
            next++;
    }
    return f->table;
}

void sass_jump_indirect(struct sass_lowerer *l, struct lane_operand value)
{
    if (l->flow->ncandidates == 0) {
        sass_cannot(l, "a jump whose targets are unknown");
        return;
    }
    uint32_t table = indirect_table(l), first = (uint32_t)l->flow->candidates[0];
    /* Rotated, an address that is no multiple of 8 becomes an index far past the end. */
    struct lane_operand offset = sass_op2(l, LANE_OP_sub, LANE_U32, value, sass_imm(l, first));
    struct lane_operand index = sass_temp(l, 32);
    sass_emit3(l, LANE_OP_shf, LANE_B32, index, offset, offset, sass_imm(l, 3))->mode = 1;
    struct lane_inst *inst = sass_emit1(l, LANE_OP_brx, LANE_VOID, SASS_NOTHING, index);
    inst->aux = table;
}

static uint32_t block_of(struct sass_lowerer *l, uint64_t target, uint32_t nowhere)
{
    const struct sass_text *text = sass_link_text(l->linked, target);
    uint64_t index = text ? sass_link_index(text, target) : UINT64_MAX;
    const struct sass_place *places = text ? l->flow->places[text - l->linked->texts] : NULL;
    bool known = index != UINT64_MAX && places && places[index].reached && places[index].leader;
    return known ? places[index].block : nowhere;
}

static void apply_fixups(struct sass_lowerer *l)
{
    struct lane_func *f = l->b.func;
    l->guard = SASS_NOTHING;
    uint32_t nowhere = sass_begin_block(l);
    l->b.line = lane_place(&l->b, "a jump to what is no instruction", 0, 0);
    lane_source(&l->b, &(struct lane_line){0});
    sass_emit_list(l, LANE_OP_trap, LANE_VOID, 0, NULL, 0, NULL);
    sass_emit_list(l, LANE_OP_exit, LANE_VOID, 0, NULL, 0, NULL);
    for (size_t i = 0; i < l->flow->nfixups && !l->b.failed; i++) {
        const struct sass_fixup *fixup = &l->flow->fixups[i];
        uint32_t block = block_of(l, fixup->target, nowhere);
        if (fixup->in_table)
            f->tables[fixup->table].blocks[fixup->slot] = block;
        else
            f->insts[fixup->inst].aux = block;
    }
}

/* ---- the kernel's start ------------------------------------------------------------------------------------------ */

static void load_constant(struct sass_lowerer *l, int64_t offset)
{
    if (offset < 0 || offset % 4 || (uint64_t)offset / 4 >= l->flow->nconstants ||
        l->flow->constants[offset / 4].kind != LANE_NONE)
        return;
    l->flow->constants[offset / 4] = sass_constant(l, 0, offset, 4);
}

/* Parameters and launch words that the code names are read once, at the start: nothing changes them. */
static void load_constants(struct sass_lowerer *l, unsigned t)
{
    const struct sass_text *text = &l->linked->texts[t];
    for (size_t i = 0; i < text->code.count; i++) {
        const struct sass_insn *insn = &text->code.insns[i];
        struct isa_operand op[SASS_OPERANDS];
        if (!l->flow->places[t][i].reached || !insn->form || isa_any(insn->form, SASS_IS_BANK))
            continue;
        unsigned count = isa_operands(l->table, insn->form, &insn->word, 0, op, SASS_OPERANDS);
        for (unsigned k = 0; k < count; k++)
            if (op[k].kind == ISA_CONSTANT && op[k].bank == 0 && op[k].reg == SASS_RZ)
                load_constant(l, op[k].value);
    }
}

/* ---- kernels ---------------------------------------------------------------------------------------------- */

static bool lower_body(struct sass_lowerer *l)
{
    const struct sass_text *own = sass_link_section(l->linked, l->function->section);
    if (!own)
        return error_set(l->error, ATOLL_INPUT, "kernel '%.200s' has no code", l->function->name);
    uint64_t entry = own->base + l->function->offset;
    reach(l, entry);
    if (l->b.failed)
        return error_memory(l->error);
    if (l->flow->words > SEARCHED_MOST)
        return error_set(l->error, ATOLL_LIMIT, "kernel '%.200s': too many jumps through constants", l->function->name);
    l->linked->lowered += l->flow->reached;
    if (l->linked->lowered > LOWERED_MOST)
        return error_set(l->error, ATOLL_LIMIT, "the kernels up to '%.200s' run more than %d instructions of code",
                         l->function->name, LOWERED_MOST);
    if (!place_of(l, entry))
        return error_set(l->error, ATOLL_INPUT, "kernel '%.200s' has no code", l->function->name);
    if (l->flow->ncandidates)
        qsort(l->flow->candidates, l->flow->ncandidates, sizeof(uint64_t), by_address);
    find_flags(l);
    lane_block(&l->b);
    for (unsigned t = 0; t < l->linked->ntexts; t++)
        if (l->flow->places[t])
            load_constants(l, t);
    sass_emit_list(l, LANE_OP_bra, LANE_VOID, 0, NULL, 0, NULL);
    sass_jump_to(l, entry);
    l->flow->ended = true;
    for (unsigned t = 0; t < l->linked->ntexts; t++)
        if (l->flow->places[t])
            lower_text(l, t);
    apply_fixups(l);
    return true;
}

bool sass_lower_kernel(struct sass_linked *linked, const struct sass_function *function, uint32_t func,
                       struct atoll_error *error)
{
    struct arena arena = {0};
    struct sass_flow flow = {0};
    struct sass_lowerer *l = arena_alloc(&arena, sizeof *l);
    if (!l)
        return error_memory(error);
    l->linked = linked;
    l->table = linked->table;
    l->function = function;
    l->arena = &arena;
    l->error = error;
    l->flow = &flow;
    lane_begin(&l->b, linked->out, func);
    flow.places = arena_array(&arena, linked->ntexts, sizeof *flow.places);
    flow.searched = arena_array(&arena, linked->ntexts, sizeof *flow.searched);
    bool ok = (flow.places && flow.searched) || error_memory(error);
    ok = ok && sass_lower_parameters(l) && lower_body(l) && lane_end(&l->b, error);
    arena_free(&arena);
    return ok;
}
