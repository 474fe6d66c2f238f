/* vISA's LSC loads and stores, each against its rule: sizes, elements, order, quads, pitch, addresses, surfaces.
 * Source: docs/visa.md, "LSC", "Running". */
#include "visa_moves.h"

static const struct {
    const char *name;
    unsigned bytes, held, from;
} sizes[] = {{"d32", 4, 4, 0},     {"d64", 8, 8, 0}, {"d8c32", 1, 4, 0}, {"d16c32", 2, 4, 0},
             {"d16c32h", 2, 4, 2}, {"d8", 1, 1, 0},  {"d16", 2, 2, 0}};

static const unsigned elements[] = {1, 2, 3, 4, 8};

static void text_of(struct moves *m, const char *name, const char *shape, const char *address)
{
    if (m->store)
        snprintf(m->text, sizeof m->text, "lsc_store%s.ugm {E} %s S:%s", name, address, shape);
    else
        snprintf(m->text, sizeof m->text, "lsc_load%s.ugm {E} D:%s %s", name, shape, address);
}

static void elements_of_a_channel_lie_in_registers_of_their_own(void **state)
{
    (void)state;
    for (unsigned z = 0; z < COUNT(sizes); z++)
        for (unsigned e = 0; e < COUNT(elements); e++)
            for (unsigned way = 0; way < 4; way++) {
                struct moves m = {.flat = way & 1,
                                  .store = way >> 1,
                                  .bytes = sizes[z].bytes,
                                  .held = sizes[z].held,
                                  .from = sizes[z].from,
                                  .count = elements[e]};
                char shape[20];
                for (unsigned k = 0; k < m.count; k++)
                    m.deltas[k] = k * m.bytes;
                snprintf(shape, sizeof shape, "%sx%u", sizes[z].name, elements[e]);
                text_of(&m, "", shape, m.flat ? "flat[{Q}]:a64" : "bti(0x1)[{A}]:a32");
                run_moves(&m);
            }
}

static void quads_move_the_channels_of_their_mask(void **state)
{
    (void)state;
    for (unsigned mask = 1; mask < 16; mask++)
        for (unsigned store = 0; store < 2; store++) {
            struct moves m = {.flat = mask & 1, .store = store, .bytes = 4, .held = 4};
            char shape[20] = "d32.";
            for (unsigned c = 0; c < 4; c++)
                if (mask >> c & 1) {
                    strncat(shape, &"xyzw"[c], 1);
                    m.deltas[m.count++] = 4 * c;
                }
            text_of(&m, "_quad", shape, m.flat ? "flat[{Q}]:a64" : "bti(0x1)[{A}]:a32");
            run_moves(&m);
        }
}

static void addresses_are_scaled_and_moved(void **state)
{
    (void)state;
    for (unsigned store = 0; store < 2; store++) {
        struct moves m = {.store = store, .bytes = 4, .held = 4, .count = 2, .deltas = {16, 20}, .scale = 4};
        text_of(&m, "", "d32x2", "bti(0x1)[0x4*{A}+0x10]:a32");
        run_moves(&m);
        struct moves back = {.flat = true, .store = store, .bytes = 4, .held = 4, .count = 1, .deltas = {0}};
        text_of(&back, "", "d32", "flat[{Q}-0x0]:a64");
        run_moves(&back);
    }
}

