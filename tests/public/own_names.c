/* A program with names of its own that the library has inside, and with names of libc: each side gets its own. */
#include <atoll.h>
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int next(int n), push(int n), take(int n), make(int n), want(int n), error_set(int n), sass_rows(int n);

int next(int n)
{
    return n + 1;
}

int push(int n)
{
    return n + 2;
}

int take(int n)
{
    return n + 4;
}

int make(int n)
{
    return n + 8;
}

int want(int n)
{
    return n + 16;
}

int error_set(int n)
{
    return n + 32;
}

int sass_rows(int n)
{
    return n + 64;
}

/* What libc's warn writes to the standard error. */
static int warned(char *text, size_t room)
{
    int ends[2], old = dup(STDERR_FILENO);
    if (old < 0 || pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0)
        return -1;
    warnx("cannot open %s", "x");
    warn("cannot open %s", "y");
    dup2(old, STDERR_FILENO);
    close(ends[1]);
    ssize_t size = read(ends[0], text, room - 1);
    text[size > 0 ? size : 0] = 0;
    return (int)size;
}

int main(void)
{
    static const char broken[] = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { frob; }\n";
    struct atoll_device *device;
    struct atoll_module *module;
    struct atoll_error error = {0};
    char text[400];
    if (!atoll_device_create(NULL, &device, &error))
        return 1;
    /* The library's warnings and errors come from its own functions ... */
    if (atoll_module_load(device, broken, sizeof broken - 1, NULL, &module, &error) || error.status != ATOLL_INVALID ||
        !strstr(error.message, "frob"))
        return 2;
    /* ... and the program's from libc's. */
    if (warned(text, sizeof text) < 0 || !strstr(text, "cannot open x") || !strstr(text, "cannot open y: "))
        return 3;
    atoll_device_destroy(device);
    puts(atoll_version());
    return next(0) + push(0) + take(0) + make(0) + want(0) + error_set(0) + sass_rows(0) == 127 ? 0 : 4;
}
