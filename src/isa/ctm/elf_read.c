/* Reading executables, by their program headers alone: a loader needs no sections. Whatever the bytes say is checked
 * against their number before it is believed. */
#include "isa/ctm/elf.h"

#include "base/bytes.h"

#include <string.h>

enum {
    SEGMENTS_MOST = 256,   /* program headers; the ABI wants 2 to 8 */
    NOTES_MOST = 64 * 1024 /* bytes of a segment of notes */
};

struct reader {
    struct wire wire;
    struct arena *arena;
    struct ctm_program *program;
    size_t phoff;  /* of the program header at hand */
    unsigned seen; /* notes, a bit each */
};

/* ---- what header and records hold, both ways -------------------------------------------------------------- */

#define NOTE_LIST(member) offsetof(struct ctm_program, member)
const struct ctm_note_row ctm_notes[CTM_NOTES] = {
    [CTM_NOTE_PROGINFO] = {.name = "PROGINFO"},
    [CTM_NOTE_INPUTS] = {"INPUTS", CTM_INPUTS, NOTE_LIST(inputs)},
    [CTM_NOTE_OUTPUTS] = {"OUTPUTS", CTM_OUTPUTS, NOTE_LIST(outputs)},
    [CTM_NOTE_CONDOUT] = {.name = "CONDOUT"},
    [CTM_NOTE_FLOATS] = {"FLOAT32CONSTS", CTM_FLOATS, NOTE_LIST(floats)},
    [CTM_NOTE_INTS] = {"INT32CONSTS", CTM_INTS, NOTE_LIST(ints)},
    [CTM_NOTE_EARLYEXIT] = {.name = "EARLYEXIT"},
};

void ctm_elf_header(struct wire *w, Elf32_Ehdr *h)
{
    for (unsigned i = 0; i < EI_NIDENT; i++)
        wire_u8(w, &h->e_ident[i]);
    wire_u16(w, &h->e_type);
    wire_u16(w, &h->e_machine);
    wire_u32(w, &h->e_version);
    wire_u32(w, &h->e_entry);
    wire_u32(w, &h->e_phoff);
    wire_u32(w, &h->e_shoff);
    wire_u32(w, &h->e_flags);
    wire_u16(w, &h->e_ehsize);
    wire_u16(w, &h->e_phentsize);
    wire_u16(w, &h->e_phnum);
    wire_u16(w, &h->e_shentsize);
    wire_u16(w, &h->e_shnum);
    wire_u16(w, &h->e_shstrndx);
}

void ctm_elf_segment(struct wire *w, Elf32_Phdr *p)
{
    wire_u32(w, &p->p_type);
    wire_u32(w, &p->p_offset);
    wire_u32(w, &p->p_vaddr);
    wire_u32(w, &p->p_paddr);
    wire_u32(w, &p->p_filesz);
    wire_u32(w, &p->p_memsz);
    wire_u32(w, &p->p_flags);
    wire_u32(w, &p->p_align);
}

void ctm_elf_note(struct wire *w, Elf32_Nhdr *n)
{
    wire_u32(w, &n->n_namesz);
    wire_u32(w, &n->n_descsz);
    wire_u32(w, &n->n_type);
}

/* ---- header ----------------------------------------------------------------------------------------------- */

bool ctm_is_elf(const void *bytes, size_t size)
{
    enum { MACHINE = offsetof(Elf32_Ehdr, e_machine) };
    return size >= MACHINE + 2 && memcmp(bytes, ELFMAG, SELFMAG) == 0 &&
           bytes_u16((const uint8_t *)bytes + MACHINE) == CTM_ELF_MACHINE;
}

static bool wanted(struct reader *r, size_t at, const char *what, uint32_t value, uint32_t wants)
{
    return value == wants || wire_fail(&r->wire, at, "%s is %u; wanted %u", what, value, wants);
}

#define WANTED(member, what, wants) wanted(r, offsetof(Elf32_Ehdr, member), what, h->member, wants)

