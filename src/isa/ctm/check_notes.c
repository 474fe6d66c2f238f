/* Program information and notes, held against what the instructions use. Sources: docs/ctm.md, "Executables". */
#include "isa/ctm/check_inner.h"

#include "isa/ctm/elf.h"
#include "isa/ctm/text.h"

/* Bits of the program information that mean something. */
static const uint32_t info_bits[CTM_INFO_WORDS] = {
    [CTM_INFO_ONE] = 1,
    [CTM_INFO_FG_DEPTH_SRC] = 1,
    [CTM_INFO_US_CONFIG] = 1 << 1,
    [CTM_INFO_US_PIXSIZE] = 0x7f,
    [CTM_INFO_US_FC_CTRL] = UINT32_C(3) << 30,
    [CTM_INFO_US_CODE_ADDR] = 0x01ff01ff,
    [CTM_INFO_US_CODE_RANGE] = 0x01ff01ff,
    [CTM_INFO_US_CODE_OFFSET] = 0x1ff,
    [CTM_INFO_US_W_FMT] = 7,
    [CTM_INFO_UMRT] = 1,
};

static const struct ctm_set *list_of(const struct ctm_program *program, enum ctm_note note)
{
    return (const void *)((const char *)program + ctm_notes[note].set);
}

/* What follows from instructions [first, first + count). */
static struct ctm_program derived(const struct ctm_program *program, uint32_t first, uint32_t count)
{
    struct ctm_program part = {.insts = program->insts + first, .ninsts = count};
    part.info[CTM_INFO_UMRT] = program->info[CTM_INFO_UMRT];
    ctm_derive(&part);
    return part;
}

static const char *const thing_names[CTM_NOTES] = {[CTM_NOTE_INPUTS] = "input",
                                                   [CTM_NOTE_OUTPUTS] = "output",
                                                   [CTM_NOTE_FLOATS] = "float constant",
                                                   [CTM_NOTE_INTS] = "integer constant"};

static void list_check(struct check *c, uint32_t at, enum ctm_note note, uint32_t number)
{
    if (!ctm_has(list_of(c->program, note), number))
        rule_error(c, at, "note-missing", "it uses %s %u, which note %s does not list", thing_names[note], number,
                   ctm_notes[note].name);
}

/* Of constants with aL added the first must be listed. */
static void missing_check(struct check *c, uint32_t at)
{
    struct ctm_program used = derived(c->program, at, 1);
    for (enum ctm_note note = CTM_NOTE_INPUTS; note < CTM_NOTES; note++)
        for (uint32_t i = 0; i < ctm_notes[note].numbers && note != CTM_NOTE_FLOATS; i++)
            if (ctm_has(list_of(&used, note), i))
                list_check(c, at, note, i);
    for (unsigned k = 0; k < CTM_READS; k++) {
        const struct ctm_access *read = &c->effects[at].reads[k];
        if (read->channels && read->place == CTM_PLACE_FLOAT)
            list_check(c, at, CTM_NOTE_FLOATS, read->number);
    }
    if (used.condout && !c->program->condout)
        rule_error(c, at, "note-missing", "it writes the conditional output, which note CONDOUT denies");
}

/* With addresses that have aL added nobody knows which constants are in use. */
static void unused_check(struct check *c, const struct ctm_program *used, bool indexed)
{
    for (enum ctm_note note = CTM_NOTE_INPUTS; note < CTM_NOTES; note++)
        for (uint32_t i = 0; i < ctm_notes[note].numbers && !(indexed && note == CTM_NOTE_FLOATS); i++)
            if (!ctm_has(list_of(used, note), i) && ctm_has(list_of(c->program, note), i))
                rule_warn(c, CHECK_PROGRAM, "note-unused", "note %s lists %s %u, which nothing uses",
                          ctm_notes[note].name, thing_names[note], i);
    if (c->program->condout && !used->condout)
        rule_warn(c, CHECK_PROGRAM, "note-unused", "note CONDOUT tells of a conditional output, which nothing writes");
}

/* LAST in the final OUTPUT is no early exit: drivers of the device set it there. */
static void early_check(struct check *c)
{
    const struct ctm_program *p = c->program;
    bool early = false;
    for (uint32_t i = 0; i < p->ninsts; i++)
        early |= i != ctm_end(p) && ctm_get(&p->insts[i], CTM_LAST);
    if (early != p->early_exit)
        rule_warn(c, CHECK_PROGRAM, "early-exit", "note EARLYEXIT says %d, and the program %s end early", p->early_exit,
                  early ? "can" : "cannot");
}

static void frame_check(struct check *c)
{
    uint32_t frame = c->program->info[CTM_INFO_US_PIXSIZE] & 0x7f, highest = 0;
    for (uint32_t i = 0; i < c->program->ninsts; i++) {
        const struct ctm_effects *e = &c->effects[i];
        for (unsigned k = 0; k < CTM_READS; k++)
            if (e->reads[k].channels && e->reads[k].place == CTM_PLACE_TEMP && e->reads[k].number > highest)
                highest = e->reads[k].number;
        for (unsigned k = 0; k < CTM_UNITS; k++)
            if (e->writes[k].channels && e->writes[k].number > highest)
                highest = e->writes[k].number;
    }
    if (highest > frame)
        rule_error(c, CHECK_PROGRAM, "frame-size", "the program uses r%u, and its frame ends at r%u", highest, frame);
}

static void info_check(struct check *c)
{
    const struct ctm_program *p = c->program;
    for (unsigned i = 0; i < CTM_INFO_WORDS; i++)
        if (p->info[i] & ~info_bits[i])
            rule_warn(c, CHECK_PROGRAM, "reserved-bits", "reserved bits 0x%x of word %u of the program information",
                      p->info[i] & ~info_bits[i], i);
    if (p->info[CTM_INFO_ONE] != 1)
        rule_warn(c, CHECK_PROGRAM, "reserved-bits", "word 0 of the program information is %u; wanted 1",
                  p->info[CTM_INFO_ONE]);
    if ((p->info[CTM_INFO_FG_DEPTH_SRC] & 1) != p->condout)
        rule_warn(c, CHECK_PROGRAM, "depth-source", "FG_DEPTH_SRC is %u and note CONDOUT says %d",
                  p->info[CTM_INFO_FG_DEPTH_SRC] & 1, p->condout);
    if (p->info[CTM_INFO_US_CODE_OFFSET])
        rule_warn(c, CHECK_PROGRAM, "code-offset", "US_CODE_OFFSET is %u; programs begin at 0",
                  p->info[CTM_INFO_US_CODE_OFFSET]);
    uint32_t range = p->info[CTM_INFO_US_CODE_RANGE];
    if (range && ((range & 0x1ff) != 0 || (range >> 16 & 0x1ff) != p->ninsts - 1))
        rule_warn(c, CHECK_PROGRAM, "code-range", "US_CODE_RANGE has %u instructions from %u; the code has %u",
                  (range >> 16 & 0x1ff) + 1, range & 0x1ff, p->ninsts);
}

void ctm_check_notes(struct check *c)
{
    struct ctm_program used = derived(c->program, 0, c->program->ninsts);
    bool indexed = false;
    for (uint32_t i = 0; i < c->program->ninsts; i++) {
        const struct ctm_access *reads = c->effects[i].reads;
        for (unsigned k = 0; k < CTM_READS; k++)
            indexed |= reads[k].channels && reads[k].relative && reads[k].place == CTM_PLACE_FLOAT;
        missing_check(c, i);
    }
    unused_check(c, &used, indexed);
    early_check(c);
    frame_check(c);
    info_check(c);
}
