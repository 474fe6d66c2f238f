/* JSON as it is written. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void name_put(struct json *json, const char *name)
{
    if (json->comma)
        text_puts(json->out, ",");
    json->comma = true;
    if (!name)
        return;
    text_json(json->out, name, strlen(name));
    text_puts(json->out, ":");
}

void json_open(struct json *json, const char *name, char bracket)
{
    name_put(json, name);
    text_add(json->out, &bracket, 1);
    json->comma = false;
}

void json_close(struct json *json, char bracket)
{
    text_add(json->out, &bracket, 1);
    json->comma = true;
}

void json_bytes(struct json *json, const char *name, const char *value, size_t length)
{
    name_put(json, name);
    text_json(json->out, value, length);
}

void json_string(struct json *json, const char *name, const char *value)
{
    json_bytes(json, name, value, strlen(value));
}

void json_number(struct json *json, const char *name, uint64_t value)
{
    name_put(json, name);
    text_printf(json->out, "%" PRIu64, value);
}

void json_integer(struct json *json, const char *name, int64_t value)
{
    name_put(json, name);
    text_printf(json->out, "%" PRId64, value);
}

void json_real(struct json *json, const char *name, double value)
{
    name_put(json, name);
    if (isfinite(value))
        text_printf(json->out, "%.9g", value);
    else
        text_puts(json->out, "null");
}

void json_bool(struct json *json, const char *name, bool value)
{
    name_put(json, name);
    text_puts(json->out, value ? "true" : "false");
}

void json_numbers(struct json *json, const char *name, const uint32_t *values, unsigned count)
{
    json_open(json, name, '[');
    for (unsigned i = 0; i < count; i++)
        json_number(json, NULL, values[i]);
    json_close(json, ']');
}

void json_member(struct json *json, const char *name, const char *written, size_t length)
{
    name_put(json, name);
    text_add(json->out, written, length);
}

void json_begin(struct json *json, struct text *out, const char *kind)
{
    *json = (struct json){.out = out};
    json_open(json, NULL, '{');
    json_open(json, "atoll", '{');
    json_number(json, "version", JSON_VERSION);
    json_string(json, "kind", kind);
    json_close(json, '}');
}

void json_end(struct json *json)
{
    json_close(json, '}');
    text_puts(json->out, "\n");
}
