/* Kinds of files by their first bytes, ELF files by their machine, programs in source by words that only they have. */
#include "isa/foreign.h"

#include <ctype.h>
#include <string.h>

#include "isa/family.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

#define HOST "a program or object of the host: cuobjdump -xptx all takes PTX out of it, -xelf all cubins"

/* Marks at the start. The sources are the formats' own documents: RFC 1952 and 8878, the xz and zip formats, SPIR-V 2.3
 * ("Magic Number", either byte order), LLVM's BitCodeFormat and ClangOffloadBundler, Microsoft's PE format, the PNG
 * specification; nvcc -fatbin writes its own. */
static const struct {
    const char *mark;
    size_t size;
    const char *kind;
} marks[] = {
#define MARK(text) text, sizeof(text) - 1
    {MARK("\x50\xed\x55\xba"), "a fatbin: cuobjdump -xptx all takes PTX out of it, -xelf all cubins"},
    {MARK("\x03\x02\x23\x07"), "SPIR-V: of OpenCL's, ocloc makes vISA"},
    {MARK("\x07\x23\x02\x03"), "SPIR-V: of OpenCL's, ocloc makes vISA"},
    {MARK("BC\xc0\xde"), "LLVM bitcode: of a kernel for nvptx64, llc -march=nvptx64 makes PTX"},
    {MARK("\xde\xc0\x17\x0b"), "LLVM bitcode: of a kernel for nvptx64, llc -march=nvptx64 makes PTX"},
    {MARK("__CLANG_OFFLOAD_BUNDLE__"), "a bundle of clang's: clang-offload-bundler takes its parts out"},
    {MARK("!<arch>\n"), "an archive of objects: give what is in it"},
    {MARK("MZ\x90\x00"), "a program of Windows: cuobjdump -xptx all takes PTX out of it, -xelf all cubins"},
    {MARK("\x1f\x8b"), "packed by gzip: unpack it first"},
    {MARK("\x28\xb5\x2f\xfd"), "packed by zstd: unpack it first"},
    {MARK("\xfd\x37zXZ\x00"), "packed by xz: unpack it first"},
    {MARK("PK\x03\x04"), "a zip archive: unpack it first"},
    {MARK("\xff\xfe"), "text in UTF-16: save it in UTF-8"},
    {MARK("\xfe\xff"), "text in UTF-16: save it in UTF-8"},
    {MARK("\x89PNG"), "a picture: modules are code; --arg takes pictures"},
    {MARK("\x93NUMPY"), "an array: modules are code; --arg takes arrays"},
#undef MARK
};

/* e_machine as the ELF gABI has it. */
static const struct {
    uint16_t machine;
    const char *kind;
} machines[] = {
    {3, HOST},
    {20, HOST},
    {21, HOST},
    {40, HOST},
    {62, HOST},
    {183, HOST},
    {243, HOST},
    {205, "code for Intel's GPUs (ELF): wanted vISA, text or a container of it"},
    {224, "an AMD code object: of ATI's code, only that of CTM is read"},
};

/* Words of programs in source. */
static const struct {
    const char *word, *kind;
} words[] = {
    {"__global__", "CUDA C++: nvcc -ptx makes PTX of it"},
    {"__device__", "CUDA C++: nvcc -ptx makes PTX of it"},
    {"__kernel", "OpenCL C: clang --target=nvptx64 -S makes PTX of it, ocloc vISA"},
    {"get_global_id", "OpenCL C: clang --target=nvptx64 -S makes PTX of it, ocloc vISA"},
    {"gl_GlobalInvocationID", "GLSL: wanted PTX, a cubin, vISA or CTM"},
    {"gl_LocalInvocationID", "GLSL: wanted PTX, a cubin, vISA or CTM"},
    {"SV_DispatchThreadID", "HLSL: wanted PTX, a cubin, vISA or CTM"},
    {"ModuleID", "LLVM's text: of a kernel for nvptx64, llc -march=nvptx64 makes PTX"},
};

