/* Finds and runs the vendor's tools, on files in a folder of their own. */
#include "tools.h"

#include "atoll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ptx_file[] = "k.ptx", cubin_file[] = "k.cubin";

static bool knows_maxwell(const char *program)
{
    char command[600], line[300];
    bool found = false;
    snprintf(command, sizeof command, "%s --version 2>/dev/null", program);
    FILE *pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe)) {
        const char *release = strstr(line, "release ");
        int major = release ? atoi(release + 8) : 0;
        found |= major == 11 || major == 12;
    }
    if (pipe)
        pclose(pipe);
    return found;
}

/* In the folder that ptxas was named in; else on the PATH. */
static void find_linker(struct tools *tools)
{
    const char *slash = tools->ptxas ? strrchr(tools->ptxas, '/') : NULL;
    size_t length = slash ? (size_t)(slash + 1 - tools->ptxas) : 0;
    snprintf(tools->nvlink, sizeof tools->nvlink, "%.*snvlink", (int)length, tools->ptxas ? tools->ptxas : "");
    if (!tools->ptxas || !knows_maxwell(tools->nvlink))
        tools->nvlink[0] = 0;
}

static const char *find(const char *variable, const char *name)
{
    const char *named = getenv(variable), *program = named ? named : name;
    return knows_maxwell(program) ? program : NULL;
}

void tools_open(struct tools *tools)
{
    *tools = (struct tools){.folder = "/tmp/atoll-differential-XXXXXX"};
    if (!mkdtemp(tools->folder))
        return;
    tools->ptxas = find("ATOLL_PTXAS", "ptxas");
    tools->nvdisasm = find("ATOLL_NVDISASM", "nvdisasm");
    find_linker(tools);
}

static void path_in(const struct tools *tools, const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", tools->folder, name);
}

void tools_close(const struct tools *tools)
{
    char path[128];
    path_in(tools, ptx_file, path);
    remove(path);
    path_in(tools, cubin_file, path);
    remove(path);
    rmdir(tools->folder);
}

enum tools_verdict tools_compile(const struct tools *tools, const struct blob *ptx, unsigned sm, unsigned level,
                                 struct blob *cubin)
{
    struct atoll_error error;
    char from[128], to[128], command[1000];
    path_in(tools, ptx_file, from);
    path_in(tools, cubin_file, to);
    if (!file_write(from, ptx->bytes, ptx->size, &error))
        return TOOLS_REFUSED;
    bool object = level == TOOLS_OBJECT;
    snprintf(command, sizeof command, "%s -w %s -O%u -arch=sm_%u %s -o %s", tools->ptxas, object ? "-c" : "",
             object ? 3 : level, sm, from, to);
    int status = system(command), code = status & 0xff ? 255 : status >> 8;
    if (status) /* the shell gives 128 + the signal; ptxas itself ends with 255 where it refuses */
        return code > 128 && code < 192 ? TOOLS_CRASHED : TOOLS_REFUSED;
    return file_read(to, 1 << 24, cubin, &error) ? TOOLS_DONE : TOOLS_REFUSED;
}

bool tools_link(const struct tools *tools, const struct blob *objects, unsigned count, struct blob *cubin)
{
    struct atoll_error error;
    struct text command = {0};
    char path[128], name[] = "0.cubin";
    bool ok = true;
    text_printf(&command, "%s -arch=sm_50 --suppress-stack-size-warning", tools->nvlink);
    for (unsigned i = 0; i < count && i < 9; i++) {
        name[0] = (char)('0' + i);
        path_in(tools, name, path);
        ok = ok && file_write(path, objects[i].bytes, objects[i].size, &error);
        text_printf(&command, " %s", path);
    }
    path_in(tools, cubin_file, path);
    text_printf(&command, " -o %s", path);
    ok = ok && text_ok(&command) && system(command.bytes) == 0 && file_read(path, 1 << 24, cubin, &error);
    text_free(&command);
    for (unsigned i = 0; i < count && i < 9; i++) {
        name[0] = (char)('0' + i);
        path_in(tools, name, path);
        remove(path);
    }
    return ok;
}

/* `errors`: where its messages go. */
static bool disassemble(const struct tools *tools, const char *options, const char *errors, const void *bytes,
                        size_t size, struct text *out)
{
    struct atoll_error error;
    char path[128], command[1000], part[4096];
    size_t got;
    path_in(tools, cubin_file, path);
    if (!file_write(path, bytes, size, &error))
        return false;
    snprintf(command, sizeof command, "%s %s %s 2>%s", tools->nvdisasm, options, path, errors);
    FILE *pipe = popen(command, "r");
    if (!pipe)
        return false;
    while ((got = fread(part, 1, sizeof part, pipe)) > 0)
        text_add(out, part, got);
    return pclose(pipe) == 0 && text_ok(out);
}

bool tools_disassemble(const struct tools *tools, const void *cubin, size_t size, struct text *listing)
{
    return disassemble(tools, "-ndf", "/dev/null", cubin, size, listing);
}

bool tools_disassemble_raw(const struct tools *tools, const char *arch, const void *code, size_t size, struct text *out)
{
    char options[40];
    snprintf(options, sizeof options, "-b %s", arch);
    return disassemble(tools, options, "&1", code, size, out);
}
