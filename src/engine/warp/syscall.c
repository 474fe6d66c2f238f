/* Host services that device code may call: vprintf, malloc, free, __assertfail. */
#include "base/text.h"
#include "engine/run.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STRING = 1 << 20 };

static uint64_t argument(const struct warp *w, const struct decoded *at, unsigned k, unsigned lane)
{
    return decoded_operand(w, at, at->ndst + k, lane);
}

static void result(struct warp *w, const struct decoded *at, unsigned k, unsigned lane, uint32_t value)
{
    if (k < at->ndst && at->offsets[k] != KERNEL_NONE)
        memcpy(w->frame.regs + at->offsets[k] + 4 * (size_t)lane, &value, sizeof value);
}

/* A terminated string in device memory, byte by byte: it may end anywhere. False after a trap. */
static bool read_string(struct warp *w, const struct decoded *at, unsigned lane, uint64_t address, struct text *out)
{
    for (uint64_t i = 0; i < MAX_STRING; i++) {
        const unsigned char *from = warp_pointer(w, at, lane, LANE_GENERIC, address + i, 1, false, NULL);
        if (!from)
            return false;
        if (!*from)
            return true;
        text_add(out, (const char *)from, 1);
    }
    return true;
}

/* ---- printf ----------------------------------------------------------------------------------------------- */

/* The argument buffer: each argument at its natural alignment, 4 or 8 bytes (CUDA: vprintf's second parameter). */
struct cursor {
    struct warp *warp;
    const struct decoded *at;
    unsigned lane;
    uint64_t address;
};

static bool take(struct cursor *c, unsigned bytes, void *value)
{
    c->address = (c->address + bytes - 1) & ~(uint64_t)(bytes - 1);
    const unsigned char *from = warp_pointer(c->warp, c->at, c->lane, LANE_GENERIC, c->address, bytes, false, NULL);
    if (!from)
        return false;
    if (c->warp->worker->run->checking)
        checked_read(c->warp, c->at, c->lane, c->address, from, bytes);
    memcpy(value, from, bytes);
    c->address += bytes;
    return true;
}

/* One conversion: %[flags][width][.precision][length]specifier, copied so that the host's printf sees a checked one. */
struct conversion {
    char flags[8];
    int width, precision; /* -1: not given */
    bool star_width, star_precision;
    int longs; /* number of l's (or 2 for j, z, t) */
    char specifier;
};

static const char *parse_number(const char *p, const char *end, int *value)
{
    *value = 0;
    while (p < end && isdigit((unsigned char)*p) && *value < 100000)
        *value = *value * 10 + (*p++ - '0');
    return p;
}

static const char *parse_conversion(const char *p, const char *end, struct conversion *c)
{
    size_t n = 0;
    *c = (struct conversion){.width = -1, .precision = -1};
    for (; p < end && strchr("-+ #0", *p) && *p; p++)
        if (n < 5 && !strchr(c->flags, *p))
            c->flags[n++] = *p;
    if (p < end && *p == '*') {
        c->star_width = true;
        p++;
    } else if (p < end && isdigit((unsigned char)*p)) {
        p = parse_number(p, end, &c->width);
    }
    if (p < end && *p == '.') {
        p++;
        if (p < end && *p == '*') {
            c->star_precision = true;
            p++;
        } else {
            p = parse_number(p, end, &c->precision);
        }
    }
    for (; p < end && strchr("hlLqjzt", *p) && *p; p++)
        c->longs += *p == 'l' ? 1 : *p == 'h' || *p == 'L' ? 0 : 2;
    c->specifier = p < end ? *p++ : 0;
    return p;
}

static void format_spec(const struct conversion *c, const char *length, char *out, size_t size)
{
    char width[16] = "", precision[16] = "";
    if (c->width >= 0)
        snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(out, size, "%%%s%s%s%s%c", c->flags, width, precision, length, c->specifier);
}

/* The checked specification goes to the host's printf. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static bool print_integer(struct cursor *cursor, const struct conversion *c, struct text *out)
{
    char spec[64];
    uint64_t wide = 0;
    uint32_t narrow = 0;
    format_spec(c, c->longs ? "ll" : "", spec, sizeof spec);
    if (!(c->longs ? take(cursor, 8, &wide) : take(cursor, 4, &narrow)))
        return false;
    if (c->longs)
        text_printf(out, spec, (unsigned long long)wide);
    else if (c->specifier == 'c')
        text_printf(out, spec, (int)(unsigned char)narrow);
    else
        text_printf(out, spec, narrow);
    return true;
}

static bool print_real(struct cursor *cursor, const struct conversion *c, struct text *out)
{
    char spec[64];
    double value;
    format_spec(c, "", spec, sizeof spec);
    if (!take(cursor, 8, &value))
        return false;
    text_printf(out, spec, value);
    return true;
}

static bool print_string(struct cursor *cursor, const struct conversion *c, struct text *out)
{
    char spec[64];
    uint64_t address = 0;
    struct text string = {0};
    format_spec(c, "", spec, sizeof spec);
    bool ok = take(cursor, 8, &address) && read_string(cursor->warp, cursor->at, cursor->lane, address, &string);
    if (ok)
        text_printf(out, spec, string.bytes ? string.bytes : "");
    text_free(&string);
    return ok;
}
#pragma GCC diagnostic pop

/* '*' widths and precisions are arguments too. */
static bool take_stars(struct cursor *cursor, struct conversion *c)
{
    int32_t star;
    if (c->star_width) {
        if (!take(cursor, 4, &star))
            return false;
        c->width = (int)((star < 0 ? -(int64_t)star : star) % 100000);
    }
    if (c->star_precision) {
        if (!take(cursor, 4, &star))
            return false;
        c->precision = star < 0 ? -1 : star % 100000;
    }
    return true;
}

