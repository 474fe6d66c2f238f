/* vISA's LSC loads and stores, each against its rule: sizes, elements, order, quads, pitch, addresses, surfaces.
 * Source: docs/visa.md, "LSC", "Running". */
#include "visa_moves.h"
#include "visa_run.h"

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
            size_t length = strlen(shape);
            for (unsigned c = 0; c < 4; c++)
                if (mask >> c & 1) {
                    shape[length++] = "xyzw"[c];
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

/* ---- blocks of two dimensions -------------------------------------------------------------------------------------
 */

enum { SURFACE_WIDTH = 48 /* bytes */, SURFACE_HEIGHT = 12, SURFACE_PITCH = 64, BLOCK_DWORDS = 512 };

struct block {
    unsigned bytes, blocks, width, height;
    bool transposed, vnni;
    int x, y;
};

static unsigned power(unsigned n)
{
    return n <= 1 ? 1 : 2 * power((n + 1) / 2);
}

static void put_element(const struct block *b, const uint8_t *surface, uint8_t *out, unsigned at, unsigned block, int y,
                        int x)
{
    int column = (b->x + (int)(block * b->width) + x) * (int)b->bytes, row = b->y + y;
    bool inside = column >= 0 && column < SURFACE_WIDTH && row >= 0 && row < SURFACE_HEIGHT;
    if (inside)
        memcpy(out + at * b->bytes, surface + row * SURFACE_PITCH + column, b->bytes);
}

/* Intel's page LSC_UNTYPED, LOAD_BLOCK2D. */
static void want_block(const struct block *b, const uint8_t *surface, uint8_t *out)
{
    unsigned k = b->vnni ? 4 / b->bytes : 1, pitch = power(b->transposed ? b->height : b->width), row = 32 / b->bytes;
    unsigned rows = b->transposed ? b->width : b->height, size = ((rows + k - 1) / k * k * pitch + row - 1) / row * row;
    memset(out, 0, 4 * BLOCK_DWORDS);
    for (unsigned n = 0; n < b->blocks; n++)
        for (unsigned y = 0; y < b->height; y++)
            for (unsigned x = 0; x < b->width; x++) {
                unsigned o = b->transposed ? x : y, i = b->transposed ? y : x;
                put_element(b, surface, out, n * size + o / k * k * pitch + i * k + o % k, n, (int)y, (int)x);
            }
}

static void check_block(const struct block *b)
{
    char body[1500], shape[60];
    uint32_t in[3 * BLOCK_DWORDS], out[BLOCK_DWORDS], want[BLOCK_DWORDS];
    struct visa_run t;
    for (unsigned i = 0; i < sizeof in; i++)
        ((uint8_t *)in)[i] = (uint8_t)(i * 7 + i / 64 + 1);
    snprintf(shape, sizeof shape, "d%u.%ux%ux%u%s%s", 8 * b->bytes, b->blocks, b->width, b->height,
             b->transposed ? "t" : "n", b->vnni ? "t" : "n");
    snprintf(body, sizeof body,
             ".decl DD v_type=G type=d num_elts=%u align=GRF\n.decl SW v_type=G type=d num_elts=1 align=GRF\n"
             ".decl SH v_type=G type=d num_elts=1 align=GRF\n.decl SP v_type=G type=d num_elts=1 align=GRF\n"
             ".decl SX v_type=G type=d num_elts=1 align=GRF\n.decl SY v_type=G type=d num_elts=1 align=GRF\n"
             "mov (M1_NM, 1) SW(0,0)<1> %d:d\nmov (M1_NM, 1) SH(0,0)<1> %d:d\nmov (M1_NM, 1) SP(0,0)<1> %d:d\n"
             "mov (M1_NM, 1) SX(0,0)<1> %d:d\nmov (M1_NM, 1) SY(0,0)<1> %d:d\n"
             "lsc_load_block2d.ugm (M1_NM, 1) DD:%s flat[IN,SW,SH,SP,SX,SY]\n"
             "shl (M1_NM, 1) X(0,0)<1> %%group_id_x(0,0)<0;1,0> 0x6:d\nmov (M1_NM, 1) L(0,0)<1> X(0,0)<0;1,0>\n"
             "addr_add (M1_NM, 1) A0(0)<1> &DD L(0,0)<0;1,0>\nmov (M1, 16) R(0,0)<1> r[A0(0),0]<16;16,1>:d\n",
             BLOCK_DWORDS, SURFACE_WIDTH - 1, SURFACE_HEIGHT - 1, SURFACE_PITCH - 1, b->x, b->y, shape);
    visa_open(&t, 16, body, in, BLOCK_DWORDS);
    if (!visa_launch_it(&t, out))
        fail_msg("%s: %s", shape, t.error.message);
    want_block(b, (const uint8_t *)in, (uint8_t *)want);
    for (unsigned i = 0; i < BLOCK_DWORDS; i++)
        if (out[i] != want[i])
            fail_msg("%s at %d, %d: dword %u: 0x%08x, wanted 0x%08x", shape, b->x, b->y, i, out[i], want[i]);
    visa_close(&t);
}

static void blocks_lie_in_registers_as_the_page_says(void **state)
{
    static const struct block blocks[] = {
        {2, 1, 16, 8, false, false, 0, 0}, {2, 1, 16, 8, false, false, 3, 5},   {4, 1, 8, 8, false, false, 1, 2},
        {1, 1, 32, 4, false, false, 0, 0}, {1, 1, 20, 6, false, false, -3, -2}, {4, 1, 8, 8, true, false, 0, 0},
        {4, 1, 5, 8, true, false, 2, 1},   {2, 1, 16, 8, false, true, 0, 0},    {1, 1, 16, 8, false, true, 4, 4},
        {2, 2, 8, 8, false, false, 1, 0},  {8, 1, 4, 4, false, false, 0, 1},    {4, 1, 8, 4, false, false, 40, 11},
    };
    (void)state;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        check_block(&blocks[i]);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(elements_of_a_channel_lie_in_registers_of_their_own),
        cmocka_unit_test(quads_move_the_channels_of_their_mask),
        cmocka_unit_test(addresses_are_scaled_and_moved),
        cmocka_unit_test(transposed_data_is_a_block),
        cmocka_unit_test(strided_ones_have_a_pitch),
        cmocka_unit_test(blocks_lie_in_registers_as_the_page_says),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