static bool header_check(struct reader *r, const Elf32_Ehdr *h)
{
    const uint8_t *e = h->e_ident;
    if (r->wire.failed)
        return false;
    if (memcmp(e, ELFMAG, SELFMAG) != 0)
        return wire_fail(&r->wire, 0, "no ELF file");
    return wanted(r, EI_CLASS, "the class", e[EI_CLASS], ELFCLASS32) &&
           wanted(r, EI_DATA, "the order of bytes", e[EI_DATA], ELFDATA2LSB) &&
           wanted(r, EI_VERSION, "the version of ELF", e[EI_VERSION], EV_CURRENT) &&
           wanted(r, EI_OSABI, "the ABI", e[EI_OSABI], CTM_ELF_OSABI) &&
           wanted(r, EI_ABIVERSION, "the ABI's version", e[EI_ABIVERSION], CTM_ELF_ABI) &&
           WANTED(e_type, "the type", ET_EXEC) && WANTED(e_machine, "the machine", CTM_ELF_MACHINE) &&
           WANTED(e_version, "the version", EV_CURRENT) && WANTED(e_entry, "the entry", 0) &&
           WANTED(e_flags, "the word of flags", CTM_ELF_FLAGS) &&
           WANTED(e_ehsize, "the size of the header", sizeof(Elf32_Ehdr)) &&
           WANTED(e_phentsize, "the size of a program header", sizeof(Elf32_Phdr));
}

/* Whether [offset, offset + size), as a header at `at` says, lies in the bytes. */
static bool inside(struct reader *r, size_t at, const char *what, uint64_t offset, uint64_t size)
{
    return offset + size <= r->wire.size ||
           wire_fail(&r->wire, at, "%s: bytes 0x%llx to 0x%llx of 0x%zx", what, (unsigned long long)offset,
                     (unsigned long long)(offset + size), r->wire.size);
}

/* ---- code ------------------------------------------------------------------------------------------------- */

static bool code_read(struct reader *r, const Elf32_Phdr *p)
{
    enum { BYTES = CTM_WORDS * 4 };
    struct ctm_program *program = r->program;
    size_t at = r->phoff + offsetof(Elf32_Phdr, p_filesz);
    uint32_t count = p->p_filesz / BYTES;
    if (program->insts)
        return wire_fail(&r->wire, r->phoff, "a second segment of code (PT_LOAD); wanted one");
    if (p->p_filesz % BYTES || !count || count > CTM_SLOTS)
        return wire_fail(&r->wire, at, "%u bytes of code; wanted 1 to %d instructions of %d bytes", p->p_filesz,
                         CTM_SLOTS, BYTES);
    if (p->p_memsz != p->p_filesz)
        return wire_fail(&r->wire, r->phoff + offsetof(Elf32_Phdr, p_memsz),
                         "code has %u bytes in memory and %u in the file; wanted the same", p->p_memsz, p->p_filesz);
    program->insts = arena_array(r->arena, count, sizeof *program->insts);
    if (!program->insts)
        return wire_fail(&r->wire, at, "no memory");
    program->ninsts = count;
    r->wire.at = p->p_offset;
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < CTM_WORDS; k++)
            wire_u32(&r->wire, &program->insts[i].word[k]);
    return true;
}

/* ---- notes ------------------------------------------------------------------------------------------------ */

static bool info_read(struct reader *r, uint32_t words)
{
    if (words < CTM_ELF_INFO_LEAST)
        return wire_fail(&r->wire, r->wire.at, "%u words of program information; wanted at least %d", words,
                         CTM_ELF_INFO_LEAST);
    for (uint32_t i = 0; i < words && i < CTM_INFO_WORDS; i++)
        wire_u32(&r->wire, &r->program->info[i]);
    return true;
}

static bool list_read(struct reader *r, enum ctm_note note, uint32_t words)
{
    const struct ctm_note_row *row = &ctm_notes[note];
    struct ctm_set *set = (void *)((char *)r->program + row->set);
    for (uint32_t i = 0; i < words; i++) {
        size_t at = r->wire.at;
        uint32_t number;
        wire_u32(&r->wire, &number);
        if (number >= row->numbers)
            return wire_fail(&r->wire, at, "note %s: %u; wanted numbers below %u", row->name, number, row->numbers);
        ctm_add(set, number);
    }
    return true;
}

static bool flag_read(struct reader *r, enum ctm_note note, uint32_t words, bool *flag)
{
    size_t at = r->wire.at;
    uint32_t value;
    wire_u32(&r->wire, &value);
    *flag = value == 1;
    return (words == 1 && value <= 1) ||
           wire_fail(&r->wire, at, "note %s: %u in %u words; wanted 0 or 1 in one", ctm_notes[note].name, value, words);
}

