/* The executables of CTM's devices (DPP ABI): ELF32 with the instructions of one program and notes about it. Format:
 * docs/ctm.md, "Executables". */
#ifndef ATOLL_ISA_CTM_ELF_H
#define ATOLL_ISA_CTM_ELF_H

#include "base/text.h"
#include "base/wire.h"
#include "isa/ctm/ctm.h"

#include <elf.h>

enum {
    CTM_ELF_OSABI = 98, /* ELFOSABI_ATI */
    CTM_ELF_ABI = 1,
    CTM_ELF_MACHINE = 122, /* EM_ATI_R5XX */
    CTM_ELF_FLAGS = 1,     /* EF_ATI_DPP */
    CTM_ELF_INFO_LEAST = 6 /* words of program information that a program cannot do without */
};

/* Types of notes of the name CTM_NOTE_NAME. */
#define CTM_NOTE_NAME "ATI DPP" /* with its 0 */
enum ctm_note {
    CTM_NOTE_PROGINFO = 1,
    CTM_NOTE_INPUTS,
    CTM_NOTE_OUTPUTS,
    CTM_NOTE_CONDOUT,
    CTM_NOTE_FLOATS,
    CTM_NOTE_INTS,
    CTM_NOTE_EARLYEXIT,
    CTM_NOTES
};

struct ctm_note_row {
    const char *name;
    uint32_t numbers; /* a list of numbers below this; 0: no list */
    size_t set;       /* where the list is in struct ctm_program */
};
extern const struct ctm_note_row ctm_notes[CTM_NOTES];

/* Reading sets the values, writing appends them. */
void ctm_elf_header(struct wire *w, Elf32_Ehdr *h);
void ctm_elf_segment(struct wire *w, Elf32_Phdr *p);
void ctm_elf_note(struct wire *w, Elf32_Nhdr *n); /* name and description follow, each filled up to four bytes */

/* Whether this is an ELF file for the machine, by how it begins. */
bool ctm_is_elf(const void *bytes, size_t size);
/* Bytes after the image are allowed: it may lie in a larger piece of memory. */
bool ctm_elf_read(struct arena *arena, const void *bytes, size_t size, struct ctm_program *program,
                  struct atoll_error *error);
bool ctm_elf_write(const struct ctm_program *program, struct text *out, struct atoll_error *error);

#endif
