/* Cubins: the ELF files that hold SASS, as plain structs.
 *
 * A module is first of all its sections, symbols and a few words of the ELF header, exactly as they are in the file;
 * what kernels, parameters and relocations they mean is worked out from those (sass_index) and never written back.
 * Therefore nothing is lost between sass_read and sass_write, known or not.
 *
 * ELF64 little-endian, e_machine 190 (EM_CUDA). Everything about the contents is from the tools' files and public
 * notes: .text.K            code, 32-byte bundles; sh_info = registers << 24 | symbol; sh_flags bits 20-26 = barriers
 *   .nv.info, .nv.info.K   attributes (struct sass_attribute) of the module, of K
 *   .nv.constantN.K    constant bank N of K; bank 0 holds the parameters; .nv.constant3: __constant__ of the module
 *   .nv.shared.K, .nv.local.K, .nv.global, .nv.global.init   memory
 *   .rel.X, .rela.X    relocations of section X
 * Sections of other names and types are kept and otherwise let alone.
 *
 * A file is laid out as ptxas does it: header, sections in order and aligned, section headers (8-byte aligned), program
 * headers. */
#ifndef ATOLL_ISA_SASS_CUBIN_H
#define ATOLL_ISA_SASS_CUBIN_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/namemap.h"
#include "base/text.h"

enum {
    SASS_MACHINE = 190,
    SASS_OSABI = 0x33,
    SASS_ABI = 7,
    SASS_PARAMETERS = 0x140,     /* where they start in constant bank 0 */
    SASS_PARAMETERS_MOST = 4096, /* bytes of them: CUDA's limit for these architectures */
    SASS_BANKS = 18,             /* .nv.constant0 to 17 */
    SASS_BUNDLE = 32,            /* bytes: a control word and three instructions */
    SASS_SHARED_MOST = 1 << 24,  /* bytes of the shared window, and of the local one */
    SASS_ENTRY = 0x10,           /* st_other: STO_CUDA_ENTRY */
    SASS_STATE_SPACE = 0xe0,     /* st_other of variables: one of the next two, or global memory, 0x20 */
    SASS_SHARED_SPACE = 0x40,
    SASS_CONSTANT_SPACE = 0x80,
};

/* Section types of our own names: the values of SHT_LOPROC and up. */
enum sass_section_type {
    SASS_PROGBITS = 1,
    SASS_SYMTAB = 2,
    SASS_STRTAB = 3,
    SASS_RELA = 4,
    SASS_NOTE = 7,
    SASS_NOBITS = 8,
    SASS_REL = 9,
    SASS_INFO = 0x70000000,
    SASS_CALLGRAPH = 0x70000001,
    SASS_PROTOTYPE = 0x70000002,
    SASS_GLOBAL = 0x70000007, /* this and the next two: of relocatable files; no bytes */
    SASS_GLOBAL_INIT = 0x70000008,
    SASS_SHARED = 0x7000000a, /* no bytes */
    SASS_RELOCINFO = 0x7000000b,
    SASS_CONSTANT = 0x70000064, /* + bank, in relocatable files */
};

/* Whether a section of the type has a size and no bytes. */
static inline bool sass_is_empty(uint32_t type)
{
    return type == SASS_NOBITS || type == SASS_GLOBAL || type == SASS_SHARED;
}

/* Section flags. */
enum {
    SASS_WRITE = 1,
    SASS_ALLOC = 2,
    SASS_EXECUTE = 4,
    SASS_INFO_LINK = 0x40,
    SASS_BARRIERS = 20 /* shift, 7 bits */
};

struct sass_section {
    const char *name;
    uint32_t name_at; /* where the name was in .shstrtab; a hint for writing */
    uint32_t type, link, info;
    uint64_t flags, address, align, entry;
    uint64_t size;
    uint64_t offset;       /* in the file it was read from; errors name it */
    const uint8_t *bytes;  /* NULL where the type has none */
    const char *file;      /* of joined files the one that it is from; NULL: not joined, or made by joining */
    const uint32_t *lines; /* of code that was assembled: of each instruction the text's line; NULL: it was not */
    size_t nlines;
};

/* Symbol types (low 4 bits of st_info) that CUDA adds. */
enum {
    SASS_NOTYPE = 0,
    SASS_OBJECT = 1,
    SASS_FUNC = 2,
    SASS_SECTION = 3,
    SASS_TEXTURE = 10,
    SASS_SAMPLER = 11,
    SASS_SURFACE = 12,
    SASS_PARAM = 13
};

