/* Writes a litmus test as a PTX kernel. Each thread's column becomes a scope of its own, in which locations stand for
 * addresses of the instance:
 *
 *   [x]  in global memory -> [%x_at]      in shared memory -> [x_at]      in a surface -> [%surface, {offset, %row}]
 */
#include "litmus.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SURFACE_STEP = 16 /* bytes of a row that a location has */ };

struct writer {
    const struct litmus *test;
    struct litmus_kernel *kernel;
    struct litmus_error *error;
    FILE *out;
    const struct litmus_cell *cell; /* being written */
    unsigned line;
};

static bool fail_cell(struct writer *w, const char *at, const char *format, ...)
{
    va_list args;
    w->error->line = w->cell->line;
    w->error->column = w->cell->column + (uint32_t)(at - w->cell->text);
    va_start(args, format);
    vsnprintf(w->error->message, sizeof w->error->message, format, args);
    va_end(args);
    return false;
}

/* Writes lines. */
static void say(struct writer *w, const char *format, ...)
{
    va_list args;
    char text[600];
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (int i = 0; i < n && text[i]; i++)
        if (text[i] == '\n') {
            if (w->line < LITMUS_LINES)
                w->kernel->cells[w->line] = w->cell;
            w->line++;
        }
    fputs(text, w->out);
}

static bool in_surface(const char *word, size_t size)
{
    return (size == 4 && (!memcmp(word, "suld", 4) || !memcmp(word, "sust", 4))) ||
           (size == 5 && !memcmp(word, "sured", 5));
}

/* How many bytes one step of x is in a surface instruction: .b counts bytes, sust.p texels (4 bytes), sured.p elements
 * of its type. */
static unsigned surface_scale(const struct litmus_cell *cell)
{
    char text[200];
    size_t n = cell->size < sizeof text ? cell->size : sizeof text - 1;
    memcpy(text, cell->text, n);
    text[n] = 0;
    return !strstr(text, ".p.") ? 1 : strstr(text, "sured") && strstr(text, ".b64") ? 8 : 4;
}

static bool write_place(struct writer *w, unsigned index, const char *at, bool surface)
{
    const struct litmus_place *place = &w->test->places[index];
    if (surface != (place->space == LITMUS_SURFACE))
        return fail_cell(w, at, "'%s' is %s a surface, the instruction is %s for one", place->name,
                         surface ? "not in" : "in", surface ? "only" : "not");
    if (place->space == LITMUS_GLOBAL)
        fprintf(w->out, "%%%s_at", place->name);
    else if (place->space == LITMUS_SHARED)
        fprintf(w->out, "%s_at", place->name);
    else
        fprintf(w->out, "%%surface, {%u, %%row}", index * SURFACE_STEP / surface_scale(w->cell));
    return true;
}

/* A word of an instruction: register, location, or what it is. */
static bool write_word(struct writer *w, const char *word, size_t size, bool surface)
{
    unsigned place = litmus_find_place(w->test, word, size);
    if (litmus_register_bits(word, size))
        fprintf(w->out, "%%%.*s", (int)size, word);
    else if (place < w->test->nplaces)
        return write_place(w, place, word, surface);
    else
        fwrite(word, 1, size, w->out);
    return true;
}

static bool write_cell(struct writer *w, const struct litmus_cell *cell)
{
    const char *end = cell->text + cell->size, *p = cell->text;
    bool surface = false;
    char before = ' ';
    w->cell = cell;
    while (p < end) {
        const char *word = p;
        if (!isalnum((unsigned char)*p) && *p != '_') {
            before = *p;
            fputc(isspace((unsigned char)*p) ? ' ' : *p, w->out);
            p++;
            continue;
        }
        while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
            p++;
        bool plain = !isdigit((unsigned char)*word) && !strchr(".%$:", before);
        surface |= plain && in_surface(word, (size_t)(p - word));
        if (!plain)
            fwrite(word, 1, (size_t)(p - word), w->out);
        else if (!write_word(w, word, (size_t)(p - word), surface))
            return false;
        before = 'a';
    }
    say(w, before == ':' ? "\n" : ";\n");
    w->cell = NULL;
    return true;
}

