/* Writes a litmus test as a PTX kernel. Each thread's column becomes a scope of its own, in which locations stand for
 * addresses of the instance:
 *
 *   [x]  in global memory -> [%x_at]      in shared memory -> [x_at]      in a surface -> [%surface, {offset, %row}]
 *
 * Where a surface names memory that has another name, too, the surface lies over the memory, else it has its own. Cells
 * of Dartagnan's dialect are written from what they were understood as (bare.c).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chars.h"
#include "litmus/kernel.h"

static bool fail_cell(struct writer *w, const char *at, const char *format, const char *name)
{
    return error_at(w->error, ATOLL_INPUT, w->cell->line, w->cell->column + (uint32_t)(at - w->cell->text), format,
                    name);
}

void kernel_say(struct writer *w, const char *format, ...)
{
    va_list args;
    char line[800];
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    for (int i = 0; i < n && line[i]; i++)
        if (line[i] == '\n') {
            if (w->line < LITMUS_LINES)
                w->kernel->cells[w->line] = w->cell;
            w->line++;
        }
    text_puts(&w->out, line);
}

bool litmus_overlaid(const struct litmus *test)
{
    bool overlaid = test->bare;
    for (unsigned i = 0; i < test->nplaces; i++)
        overlaid |= test->places[i].memory != i && test->places[i].proxy == LITMUS_SURFACES;
    return overlaid;
}

bool litmus_aliased(const struct litmus *test)
{
    bool aliased = false;
    for (unsigned i = 0; i < test->nplaces; i++)
        aliased |= test->places[i].address != test->places[i].memory;
    return aliased;
}

unsigned kernel_texel(const struct litmus *test, unsigned place)
{
    return litmus_overlaid(test) ? test->places[place].memory * LITMUS_PLACE_BYTES : place * LITMUS_TEXEL_BYTES;
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
    if (surface != (place->proxy == LITMUS_SURFACES))
        return fail_cell(w, at,
                         surface ? "'%s' is not in a surface, the instruction is only for one"
                                 : "'%s' is in a surface, the instruction is not for one",
                         place->name);
    if (place->proxy == LITMUS_CONSTANTS)
        return fail_cell(w, at, "'%s': memory that a kernel writes is no constant memory, this cannot be run",
                         place->name);
    if (surface)
        text_printf(&w->out, "%%surface, {%u, %%row}", kernel_texel(w->test, index) / surface_scale(w->cell));
    else
        text_printf(&w->out, place->space == LITMUS_GLOBAL ? "%%%s_at" : "%s_at", place->name);
    return true;
}

/* A word of an instruction: register, location, or what it is. */
static bool write_word(struct writer *w, const char *word, size_t size, bool surface)
{
    unsigned place = litmus_find_place(w->test, word, size);
    if (litmus_register_bits(w->test, word, size))
        text_printf(&w->out, "%%%.*s", (int)size, word);
    else if (place < w->test->nplaces)
        return write_place(w, place, word, surface);
    else
        text_add(&w->out, word, size);
    return true;
}

static bool blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool write_cell(struct writer *w)
{
    const char *end = w->cell->text + w->cell->size, *p = w->cell->text;
    bool surface = false;
    char before = ' ';
    while (p < end) {
        const char *word = p;
        if (!char_word(*p)) {
            before = *p;
            text_add(&w->out, blank(*p) ? " " : p, 1);
            p++;
            continue;
        }
        while (p < end && char_word(*p))
            p++;
        bool plain = char_digit(*word) > 9 && !strchr(".%$:", before);
        surface |= plain && in_surface(word, (size_t)(p - word));
        if (!plain)
            text_add(&w->out, word, (size_t)(p - word));
        else if (!write_word(w, word, (size_t)(p - word), surface))
            return false;
        before = 'a';
    }
    kernel_say(w, before == ':' ? "\n" : ";\n");
    return true;
}

/* ---- the frame -------------------------------------------------------------------------------------------- */

static const char *const letters[] = {[8] = "8", [16] = "16", [32] = "32", [64] = "64"};

