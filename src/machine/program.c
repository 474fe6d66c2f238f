/* The program: the executable at set_inst_fmt's base, loaded when it is first started or its bytes are others. */
#include "machine/inside.h"

#include "base/bytes.h"
#include "isa/ctm/elf.h"

#include <stdlib.h>
#include <string.h>

void machine_program_drop(struct machine *m)
{
    struct machine_program *program = &m->program;
    atoll_module_destroy(program->module);
    free(program->image);
    arena_free(&program->arena);
    *program = (struct machine_program){0};
}

/* How many of the bytes an executable takes, by its program headers: memory does not say where it ends. Whether the
 * headers are right is for its reader to say. */
static uint64_t image_size(const uint8_t *bytes, uint64_t room)
{
    if (room < sizeof(Elf32_Ehdr))
        return room;
    uint64_t segments = bytes_u32(bytes + offsetof(Elf32_Ehdr, e_phoff)), end = sizeof(Elf32_Ehdr);
    uint64_t count = bytes_u16(bytes + offsetof(Elf32_Ehdr, e_phnum));
    for (uint64_t i = 0; i < count && segments + (i + 1) * sizeof(Elf32_Phdr) <= room; i++) {
        const uint8_t *segment = bytes + segments + i * sizeof(Elf32_Phdr);
        uint64_t last = (uint64_t)bytes_u32(segment + offsetof(Elf32_Phdr, p_offset)) +
                        bytes_u32(segment + offsetof(Elf32_Phdr, p_filesz));
        end = end > last ? end : last;
    }
    end = end > segments + count * sizeof(Elf32_Phdr) ? end : segments + count * sizeof(Elf32_Phdr);
    return end < room ? end : room;
}

/* Inputs that the program reads past the cache. */
static void find_uncached(struct machine_program *program)
{
    for (uint32_t i = 0; i < program->listed.ninsts; i++) {
        const struct ctm_inst *inst = &program->listed.insts[i];
        if (ctm_get(inst, CTM_TYPE) == CTM_TYPE_TEX && ctm_get(inst, CTM_TEX_INST) == CTM_TEX_UNCACHED)
            ctm_add(&program->uncached, ctm_get(inst, CTM_TEX_ID));
    }
}

/* What the program needs bound: its notes and its instructions, as its parameters tell. */
static bool find_used(struct machine_program *program, struct atoll_error *error)
{
    struct atoll_kernel_info info;
    struct atoll_parameter_info parameter;
    atoll_kernel_describe(program->kernel, &info);
    program->parameter_bytes = info.parameter_bytes;
    for (unsigned i = 0; i < info.parameters; i++) {
        if (!atoll_kernel_parameter(program->kernel, i, &parameter, error))
            return false;
        if (parameter.offset >= CTM_PARAM_OUTPUTS && parameter.offset < CTM_PARAM_FLOATS)
            ctm_add(&program->listed.outputs, (parameter.offset - CTM_PARAM_OUTPUTS) / 8);
        else if (parameter.offset >= CTM_PARAM_INPUTS && parameter.offset < CTM_PARAM_OUTPUTS)
            ctm_add(&program->listed.inputs, (parameter.offset - CTM_PARAM_INPUTS) / 8);
    }
    return true;
}

static bool load(struct machine *m, struct atoll_error *error)
{
    struct machine_program *program = &m->program;
    const char *tex_write = m->options.tex_write;
    if (!tex_write && machine_seeded(m))
        tex_write = "seeded"; /* what a missing wait does shows, too */
    struct atoll_module_options options = {.file = "the program", .tex_write = tex_write};
    if (!ctm_elf_read(&program->arena, program->image, program->size, &program->listed, error) ||
        !atoll_module_load(m->device, (const char *)program->image, program->size, &options, &program->module, error))
        return false;
    program->kernel = atoll_module_kernel_at(program->module, 0);
    find_uncached(program);
    return find_used(program, error);
}

bool machine_program(struct machine *m, struct atoll_error *error)
{
    uint64_t room = 0;
    if (!m->inst.set)
        return error_set(error, ATOLL_INPUT, "there is no program: set_inst_fmt was not issued");
    const uint8_t *memory = machine_from(m, m->inst.base, &room);
    if (!memory)
        return error_set(error, ATOLL_INPUT, "the program's base 0x%08x is outside of the memory", m->inst.base);
    uint64_t size = image_size(memory, room);
    if (!machine_seeded(m) && m->program.module && m->program.size == size &&
        memcmp(m->program.image, memory, size) == 0)
        return true;
    uint8_t *image = malloc(size);
    if (!image)
        return error_memory(error);
    memcpy(image, memory, size);
    if (!machine_read_through(m, CACHE_INST, m->inst.base, size, image, error)) {
        free(image);
        return false;
    }
    if (m->program.module && m->program.size == size && memcmp(m->program.image, image, size) == 0) {
        free(image);
        return true;
    }
    machine_program_drop(m);
    m->program.image = image;
    m->program.size = size;
    if (load(m, error))
        return true;
    machine_program_drop(m);
    if (error && error->status != ATOLL_MEMORY && error->status != ATOLL_UNSUPPORTED) {
        struct atoll_error said = *error;
        error_set(error, said.status, "the program at 0x%08x: %.900s", m->inst.base, said.message);
    }
    return false;
}
