/* vISA's messages to buffers and addresses, each against its rule: masks, predicates, waiting channels, bounds, layouts
 * of registers. Source: docs/visa.md, "Running". */
#include "visa_moves.h"

/* ---- elements that channels have for themselves ----------------------------------------------------------------- */

static void scaled_messages_move_1_2_4_or_8_bytes(void **state)
{
    (void)state;
    for (unsigned bytes = 1; bytes <= 8; bytes *= 2)
        for (unsigned store = 0; store < 2; store++) {
            struct moves m = {.store = store,
                              .bytes = bytes,
                              .held = bytes < 4 ? 4 : bytes,
                              .count = 1,
                              .deltas = {bytes == 8 ? 16 : 8}};
            snprintf(m.text, sizeof m.text, "%s_scaled.%u {E} T6 0x%x:ud {A} %s.0", store ? "scatter" : "gather", bytes,
                     m.deltas[0], store ? "S" : "D");
            run_moves(&m);
        }
}

/* The channels of a mask follow each other in registers, without gaps. */
static void quads_move_the_channels_of_their_mask(void **state)
{
    static const char *const names[] = {"gather4_scaled", "scatter4_scaled", "svm_gather4scaled", "svm_scatter4scaled"};
    (void)state;
    for (unsigned mask = 1; mask < 16; mask++)
        for (unsigned f = 0; f < COUNT(names); f++) {
            char channels[5] = "";
            struct moves m = {.flat = f >= 2, .store = f & 1, .bytes = 4, .held = 4};
            if (m.flat && mask % 3) /* few: they are slow */
                continue;
            for (unsigned c = 0; c < 4; c++)
                if (mask >> c & 1) {
                    channels[m.count] = "RGBA"[c];
                    m.deltas[m.count++] = 4 * c + (m.flat ? 0 : 4);
                }
            snprintf(m.text, sizeof m.text, "%s.%s {E} %s %s.0", names[f], channels,
                     m.flat ? "0x0:uq {Q}" : "T6 0x4:ud {A}", m.store ? "S" : "D");
            run_moves(&m);
        }
}

static void the_first_gathers_count_elements(void **state)
{
    static const char *const sizes[] = {"1", "2", "4"};
    static const unsigned channels[] = {8, 16, 1};
    static struct shot_run r;
    static unsigned char want[MEMORY];
    (void)state;
    for (unsigned code = 0; code < 3; code++)
        for (unsigned store = 0; store < 2; store++)
            for (unsigned c = 0; c < 3; c++) {
                struct moves m = {.store = store, .bytes = 1u << code, .held = 4, .count = 1, .deltas = {2u << code}};
                snprintf(m.text, sizeof m.text, "%s.%s {E} T6 0x2:ud {A} %s.0", store ? "scatter" : "gather",
                         sizes[code], store ? "S" : "D");
                struct shot s = {.simd = 16, .n = channels[c], .text = m.text, .bytes = 64}, bytes;
                for (unsigned i = 0; i < ITEMS; i++) /* items from 12 on are outside */
                    s.in[i] = ((i * 5 % 32) * 80 + 8) >> code;
                bytes = s;
                for (unsigned i = 0; i < ITEMS; i++)
                    bytes.in[i] <<= code;
                shoot(&r, &s);
                model(&m, &bytes, &r, want);
                shot_check(&s, &r, want);
            }
}

/* Blocks of 4 and 8 bytes: block j of all channels, then block j + 1; single bytes side by side in dwords. */
static void addresses_move_blocks(void **state)
{
    static const unsigned sizes[] = {1, 4, 8};
    (void)state;
    for (unsigned z = 0; z < 3; z++)
        for (unsigned count = 1; count <= 8; count *= 2)
            for (unsigned store = 0; store < 2; store++) {
                struct moves m = {.flat = true, .store = store, .bytes = sizes[z], .held = sizes[z], .count = count};
                for (unsigned k = 0; k < count; k++)
                    m.deltas[k] = k * sizes[z];
                if (sizes[z] == 1)
                    m.side = count < 4 ? 4 : count;
                snprintf(m.text, sizeof m.text, "svm_%s.%u.%u {E} {Q} %s.0", store ? "scatter" : "gather", sizes[z],
                         count, store ? "S" : "D");
                run_moves(&m);
            }
}

