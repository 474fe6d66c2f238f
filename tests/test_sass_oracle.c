/* Random words of every row, and of opcodes that no row has, against nvdisasm, where it is found (on the PATH, or named
 * by ATOLL_NVDISASM): the same words are refused, all others have the same text; and what is written is read back.
 * ATOLL_SEED and ATOLL_WORDS choose other words and their number for a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "differential/tools.h"
#include "given.h"
#include "isa/sass/sass.h"
#include "skip.h"

static const char *const arch_names[SASS_ARCHS] = {"SM50", "SM52", "SM53"};
static const uint64_t nop = 0x50b0000000070f00;

struct words {
    uint64_t *word;
    uint32_t *control;
    char (*theirs)[ISA_TEXT]; /* "?" where it is refused */
    size_t count;
};

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Digits that say RZ, PT, 0 and the like more often than chance has them. */
static uint64_t random_word(uint64_t *state)
{
    static const uint8_t digits[8] = {0, 0, 0xf, 0xf, 7};
    uint64_t word = random_next(state), choice = random_next(state);
    if (choice & 1)
        for (unsigned i = 0; i < 64; i += 4)
            if ((choice >> (i % 32 + 8) & 7) < 5)
                word = (word & ~(UINT64_C(0xf) << i)) | (uint64_t)digits[(random_next(state) >> 20) % 5] << i;
    return choice & 2 ? (word & ~(UINT64_C(0xf) << 16)) | UINT64_C(7) << 16 : word;
}

static size_t index_of(unsigned long long address)
{
    return address / 32 * 3 + address % 32 / 8 - 1;
}

static uint64_t address_of(size_t index)
{
    return index / 3 * 32 + index % 3 * 8 + 8;
}

static void store(uint8_t *to, uint64_t word)
{
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(word >> (8 * i));
}

/* Bundles; a NOP with neutral control bits in place of words that were refused. */
static uint8_t *image_of(const struct words *words, size_t *size)
{
    size_t bundles = (words->count + 2) / 3;
    uint8_t *image = calloc(bundles, 32);
    uint64_t packed = 0;
    assert_non_null(image);
    for (size_t i = 0; i < bundles * 3; i++) {
        bool refused = i >= words->count || words->theirs[i][0] == '?';
        uint64_t control = refused ? SASS_CONTROL_NEUTRAL : words->control[i];
        packed = (i % 3 ? packed : 0) | control << (i % 3 * SASS_CONTROL_BITS);
        store(image + i / 3 * 32, packed);
        store(image + address_of(i), refused ? nop : words->word[i]);
    }
    *size = bundles * 32;
    return image;
}

/* Reads messages "... at address 0x28" and lines with an address and a text before the semicolon. */
static unsigned output_read(const char *at, struct words *words)
{
    unsigned refused = 0;
    for (const char *end; (end = strchr(at, '\n')); at = end + 1) {
        const char *text = strstr(at, "/*"), *semicolon = memchr(at, ';', (size_t)(end - at));
        const char *address = strstr(at, " at address 0x");
        if (address && address < end) {
            size_t index = index_of(strtoull(address + 12, NULL, 16));
            assert_true(index < words->count);
            refused += words->theirs[index][0] != '?';
            strcpy(words->theirs[index], "?");
            continue;
        }
        if (!text || text > end || !semicolon)
            continue;
        size_t index = index_of(strtoull(text + 2, NULL, 16)), length = 0;
        text = strstr(text, "*/");
        if (index >= words->count || words->theirs[index][0] == '?' || !text)
            continue;
        /* one blank for several, none in front; no braces of dual issue */
        for (const char *c = text + 2; c < semicolon && length < ISA_TEXT - 1; c++)
            if ((*c != ' ' || (length && c[1] != ' ')) && (*c != '{' || length))
                words->theirs[index][length++] = *c;
        while (length && words->theirs[index][length - 1] == ' ')
            length--;
        words->theirs[index][length] = 0;
    }
    return refused;
}

static void ask(const struct tools *tools, const char *arch, struct words *words)
{
    unsigned refused = 1;
    for (unsigned turn = 0; refused; turn++) {
        size_t size;
        struct text out = {0};
        uint8_t *image = image_of(words, &size);
        bool all = tools_disassemble_raw(tools, arch, image, size, &out);
        refused = text_ok(&out) && out.length ? output_read(out.bytes, words) : 0;
        free(image);
        if (!all && !refused)
            fail_msg("%s", text_ok(&out) && out.length ? out.bytes : "no output");
        text_free(&out);
        assert_true(turn < 20);
    }
}