static bool print_one(struct cursor *cursor, struct conversion *c, struct text *out)
{
    uint64_t pointer = 0;
    if (!take_stars(cursor, c))
        return false;
    if (c->specifier && strchr("diuxXo", c->specifier))
        return print_integer(cursor, c, out);
    if (c->specifier && strchr("eEfFgGaA", c->specifier))
        return print_real(cursor, c, out);
    switch (c->specifier) {
    case 'c':
        c->longs = 0;
        return print_integer(cursor, c, out);
    case 's':
        return print_string(cursor, c, out);
    case 'p':
        if (!take(cursor, 8, &pointer))
            return false;
        text_printf(out, "0x%llx", (unsigned long long)pointer);
        return true;
    case '%':
        text_puts(out, "%");
        return true;
    default: /* not a conversion: shown as it is */
        text_puts(out, "%");
        if (c->specifier)
            text_add(out, &c->specifier, 1);
        return true;
    }
}

static bool print_lane(struct warp *w, const struct decoded *at, unsigned lane, struct text *out)
{
    struct text format = {0};
    struct cursor cursor = {w, at, lane, argument(w, at, 1, lane)};
    bool ok = read_string(w, at, lane, argument(w, at, 0, lane), &format);
    const char *p = format.bytes, *end = p ? p + format.length : p;
    while (ok && p < end) {
        const char *percent = memchr(p, '%', (size_t)(end - p));
        text_add(out, p, (size_t)((percent ? percent : end) - p));
        if (!percent)
            break;
        struct conversion conversion;
        p = parse_conversion(percent + 1, end, &conversion);
        ok = print_one(&cursor, &conversion, out);
    }
    text_free(&format);
    return ok;
}

static void emit(struct run *run, const struct text *text)
{
    if (!run->launch->print || !text->length)
        return;
    while (atomic_flag_test_and_set_explicit(&run->print_lock, memory_order_acquire))
        ;
    run->launch->print(run->launch->user, text->bytes, text->length);
    atomic_flag_clear_explicit(&run->print_lock, memory_order_release);
}

static bool vprintf_lanes(struct warp *w, const struct decoded *at, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        struct text text = {0};
        bool ok = print_lane(w, at, lane, &text);
        emit(w->worker->run, &text);
        text_free(&text);
        if (!ok)
            return false;
        result(w, at, 0, lane, 1);
    }
    return true;
}

/* ---- heap and assertions ----------------------------------------------------------------------------------------- */

static void malloc_lanes(struct warp *w, const struct decoded *at, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        uint64_t size = argument(w, at, 0, lane), address = 0;
        if (size == 0 || !space_alloc(device_space(w->worker->run->program->device), size, false, true, &address, NULL))
            address = 0; /* CUDA: malloc returns NULL when the heap is used up */
        if (address && w->worker->run->checking)
            check_malloc(w, at, lane, address, size);
        result(w, at, 0, lane, (uint32_t)address);
        result(w, at, 1, lane, (uint32_t)(address >> 32));
    }
}

/* What malloc did not return, or somebody has freed: mostly a pointer into an allocation, or to one that was. */
static bool bad_free(struct warp *w, const struct decoded *at, unsigned lane, uint64_t address)
{
    const struct run *run = w->worker->run;
    const struct space *space = device_space(run->program->device);
    struct space_block block;
    char where[WHERE_BYTES], why[WHERE_BYTES + 40] = "malloc did not return";
    if (space_find(space, address, &block)) {
        address_inside(run, address, where, sizeof where);
        snprintf(why, sizeof why, "malloc did not return: %s", where);
    } else if (space_freed(space, address, &block)) {
        bool again = block.heap && block.address == address;
        snprintf(why, sizeof why, "%s: byte %llu of the allocation 0x%llx with %llu bytes",
                 again ? "was freed already" : "was freed, and malloc did not return",
                 (unsigned long long)(address - block.address), (unsigned long long)block.address,
                 (unsigned long long)block.size);
    }
    warp_trap(w, at, UINT32_C(1) << lane, "bad-free", address, NULL, "free of 0x%llx, which %s",
              (unsigned long long)address, why);
    return false;
}

static bool free_lanes(struct warp *w, const struct decoded *at, uint32_t lanes)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        uint64_t address = argument(w, at, 0, lane);
        if (address && !space_free(device_space(w->worker->run->program->device), address, true, NULL))
            return bad_free(w, at, lane, address);
    }
    return true;
}

static void assertion(struct warp *w, const struct decoded *at, uint32_t lanes)
{
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    struct text message = {0}, file = {0}, function = {0};
    if (read_string(w, at, lane, argument(w, at, 0, lane), &message) &&
        read_string(w, at, lane, argument(w, at, 1, lane), &file) &&
        read_string(w, at, lane, argument(w, at, 3, lane), &function))
        warp_trap(w, at, lanes, "assert", 0, NULL, "%s:%u: %s: assertion `%s' failed", file.bytes ? file.bytes : "",
                  (uint32_t)argument(w, at, 2, lane), function.bytes ? function.bytes : "",
                  message.bytes ? message.bytes : "");
    text_free(&message);
    text_free(&file);
    text_free(&function);
}

bool warp_syscall(struct warp *w, const struct decoded *at, uint32_t lanes)
{
    switch (at->inst->mode) {
    case LANE_SYSCALL_VPRINTF:
        return vprintf_lanes(w, at, lanes);
    case LANE_SYSCALL_MALLOC:
        malloc_lanes(w, at, lanes);
        return true;
    case LANE_SYSCALL_FREE:
        return free_lanes(w, at, lanes);
    default:
        assertion(w, at, lanes);
        return false;
    }
}