static void qwords_move_by_offsets(void **state)
{
    (void)state;
    for (unsigned count = 1; count <= 4; count *= 2)
        for (unsigned store = 0; store < 2; store++) {
            struct moves m = {.store = store, .bytes = 8, .held = 8, .count = count};
            for (unsigned k = 0; k < count; k++)
                m.deltas[k] = 8 * k;
            snprintf(m.text, sizeof m.text, "qw_%s.%u {E} T6 {A} %s.0", store ? "scatter" : "gather", count,
                     store ? "S" : "D");
            run_moves(&m);
        }
}

/* ---- blocks ---------------------------------------------------------------------------------------------------------
 */

/* Bytes of a block, all of them whoever runs; `at` in the buffer. */
static void run_block(const char *text, unsigned bytes, uint64_t at, bool flat, bool store, const char *setup)
{
    static struct shot_run r;
    static unsigned char want[MEMORY];
    for (unsigned simd = 8; simd <= 32; simd *= 2)
        for (unsigned waiting = 0; waiting < 2; waiting++) {
            struct shot s = {.simd = simd,
                             .n = simd,
                             .who = waiting ? WAITING : ALL,
                             .text = text,
                             .setup = setup,
                             .bytes = bytes + 32};
            for (unsigned i = 0; i < ITEMS; i++)
                s.in[2 * ITEMS + i] = i % 8 == 3;
            shoot(&r, &s);
            shot_begin(&r, want);
            for (unsigned t = 0; t < ITEMS / simd; t++)
                for (unsigned i = 0; i < bytes; i += 4) {
                    bool inside = flat || at + i + 4 <= BOUND;
                    unsigned char *d = want + DUMP_AT + t * FILE_BYTES + i;
                    if (store && inside)
                        memcpy(want + at + i, r.before + FILE_AT + i, 4);
                    if (!store)
                        memset(d, 0, 4);
                    if (!store && inside)
                        memcpy(d, r.before + at + i, 4);
                }
            shot_check(&s, &r, want);
        }
}

static void blocks_of_owords_go_by_index(void **state)
{
    char text[100];
    (void)state;
    for (unsigned n = 1; n <= 16; n *= 2)
        for (unsigned edge = 0; edge < 2; edge++) {
            unsigned owords = edge ? 63 : 3;
            snprintf(text, sizeof text, "oword_ld (%u) T6 0x%x:ud D.0", n, owords);
            run_block(text, 16 * n, 16 * owords, false, false, NULL);
            snprintf(text, sizeof text, "oword_ld_unaligned (%u) T6 0x%x:ud D.0", n, 16 * owords + 4);
            run_block(text, 16 * n, 16 * owords + 4, false, false, NULL);
            snprintf(text, sizeof text, "oword_st (%u) T6 0x%x:ud S.0", n, owords);
            run_block(text, 16 * n, 16 * owords, false, true, NULL);
        }
    run_block("oword_ld (2) T6 X(0,0)<0;1,0> D.0", 32, 16 * 5, false, false, "mov (M1_NM, 1) X(0,0)<1> 0x5:d\n");
}

static void blocks_of_owords_go_by_address(void **state)
{
    char text[100];
    (void)state;
    for (unsigned n = 1; n <= 8; n *= 2) {
        snprintf(text, sizeof text, "svm_block_ld (%u) X3(0,0)<0;1,0> D.0", n);
        run_block(text, 16 * n, 80, true, false, "add (M1_NM, 1) X3(0,0)<1> BASE(0,0)<0;1,0> 0x50:d\n");
        snprintf(text, sizeof text, "svm_block_st (%u) X3(0,0)<0;1,0> S.0", n);
        run_block(text, 16 * n, 80, true, true, "add (M1_NM, 1) X3(0,0)<1> BASE(0,0)<0;1,0> 0x50:d\n");
    }
}

/* ---- which memory -------------------------------------------------------------------------------------------------
 */

static struct shot shot_of(const char *text, const char *setup)
{
    struct shot s = {.simd = 16, .n = 16, .text = text, .setup = setup, .bytes = 64};
    for (unsigned i = 0; i < ITEMS; i++) {
        s.in[i] = 64 * i;
        s.in[2 * ITEMS + i] = 1;
    }
    return s;
}

