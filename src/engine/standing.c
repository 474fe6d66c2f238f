/* Where the threads of a launch are that a limit or the caller has stopped: how many are at which line, of which
 * blocks. Lanes of a warp run, or wait: for their turn, for others at a barrier, on the stack of tokens. */
#include "engine/run.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES_KEPT = 256, PLACES_TOLD = 4, BLOCKS_TOLD = 3 };

enum how { AT, WAITING, RESUMING };

struct standing {
    const struct decoded *at;
    const struct lane_source *source;
    uint32_t how;
    uint64_t threads;
};

struct standings {
    const struct run *run;
    struct standing *places; /* room for PLACES_KEPT */
    uint32_t nplaces;
    uint64_t blocks, threads, lost; /* lost: threads at a barrier that compiled code does not tell */
    uint32_t first[BLOCKS_TOLD][3]; /* blocks */
};

/* ---- counting ---------------------------------------------------------------------------------------------- */

static const struct lane_source *source_of(const struct decoded *at)
{
    const struct lane_line *line = lane_source_of(decoded_written(at), at->inst->line);
    return line ? line->source : NULL;
}

static bool same_source(const struct lane_source *a, const struct lane_source *b)
{
    for (; a != b; a = a->caller, b = b->caller)
        if (!a || !b || a->line != b->line || strcmp(a->file, b->file) != 0)
            return false;
    return true;
}

/* Instructions of one line are one place. */
static bool same_place(const struct standing *s, const struct decoded *at, const struct lane_source *source)
{
    if (source || s->source)
        return source && s->source && same_source(s->source, source);
    return decoded_written(s->at) == decoded_written(at) && s->at->inst->line == at->inst->line;
}

static void add(struct standings *all, const struct decoded *at, enum how how, uint32_t lanes)
{
    uint32_t threads = (uint32_t)__builtin_popcount(lanes), i = 0;
    at = decoded_standing(at);
    const struct lane_source *source = source_of(at);
    while (i < all->nplaces && !(all->places[i].how == how && same_place(&all->places[i], at, source)))
        i++;
    if (i == PLACES_KEPT)
        return;
    if (i == all->nplaces)
        all->places[all->nplaces++] = (struct standing){at, source, how, 0};
    all->places[i].threads += threads;
}

/* Lanes that wait in one activation. A lane that was held waits after what holds it. */
static void count_waiting(struct standings *all, const struct func *func, uint32_t waiting, uint32_t blocked,
                          bool single, uint32_t lowest, const uint32_t at[LANES])
{
    for (; waiting; waiting &= waiting - 1) {
        unsigned lane = (unsigned)__builtin_ctz(waiting);
        uint32_t point = single ? lowest : at[lane];
        bool held = blocked >> lane & 1;
        if (point < func->npoints)
            add(all, func_decoded(func, point) - held, held ? WAITING : AT, UINT32_C(1) << lane);
    }
}

static void count_tokens(struct standings *all, const struct warp *warp)
{
    uint32_t left = warp->live & ~warp->frame.exec;
    for (uint32_t i = warp->ntokens; i-- > 0 && left;) {
        const struct token *token = &warp->tokens[i];
        if (token->lanes & left && token->point < warp->func->npoints)
            add(all, func_decoded(warp->func, token->point), RESUMING, token->lanes & left);
        left &= ~token->lanes;
    }
}

static void count_warp(struct standings *all, const struct warp *warp)
{
    bool held = warp->state == WARP_BLOCKED;
    uint32_t running = warp->frame.exec & warp->live & ~warp->spare;
    if (warp->pc && running)
        add(all, warp_at(warp) - held, held ? WAITING : AT, running);
    if (warp->stacked)
        count_tokens(all, warp);
    else
        count_waiting(all, warp->func, warp->waiting & ~warp->spare, warp->blocked & ~warp->rested, warp->single,
                      warp->lowest, warp->at);
    for (uint32_t i = 0; warp->ncalls && i <= warp->last_activation; i++) {
        const struct activation *a = &warp->activations[i];
        if (i != warp->here && a->func)
            count_waiting(all, a->func, a->waiting, a->blocked, a->single, a->lowest, a->at);
    }
}

static void count_block(struct standings *all, const struct block *block)
{
    if (!block->busy || !block->live)
        return;
    if (all->blocks < BLOCKS_TOLD)
        memcpy(all->first[all->blocks], block->id, sizeof block->id);
    all->blocks++;
    all->threads += block->live;
    if (block->lost) {
        all->lost += block->live;
        return;
    }
    for (uint32_t i = 0; i < block->nwarps; i++)
        if (block->warps[i].live && block->warps[i].state != WARP_DONE)
            count_warp(all, &block->warps[i]);
}

