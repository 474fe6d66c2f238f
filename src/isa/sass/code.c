/* Bundles to instructions and back. */
#include "isa/sass/code.h"

static const unsigned numbers[SASS_ARCHS] = {[SASS_ARCH_50] = 50, [SASS_ARCH_52] = 52, [SASS_ARCH_53] = 53};

/* Every word of the padding (docs/maxwell.md, "Instruction stream"). */
static const uint64_t nop = 0x50b0000000070f00;

bool sass_arch_of(unsigned number, unsigned *arch)
{
    for (unsigned i = 0; i < SASS_ARCHS; i++)
        if (numbers[i] == number) {
            *arch = i;
            return true;
        }
    return false;
}

unsigned sass_arch_number(unsigned arch)
{
    return numbers[arch];
}

bool sass_decode(struct arena *arena, const uint8_t *bytes, uint64_t size, struct sass_code *code,
                 struct atoll_error *error)
{
    if (size % SASS_BUNDLE)
        return error_set(error, ATOLL_INPUT, "code of %llu bytes: not a whole number of 32-byte bundles",
                         (unsigned long long)size);
    code->count = (size_t)(size / SASS_BUNDLE * 3);
    code->insns = arena_array(arena, code->count, sizeof *code->insns);
    if (!code->insns)
        return error_memory(error);
    for (size_t i = 0; i < code->count; i++) {
        struct sass_insn *insn = &code->insns[i];
        uint64_t control = bytes_u64(bytes + i / 3 * SASS_BUNDLE);
        insn->word.part[0] = bytes_u64(bytes + sass_address(i));
        insn->word.part[1] = control >> i % 3 * SASS_CONTROL_BITS & ((1u << SASS_CONTROL_BITS) - 1);
        insn->controlled = true;
        insn->form = isa_find(code->table, &insn->word, code->arch, NULL);
        if (insn->form && sass_control_refused(insn->form, &insn->word))
            insn->form = NULL;
    }
    return true;
}

void sass_encode(const struct sass_code *code, uint8_t *bytes)
{
    for (size_t bundle = 0; bundle < (code->count + 2) / 3; bundle++) {
        uint64_t control = 0;
        for (size_t slot = 0; slot < 3; slot++) {
            size_t i = bundle * 3 + slot;
            bool padding = i >= code->count;
            control |= (padding ? SASS_CONTROL_NEUTRAL : code->insns[i].word.part[1]) << slot * SASS_CONTROL_BITS;
            bytes_put(bytes + bundle * SASS_BUNDLE + 8 + slot * 8, padding ? nop : code->insns[i].word.part[0], 8);
        }
        bytes_put(bytes + bundle * SASS_BUNDLE, control, 8);
    }
}
