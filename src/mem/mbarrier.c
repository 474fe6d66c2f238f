/* The meaning of barrier objects; the rules and the layout are in the header. */
#include "mem/mbarrier.h"

#include <stddef.h>

enum { EXPECTED = 20, TRANSACTIONS = 40, OBJECT = 62 };

struct fields {
    uint64_t parity, expected, pending;
    int64_t transactions;
};

static bool read_object(uint64_t word, struct fields *f)
{
    f->parity = word >> MBARRIER_PARITY;
    f->expected = word >> EXPECTED & MBARRIER_COUNT;
    f->pending = word >> MBARRIER_PENDING & MBARRIER_COUNT;
    f->transactions = (int64_t)(word << 3) >> (TRANSACTIONS + 3);
    return (word >> OBJECT & 1) != 0;
}

static uint64_t write_object(const struct fields *f)
{
    return f->parity << MBARRIER_PARITY | UINT64_C(1) << OBJECT |
           ((uint64_t)f->transactions & 0x1fffff) << TRANSACTIONS | f->expected << EXPECTED |
           f->pending << MBARRIER_PENDING;
}

/* Stores the fields, in the next phase if this one is complete. */
static void settle(uint64_t *object, struct fields *f)
{
    if (f->pending == 0 && f->transactions == 0) {
        f->parity ^= 1;
        f->pending = f->expected;
    }
    *object = write_object(f);
}

static const char *const no_object = "there is no barrier object: it was not initialised, or was invalidated";

const char *mbarrier_init(uint64_t *object, uint32_t count)
{
    struct fields f = {.expected = count, .pending = count};
    if (count == 0 || count > MBARRIER_COUNT)
        return "a barrier object expects 1 to 2^20 - 1 arrivals";
    *object = write_object(&f);
    return NULL;
}

const char *mbarrier_inval(uint64_t *object)
{
    struct fields f;
    if (!read_object(*object, &f))
        return no_object;
    *object = 0;
    return NULL;
}

const char *mbarrier_transact(uint64_t *object, int64_t transactions)
{
    struct fields f;
    if (!read_object(*object, &f))
        return no_object;
    f.transactions += transactions;
    if (f.transactions > (int64_t)MBARRIER_COUNT || f.transactions < -(int64_t)MBARRIER_COUNT)
        return "more than 2^20 - 1 transactions are outstanding, or completed without being expected";
    settle(object, &f);
    return NULL;
}

const char *mbarrier_arrive(uint64_t *object, uint32_t count, bool drop, bool keep, uint64_t *state)
{
    struct fields f;
    if (!read_object(*object, &f))
        return no_object;
    if (count == 0 || count > f.pending)
        return count == 0 ? "an arrival counts at least 1" : "more arrivals than are pending in the phase";
    if (drop && count > f.expected)
        return "more arrivals dropped than are expected";
    *state = *object;
    f.pending -= count;
    f.expected -= drop ? count : 0;
    if (keep && f.pending == 0 && f.transactions == 0)
        return "an arrival with .noComplete completes the phase";
    settle(object, &f);
    return NULL;
}

const char *mbarrier_test(const uint64_t *object, uint64_t state, bool *over)
{
    struct fields f;
    if (!read_object(*object, &f))
        return no_object;
    *over = f.parity != state >> MBARRIER_PARITY;
    return NULL;
}