/* ---- the frame -------------------------------------------------------------------------------------------- */

static const char *const letters[] = {[8] = "8", [16] = "16", [32] = "32", [64] = "64"};

static void write_head(struct writer *w)
{
    const struct litmus *t = w->test;
    say(w, ".version 8.3\n.target sm_90\n.address_size 64\n");
    for (unsigned i = 0; i < t->nplaces; i++)
        if (t->places[i].space == LITMUS_SHARED)
            say(w, ".shared .align 16 .b8 %s_at[16];\n", t->places[i].name);
    say(w,
        ".visible .entry litmus(.param .u64 memory, .param .u64 results, .param .u64 surface, .param .u32 spins)\n{\n"
        ".reg .b32 %%r<%d>;\n.reg .b64 %%rd<%d>;\n.reg .b16 %%h<%d>;\n.reg .f32 %%f<%d>;\n.reg .pred %%p<%d>;\n"
        ".reg .b128 %%q<%d>;\n",
        LITMUS_NUMBERS, LITMUS_NUMBERS, LITMUS_NUMBERS, LITMUS_NUMBERS, LITMUS_NUMBERS, LITMUS_NUMBERS);
    say(w, ".reg .b32 %%row, %%block, %%thread, %%spins, %%met;\n.reg .b64 %%surface, %%results, %%wide, %%meet;\n"
           ".reg .b16 %%byte;\n.reg .pred %%is;\n");
    say(w,
        "ld.param.u64 %%meet, [memory];\nld.param.u64 %%results, [results];\nld.param.u64 %%surface, [surface];\n"
        "ld.param.u32 %%spins, [spins];\nmov.u32 %%block, %%ctaid.x;\nmov.u32 %%row, %%ctaid.y;\n"
        "mov.u32 %%thread, %%tid.x;\nmul.wide.u32 %%wide, %%row, %llu;\nadd.u64 %%meet, %%meet, %%wide;\n"
        "mul.wide.u32 %%wide, %%row, %u;\nadd.u64 %%results, %%results, %%wide;\n",
        (unsigned long long)litmus_stride(t), 8 * LITMUS_OBSERVED);
    for (unsigned i = 0; i < t->nplaces; i++)
        if (t->places[i].space == LITMUS_GLOBAL)
            say(w, ".reg .b64 %%%s_at;\nadd.u64 %%%s_at, %%meet, %u;\n", t->places[i].name, t->places[i].name,
                i * LITMUS_PLACE_BYTES);
    say(w, "add.u64 %%meet, %%meet, %u;\n", t->nplaces * LITMUS_PLACE_BYTES);
}

static bool has_shared(const struct litmus *t)
{
    for (unsigned i = 0; i < t->nplaces; i++)
        if (t->places[i].space == LITMUS_SHARED)
            return true;
    return false;
}

/* Thread 0 of the block writes the initial values of shared memory; at the end it reads what is looked at. */
static void write_shared(struct writer *w, bool last)
{
    const struct litmus *t = w->test;
    if (!has_shared(t))
        return;
    if (last)
        say(w, "bar.sync 0;\n");
    say(w, "setp.ne.u32 %%is, %%thread, 0;\n@%%is bra %s;\n", last ? "LAST" : "FIRST");
    for (unsigned i = 0; !last && i < t->nplaces; i++)
        if (t->places[i].space == LITMUS_SHARED)
            say(w, "st.shared.u64 [%s_at], %llu;\n", t->places[i].name, (unsigned long long)t->places[i].initial);
    for (unsigned i = 0; last && i < t->nobserved; i++) {
        const struct litmus_observed *o = &t->observed[i];
        if (o->thread < 0 && t->places[o->place].space == LITMUS_SHARED)
            say(w, "mov.u64 %%wide, 0;\nld.shared.b%s %%wide, [%s_at];\nst.global.u64 [%%results + %u], %%wide;\n",
                letters[o->bits], o->name, 8 * i);
    }
    say(w, last ? "LAST:\n" : "FIRST:\nbar.sync 0;\n");
}

