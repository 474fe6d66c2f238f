/* JSON as it is written: names, values, and the commas between them. One object of `atoll`, {"version", "kind"}, opens
 * every document (docs/json.md). */
#ifndef ATOLL_BASE_JSON_H
#define ATOLL_BASE_JSON_H

#include "base/text.h"

enum { JSON_VERSION = 1 };

struct json {
    struct text *out;
    bool comma; /* something stands before what comes next */
};

/* '{' or '[', and what ends it; `name` of a member, NULL in lists. */
void json_open(struct json *json, const char *name, char bracket);
void json_close(struct json *json, char bracket);
void json_string(struct json *json, const char *name, const char *value);
void json_bytes(struct json *json, const char *name, const char *value, size_t length);
void json_number(struct json *json, const char *name, uint64_t value);
void json_integer(struct json *json, const char *name, int64_t value);
/* null where it is no number. */
void json_real(struct json *json, const char *name, double value);
void json_bool(struct json *json, const char *name, bool value);
void json_numbers(struct json *json, const char *name, const uint32_t *values, unsigned count);
/* What is JSON already. */
void json_member(struct json *json, const char *name, const char *written, size_t length);
/* A document of this kind, to its first own member, and its end. */
void json_begin(struct json *json, struct text *out, const char *kind);
void json_end(struct json *json);

#endif
