/* Writing executables: header, two program headers, code, the seven notes, and a table of sections for tools that want
 * one. */
#include "isa/ctm/elf.h"

#include <string.h>

/* Sections, and their names in the section of names. */
enum section { SECTION_NONE, SECTION_TEXT, SECTION_NOTE, SECTION_NAMES, SECTIONS };
static const char names[] = "\0.text\0.note\0.shstrtab";
static const uint8_t name_at[SECTIONS] = {0, 1, 7, 13};

static uint32_t list_count(const struct ctm_set *set, uint32_t numbers)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < numbers; i++)
        count += ctm_has(set, i);
    return count;
}

static void note_begin(struct wire *w, enum ctm_note note, uint32_t words)
{
    Elf32_Nhdr n = {.n_namesz = sizeof CTM_NOTE_NAME, .n_descsz = words * 4, .n_type = note};
    const char *name = CTM_NOTE_NAME;
    ctm_elf_note(w, &n);
    wire_bytes(w, sizeof CTM_NOTE_NAME, &name);
}

static void list_write(struct wire *w, const struct ctm_program *program, enum ctm_note note)
{
    const struct ctm_set *set = (const void *)((const char *)program + ctm_notes[note].set);
    note_begin(w, note, list_count(set, ctm_notes[note].numbers));
    for (uint32_t i = 0; i < ctm_notes[note].numbers; i++)
        if (ctm_has(set, i))
            wire_u32(w, &(uint32_t){i});
}

static void note_write(struct wire *w, const struct ctm_program *program, enum ctm_note note)
{
    if (ctm_notes[note].numbers) {
        list_write(w, program, note);
        return;
    }
    note_begin(w, note, note == CTM_NOTE_PROGINFO ? CTM_INFO_WORDS : 1);
    if (note == CTM_NOTE_PROGINFO)
        for (unsigned i = 0; i < CTM_INFO_WORDS; i++)
            wire_u32(w, &(uint32_t){program->info[i]});
    else
        wire_u32(w, &(uint32_t){note == CTM_NOTE_CONDOUT ? program->condout : program->early_exit});
}

static void section_write(struct wire *w, enum section which, uint32_t type, uint32_t flags, size_t from, size_t end,
                          uint32_t align)
{
    uint32_t words[] = {name_at[which], type, flags, 0, (uint32_t)from, (uint32_t)(end - from), 0, 0, align, 0};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        wire_u32(w, &words[i]);
}

static void headers_write(struct wire *w, size_t code, size_t notes, size_t end, size_t sections)
{
    Elf32_Ehdr h = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT, CTM_ELF_OSABI,
                                CTM_ELF_ABI},
                    .e_type = ET_EXEC,
                    .e_machine = CTM_ELF_MACHINE,
                    .e_version = EV_CURRENT,
                    .e_phoff = sizeof h,
                    .e_shoff = (uint32_t)sections,
                    .e_flags = CTM_ELF_FLAGS,
                    .e_ehsize = sizeof h,
                    .e_phentsize = sizeof(Elf32_Phdr),
                    .e_phnum = 2,
                    .e_shentsize = sizeof(Elf32_Shdr),
                    .e_shnum = SECTIONS,
                    .e_shstrndx = SECTION_NAMES};
    Elf32_Phdr load = {.p_type = PT_LOAD,
                       .p_offset = (uint32_t)code,
                       .p_filesz = (uint32_t)(notes - code),
                       .p_memsz = (uint32_t)(notes - code),
                       .p_flags = PF_R | PF_X,
                       .p_align = 4};
    Elf32_Phdr note = {.p_type = PT_NOTE,
                       .p_offset = (uint32_t)notes,
                       .p_filesz = (uint32_t)(end - notes),
                       .p_flags = PF_R,
                       .p_align = 4};
    ctm_elf_header(w, &h);
    ctm_elf_segment(w, &load);
    ctm_elf_segment(w, &note);
}

/* Code and notes come first, in `body`: the headers say how long they are. */
static void image_write(const struct ctm_program *program, struct text *body, struct text *out)
{
    struct wire b = {.out = body}, w = {.out = out};
    size_t code = sizeof(Elf32_Ehdr) + 2 * sizeof(Elf32_Phdr);
    for (uint32_t i = 0; i < program->ninsts; i++)
        for (unsigned k = 0; k < CTM_WORDS; k++)
            wire_u32(&b, &program->insts[i].word[k]);
    size_t notes = code + body->length;
    for (enum ctm_note note = CTM_NOTE_PROGINFO; note < CTM_NOTES; note++)
        note_write(&b, program, note);
    size_t end = code + body->length;
    const char *strings = names;
    wire_bytes(&b, sizeof names, &strings);
    while (body->length % 4)
        wire_u8(&b, &(uint8_t){0});
    headers_write(&w, code, notes, end, code + body->length);
    if (text_ok(body))
        text_add(out, body->bytes, body->length);
    section_write(&w, SECTION_NONE, SHT_NULL, 0, 0, 0, 0);
    section_write(&w, SECTION_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code, notes, 4);
    section_write(&w, SECTION_NOTE, SHT_NOTE, 0, notes, end, 4);
    section_write(&w, SECTION_NAMES, SHT_STRTAB, 0, end, end + sizeof names, 1);
}

bool ctm_elf_write(const struct ctm_program *program, struct text *out, struct atoll_error *error)
{
    struct text body = {0};
    if (!program->ninsts || program->ninsts > CTM_SLOTS)
        return error_set(error, ATOLL_INPUT, "a program of %u instructions; wanted 1 to %d", program->ninsts,
                         CTM_SLOTS);
    image_write(program, &body, out);
    bool ok = text_ok(&body) && text_ok(out);
    text_free(&body);
    return ok || error_memory(error);
}