static void write_registers(struct writer *w)
{
    int numbers = w->test->bare ? LITMUS_BARE_NUMBERS : LITMUS_NUMBERS;
    kernel_say(w,
               ".reg .b32 %%r<%d>;\n.reg .b64 %%rd<%d>;\n.reg .b16 %%h<%d>;\n.reg .f32 %%f<%d>;\n"
               ".reg .pred %%p<%d>;\n.reg .b128 %%q<%d>;\n",
               numbers, LITMUS_NUMBERS, LITMUS_NUMBERS, LITMUS_NUMBERS, LITMUS_NUMBERS, LITMUS_NUMBERS);
    kernel_say(w, ".reg .b32 %%row, %%block, %%thread, %%spins, %%met;\n"
                  ".reg .b64 %%surface, %%results, %%wide, %%meet, %%again;\n.reg .b16 %%byte;\n.reg .pred %%is;\n");
    if (w->spread)
        kernel_say(w, ".reg .b32 %%lane, %%word;\n");
}

/* Adds `count` steps between locations to an address. */
static void write_steps(struct writer *w, const char *to, const char *from, unsigned count)
{
    if (w->spread)
        kernel_say(w, "mul.wide.u32 %%wide, %%word, %u;\nadd.u64 %%%s, %%%s, %%wide;\n", count, to, from);
    else
        kernel_say(w, "add.u64 %%%s, %%%s, %u;\n", to, from, count * LITMUS_PLACE_BYTES);
}

/* %x_at of locations in global memory. */
static void write_addresses(struct writer *w)
{
    const struct litmus *t = w->test;
    if (w->spread)
        kernel_say(w, "ld.param.u32 %%word, [step];\n");
    for (unsigned i = 0; i < t->nplaces; i++) {
        const struct litmus_place *place = &t->places[i];
        char at[LITMUS_NAME + 4];
        if (place->space != LITMUS_GLOBAL)
            continue;
        snprintf(at, sizeof at, "%s_at", place->name);
        kernel_say(w, ".reg .b64 %%%s;\n", at);
        write_steps(w, at, t->places[place->address].memory == place->address ? "meet" : "again", place->memory);
    }
    write_steps(w, "meet", "meet", t->nplaces);
}

/* %row, the instance, and %wide, where its memory begins; %thread is the number within the instance. */
static void write_instance(struct writer *w)
{
    if (w->spread)
        kernel_say(w, "ld.param.u32 %%word, [lanes];\nand.b32 %%lane, %%thread, %%word;\n"
                      "sub.u32 %%thread, %%thread, %%lane;\nadd.u32 %%word, %%word, 1;\n"
                      "mad.lo.u32 %%row, %%row, %%word, %%lane;\nld.param.u32 %%word, [factor];\n"
                      "mad.lo.u32 %%word, %%block, 2, %%word;\nmul.lo.u32 %%row, %%row, %%word;\n"
                      "ld.param.u32 %%word, [mask];\nand.b32 %%row, %%row, %%word;\n"
                      "ld.param.u32 %%word, [stride];\nmul.wide.u32 %%wide, %%row, %%word;\n");
    else
        kernel_say(w, "mul.wide.u32 %%wide, %%row, %llu;\n", (unsigned long long)litmus_stride(w->test));
}