static const char *kind_of_elf(const unsigned char *bytes, size_t size)
{
    enum { DATA = 5, BIG_ENDIAN_DATA = 2, MACHINE = 18 };
    if (size < MACHINE + 2 || memcmp(bytes, "\177ELF", 4) != 0)
        return NULL;
    unsigned low = bytes[DATA] == BIG_ENDIAN_DATA;
    unsigned machine = bytes[MACHINE + low] | (unsigned)bytes[MACHINE + !low] << 8;
    for (size_t i = 0; i < COUNT(machines); i++)
        if (machines[i].machine == machine)
            return machines[i].kind;
    return NULL;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *kind_of_word(const char *word, size_t length)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (strlen(words[i].word) == length && memcmp(words[i].word, word, length) == 0)
            return words[i].kind;
    return NULL;
}

/* "kernel void" of OpenCL C, "#version" of GLSL: how a text begins past the comments of C. */
static const char *kind_of_start(const char *at, const char *end)
{
    static const struct {
        const char *start, *kind;
    } starts[] = {
        {"#version ", "GLSL: wanted PTX, a cubin, vISA or CTM"},
        {"kernel void ", "OpenCL C: clang --target=nvptx64 -S makes PTX of it, ocloc vISA"},
    };
    for (size_t i = 0; i < COUNT(starts); i++) {
        size_t length = strlen(starts[i].start);
        if ((size_t)(end - at) > length && memcmp(at, starts[i].start, length) == 0)
            return starts[i].kind;
    }
    return NULL;
}

/* The end of a comment or string that starts at `at`, or `at`. */
static const char *skip_text(const char *at, const char *end)
{
    const char *start = at;
    if (*at == '"') {
        for (at++; at < end && *at != '"' && *at != '\n'; at++)
            at += *at == '\\' && at + 1 < end;
        return at < end ? at + 1 : end;
    }
    if (end - at < 2 || *at != '/' || (at[1] != '/' && at[1] != '*'))
        return at;
    at = start + 2;
    while (at < end && !(start[1] == '/' ? *at == '\n' : *at == '*' && at + 1 < end && at[1] == '/'))
        at++;
    return start[1] == '/' ? at : end - at >= 2 ? at + 2 : end;
}

static const char *kind_of_text(const char *text, size_t size)
{
    const char *at = text, *end = text + size, *kind;
    bool first = true;
    while (at < end) {
        const char *start = at;
        at = skip_text(at, end);
        if (at > start)
            continue;
        if (first && !isspace((unsigned char)*at)) {
            first = false;
            if ((kind = kind_of_start(at, end)))
                return kind;
        }
        while (at < end && is_letter(*at))
            at++;
        if (at > start && (kind = kind_of_word(start, (size_t)(at - start))))
            return kind;
        at += at == start;
    }
    return NULL;
}

const char *foreign_kind(const char *bytes, size_t size)
{
    enum { TEXT_LOOKED_AT = 1 << 20 };
    const char *kind = kind_of_elf((const unsigned char *)bytes, size);
    if (kind)
        return kind;
    for (size_t i = 0; i < COUNT(marks); i++)
        if (size >= marks[i].size && memcmp(bytes, marks[i].mark, marks[i].size) == 0)
            return marks[i].kind;
    for (const struct family *const *f = families; *f; f++)
        if ((*f)->takes(bytes, size))
            return NULL;
    /* Directives begin with a dot: a module that lacks its first is told so. */
    const char *at = family_skip_comments(bytes, bytes + size);
    if (at < bytes + size && *at == '.')
        return NULL;
    return kind_of_text(bytes, size < TEXT_LOOKED_AT ? size : TEXT_LOOKED_AT);
}

bool foreign_refuse(const char *file, const char *bytes, size_t size, struct atoll_error *error)
{
    const char *kind = foreign_kind(bytes, size);
    return !kind || error_set(error, ATOLL_INPUT, "%.300s%sthis is %s", file ? file : "", file ? ": " : "", kind);
}