static bool note_read(struct reader *r, uint32_t type, uint32_t size)
{
    size_t at = r->wire.at;
    if (!type || type >= CTM_NOTES)
        return true; /* of a later ABI */
    enum ctm_note note = (enum ctm_note)type;
    if (r->seen >> type & 1)
        return wire_fail(&r->wire, at, "a second note %s; wanted one", ctm_notes[note].name);
    r->seen |= 1u << type;
    if (size % 4)
        return wire_fail(&r->wire, at, "note %s: %u bytes; wanted words of 4", ctm_notes[note].name, size);
    if (note == CTM_NOTE_PROGINFO)
        return info_read(r, size / 4);
    if (ctm_notes[note].numbers)
        return list_read(r, note, size / 4);
    return flag_read(r, note, size / 4, note == CTM_NOTE_CONDOUT ? &r->program->condout : &r->program->early_exit);
}

static bool notes_read(struct reader *r, const Elf32_Phdr *p)
{
    uint64_t end = (uint64_t)p->p_offset + p->p_filesz;
    if (p->p_filesz > NOTES_MOST)
        return wire_fail(&r->wire, r->phoff + offsetof(Elf32_Phdr, p_filesz), "%u bytes of notes; wanted at most %d",
                         p->p_filesz, NOTES_MOST);
    for (uint64_t at = p->p_offset; at < end;) {
        Elf32_Nhdr n;
        r->wire.at = (size_t)at;
        ctm_elf_note(&r->wire, &n);
        uint64_t name = at + sizeof n, desc = name + (((uint64_t)n.n_namesz + 3) & ~UINT64_C(3));
        uint64_t next = desc + (((uint64_t)n.n_descsz + 3) & ~UINT64_C(3));
        if (r->wire.failed || next > end)
            return wire_fail(&r->wire, (size_t)at, "a note past the end of its segment, 0x%llx",
                             (unsigned long long)end);
        r->wire.at = (size_t)desc;
        if (n.n_namesz == sizeof CTM_NOTE_NAME &&
            memcmp(r->wire.bytes + name, CTM_NOTE_NAME, sizeof CTM_NOTE_NAME) == 0 &&
            !note_read(r, n.n_type, n.n_descsz))
            return false;
        at = next;
    }
    return true;
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

static bool segment_read(struct reader *r)
{
    Elf32_Phdr p;
    r->wire.at = r->phoff;
    ctm_elf_segment(&r->wire, &p);
    if (p.p_type != PT_LOAD && p.p_type != PT_NOTE)
        return true;
    if (!inside(r, r->phoff + offsetof(Elf32_Phdr, p_offset), p.p_type == PT_LOAD ? "code" : "notes", p.p_offset,
                p.p_filesz))
        return false;
    return p.p_type == PT_LOAD ? code_read(r, &p) : notes_read(r, &p);
}

static bool image_read(struct reader *r)
{
    Elf32_Ehdr h;
    ctm_elf_header(&r->wire, &h);
    if (!header_check(r, &h))
        return false;
    if (!h.e_phnum || h.e_phnum > SEGMENTS_MOST)
        return wire_fail(&r->wire, offsetof(Elf32_Ehdr, e_phnum), "%u program headers; wanted 1 to %d", h.e_phnum,
                         SEGMENTS_MOST);
    if (!inside(r, offsetof(Elf32_Ehdr, e_phoff), "program headers", h.e_phoff,
                (uint64_t)h.e_phnum * sizeof(Elf32_Phdr)))
        return false;
    for (unsigned i = 0; i < h.e_phnum; i++) {
        r->phoff = h.e_phoff + i * sizeof(Elf32_Phdr);
        if (!segment_read(r))
            return false;
    }
    if (!r->program->insts)
        return wire_fail(&r->wire, h.e_phoff, "no segment of code (PT_LOAD)");
    return r->seen >> CTM_NOTE_PROGINFO & 1 || wire_fail(&r->wire, h.e_phoff, "no note with program information");
}

bool ctm_elf_read(struct arena *arena, const void *bytes, size_t size, struct ctm_program *program,
                  struct atoll_error *error)
{
    *program = (struct ctm_program){.name = "main"};
    struct reader r = {.wire = {.bytes = bytes ? bytes : (const void *)"", .size = bytes ? size : 0},
                       .arena = arena,
                       .program = program};
    return image_read(&r) || error_set(error, ATOLL_INPUT, "CTM executable: byte 0x%zx: %s", r.wire.at, r.wire.reason);
}