static void write_head(struct writer *w)
{
    const struct litmus *t = w->test;
    kernel_say(w, ".version 8.3\n.target sm_90\n.address_size 64\n");
    for (unsigned i = 0; i < t->nplaces; i++)
        if (t->places[i].space == LITMUS_SHARED)
            kernel_say(w, ".shared .align 16 .b8 %s_at[16];\n", t->places[i].name);
    kernel_say(w,
               ".visible .entry litmus(.param .u64 memory, .param .u64 results, .param .u64 surface, "
               ".param .u32 spins, .param .u64 again%s)\n{\n",
               w->spread ? ", .param .u32 stride, .param .u32 step, .param .u32 lanes, .param .u32 factor, "
                           ".param .u32 mask, .param .u32 delay"
                         : "");
    write_registers(w);
    kernel_say(w, "ld.param.u64 %%meet, [memory];\nld.param.u64 %%again, [again];\nld.param.u64 %%results, [results];\n"
                  "ld.param.u64 %%surface, [surface];\nld.param.u32 %%spins, [spins];\nmov.u32 %%block, %%ctaid.x;\n"
                  "mov.u32 %%row, %%ctaid.y;\nmov.u32 %%thread, %%tid.x;\n");
    write_instance(w);
    kernel_say(w,
               "add.u64 %%meet, %%meet, %%wide;\nadd.u64 %%again, %%again, %%wide;\n"
               "mul.wide.u32 %%wide, %%row, %u;\nadd.u64 %%results, %%results, %%wide;\n",
               8 * LITMUS_OBSERVED);
    write_addresses(w);
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
        kernel_say(w, "bar.sync 15;\n");
    kernel_say(w, "setp.ne.u32 %%is, %%thread, 0;\n@%%is bra %s;\n", last ? "LAST" : "FIRST");
    for (unsigned i = 0; !last && i < t->nplaces; i++)
        if (t->places[i].space == LITMUS_SHARED)
            kernel_say(w, "st.shared.u64 [%s_at], %llu;\n", t->places[i].name,
                       (unsigned long long)t->places[i].initial);
    for (unsigned i = 0; last && i < t->nobserved; i++) {
        const struct litmus_observed *o = &t->observed[i];
        if (o->thread < 0 && t->places[o->place].space == LITMUS_SHARED)
            kernel_say(w,
                       "mov.u64 %%wide, 0;\nld.shared.b%s %%wide, [%s_at];\nst.global.u64 [%%results + %u], %%wide;\n",
                       letters[o->bits], o->name, 8 * i);
    }
    kernel_say(w, last ? "LAST:\n" : "FIRST:\nbar.sync 15;\n");
}

/* Up to 63 rounds, others for each instance and thread; none where `delay` is 0. */
static void write_delay(struct writer *w, unsigned i)
{
    kernel_say(w,
               "ld.param.u32 %%word, [delay];\nmad.lo.u32 %%met, %%row, 0x9e3779b1, %u;\n"
               "mul.lo.u32 %%met, %%met, %%word;\nshr.u32 %%met, %%met, 26;\nLATE_%u:\nsetp.eq.u32 %%is, %%met, 0;\n"
               "@%%is bra ON_%u;\nsub.u32 %%met, %%met, 1;\nmov.u32 %%word, %%clock;\n"
               "setp.ne.u32 %%is, %%word, 0xffffffff;\n@%%is bra LATE_%u;\nON_%u:\n",
               i * 0x85ebca6bu, i, i, i, i);
    /* Lanes that are instances go on together: barriers want whole warps. */
    kernel_say(w, "ld.param.u32 %%word, [lanes];\nsetp.eq.u32 %%is, %%word, 0;\nmov.u32 %%lane, %%lanemask_eq;\n"
                  "selp.b32 %%lane, %%lane, 0xffffffff, %%is;\nbar.warp.sync %%lane;\n");
}

/* Waits a while for the other threads of the instance: they then run their columns at about the same time. */
static void write_meeting(struct writer *w, unsigned i)
{
    if (w->spread ? w->test->nthreads < 2 : w->test->blocks < 2)
        return;
    kernel_say(w,
               "setp.eq.u32 %%is, %%spins, 0;\n@%%is bra GO_%u;\natom.global.add.u32 %%met, [%%meet], 1;\nWAIT_%u:\n"
               "sub.u32 %%spins, %%spins, 1;\nld.volatile.global.u32 %%met, [%%meet];\nsetp.lt.u32 %%is, %%met, %u;\n"
               "setp.ne.and.u32 %%is, %%spins, 0, %%is;\n@%%is bra WAIT_%u;\nGO_%u:\n",
               i, i, w->test->nthreads, i, i);
    if (w->spread)
        write_delay(w, i);
}

