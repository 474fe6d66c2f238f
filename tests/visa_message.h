/* Running one message of vISA: registers and memory before, what the rule says of both after, compared byte by byte. */
#ifndef ATOLL_TESTS_VISA_MESSAGE_H
#define ATOLL_TESTS_VISA_MESSAGE_H

#include "visa_run.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Who of a thread's channels carries the message out: all; those with a word C that is not 0, or that is, by predicate;
 * those with one, the others wait behind a label; all, though others wait. */
enum who { ALL, PREDICATE, INVERTED, WAITING, NO_MASK, WHOS };

/* Memory of a run: the buffer, which index 1 has BOUND bytes of; what registers D and S have before; what D has after,
 * of each thread. */
enum {
    ITEMS = 32,
    BOUND = 1026,
    FILE_AT = 2048,
    FILE_BYTES = 2048,
    DUMP_AT = FILE_AT + FILE_BYTES,
    MEMORY = DUMP_AT + ITEMS / 8 * FILE_BYTES
};

struct shot {
    unsigned simd, n, first; /* of the thread; of the message, and its first channel */
    enum who who;
    const char *text;  /* the message; {E} (M3, 8), {A} and {Q} the channels' offsets and addresses */
    const char *setup; /* before it, NULL: nothing */
    unsigned bytes;    /* of D and S that count */
    uint32_t slm, scratch;
    unsigned apart; /* not 0: D and S come and go by elements of so many bytes, so that they can live in registers */
    bool unbound, prepared; /* prepared: shot_run.before is there already */
    uint32_t in[3 * ITEMS];
};

struct shot_run {
    struct visa_run run;
    unsigned char before[MEMORY], after[MEMORY];
    bool ok;
};

static inline void put(char **at, const char *end, const char *format, ...) __attribute__((format(printf, 3, 4)));
static inline void put(char **at, const char *end, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(*at, (size_t)(end - *at), format, args);
    va_end(args);
    assert_true(n >= 0 && n < end - *at);
    *at += n;
}

/* The message with its places filled. */
static inline void put_message(char **at, const char *end, const struct shot *s)
{
    for (const char *c = s->text; *c; c++) {
        if (c[0] != '{' || !c[1] || c[2] != '}') {
            put(at, end, "%c", *c);
            continue;
        }
        if (c[1] == 'E')
            put(at, end, "(M%u%s, %u)", s->first / 4 + 1, s->who == NO_MASK ? "_NM" : "", s->n);
        else if (c[1] == 'A')
            put(at, end, "A.%u", 4 * s->first);
        else
            put(at, end, "Q.%u", 8 * s->first);
        c += 2;
    }
    put(at, end, "\n");
}

/* D and S from memory, or D to it, from TB on. */
static inline void put_file(char **at, const char *end, const struct shot *s, bool load)
{
    unsigned mask = s->first / 4 + 1, step = s->apart * s->n;
    for (unsigned i = 0; !s->apart && i < s->bytes; i += 128) {
        put(at, end, load ? "svm_block_ld (8) TB(0,0)<0;1,0> D.%u\n" : "svm_block_st (8) TB(0,0)<0;1,0> D.%u\n", i);
        if (load)
            put(at, end, "svm_block_ld (8) TB(0,0)<0;1,0> S.%u\n", i);
        put(at, end, "add (M1_NM, 1) TB(0,0)<1> TB(0,0)<0;1,0> 0x80:d\n");
    }
    if (!s->apart)
        return;
    put(at, end, "add (M%u_NM, %u) I2(0,0)<1> L(0,%u)<1;1,0> %d:w\n", mask, s->n, s->first, -(int)s->first);
    put(at, end, "mul (M%u_NM, %u) I2(0,0)<1> I2(0,0)<1;1,0> 0x%x:d\n", mask, s->n, s->apart);
    put(at, end, "mov (M%u_NM, %u) DA(0,0)<1> I2(0,0)<1;1,0>\n", mask, s->n);
    put(at, end, "add (M%u_NM, %u) DA(0,0)<1> DA(0,0)<1;1,0> TB(0,0)<0;1,0>\n", mask, s->n);
    for (unsigned i = 0; i < s->bytes; i += step) {
        put(at, end, "svm_%s.%u.1 (M%u_NM, %u) DA.0 D.%u\n", load ? "gather" : "scatter", s->apart, mask, s->n, i);
        if (load)
            put(at, end, "svm_gather.%u.1 (M%u_NM, %u) DA.0 S.%u\n", s->apart, mask, s->n, i);
        put(at, end, "add (M%u_NM, %u) DA(0,0)<1> DA(0,0)<1;1,0> 0x%x:d\n", mask, s->n, step);
    }
}