struct sass_symbol {
    const char *name;
    uint32_t name_at;
    uint8_t info, other; /* st_info: bind << 4 | type */
    uint16_t section;    /* index; 0 = undefined; 0xff00 and up: special */
    uint64_t value, size;
};

/* Relocation types that sass_relocate applies; values of the ABI. */
enum sass_relocation_type {
    SASS_R_NONE = 0,
    SASS_R_32 = 1,
    SASS_R_64 = 2,
    SASS_R_G32 = 3,
    SASS_R_G64 = 4,
    SASS_R_TEX_HEADER = 6,      /* 20 low bits of a word: texture header index */
    SASS_R_SURF_HEADER = 52,    /* the same for a surface */
    SASS_R_ABS32_20 = 42,       /* 32 bits from bit 20 of an instruction */
    SASS_R_ABS32_LO_20 = 43,    /* of a 64-bit value the low half */
    SASS_R_ABS32_HI_20 = 44,    /* the high half */
    SASS_R_ABS24_20 = 45,       /* of addresses in shared memory */
    SASS_R_ABS16_20 = 46,       /* of offsets in a constant bank */
    SASS_R_FUNC_DESC_64 = 35,   /* 64 bits of data: what a kernel is launched by */
    SASS_R_FUNC_DESC32_20 = 47, /* the same in an instruction: 32 bits, low, high */
    SASS_R_FUNC_DESC32_LO_20 = 48,
    SASS_R_FUNC_DESC32_HI_20 = 49,
    SASS_R_CONST_FIELD19_20 = 50, /* a constant operand: bank and offset in words */
    SASS_R_BINDLESSOFF13_36 = 51, /* of a surface instruction: its slot in bank 0, in words */
    SASS_R_CONST_FIELD21_20 = 54, /* a constant operand with the offset in bytes */
};

struct sass_relocation {
    uint32_t section; /* that it changes */
    uint32_t type, symbol;
    uint64_t offset;
    int64_t addend; /* 0 where the section has none (REL: it is in the place itself) */
    bool has_addend;
};

/* A record of .nv.info:  u8 format | u8 code | u16 value, or u16 size | size bytes */
enum { SASS_FORMAT_NONE = 1, SASS_FORMAT_BYTE, SASS_FORMAT_HALF, SASS_FORMAT_BYTES };

struct sass_attribute {
    uint8_t format, code;
    uint16_t value; /* also the payload's size */
    const uint8_t *payload;
    uint32_t offset; /* of the record in its section */
};

/* EIATTR_* of the codes that are read here; sass_attribute_name knows them all. */
enum sass_attribute_code {
    SASS_A_CTAIDZ_USED = 0x04,
    SASS_A_MAX_THREADS = 0x05,
    SASS_A_PARAM_CBANK = 0x0a,
    SASS_A_EXTERNS = 0x0f,
    SASS_A_REQNTID = 0x10,
    SASS_A_FRAME_SIZE = 0x11,
    SASS_A_MIN_STACK_SIZE = 0x12,
    SASS_A_TEXTURE_BANK = 0x15,
    SASS_A_SURFACE_BANK = 0x16,
    SASS_A_KPARAM_INFO = 0x17,
    SASS_A_CBANK_PARAM_SIZE = 0x19,
    SASS_A_MAXREG_COUNT = 0x1b,
    SASS_A_EXIT_OFFSETS = 0x1c,
    SASS_A_S2RCTAID_OFFSETS = 0x1d,
    SASS_A_CRS_STACK_SIZE = 0x1e,
    SASS_A_MAX_STACK_SIZE = 0x23,
    SASS_A_REGCOUNT = 0x2f,
    SASS_A_BRANCH_TARGETS = 0x34,
    SASS_A_API_VERSION = 0x37,
};

/* KPARAM_INFO. Offset and size in bytes; the parameter is at SASS_PARAMETERS + offset (see `cbank_offset`). */
struct sass_parameter {
    uint16_t ordinal, offset;
    uint32_t size;
    uint8_t log_align, space, bank;
    uint32_t index;
};

/* A function symbol of a .text section; a kernel is one with `entry`. Sizes in bytes. */
struct sass_function {
    const char *name;
    bool entry;
    uint32_t symbol, section;
    uint64_t offset, size; /* in the section; a size of 0 runs to its end */
    const uint8_t *text;   /* the whole section: addresses are relative to it */
    uint64_t text_size;
    uint32_t registers, barriers;
    uint32_t frame_size, min_stack, max_stack, crs_stack; /* crs_stack: of the divergence stack */
    uint32_t max_threads[3], required_threads[3];         /* 0 = not given */
    uint32_t max_registers;
    struct sass_parameter *parameters; /* sorted by ordinal */
    unsigned nparameters;
    uint16_t cbank_offset, cbank_size; /* of all parameters in bank 0 */
    uint8_t texture_bank, surface_bank;
    uint32_t *exits; /* offsets of EXIT instructions, as the file says */
    unsigned nexits;
    uint32_t info;                     /* section .nv.info.K, 0 = none */
    struct sass_attribute *attributes; /* all of it, in order */
    unsigned nattributes;
    uint32_t constant[SASS_BANKS]; /* sections of its banks; 0 = none */
    uint32_t shared, local;        /* sections, 0 = none */
    uint64_t shared_size, local_size;
};