static void assert_stops(const struct shot *s, const char *says)
{
    static struct shot_run r;
    shoot(&r, s);
    assert_false(r.ok);
    if (!strstr(r.run.error.message, says) || !strstr(r.run.error.message, "k.visaasm:"))
        fail_msg("%s: %s", s->text, r.run.error.message);
}

/* An index that comes from a register: bounds hold as ever. */
static void indexes_may_be_known_only_when_it_runs(void **state)
{
    static struct shot_run r;
    static unsigned char want[MEMORY];
    static const char setup[] = "mov (M1_NM, 1) X(0,0)<1> A(0,0)<0;1,0>\nadd (M1_NM, 1) X(0,0)<1> X(0,0)<0;1,0> 0x1:d\n"
                                "mul (M1_NM, 1) X(0,0)<1> X(0,0)<0;1,0> 0x0:d\nadd (M1_NM, 1) X(0,0)<1> "
                                "X(0,0)<0;1,0> 0x1:d\nmovs (M1_NM, 1) T6(0) X(0,0)<0;1,0>\n";
    struct moves load = {.text = "gather_scaled.4 {E} T6 0x0:ud {A} D.0", .bytes = 4, .held = 4, .count = 1};
    struct moves store = {
        .text = "scatter_scaled.4 {E} T6 0x0:ud {A} S.0", .store = true, .bytes = 4, .held = 4, .count = 1};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct moves *m = i ? &store : &load;
        struct shot s = shot_of(m->text, setup);
        shoot(&r, &s);
        model(m, &s, &r, want);
        shot_check(&s, &r, want);
    }
}

static void what_is_not_bound_traps(void **state)
{
    static const char *const texts[] = {"gather_scaled.4 {E} T6 0x0:ud {A} D.0",
                                        "scatter4_scaled.R {E} T6 0x0:ud {A} S.0", "oword_ld (1) T6 0x0:ud D.0",
                                        "dword_atomic.inc {E} T6 {A} %null.0 %null.0 D.0",
                                        "lsc_load.ugm {E} D:d32 bti(0x1)[A]:a32"};
    (void)state;
    for (unsigned i = 0; i < COUNT(texts); i++) {
        struct shot s = shot_of(texts[i], NULL);
        s.unbound = true;
        assert_stops(&s, "bound");
    }
}

/* Written by one message, read by another; SLM by its tag, too. */
static void shared_and_scratch_memory_keep_what_is_written(void **state)
{
    static const char *const pairs[][2] = {
        {"scatter4_scaled.RG {E} %slm 0x0:ud {A} S.0\n", "gather4_scaled.RG {E} %slm 0x0:ud {A} D.0"},
        {"scatter_scaled.4 {E} %slm 0x0:ud {A} S.0\n", "gather_scaled.4 {E} %slm 0x0:ud {A} D.0"},
        {"scatter_scaled.4 {E} %slm 0x0:ud TAGGED.0 S.0\n", "gather4_scaled.R {E} %slm 0x0:ud {A} D.0"},
        {"scatter_scaled.4 {E} %slm 0x0:ud {A} S.0\n", "gather_scaled.4 {E} %slm 0x10000000:ud {A} D.0"},
        {"scatter_scaled.2 {E} %slm 0x0:ud {A} S.0\n", "gather_scaled.2 {E} %slm 0x0:ud TAGGED.0 D.0"},
        {"scatter_scaled.4 {E} %scratch 0x10:ud {A} S.0\n", "gather_scaled.4 {E} %scratch 0x10:ud {A} D.0"},
        {"scatter4_scaled.RG {E} %scratch 0x0:ud {A} S.0\n", "gather4_scaled.RG {E} %scratch 0x0:ud {A} D.0"},
        {"lsc_store.slm {E} flat[A]:a32 S:d32x2\n", "lsc_load.slm {E} D:d32x2 flat[TAGGED]:a32"},
        {"oword_st (4) %slm 0x0:ud S.0\n", "oword_ld (4) %slm 0x0:ud D.0"},
    };
    static struct shot_run r;
    static unsigned char want[MEMORY];
    (void)state;
    for (unsigned i = 0; i < COUNT(pairs); i++) {
        char setup[400], text[200], *at = text;
        struct shot s = shot_of(text, setup), store = shot_of(pairs[i][0], NULL);
        snprintf(setup, sizeof setup,
                 ".decl TAGGED v_type=G type=ud num_elts=32 align=GRF\n"
                 "add (M1, 16) TAGGED(0,0)<1> UA(0,0)<1;1,0> 0x10000000:d\n");
        put_message(&at, text + sizeof text, &store);
        strcat(setup, text);
        s.text = pairs[i][1];
        s.slm = 4096;
        s.scratch = 4096;
        bool two = strstr(s.text, "RG") || strstr(s.text, "x2");
        s.bytes = two ? 128 : 64;
        shoot(&r, &s);
        shot_begin(&r, want);
        for (unsigned t = 0; t < 2; t++)
            for (unsigned b = 0; b < s.bytes; b++)
                want[DUMP_AT + t * FILE_BYTES + b] = strstr(s.text, ".2 ") && b % 4 >= 2 ? 0 : r.before[FILE_AT + b];
        shot_check(&s, &r, want);
    }
}

