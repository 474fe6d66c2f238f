/* Recorded verdicts and files of Intel's tool: tables of columns. They lie beside the source tree
 * (../shared/corpora/visa); without them a sample in data/visa is read. ATOLL_VISA_DIR names another place. */
#ifndef ATOLL_TESTS_VISA_TABLES_H
#define ATOLL_TESTS_VISA_TABLES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#ifndef SHARED_DIR
#define SHARED_DIR "../shared/corpora"
#endif
#ifndef DATA_DIR
#define DATA_DIR "tests/data"
#endif

enum { TABLE_LINE = 1 << 20, TABLE_COLUMNS = 8 };

static inline gzFile table_open(const char *name)
{
    const char *places[] = {getenv("ATOLL_VISA_DIR"), SHARED_DIR "/visa", DATA_DIR "/visa"};
    for (unsigned i = 0; i < 3; i++) {
        char path[1000];
        if (!places[i])
            continue;
        snprintf(path, sizeof path, "%s/%s", places[i], name);
        gzFile file = gzopen(path, "rb");
        if (file)
            return file;
    }
    return NULL;
}

static inline unsigned table_split(char *line, char **columns)
{
    unsigned count = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *at = line; at && count < TABLE_COLUMNS; count++) {
        columns[count] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = 0;
    }
    return count;
}

/* "\n", "\t" and "\\" of a column. */
static inline size_t table_unescape(char *text)
{
    char *out = text;
    for (const char *at = text; *at; at++) {
        if (*at != '\\') {
            *out++ = *at;
            continue;
        }
        at++;
        *out++ = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at == 'r' ? '\r' : *at;
    }
    *out = 0;
    return (size_t)(out - text);
}

/* Letters that are none end it. */
static inline size_t table_base64(const char *text, uint8_t *out)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t used = 0;
    uint32_t bits = 0, have = 0;
    for (; *text && *text != '='; text++) {
        const char *found = strchr(letters, *text);
        if (!found)
            break;
        bits = bits << 6 | (uint32_t)(found - letters);
        have += 6;
        if (have >= 8) {
            have -= 8;
            out[used++] = (uint8_t)(bits >> have);
        }
    }
    return used;
}

#endif