static inline char *shot_text(const struct shot *s)
{
    char body[24000], *at = body, *end = body + sizeof body;
    put(&at, end,
        ".decl D v_type=G type=ud num_elts=512 align=GRF\n.decl S v_type=G type=ud num_elts=512 align=GRF\n"
        ".decl Q v_type=G type=uq num_elts=32 align=GRF\n.decl BASE v_type=G type=uq num_elts=1 align=qword\n"
        ".decl TB v_type=G type=uq num_elts=1 align=qword\n.decl DA v_type=G type=uq num_elts=32 align=GRF\n"
        ".decl I2 v_type=G type=d num_elts=32 align=GRF\n"
        ".decl X3 v_type=G type=uq num_elts=1 align=qword\n"
        "mul (M1_NM, 1) X(0,0)<1> X(0,0)<0;1,0> 0x3:d\nmov (M1_NM, 1) X3(0,0)<1> X(0,0)<0;1,0>\n"
        "add (M1_NM, 1) BASE(0,0)<1> IN(0,0)<0;1,0> X3(0,0)<0;1,0>\n"
        "mov (M1, %u) Q(0,0)<1> UA(0,0)<1;1,0>\nadd (M1, %u) Q(0,0)<1> Q(0,0)<1;1,0> BASE(0,0)<0;1,0>\n"
        "cmp.ne (M1, %u) P1 C(0,0)<1;1,0> 0x0:d\nmovs (M1_NM, 1) T6(0) 0x1:ud\n"
        "add (M1_NM, 1) TB(0,0)<1> BASE(0,0)<0;1,0> 0x%x:d\n",
        s->simd, s->simd, s->simd, FILE_AT);
    put_file(&at, end, s, true);
    put(&at, end, "%s", s->setup ? s->setup : "");
    if (s->who == WAITING || s->who == NO_MASK)
        put(&at, end, "(!P1) goto (M1, %u) out\n", s->simd);
    if (s->who == PREDICATE || s->who == INVERTED)
        put(&at, end, s->who == PREDICATE ? "(P1) " : "(!P1) ");
    put_message(&at, end, s);
    put(&at, end, "out:\nmul (M1_NM, 1) X(0,0)<1> %%group_id_x(0,0)<0;1,0> 0x%x:d\n", FILE_BYTES);
    put(&at, end,
        "mov (M1_NM, 1) X3(0,0)<1> X(0,0)<0;1,0>\nadd (M1_NM, 1) TB(0,0)<1> BASE(0,0)<0;1,0> X3(0,0)<0;1,0>\n"
        "add (M1_NM, 1) TB(0,0)<1> TB(0,0)<0;1,0> 0x%x:d\n",
        DUMP_AT);
    put_file(&at, end, s, false);
    char *text = visa_text(s->simd, s->simd, body), *attribute = strstr(text, "SimdSize="), *with;
    size_t room = strlen(text) + 100;
    if (!s->scratch)
        return text;
    assert_non_null(with = malloc(room));
    snprintf(with, room, "%.*sSpillMemOffset=%u\n.kernel_attr %s", (int)(attribute - text), text, s->scratch,
             attribute);
    free(text);
    return with;
}

/* The byte that memory has at first: no two dwords alike. */
static inline unsigned char pattern(unsigned i)
{
    return (unsigned char)(i * 37 + (i >> 3) * 5 + (i >> 8) * 11 + 1);
}

static inline void shot_bind(struct shot_run *r, const struct shot *s, unsigned char *block)
{
    struct atoll_kernel_info info;
    struct atoll_parameter_info p;
    uint64_t values[3] = {r->run.in, r->run.out, ITEMS}, at = r->run.in + 12 * ITEMS, bound = BOUND;
    atoll_kernel_describe(r->run.kernel, &info);
    for (unsigned i = 0; i < info.parameters; i++) {
        assert_true(atoll_kernel_parameter(r->run.kernel, i, &p, &r->run.error));
        if (strcmp(p.name, "bti1") == 0) {
            memcpy(block + p.offset, &at, s->unbound ? 0 : 8);
            memcpy(block + p.offset + 8, &bound, s->unbound ? 0 : 8);
        } else if (i < 3)
            memcpy(block + p.offset, &values[i], p.size);
    }
}