static void write_results(struct writer *w, unsigned thread)
{
    for (unsigned i = 0; i < w->test->nobserved; i++) {
        const struct litmus_observed *o = &w->test->observed[i];
        if (o->thread != (int)thread)
            continue;
        if (o->name[0] == 'p')
            kernel_say(w, "selp.b64 %%wide, 1, 0, %%%s;\n", o->name);
        else if (o->name[0] == 'f')
            kernel_say(w, "mov.b32 %%met, %%%s;\ncvt.u64.u32 %%wide, %%met;\n", o->name);
        else if (o->bits == 64)
            kernel_say(w, "mov.b64 %%wide, %%%s;\n", o->name);
        else
            kernel_say(w, "cvt.u64.u%s %%wide, %%%s;\n", letters[o->bits], o->name);
        kernel_say(w, "st.global.u64 [%%results + %u], %%wide;\n", 8 * i);
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

static bool write_rows(struct writer *w, unsigned i)
{
    const struct litmus *t = w->test;
    bool branches = shares_warp(t, i);
    for (unsigned k = 0; k < t->nrows; k++) {
        w->cell = &t->threads[i].cells[k];
        if (!w->cell->size)
            continue;
        if (branches)
            kernel_say(w, "setp.eq.u32 %%is, %%spins, %u;\n@%%is bra STEP_%u;\nSTEP_%u:\n", k, k, k);
        if (!(t->bare ? kernel_bare_cell(w, i, k) : write_cell(w)))
            return false;
    }
    w->cell = NULL;
    return true;
}

static bool write_thread(struct writer *w, unsigned i)
{
    const struct litmus *t = w->test;
    const struct litmus_thread *thread = &t->threads[i];
    kernel_say(w,
               "setp.ne.u32 %%is, %%block, %u;\n@%%is bra NEXT_%u;\nsetp.ne.u32 %%is, %%thread, %u;\n"
               "@%%is bra NEXT_%u;\n",
               thread->block, i, thread->thread, i);
    for (unsigned k = 0; k < t->nregisters; k++)
        if (t->registers[k].thread == i)
            kernel_say(w, "mov.b%s %%%s, %llu;\n", t->registers[k].name[1] == 'd' ? "64" : "32", t->registers[k].name,
                       (unsigned long long)t->registers[k].value);
    write_meeting(w, i);
    kernel_say(w, "{\n");
    if (!write_rows(w, i))
        return false;
    kernel_say(w, "}\n");
    write_results(w, i);
    kernel_say(w, "bra END;\nNEXT_%u:\n", i);
    return true;
}

static bool write_kernel(struct writer *w)
{
    write_head(w);
    write_shared(w, false);
    for (unsigned i = 0; i < w->test->nthreads; i++)
        if (!write_thread(w, i))
            return false;
    kernel_say(w, "END:\n");
    write_shared(w, true);
    kernel_say(w, "ret;\n}\n");
    return true;
}

static bool emit(const struct litmus *test, bool spread, struct litmus_kernel *kernel, struct atoll_error *error)
{
    *kernel = (struct litmus_kernel){0};
    struct program *program = test->bare ? malloc(sizeof *program) : NULL;
    struct writer w = {.test = test, .spread = spread, .kernel = kernel, .program = program, .error = error};
    if (test->bare && !program)
        return error_memory(error);
    bool ok = (!test->bare || litmus_decode(test, program, error)) && write_kernel(&w);
    free(program);
    if (ok && !text_ok(&w.out))
        ok = error_memory(error);
    if (!ok) {
        text_free(&w.out);
        return false;
    }
    kernel->text = w.out.bytes;
    kernel->size = w.out.length;
    return true;
}

bool litmus_emit(const struct litmus *test, struct litmus_kernel *kernel, struct atoll_error *error)
{
    return emit(test, false, kernel, error);
}

bool litmus_emit_spread(const struct litmus *test, struct litmus_kernel *kernel, struct atoll_error *error)
{
    return emit(test, true, kernel, error);
}

/* Lanes stand for instances where every thread is the first of its warp and nothing is the block's alone. */
bool litmus_fills_lanes(const struct litmus *test)
{
    bool fills = !has_shared(test);
    for (unsigned i = 0; i < test->nthreads; i++) {
        fills = fills && test->threads[i].thread % 32 == 0;
        for (unsigned k = 0; k < test->nrows; k++) {
            const struct litmus_cell *cell = &test->threads[i].cells[k];
            fills = fills && !(cell->size && memchr(cell->text, '%', cell->size));
        }
    }
    return fills;
}