/* A text that was read, and that its writer is to be told of. */
struct sass_warning {
    const char *text;
    uint32_t line, column, pos; /* pos: byte of the text */
};

struct sass_module {
    struct arena arena;
    unsigned arch, virtual_arch; /* 50, 52, 53 */
    unsigned toolkit;            /* 10 * major + minor of the tools that wrote it; 0 = unknown */
    bool relocatable;            /* e_type ET_REL: not yet linked */
    uint8_t osabi, abi;
    uint32_t flags, version; /* e_flags, e_version as they are */
    uint64_t entry;
    struct sass_section *sections; /* [0] is the empty one */
    unsigned nsections;
    struct sass_symbol *symbols; /* [0] is the empty one; their section: `symtab` */
    unsigned nsymbols;
    uint32_t symtab, strtab, shstrtab; /* sections; 0 = none */
    struct namemap section_names;      /* see sass_name_sections */
    bool repeated_names;               /* there are sections of one name */
    unsigned files;                    /* that were joined; 0: it is a file */
    struct sass_warning *warnings;     /* of the text that it was assembled from */
    unsigned nwarnings;

    /* What follows is worked out by sass_index. */
    struct sass_relocation *relocations;
    unsigned nrelocations;
    struct sass_function *functions;
    unsigned nfunctions;
    struct sass_attribute *attributes; /* of .nv.info */
    unsigned nattributes;
    uint32_t info, constant3, constant4, global, global_init; /* sections, 0 = none */
};

/* Reads a cubin; the bytes are copied. The module is to be freed with sass_free, also after a failure. ATOLL_INPUT: no
 * sound file, with section and offset; ATOLL_UNSUPPORTED: of another architecture. */
bool sass_read(const void *bytes, size_t size, struct sass_module *module, struct atoll_error *error);
/* Works out functions and relocations from sections and symbols. sass_read has done it. */
bool sass_index(struct sass_module *module, struct atoll_error *error);
/* Makes sections known by name, the first of each. sass_index does it. */
bool sass_name_sections(struct sass_module *module, struct atoll_error *error);
/* Appends the file to `out`. A module as it was read gives the bytes it was read from, provided they were laid out as
 * above. */
bool sass_write(const struct sass_module *module, struct text *out, struct atoll_error *error);
void sass_free(struct sass_module *module);

/* Whether a section holds code, or what only debuggers read. */
bool sass_is_code(const struct sass_section *section);
bool sass_is_debugging(const struct sass_section *section);
/* Section of a name, or 0. */
uint32_t sass_find_section(const struct sass_module *module, const char *name);
/* NULL: no such function. */
const struct sass_function *sass_find_function(const struct sass_module *module, const char *name);

/* Applies one relocation to bytes[0..size), the (copied) contents of its section: `value` is the symbol's value - a
 * device address, a function's offset, a header index. ATOLL_UNSUPPORTED names other types than the above. */
bool sass_relocate(const struct sass_relocation *relocation, uint64_t value, uint8_t *bytes, uint64_t size,
                   struct atoll_error *error);

/* "EIATTR_REGCOUNT", "R_CUDA_ABS32_20"; NULL: unknown. */
const char *sass_attribute_name(unsigned code);
const char *sass_relocation_name(unsigned type);
/* What a type writes, and from which bit of an instruction or datum on; 0: it is told otherwise. */
enum sass_relocation_value { SASS_VALUE_LOW = 1, SASS_VALUE_HIGH = 2, SASS_VALUE_DESCRIPTOR = 4 /* of a function */ };
struct sass_relocation_kind {
    const char *name;
    uint8_t low, value; /* value: enum sass_relocation_value */
};
/* NULL: no such type. */
const struct sass_relocation_kind *sass_relocation_kind(unsigned type);
/* The type of a name. */
bool sass_relocation_type(const char *name, uint32_t *type);

/* The next multiple of `align`; 0 and 1: any is one. */
static inline uint64_t sass_align_up(uint64_t value, uint64_t align)
{
    return align > 1 ? (value + align - 1) / align * align : value;
}

#endif
