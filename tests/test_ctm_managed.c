/* libctm: connections, arenas, buffers in flight, ids that wrap, mistakes, and clients in many threads. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "amDeviceManaged.h"

/* Opcodes of docs/ctm.md, "Command stream". */
#define WAIT_IDLE      0xC0000500u
#define INIT_COUNTERS  0xC0000600u
#define START_COUNTERS 0xC0000700u
#define READ_COUNTERS  0xC0000900u

struct client {
    AMmanagedDevice device;
    AMmanagedDeviceInfo info;
};

static void client_open(struct client *c)
{
    c->device = amOpenManagedConnection("/dev/pcie0", &c->info);
    assert_non_null(c->device);
}

static void *at(const struct client *c, AMuint32 address)
{
    return (char *)c->info.baseAddressCPUc + (address - c->info.baseAddressSYSc);
}

/* Puts words at an offset of the cached arena and submits them. */
static AMuint32 submit(const struct client *c, AMuint32 offset, const uint32_t *words, AMuint32 count)
{
    memcpy(at(c, c->info.baseAddressSYSc + offset), words, count * sizeof *words);
    return amSubmitCommandBuffer(c->device, c->info.baseAddressSYSc + offset, count);
}

static void wait_for(const struct client *c, AMuint32 id)
{
    while (!amCommandBufferConsumed(c->device, id))
        sched_yield();
}

static void test_open(void **state)
{
    (void)state;
    struct client c;
    client_open(&c);
    const AMmanagedDeviceInfo *i = &c.info;
    assert_true(i->arenaSizeGPU && i->baseAddressGPU % 2048 == 0);
    assert_true(i->arenaSizeSYS && i->baseAddressCPU && i->baseAddressSYS % 2048 == 0);
    assert_true(i->arenaSizeSYSc && i->baseAddressCPUc && i->baseAddressSYSc % 2048 == 0);
    assert_true(i->arenaSizeGPUb == 0 && i->baseAddressGPUb == 0);
    ((char *)i->baseAddressCPU)[i->arenaSizeSYS - 1] = 1;
    ((char *)i->baseAddressCPUc)[i->arenaSizeSYSc - 1] = 1;
    assert_int_not_equal(amCloseManagedConnection(c.device), 0);
    assert_null(amOpenManagedConnection("/dev/agp0", &c.info));
    assert_null(amOpenManagedConnection(NULL, NULL));
    assert_int_equal(amCloseManagedConnection(NULL), 0);
    assert_int_equal(amSubmitCommandBuffer(NULL, 0, 0), 0);
}

/* Counters show that a buffer ran: 4 words after the one that starts them. */
static void test_runs(void **state)
{
    (void)state;
    struct client c;
    client_open(&c);
    const AMuint32 result = c.info.baseAddressSYSc + 0x1000;
    const uint32_t words[] = {INIT_COUNTERS, 1, START_COUNTERS, 0, WAIT_IDLE, 0, READ_COUNTERS, result};
    uint32_t *counters = at(&c, result);
    counters[1] = 7;
    AMuint32 id = submit(&c, 0, words, 8);
    assert_int_equal(id, 1);
    wait_for(&c, id);
    assert_int_equal(counters[0], 4);
    assert_int_equal(counters[1], 0);
    assert_int_equal(amAtollGetError(c.device, 0, NULL, 0), 0);
    amCloseManagedConnection(c.device);
}

/* Many in flight: they run in their order. */
static void test_many(void **state)
{
    (void)state;
    enum { BUFFERS = 3000 };
    struct client c;
    client_open(&c);
    for (AMuint32 i = 0; i < BUFFERS; i++) {
        const AMuint32 result = c.info.baseAddressSYSc + 0x800000 + 2048 * i;
        const uint32_t first[] = {INIT_COUNTERS, 1, START_COUNTERS, 0};
        const uint32_t later[] = {READ_COUNTERS, result};
        assert_int_equal(i ? submit(&c, 64 * i, later, 2) : submit(&c, 0, first, 4), i + 1);
    }
    wait_for(&c, BUFFERS);
    for (AMuint32 i = 1; i < BUFFERS; i++) {
        assert_int_not_equal(amCommandBufferConsumed(c.device, i), 0);
        assert_int_equal(*(uint32_t *)at(&c, c.info.baseAddressSYSc + 0x800000 + 2048 * i), 2 * i);
    }
    assert_int_equal(amCommandBufferConsumed(c.device, BUFFERS + 1), 0);
    amCloseManagedConnection(c.device);
}

static void test_wrap(void **state)
{
    (void)state;
    struct client c;
    setenv("ATOLL_CTM_FIRST_ID", "4294967294", 1);
    client_open(&c);
    unsetenv("ATOLL_CTM_FIRST_ID");
    const uint32_t words[] = {WAIT_IDLE, 0};
    const AMuint32 ids[] = {0xfffffffe, 0xffffffff, 1, 2};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(amCommandBufferConsumed(c.device, ids[i]), 0);
        assert_int_equal(submit(&c, 0, words, 2), ids[i]);
        wait_for(&c, ids[i]);
    }
    for (unsigned i = 0; i < 4; i++)
        assert_int_not_equal(amCommandBufferConsumed(c.device, ids[i]), 0);
    amCloseManagedConnection(c.device);
}