/* Scratch memory is the thread's: what one channel writes another reads. */
static void channels_share_scratch_memory(void **state)
{
    static struct shot_run r;
    static unsigned char want[MEMORY];
    static const char one[] = ".decl FOUR v_type=G type=ud num_elts=32 align=GRF\n"
                              "mul (M1, 16) FOUR(0,0)<1> I(0,0)<1;1,0> 0x0:d\n"
                              "scatter_scaled.4 (M1, 1) %scratch 0x20:ud FOUR.0 S.8\n";
    static const char block[] = ".decl FOUR v_type=G type=ud num_elts=32 align=GRF\n"
                                "mul (M1, 16) FOUR(0,0)<1> L(0,0)<1;1,0> 0xfffffffc:d\n"
                                "oword_st (4) %scratch 0x1:ud S.0\n";
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct shot s = shot_of(i ? "gather_scaled.4 {E} %scratch 0x4c:ud FOUR.0 D.0"
                                  : "gather_scaled.4 {E} %scratch 0x20:ud FOUR.0 D.0",
                                i ? block : one);
        s.scratch = 1024;
        shoot(&r, &s);
        shot_begin(&r, want);
        for (unsigned t = 0; t < 2; t++)
            for (unsigned c = 0; c < 16; c++)
                memcpy(want + DUMP_AT + t * FILE_BYTES + 4 * c, r.before + FILE_AT + (i ? 4 * (15 - c) : 8), 4);
        shot_check(&s, &r, want);
    }
    struct shot s = shot_of("gather_scaled.4 {E} %scratch 0x0:ud {A} D.0", NULL);
    s.scratch = 512;
    assert_stops(&s, "out-of-bounds");
}

static void past_the_end_of_shared_memory_is_a_trap(void **state)
{
    static const char *const texts[] = {"gather_scaled.4 {E} %slm 0x0:ud {A} D.0",
                                        "scatter4_scaled.R {E} %slm 0x0:ud {A} S.0",
                                        "dword_atomic.inc {E} %slm {A} %null.0 %null.0 D.0"};
    (void)state;
    for (unsigned i = 0; i < COUNT(texts); i++) {
        struct shot s = shot_of(texts[i], NULL);
        s.slm = 512;
        assert_stops(&s, "shared");
    }
}

static void reserved_indexes_have_no_buffer(void **state)
{
    struct shot s = shot_of("gather_scaled.4 {E} %bss 0x0:ud {A} D.0", NULL);
    (void)state;
    assert_stops(&s, "surface state");
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(scaled_messages_move_1_2_4_or_8_bytes),
        cmocka_unit_test(quads_move_the_channels_of_their_mask),
        cmocka_unit_test(the_first_gathers_count_elements),
        cmocka_unit_test(addresses_move_blocks),
        cmocka_unit_test(qwords_move_by_offsets),
        cmocka_unit_test(blocks_of_owords_go_by_index),
        cmocka_unit_test(blocks_of_owords_go_by_address),
        cmocka_unit_test(indexes_may_be_known_only_when_it_runs),
        cmocka_unit_test(what_is_not_bound_traps),
        cmocka_unit_test(shared_and_scratch_memory_keep_what_is_written),
        cmocka_unit_test(channels_share_scratch_memory),
        cmocka_unit_test(past_the_end_of_shared_memory_is_a_trap),
        cmocka_unit_test(reserved_indexes_have_no_buffer),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
