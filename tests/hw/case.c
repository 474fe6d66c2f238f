/* Cases: the list, and the file that carries them. */
#include "hw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_names[HW_CLASSES] = {"isa", "measured", "choice", "open"};

const char *hw_class_name(enum hw_class class)
{
    return (unsigned)class < HW_CLASSES ? class_names[class] : "?";
}

struct hw_case *hw_case_new(struct hw_cases *cases)
{
    if (cases->count == cases->room) {
        size_t room = 2 * cases->room + 64;
        struct hw_case *at = realloc(cases->at, room * sizeof *at);
        if (!at) {
            fputs("no memory left\n", stderr);
            exit(2);
        }
        cases->at = at;
        cases->room = room;
    }
    struct hw_case *c = &cases->at[cases->count++];
    *c = (struct hw_case){.sm = 75, .shots = 1, .threads = 1};
    return c;
}

void hw_cases_free(struct hw_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        hw_free(&cases->at[i].texels);
        hw_free(&cases->at[i].in);
        hw_free(&cases->at[i].ptx);
    }
    free(cases->at);
    *cases = (struct hw_cases){0};
}

static uint64_t most(uint64_t a)
{
    return a ? a : 1;
}

uint64_t hw_texel_bytes(const struct hw_case *c)
{
    struct hw_format format;
    if (!c->has_surface || !hw_format(c->format, &format))
        return 0;
    return most(c->width) * most(c->height) * most(c->depth) * most(c->layers) * format.bytes;
}

/* ---- writing ----------------------------------------------------------------------------------------------- */

static void case_text(struct hw_text *text, const struct hw_case *c)
{
    hw_add(text, "case %s\nclass %s\nsm %u\n", c->name, hw_class_name(c->class), c->sm);
    if (c->has_surface) {
        hw_add(text, "surface %s %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %s\ntexels ",
               hw_dimension_name(c->dimension), c->width, c->height, c->depth, c->layers, c->format);
        hw_hex(text, c->texels.data, c->texels.size);
        hw_add(text, "\n");
    }
    hw_add(text, "launch %u %u %" PRIu32 " %" PRIu32 "\nin ", c->shots, c->threads, c->in_bytes, c->out_bytes);
    hw_hex(text, c->in.data, c->in.size);
    hw_add(text, "\n");
    for (const char *line = c->ptx.data; line && *line;) {
        int length = (int)strcspn(line, "\n");
        hw_add(text, "|%.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
    hw_add(text, "end\n");
}

/* The class is an opinion about the case, no part of it: records outlive a change of it. */
uint64_t hw_case_digest(const struct hw_case *c)
{
    struct hw_text text = {0};
    struct hw_case plain = *c;
    plain.class = HW_ISA;
    case_text(&text, &plain);
    uint64_t digest = hw_digest(0, text.data, text.size);
    hw_free(&text);
    return digest;
}

void hw_case_write(FILE *file, const struct hw_case *c)
{
    struct hw_text text = {0};
    case_text(&text, c);
    fwrite(text.data, 1, text.size, file);
    hw_free(&text);
}

void hw_cases_write(FILE *file, const struct hw_cases *cases)
{
    fprintf(file, "atoll-hw-cases %d\n", HW_VERSION);
    for (size_t i = 0; i < cases->count; i++)
        hw_case_write(file, &cases->at[i]);
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

static bool find_class(const char *name, enum hw_class *class)
{
    for (unsigned i = 0; i < HW_CLASSES; i++)
        if (strcmp(name, class_names[i]) == 0) {
            *class = (enum hw_class)i;
            return true;
        }
    return false;
}

static bool find_dimension(const char *name, enum atoll_dimension *dimension)
{
    for (unsigned i = 0; i <= ATOLL_DIM_3D; i++)
        if (strcmp(name, hw_dimension_name((enum atoll_dimension)i)) == 0) {
            *dimension = (enum atoll_dimension)i;
            return true;
        }
    return false;
}

static bool read_surface(struct hw_case *c, const char *words)
{
    char dimension[16], format[16];
    if (sscanf(words, "%15s %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %15s", dimension, &c->width, &c->height,
               &c->depth, &c->layers, format) != 6)
        return false;
    memcpy(c->format, format, sizeof format);
    c->has_surface = true;
    struct hw_format found;
    return hw_format(format, &found) && find_dimension(dimension, &c->dimension) && c->width <= 4096 &&
           c->height <= 4096 && c->depth <= 64 && c->layers <= 64;
}

static bool read_launch(struct hw_case *c, const char *words)
{
    return sscanf(words, "%u %u %" SCNu32 " %" SCNu32, &c->shots, &c->threads, &c->in_bytes, &c->out_bytes) == 4 &&
           c->shots >= 1 && c->shots <= HW_MOST_SHOTS && c->threads >= 1 && c->threads <= HW_MOST_THREADS &&
           c->in_bytes <= 1 << 20 && c->out_bytes <= 1 << 20;
}

/* One line of a case, less its line end. */
static bool read_line(struct hw_case *c, char *line)
{
    if (line[0] == '|') {
        hw_add(&c->ptx, "%s\n", line + 1);
        return true;
    }
    char *words = strchr(line, ' ');
    if (!words)
        return false;
    *words++ = 0;
    if (strcmp(line, "class") == 0)
        return find_class(words, &c->class);
    if (strcmp(line, "sm") == 0)
        return sscanf(words, "%u", &c->sm) == 1;
    if (strcmp(line, "surface") == 0)
        return read_surface(c, words);
    if (strcmp(line, "texels") == 0)
        return hw_unhex(words, &c->texels);
    if (strcmp(line, "launch") == 0)
        return read_launch(c, words);
    return strcmp(line, "in") == 0 && hw_unhex(words, &c->in);
}

static bool whole(const struct hw_case *c)
{
    return c->ptx.size && c->texels.size == hw_texel_bytes(c) && c->in.size == (size_t)c->shots * c->in_bytes;
}

static bool read_cases(FILE *file, struct hw_cases *cases, char **line, size_t *room, unsigned *number)
{
    struct hw_case *c = NULL;
    ssize_t size;
    while ((size = getline(line, room, file)) >= 0) {
        ++*number;
        if (size && (*line)[size - 1] == '\n')
            (*line)[size - 1] = 0;
        if (*number == 1) {
            int version;
            if (sscanf(*line, "atoll-hw-cases %d", &version) != 1 || version != HW_VERSION)
                return false;
        } else if (!c) {
            c = hw_case_new(cases);
            if (strncmp(*line, "case ", 5) != 0 || strlen(*line + 5) >= HW_NAME)
                return false;
            strcpy(c->name, *line + 5);
        } else if (strcmp(*line, "end") == 0) {
            if (!whole(c))
                return false;
            c = NULL;
        } else if (!read_line(c, *line))
            return false;
    }
    return !c && *number > 0;
}

bool hw_cases_read(FILE *file, struct hw_cases *cases, char message[256])
{
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    bool ok = read_cases(file, cases, &line, &room, &number);
    if (!ok)
        snprintf(message, 256, "line %u: not a file of cases of version %d: %.100s", number, HW_VERSION,
                 line ? line : "");
    free(line);
    return ok;
}
