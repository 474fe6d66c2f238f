/* What a process makes once: threads that need it at the same moment share one, and each gets it whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <atoll.h>
#include <pthread.h>
#include <string.h>

enum { THREADS = 8 };

static pthread_barrier_t start;

/* The first use of the compiled rows in this process. */
static void *first_use(void *user)
{
    static const uint8_t exit_word[8] = {0x0f, 0, 7, 0, 0, 0, 0, 0xe3};
    char *text = user;
    struct atoll_isa *isa;
    struct atoll_error error = {0};
    size_t used = 0;
    pthread_barrier_wait(&start);
    if (!atoll_isa_open("SM50", &isa, &error))
        return NULL;
    bool ok = atoll_isa_decode(isa, exit_word, sizeof exit_word, 8, text, &used, &error);
    atoll_isa_close(isa);
    return ok && used == 8 ? text : NULL;
}

static void threads_share_rows(void **state)
{
    (void)state;
    static char texts[THREADS][ATOLL_INSTRUCTION_TEXT];
    pthread_t threads[THREADS];
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, first_use, texts[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *done;
        assert_int_equal(pthread_join(threads[i], &done), 0);
        assert_non_null(done);
        assert_string_equal(texts[i], "EXIT");
    }
    pthread_barrier_destroy(&start);
}

/* Bytes that are too few, or no instruction, and room that is too small. */
static void spans_are_held(void **state)
{
    (void)state;
    struct atoll_isa *isa;
    struct atoll_error error = {0};
    uint8_t bytes[16];
    char text[ATOLL_INSTRUCTION_TEXT];
    size_t used = 99;
    memset(bytes, 0xff, sizeof bytes);
    assert_true(atoll_isa_open(NULL, &isa, &error));
    assert_false(atoll_isa_decode(isa, bytes, 7, 8, text, &used, &error));
    assert_string_equal(error.message, "7 bytes: an instruction has 8");
    assert_false(atoll_isa_decode(isa, bytes, 8, 8, text, &used, &error));
    assert_false(atoll_isa_encode(isa, "EXIT", 4, 8, true, bytes, 7, &used, &error));
    assert_int_equal(used, 99);
    assert_true(atoll_isa_encode(isa, "EXIT", 4, 8, true, bytes, 11, &used, &error));
    assert_int_equal(used, 8);
    assert_int_equal(bytes[8], 0xff);
    assert_true(atoll_isa_encode(isa, "EXIT ?W6", 8, 8, true, bytes, sizeof bytes, &used, &error));
    assert_int_equal(used, 12);
    assert_true(atoll_isa_decode(isa, bytes, sizeof bytes, 8, text, &used, &error));
    assert_int_equal(used, 12);
    assert_string_equal(text, "EXIT");
    atoll_isa_close(isa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_share_rows), cmocka_unit_test(spans_are_held)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