static void test_mistakes(void **state)
{
    (void)state;
    struct client c;
    char text[200], path[] = "/tmp/atoll-ctm-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    setenv("ATOLL_CTM_ERRORS", path, 1);
    client_open(&c);
    const uint32_t bad[] = {WAIT_IDLE, 0, 0xC0009900, 0}, good[] = {WAIT_IDLE, 0};
    AMuint32 id = submit(&c, 0, bad, 4), next = submit(&c, 0x100, good, 2);
    wait_for(&c, next);
    assert_true(amAtollGetError(c.device, id, text, sizeof text) > 0);
    assert_non_null(strstr(text, "buffer 1, word 2: 0xc0009900 is no opcode"));
    assert_int_equal(amAtollGetError(c.device, next, text, sizeof text), 0);
    assert_int_equal(text[0], 0);
    assert_int_equal(amSubmitCommandBuffer(c.device, c.info.baseAddressSYSc + 2, 1), 0);
    assert_int_equal(amSubmitCommandBuffer(c.device, c.info.baseAddressSYSc + c.info.arenaSizeSYSc - 4, 2), 0);
    assert_int_equal(amSubmitCommandBuffer(c.device, 0, 1), 0);
    assert_true(amAtollGetError(c.device, 0, text, 8) > 8);
    assert_int_equal(strlen(text), 7);
    assert_null(amOpenManagedConnection("/dev/pcie77", NULL));
    setenv("ATOLL_CTM_SEED", "x", 1);
    assert_null(amOpenManagedConnection("/dev/pcie0", NULL));
    unsetenv("ATOLL_CTM_SEED");
    unsetenv("ATOLL_CTM_ERRORS");
    amCloseManagedConnection(c.device);
    char lines[2000] = "";
    assert_true(read(file, lines, sizeof lines - 1) > 0);
    assert_non_null(strstr(lines, "libctm: buffer 1, word 2"));
    assert_non_null(strstr(lines, "no device '/dev/pcie77'"));
    assert_non_null(strstr(lines, "ATOLL_CTM_SEED=x: wanted a number"));
    close(file);
    unlink(path);
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

/* One connection for all, or one each. */
struct shared {
    const struct client *client; /* NULL: one each */
    unsigned number;
    bool ok;
};

static void *submits(void *user)
{
    enum { BUFFERS = 200 };
    struct shared *s = user;
    struct client own;
    const struct client *c = s->client;
    if (!c) {
        client_open(&own);
        c = &own;
    }
    AMuint32 before = 0;
    s->ok = true;
    for (unsigned i = 0; i < BUFFERS; i++) {
        const uint32_t words[] = {WAIT_IDLE, 0, WAIT_IDLE, i};
        AMuint32 id = submit(c, 0x10000 * s->number + 16 * i, words, 4);
        s->ok &= id > before; /* of one thread they go up */
        before = id;
        if (i % 16 == 0)
            wait_for(c, id);
    }
    wait_for(c, before);
    if (!s->client)
        amCloseManagedConnection(own.device);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    for (unsigned one = 0; one < 2; one++) {
        struct client c;
        struct shared shared[THREADS];
        pthread_t threads[THREADS];
        client_open(&c);
        for (unsigned i = 0; i < THREADS; i++) {
            shared[i] = (struct shared){one ? &c : NULL, i, false};
            assert_int_equal(pthread_create(&threads[i], NULL, submits, &shared[i]), 0);
        }
        for (unsigned i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            assert_true(shared[i].ok);
        }
        /* Closing does not wait for what is left. */
        const uint32_t words[] = {WAIT_IDLE, 0};
        for (unsigned i = 0; i < 1000; i++)
            submit(&c, 64 * i, words, 2); /* a buffer stays as it is until it is consumed */
        amCloseManagedConnection(c.device);
    }
}

/* CPU time of submitting an empty buffer and running it, in all threads. The bound is generous: it holds under
 * sanitizers, too. */
static void test_time(void **state)
{
    (void)state;
    enum { BUFFERS = 2000 };
    struct client c;
    struct timespec begin, end;
    client_open(&c);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    AMuint32 id = 0;
    for (int i = 0; i < BUFFERS; i++)
        id = amSubmitCommandBuffer(c.device, c.info.baseAddressSYSc, 0);
    while (!amCommandBufferConsumed(c.device, id))
        usleep(100);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    double seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
    print_message("%.2f us an empty buffer\n", seconds / BUFFERS * 1e6);
    assert_true(seconds / BUFFERS < 1e-3);
    amCloseManagedConnection(c.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open), cmocka_unit_test(test_runs),     cmocka_unit_test(test_many),
        cmocka_unit_test(test_wrap), cmocka_unit_test(test_mistakes), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