/* One address; as many elements as there are, whoever runs; in memory and in registers one after the other. */
static void transposed_data_is_a_block(void **state)
{
    static const unsigned counts[] = {1, 2, 3, 4, 8, 16, 32, 64};
    static struct shot_run r;
    static unsigned char want[MEMORY];
    (void)state;
    for (unsigned z = 0; z < 2; z++)
        for (unsigned c = 0; c < COUNT(counts); c++)
            for (unsigned way = 0; way < 4; way++) {
                bool flat = way & 1, store = way >> 1;
                char text[100], address[60];
                unsigned bytes = sizes[z].bytes, all = bytes * counts[c], at = c % 2 ? 960 : 64;
                snprintf(address, sizeof address, flat ? "flat[BASE+0x%x]:a64" : "bti(0x1)[ZERO+0x%x]:a32", at);
                if (store)
                    snprintf(text, sizeof text, "lsc_store.ugm (M1_NM, 1) %s S:%sx%ut", address, sizes[z].name,
                             counts[c]);
                else
                    snprintf(text, sizeof text, "lsc_load.ugm (M1_NM, 1) D:%sx%ut %s", sizes[z].name, counts[c],
                             address);
                struct shot s = {.simd = 8u << c % 3,
                                 .n = 8,
                                 .text = text,
                                 .bytes = all + 32,
                                 .setup = ".decl ZERO v_type=G type=ud num_elts=1 align=dword\n"
                                          "mov (M1_NM, 1) ZERO(0,0)<1> 0x0:ud\n",
                                 .who = c % 2 ? WAITING : ALL};
                for (unsigned i = 0; i < ITEMS; i++)
                    s.in[2 * ITEMS + i] = i % 8 == 5;
                shoot(&r, &s);
                shot_begin(&r, want);
                for (unsigned t = 0; t < ITEMS / s.simd; t++)
                    for (unsigned i = 0; i < all; i += bytes) {
                        bool inside = flat || at + i + bytes <= BOUND;
                        unsigned char *d = want + DUMP_AT + t * FILE_BYTES + i;
                        if (store && inside)
                            memcpy(want + at + i, r.before + FILE_AT + i, bytes);
                        if (!store)
                            memset(d, 0, bytes);
                        if (!store && inside)
                            memcpy(d, r.before + at + i, bytes);
                    }
                shot_check(&s, &r, want);
            }
}

/* Channel i's elements begin at base + i * pitch; without a pitch they follow each other. */
static void strided_ones_have_a_pitch(void **state)
{
    static const char *const pitches[] = {", 0x10", ", PITCH", ""};
    static const unsigned strides[] = {16, 24, 8};
    static struct shot_run r;
    static unsigned char want[MEMORY];
    (void)state;
    for (unsigned p = 0; p < 3; p++)
        for (unsigned store = 0; store < 2; store++) {
            char text[100];
            if (store)
                snprintf(text, sizeof text, "lsc_store_strided.ugm {E} flat[BASE+0x40%s]:a64 S:d32x2", pitches[p]);
            else
                snprintf(text, sizeof text, "lsc_load_strided.ugm {E} D:d32x2 flat[BASE+0x40%s]:a64", pitches[p]);
            struct shot s = {.simd = 16,
                             .n = 16,
                             .text = text,
                             .bytes = 128,
                             .who = p == 1 ? PREDICATE : ALL,
                             .setup = ".decl PITCH v_type=G type=ud num_elts=1 align=dword\n"
                                      "mov (M1_NM, 1) PITCH(0,0)<1> 0x18:ud\n"};
            for (unsigned i = 0; i < ITEMS; i++)
                s.in[2 * ITEMS + i] = i % 3;
            shoot(&r, &s);
            shot_begin(&r, want);
            for (unsigned i = 0; i < ITEMS; i++)
                for (unsigned k = 0; k < 2 && carries(&s, i / 16, i % 16); k++) {
                    unsigned at = 64 + i % 16 * strides[p] + 4 * k, in = 64 * k + i % 16 * 4;
                    if (store)
                        memcpy(want + at, r.before + FILE_AT + in, 4);
                    else
                        memcpy(want + DUMP_AT + i / 16 * FILE_BYTES + in, r.before + at, 4);
                }
            shot_check(&s, &r, want);
        }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(elements_of_a_channel_lie_in_registers_of_their_own),
        cmocka_unit_test(quads_move_the_channels_of_their_mask),
        cmocka_unit_test(addresses_are_scaled_and_moved),
        cmocka_unit_test(transposed_data_is_a_block),
        cmocka_unit_test(strided_ones_have_a_pitch),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
