/* What lines of PTX become, as text of the lane program. They stand below forms_heading, whose registers they may use.
 */
#ifndef ATOLL_TESTS_PTX_LINES_H
#define ATOLL_TESTS_PTX_LINES_H

#include "ptx_text.h"

#include "ptx_forms.h"

/* The lane program of a module of `lines`; every line must be accepted. */
static inline void lines_lower(const char *lines, bool fmad, struct text *out)
{
    struct text source = {0};
    struct parsed p;
    struct lane_module lanes = {0};
    struct atoll_error error = {0};
    forms_heading(&source, "9.0", "sm_90");
    text_printf(&source, "%s\nret; }\n", lines);
    assert_true(text_ok(&source));
    parse_bytes(&p, source.bytes, source.length);
    if (!ptx_check(p.module, &p.diag))
        fail_msg("%s%s", p.messages.bytes, p.texts.bytes);
    p.module->fmad = fmad;
    if (!ptx_lower(p.module, &lanes, &error) || !lane_verify(&lanes, &error))
        fail_msg("%u: %s", error.line, error.message);
    lane_print(&lanes, out);
    lane_module_free(&lanes);
    parsed_free(&p);
    text_free(&source);
    assert_true(text_ok(out));
}

/* What one line of instructions becomes: "; " between the lane program's, without the source line at their ends. */
static inline void lines_become(const char *line, bool fmad, struct text *found)
{
    struct text out = {0};
    char mark[20];
    snprintf(mark, sizeof mark, " !%u\n", FORMS_HEADING_LINES + 1);
    lines_lower(line, fmad, &out);
    text_puts(found, "");
    for (char *at = out.bytes, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        size_t length = (size_t)(end + 1 - at), tail = strlen(mark), blanks = strspn(at, " ");
        if (length <= tail || memcmp(end + 1 - tail, mark, tail) != 0)
            continue;
        text_puts(found, found->length ? "; " : "");
        text_add(found, at + blanks, length - tail - blanks);
    }
    text_free(&out);
    assert_true(text_ok(found));
}

#endif