/* Those that run come first, then by how many they are. */
static int by_threads(const void *a, const void *b)
{
    const struct standing *x = a, *y = b;
    if ((x->how == AT) != (y->how == AT))
        return x->how == AT ? -1 : 1;
    if (x->threads != y->threads)
        return x->threads > y->threads ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* ---- telling ----------------------------------------------------------------------------------------------- */

/* The only barrier of the kernel's function, if it has one. */
static const struct decoded *only_barrier(const struct run *run)
{
    const struct func *kernel = &run->program->funcs[run->program->kernel];
    const struct decoded *found = NULL;
    for (uint32_t i = 0; i < kernel->ndecoded; i++) {
        const struct decoded *at = &kernel->decoded[i];
        if (at->op != LANE_OP_bar && at->op != LANE_OP_barred)
            continue;
        if (found)
            return NULL;
        found = at;
    }
    return found;
}

static void put_blocks(const struct standings *all, struct text *out)
{
    text_puts(out, all->blocks > 1 ? "; blocks " : "; block ");
    for (uint64_t i = 0; i < all->blocks && i < BLOCKS_TOLD; i++)
        text_printf(out, "%s(%u, %u, %u)", i ? ", " : "", all->first[i][0], all->first[i][1], all->first[i][2]);
    if (all->blocks > BLOCKS_TOLD)
        text_printf(out, " and %llu more", (unsigned long long)(all->blocks - BLOCKS_TOLD));
}

static void put_standing(const struct standing *s, bool first, struct text *out)
{
    static const char *const words[] = {"at", "waiting at", "waiting to go on at"};
    char place[PLACE_BYTES];
    short_place(s->at, place);
    text_printf(out, "%s %llu thread%s %s %.240s", first ? ":" : ",", (unsigned long long)s->threads,
                s->threads > 1 ? "s" : "", words[s->how], place);
}

static void put_threads(const struct standings *all, struct text *out)
{
    uint64_t told = 0;
    uint32_t i = 0;
    for (; i < all->nplaces && i < PLACES_TOLD; i++) {
        put_standing(&all->places[i], i == 0, out);
        told += all->places[i].threads;
    }
    if (all->lost)
        text_printf(out, "%s %llu threads at a barrier", i ? "," : ":", (unsigned long long)all->lost);
    if (all->threads > told + all->lost)
        text_printf(out, "%s %llu elsewhere", i || all->lost ? "," : ":",
                    (unsigned long long)(all->threads - told - all->lost));
}

/* Where it was, in a word: where most threads run. */
static void put_place(const struct standings *all, struct text *out)
{
    char place[PLACE_BYTES];
    const struct decoded *at = all->nplaces ? all->places[0].at : all->lost ? only_barrier(all->run) : NULL;
    if (!at)
        return;
    decoded_place(all->run, at, place);
    text_printf(out, " at %.500s", place);
}

static void say(const struct standings *all, struct run *run)
{
    struct text place = {0}, rest = {0};
    char title[TITLE_BYTES];
    kernel_title(run, title);
    put_place(all, &place);
    if (all->blocks) {
        put_blocks(all, &rest);
        put_threads(all, &rest);
    }
    const char *where = place.length ? place.bytes : "", *threads = rest.length ? rest.bytes : "";
    if (run->limit)
        error_set(run->error, run->stopped, "kernel '%.200s' was stopped%s: the %s limit is reached%s", title, where,
                  run->limit, threads);
    else
        error_set(run->error, run->stopped, "kernel '%.200s' was interrupted%s%s", title, where, threads);
    text_free(&place);
    text_free(&rest);
}

void standing_report(struct run *run, const struct worker *workers, unsigned count)
{
    struct standings all = {.run = run, .places = calloc(PLACES_KEPT, sizeof(struct standing))};
    if (!all.places) {
        error_memory(run->error);
        return;
    }
    for (unsigned i = 0; i < count; i++)
        for (uint32_t k = 0; k < workers[i].nblocks; k++)
            count_block(&all, &workers[i].blocks[k]);
    if (all.nplaces)
        qsort(all.places, all.nplaces, sizeof *all.places, by_threads);
    say(&all, run);
    free(all.places);
}