static inline void shoot(struct shot_run *r, const struct shot *s)
{
    static unsigned char block[8192];
    char *text = shot_text(s);
    struct atoll_module_options options = {.file = "k.visaasm"};
    struct atoll_kernel_info info;
    struct visa_run *t = &r->run;
    memset(&r->run, 0, sizeof r->run);
    memset(block, 0, sizeof block);
    for (unsigned i = 0; i < MEMORY && !s->prepared; i++)
        r->before[i] = pattern(i);
    if (!atoll_device_create(NULL, &t->device, &t->error) ||
        !atoll_module_load(t->device, text, strlen(text), &options, &t->module, &t->error) ||
        !atoll_module_kernel(t->module, "k", &t->kernel, &t->error) ||
        !atoll_memory_alloc(t->device, 12 * ITEMS + MEMORY, &t->in, &t->error) ||
        !atoll_memory_alloc(t->device, 4 * ITEMS, &t->out, &t->error) ||
        !atoll_memory_write(t->device, t->in, s->in, 12 * ITEMS, &t->error) ||
        !atoll_memory_write(t->device, t->in + 12 * ITEMS, r->before, MEMORY, &t->error))
        fail_msg("%u:%u: %s\n%s", t->error.line, t->error.column, t->error.message, text);
    atoll_kernel_describe(t->kernel, &info);
    assert_true(info.parameter_bytes <= sizeof block);
    shot_bind(r, s, block);
    struct atoll_launch_options launch = {.grid = {ITEMS / s->simd, 1, 1},
                                          .block = {s->simd, 1, 1},
                                          .parameters = block,
                                          .parameter_bytes = info.parameter_bytes,
                                          .dynamic_shared = s->slm,
                                          .instruction_limit = 100000000,
                                          .order = ATOLL_ORDER_DETERMINISTIC};
    r->ok = atoll_launch(t->kernel, &launch, NULL, &t->trap, &t->error) &&
            atoll_memory_read(t->device, t->in + 12 * ITEMS, r->after, MEMORY, &t->error);
    free(text);
    visa_close(t);
}

/* Whether channel i of the thread (of its lanes, from 0) carries the message out. */
static inline bool carries(const struct shot *s, unsigned thread, unsigned lane)
{
    bool c = s->in[2 * ITEMS + thread * s->simd + lane] != 0;
    return s->who == ALL || s->who == NO_MASK || (s->who == INVERTED ? !c : c);
}

/* Memory as it must be after: `want` begins as it is before. */
static inline void shot_check(const struct shot *s, const struct shot_run *r, const unsigned char *want)
{
    if (!r->ok)
        fail_msg("%s: %s", s->text, r->run.error.message);
    for (unsigned i = 0; i < MEMORY; i++) {
        unsigned d = (i - DUMP_AT) % FILE_BYTES;
        bool counts = i < FILE_AT || (i >= DUMP_AT && (i - DUMP_AT) / FILE_BYTES < ITEMS / s->simd && d < s->bytes);
        if (counts && r->after[i] != want[i])
            fail_msg("%s, SIMD%u, channels %u+%u, case %u: byte %u of %s: 0x%x, wanted 0x%x", s->text, s->simd,
                     s->first, s->n, s->who, i < FILE_AT ? i : d, i < FILE_AT ? "the buffer" : "D", r->after[i],
                     want[i]);
    }
}

/* Memory before the message, and D as it was loaded. */
static inline void shot_begin(const struct shot_run *r, unsigned char *want)
{
    memcpy(want, r->before, MEMORY);
    for (unsigned t = 0; t < ITEMS / 8; t++)
        memcpy(want + DUMP_AT + t * FILE_BYTES, r->before + FILE_AT, FILE_BYTES);
}

/* The same message by 8 channels of each kind of thread, by 16, by one; by everyone who could carry it out. */
static const struct {
    unsigned simd, n, first;
} widths[] = {{8, 8, 0},   {16, 16, 0}, {16, 8, 8}, {32, 8, 16}, {32, 16, 16},
              {32, 16, 0}, {8, 1, 0},   {8, 4, 4},  {32, 1, 20}, {16, 2, 4}};

#endif
