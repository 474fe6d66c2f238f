/* Runs a fuzz target over random bytes, without libFuzzer: random SEED COUNT. The same every time; input i of a seed is
 * that of seed + i alone, so a find is repeated by its own seed and a count of 1. */
#include "fuzz.h"

#include "../number.h"

enum { SMALL = 48, LARGE = 600, SOME = 16 };

static uint64_t draw(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Most are small: what goes wrong in a large program mostly does in a small one, and these are tried faster. */
static void give(uint64_t seed)
{
    uint64_t state = seed * UINT64_C(0x2545f4914f6cdd1d);
    bool small = draw(&state) % SOME;
    size_t size = 1 + draw(&state) % (small ? SMALL : LARGE);
    uint8_t *data = malloc(size);
    fuzz_check(data != NULL);
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)draw(&state);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

int main(int argc, char **argv)
{
    uint64_t seed, count;
    if (argc != 3 || !number_read(argv[1], 0, UINT64_MAX, &seed) || !number_read(argv[2], 1, UINT64_MAX, &count)) {
        fprintf(stderr, "usage: random SEED COUNT, both numbers, COUNT at least 1\n");
        return 2;
    }
    for (uint64_t i = 0; i < count; i++) {
        printf("%llu\n", (unsigned long long)(seed + i));
        fflush(stdout);
        give(seed + i);
    }
    printf("%llu inputs\n", (unsigned long long)count);
    return 0;
}