/* Waits a while for the other blocks of the instance: they then run their columns at about the same time. */
static void write_meeting(struct writer *w, unsigned i)
{
    if (w->test->blocks < 2)
        return;
    say(w,
        "setp.eq.u32 %%is, %%spins, 0;\n@%%is bra GO_%u;\natom.global.add.u32 %%met, [%%meet], 1;\nWAIT_%u:\n"
        "sub.u32 %%spins, %%spins, 1;\nld.volatile.global.u32 %%met, [%%meet];\nsetp.lt.u32 %%is, %%met, %u;\n"
        "setp.ne.and.u32 %%is, %%spins, 0, %%is;\n@%%is bra WAIT_%u;\nGO_%u:\n",
        i, i, w->test->nthreads, i, i);
}

static void write_results(struct writer *w, unsigned thread)
{
    for (unsigned i = 0; i < w->test->nobserved; i++) {
        const struct litmus_observed *o = &w->test->observed[i];
        if (o->thread != (int)thread)
            continue;
        if (o->name[0] == 'p')
            say(w, "selp.b64 %%wide, 1, 0, %%%s;\n", o->name);
        else if (o->name[0] == 'f')
            say(w, "mov.b32 %%met, %%%s;\ncvt.u64.u32 %%wide, %%met;\n", o->name);
        else if (o->bits == 64)
            say(w, "mov.b64 %%wide, %%%s;\n", o->name);
        else
            say(w, "cvt.u64.u%s %%wide, %%%s;\n", letters[o->bits], o->name);
        say(w, "st.global.u64 [%%results + %u], %%wide;\n", 8 * i);
    }
}

/* Lanes of one warp change places at branches only. */
static bool shares_warp(const struct litmus *t, unsigned thread)
{
    const struct litmus_thread *a = &t->threads[thread];
    for (unsigned i = 0; i < t->nthreads; i++)
        if (i != thread && t->threads[i].block == a->block && t->threads[i].thread / 32 == a->thread / 32)
            return true;
    return false;
}

static bool write_thread(struct writer *w, unsigned i)
{
    const struct litmus *t = w->test;
    const struct litmus_thread *thread = &t->threads[i];
    bool branches = shares_warp(t, i);
    say(w, "setp.ne.u32 %%is, %%block, %u;\n@%%is bra NEXT_%u;\nsetp.ne.u32 %%is, %%thread, %u;\n@%%is bra NEXT_%u;\n",
        thread->block, i, thread->thread, i);
    for (unsigned k = 0; k < t->nregisters; k++)
        if (t->registers[k].thread == i)
            say(w, "mov.b%s %%%s, %llu;\n", t->registers[k].name[1] == 'd' ? "64" : "32", t->registers[k].name,
                (unsigned long long)t->registers[k].value);
    write_meeting(w, i);
    say(w, "{\n");
    for (unsigned k = 0; k < t->nrows; k++) {
        if (!thread->cells[k].size)
            continue;
        if (branches)
            say(w, "setp.eq.u32 %%is, %%spins, %u;\n@%%is bra STEP_%u;\nSTEP_%u:\n", k, k, k);
        if (!write_cell(w, &thread->cells[k]))
            return false;
    }
    say(w, "}\n");
    write_results(w, i);
    say(w, "bra END;\nNEXT_%u:\n", i);
    return true;
}

bool litmus_emit(const struct litmus *test, struct litmus_kernel *kernel, struct litmus_error *error)
{
    *kernel = (struct litmus_kernel){0};
    struct writer w = {.test = test, .kernel = kernel, .error = error};
    *error = (struct litmus_error){.line = 1, .column = 1, .message = "out of memory"};
    w.out = open_memstream(&kernel->text, &kernel->size);
    if (!w.out)
        return false;
    write_head(&w);
    write_shared(&w, false);
    bool ok = true;
    for (unsigned i = 0; ok && i < test->nthreads; i++)
        ok = write_thread(&w, i);
    say(&w, "END:\n");
    write_shared(&w, true);
    say(&w, "ret;\n}\n");
    if (fclose(w.out) == 0 && ok)
        return true;
    free(kernel->text);
    kernel->text = NULL;
    return false;
}
