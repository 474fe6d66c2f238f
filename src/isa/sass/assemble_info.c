/* Attributes of .nv.info.K that follow from code: where its EXITs are and where it asks for the block's place in the
 * grid (EIATTR_EXIT_INSTR_OFFSETS, EIATTR_S2RCTAID_INSTR_OFFSETS; all files of ptxas at hand have exactly these lists).
 */
#include "isa/sass/assemble.h"
#include "lane/modes.h"

#include <string.h>

struct follower {
    struct assembler *as;
    const struct asm_section *code;
    struct text out;
    bool seen[2];
};

static const uint8_t codes[2] = {SASS_A_EXIT_OFFSETS, SASS_A_S2RCTAID_OFFSETS};

static bool is_listed(const struct assembler *as, const struct sass_insn *insn, uint8_t code)
{
    if (!insn->form)
        return false;
    if (code == SASS_A_EXIT_OFFSETS)
        return sass_flow_kind(insn->form) == SASS_FLOW_LEAVE && sass_token(insn->form) == LANE_TOKEN_EXIT + 1;
    unsigned sreg = isa_value(as->table, insn->form, &insn->word, SASS_ROLE_sreg, SASS_SREG_COUNT);
    return sreg >= SASS_SR_CTAID_X && sreg <= SASS_SR_CTAID_Z && !isa_any(insn->form, SASS_FIXED); /* not by CS2R */
}

/* The record of list `which`; none where the list is empty. Longer ones than a record holds end early: the driver only
 * needs them to patch code. */
static void list_put(struct follower *f, unsigned which)
{
    enum { MOST = UINT16_MAX / 4 };
    size_t start = f->out.length, count = 0;
    text_number(&f->out, SASS_FORMAT_BYTES | (uint64_t)codes[which] << 8, 4);
    for (size_t i = 0; i < f->code->ninsns && count < MOST; i++)
        if (is_listed(f->as, &f->code->insns[i], codes[which])) {
            text_number(&f->out, sass_address(i), 4);
            count++;
        }
    f->seen[which] = true;
    if (!text_ok(&f->out))
        return;
    if (count == 0)
        f->out.length = start;
    else {
        f->out.bytes[start + 2] = (char)(4 * count);
        f->out.bytes[start + 3] = (char)(4 * count >> 8);
    }
}

/* Places of symbols after `at` move. */
static void fixups_move(struct assembler *as, uint32_t section, uint64_t from, uint64_t to, uint64_t now)
{
    for (unsigned i = 0; i < as->nfixups; i++) {
        struct asm_fixup *f = &as->fixups[i];
        if (f->section == section && !f->moved && f->offset >= from && f->offset < to) {
            f->offset += now - from;
            f->moved = true;
        }
    }
}

static void records_copy(struct follower *f, uint32_t section)
{
    const struct text *data = &f->as->sections[section - 1].data;
    size_t at = 0, size;
    for (; data->length - at >= 4; at += size) {
        const uint8_t *p = (const uint8_t *)data->bytes + at;
        size = 4 + (p[0] == SASS_FORMAT_BYTES ? bytes_u16(p + 2) : 0);
        if (data->length - at < size)
            break;
        unsigned which = p[0] != SASS_FORMAT_BYTES ? 2 : p[1] == codes[0] ? 0 : p[1] == codes[1] ? 1 : 2;
        if (which < 2 && !f->seen[which]) {
            list_put(f, which);
        } else if (which == 2) {
            fixups_move(f->as, section, at, at + size, f->out.length);
            text_add(&f->out, (const char *)p, size);
        }
    }
    for (unsigned i = 0; i < 2; i++)
        if (!f->seen[i])
            list_put(f, i);
    fixups_move(f->as, section, at, UINT64_MAX, f->out.length);
    text_add(&f->out, data->bytes ? data->bytes + at : "", data->length - at);
}

bool asm_info_follow(struct assembler *as, uint32_t code)
{
    char name[1024];
    struct follower f = {.as = as, .code = &as->sections[code - 1]};
    if (strncmp(f.code->name, ".text.", 6) != 0 || strlen(f.code->name) > 1000)
        return true;
    strcpy(name, ".nv.info.");
    strcat(name, f.code->name + 6);
    uint32_t info = asm_section_named(as, name);
    if (!info || as->sections[info - 1].type != SASS_INFO)
        return true;
    records_copy(&f, info);
    text_free(&as->sections[info - 1].data);
    as->sections[info - 1].data = f.out;
    return text_ok(&f.out) || error_memory(as->error);
}