static void squeeze(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' || from[1] != ' ')
            *to++ = *from;
    *to = 0;
}

/* Prints as they do, and is read as a word that prints the same. */
static bool agrees(const struct isa_table *table, enum sass_arch arch, uint64_t bits, uint32_t control,
                   uint64_t address, const char *theirs)
{
    char ours[ISA_TEXT], again[ISA_TEXT];
    struct isa_word word = {{bits, control}}, back = {{0, control}};
    struct isa_mistake mistake;
    const struct isa_form *form = isa_find(table, &word, arch, NULL), *read;
    if (form && sass_control_refused(form, &word))
        form = NULL;
    if (!form || theirs[0] == '?') {
        if (!form && theirs[0] == '?')
            return true;
        print_error("%016llx %05x %s: %s, the vendor's %s\n", (unsigned long long)bits, control, arch_names[arch],
                    form ? form->row->text : "refused", theirs);
        return false;
    }
    size_t length = isa_print(table, form, &word, address, ours);
    read = isa_parse(table, ours, length, arch, address, &back, &mistake);
    if (read)
        isa_print(table, read, &back, address, again);
    bool same = read && strcmp(ours, again) == 0;
    squeeze(ours);
    if (same && strcmp(ours, theirs) == 0)
        return true;
    print_error("%016llx %05x %s: '%s', the vendor's '%s', read back as '%s'\n", (unsigned long long)bits, control,
                arch_names[arch], ours, theirs, read ? again : mistake.wanted);
    return false;
}

/* A third of the words have neutral control bits, a third no scoreboards (what all instructions may have). None issues
 * with its successor (stall 0 and yield bit 1): nvdisasm gives up on the words after chains of three. */
static uint32_t random_control(uint64_t *state)
{
    uint64_t choice = random_next(state);
    uint32_t control = ((uint32_t)(random_next(state) >> 30) & ((1u << SASS_CONTROL_BITS) - 1)) | 1;
    return choice % 3 == 0 ? SASS_CONTROL_NEUTRAL : choice % 3 == 1 ? (control & 0x1ff81f) | 0x7e0 : control;
}

/* `each` words of each row, and one of each value of the upper 16 bits. */
static struct words choose(const struct isa_table *table, uint64_t each, uint64_t *state)
{
    struct words words = {.count = table->nforms * each + 65536};
    words.word = malloc(words.count * sizeof *words.word);
    words.control = malloc(words.count * sizeof *words.control);
    words.theirs = calloc(words.count, sizeof *words.theirs);
    assert_true(words.word && words.control && words.theirs);
    for (size_t i = 0; i < words.count; i++) {
        const struct isa_row *row = i / each < table->nforms ? table->forms[i / each].row : NULL;
        uint64_t word = random_word(state);
        words.control[i] = random_control(state);
        words.word[i] = row ? (word & ~row->mask) | row->value : (word & (UINT64_MAX >> 16)) | (uint64_t)i << 48;
    }
    return words;
}

static void test_words(void **state)
{
    struct tools *tools = *state;
    struct isa_table table;
    struct atoll_error error;
    uint64_t seed = given("ATOLL_SEED", 0x9e3779b97f4a7c15, 0) | 1, each = given("ATOLL_WORDS", 60, 1);
    size_t different = 0, all = 0;
    if (!tools->nvdisasm) {
        skip_because("no nvdisasm; ATOLL_NVDISASM names one");
    }
    assert_true(sass_open(&table, &error));
    for (unsigned arch = 0; arch < SASS_ARCHS; arch++) {
        struct words words = choose(&table, each, &seed);
        ask(tools, arch_names[arch], &words);
        for (size_t i = 0; i < words.count; i++)
            different +=
                !agrees(&table, (enum sass_arch)arch, words.word[i], words.control[i], address_of(i), words.theirs[i]);
        all += words.count;
        free(words.word);
        free(words.control);
        free(words.theirs);
    }
    print_message("%zu words, %zu different\n", all, different);
    isa_close(&table);
    assert_int_equal(different, 0);
}

int main(void)
{
    struct tools tools;
    tools_open(&tools);
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_words, &tools)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tools_close(&tools);
    return failed;
}
