/* libctm's settings, from the environment. */
#include "ctm/settings.h"

#include "base/chars.h"
#include "base/decimal.h"
#include "base/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A variable that is not set, or empty: *given is false. */
static bool number(const char *name, uint64_t most, uint64_t *value, bool *given, struct atoll_error *error)
{
    const char *text = getenv(name);
    *given = text && *text;
    if (!*given)
        return true;
    struct digits digits;
    const char *end = text + strlen(text);
    if (digits_read(text, end, 10, &digits) != end || digits.large || digits.value > most)
        return error_set(error, ATOLL_USAGE, "%s=%.100s: wanted a number, at most %llu", name, text,
                         (unsigned long long)most);
    *value = digits.value;
    return true;
}

static bool seconds(const char *name, double *value, struct atoll_error *error)
{
    const char *text = getenv(name);
    size_t used = 0;
    if (!text || !*text)
        return true;
    if (char_digit(*text) > 9 || !decimal_double(text, strlen(text), value, &used) || text[used])
        return error_set(error, ATOLL_USAGE, "%s=%.100s: wanted seconds", name, text);
    return true;
}

bool settings_read(struct settings *settings, struct atoll_error *error)
{
    struct machine_options *machine = &settings->machine;
    uint64_t threads = 0, first = 1;
    bool given, seeded;
    *settings = (struct settings){.errors = getenv("ATOLL_CTM_ERRORS")};
    if (!number("ATOLL_CTM_SEED", UINT64_MAX, &machine->seed, &seeded, error) ||
        !number("ATOLL_CTM_THREADS", 1024, &threads, &given, error) ||
        !number("ATOLL_CTM_INSTRUCTIONS", UINT64_MAX, &machine->instruction_limit, &given, error) ||
        !seconds("ATOLL_CTM_TIMEOUT", &machine->time_limit, error) ||
        !number("ATOLL_CTM_FIRST_ID", UINT32_MAX, &first, &given, error))
        return false;
    machine->order = seeded ? ATOLL_ORDER_SEEDED : ATOLL_ORDER_PARALLEL;
    machine->threads = (unsigned)threads;
    const char *engine = getenv("ATOLL_CTM_ENGINE");
    if (engine && *engine && !atoll_engine_find(engine, &machine->engine, error))
        return false;
    const char *tex_write = getenv("ATOLL_CTM_TEX_WRITE");
    machine->tex_write = tex_write && *tex_write ? tex_write : NULL;
    settings->first_id = first ? (uint32_t)first : 1;
    return true;
}

/* One write, so that lines of several processes and threads stay whole. */
void settings_tell(const struct settings *settings, const char *message)
{
    if (!settings->errors || !*settings->errors)
        return;
    int file = open(settings->errors, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return;
    struct text line = {0};
    text_printf(&line, "libctm: %s\n", message);
    ssize_t written = text_ok(&line) ? write(file, line.bytes, line.length) : 0;
    (void)written; /* there is nobody to tell */
    text_free(&line);
    close(file);
}
