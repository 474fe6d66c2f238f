/* libctm: the host functions of ATI's CTM over the machine. A connection is a machine with arenas of its own, and a
 * thread that runs its command buffers in their order. docs/ctm.md, "Host functions". */
#include "amDeviceManaged.h"

#include "ctm/settings.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The choice of arenas: a client finds large memory of the GPU, and both kinds of system memory. Pages that nobody
 * touches are not there. */
#define MIB (UINT32_C(1) << 20)
enum { ERRORS_KEPT = 16, WAITING_MOST = 1 << 20 };
static const AMmanagedDeviceInfo arenas = {
    .baseAddressGPU = 0x10000000,
    .arenaSizeGPU = 512 * MIB,
    .baseAddressSYS = 0x40000000,
    .arenaSizeSYS = 64 * MIB,
    .baseAddressSYSc = 0x50000000,
    .arenaSizeSYSc = 256 * MIB,
};

struct buffer {
    uint32_t id, address, words;
};

struct mistake {
    uint32_t id; /* 0: of no buffer */
    char text[1100];
};

struct AMmanagedDeviceRec {
    struct settings settings;
    struct atoll_device *device;
    struct machine *machine;
    pthread_t thread;
    volatile int stop; /* read and written as an atomic; the engine looks at it, too */
    uint32_t consumed; /* atomic: the last id that has been processed */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t more;
    struct buffer *waiting; /* a ring of `room`, a power of two */
    size_t room, first, count;
    uint32_t next_id;
    struct mistake mistakes[ERRORS_KEPT];
    uint64_t nmistakes;
};

/* ---- mistakes --------------------------------------------------------------------------------------------- */

/* With the lock held. */
static void remember(AMmanagedDevice c, uint32_t id, const char *message)
{
    struct mistake *mistake = &c->mistakes[c->nmistakes++ % ERRORS_KEPT];
    struct atoll_error told;
    if (id)
        error_set(&told, ATOLL_INPUT, "buffer %" PRIu32 ", %s", id, message);
    else
        error_set(&told, ATOLL_INPUT, "%s", message);
    mistake->id = id;
    strcpy(mistake->text, told.message);
    settings_tell(&c->settings, told.message);
}

AMuint32 amAtollGetError(AMmanagedDevice c, AMuint32 buf, char *text, AMuint32 size)
{
    const char *message = "";
    if (!c)
        return 0;
    pthread_mutex_lock(&c->lock);
    uint64_t kept = c->nmistakes < ERRORS_KEPT ? c->nmistakes : ERRORS_KEPT;
    for (uint64_t i = 1; i <= kept && !*message; i++) {
        const struct mistake *mistake = &c->mistakes[(c->nmistakes - i) % ERRORS_KEPT];
        if (!buf || mistake->id == buf)
            message = mistake->text;
    }
    size_t length = strlen(message);
    if (text && size) {
        size_t part = length < size ? length : size - 1;
        memcpy(text, message, part);
        text[part] = 0;
    }
    pthread_mutex_unlock(&c->lock);
    return (AMuint32)length;
}

/* ---- the thread of a connection ----------------------------------------------------------------------------- */

static void run_buffer(AMmanagedDevice c, const struct buffer *buffer)
{
    struct atoll_error error = {0};
    const void *words = machine_at(c->machine, buffer->address, (uint64_t)buffer->words * 4);
    if (buffer->words && !machine_run(c->machine, words, (size_t)buffer->words * 4, NULL, &error)) {
        pthread_mutex_lock(&c->lock);
        remember(c, buffer->id, error.message);
        pthread_mutex_unlock(&c->lock);
    }
    __atomic_store_n(&c->consumed, buffer->id, __ATOMIC_RELEASE);
}

static bool stopped(const struct AMmanagedDeviceRec *c)
{
    return __atomic_load_n(&c->stop, __ATOMIC_RELAXED) != 0;
}

static void *work(void *connection)
{
    AMmanagedDevice c = connection;
    pthread_mutex_lock(&c->lock);
    while (!stopped(c)) {
        if (!c->count) {
            pthread_cond_wait(&c->more, &c->lock);
            continue;
        }
        struct buffer buffer = c->waiting[c->first];
        c->first = (c->first + 1) & (c->room - 1);
        c->count--;
        pthread_mutex_unlock(&c->lock);
        run_buffer(c, &buffer);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* Signals are the client's: its own threads get them. */
static bool thread_start(AMmanagedDevice c)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(&c->thread, NULL, work, c) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

/* ---- connections -------------------------------------------------------------------------------------------- */

static bool device_named(const char *dev, struct atoll_error *error)
{
    static const char prefix[] = "/dev/pcie";
    size_t length = sizeof prefix - 1;
    if (dev && strncmp(dev, prefix, length) == 0 && dev[length] >= '0' && dev[length] <= '9' && !dev[length + 1])
        return true;
    return error_set(error, ATOLL_USAGE, "amOpenManagedConnection: no device '%.100s'; wanted /dev/pcie0 to /dev/pcie9",
                     dev ? dev : "(null)");
}

static bool arenas_make(AMmanagedDevice c, AMmanagedDeviceInfo *info, struct atoll_error *error)
{
    *info = arenas;
    return machine_memory(c->machine, info->baseAddressGPU, info->arenaSizeGPU, NULL, error) &&
           machine_memory(c->machine, info->baseAddressSYS, info->arenaSizeSYS, &info->baseAddressCPU, error) &&
           machine_memory(c->machine, info->baseAddressSYSc, info->arenaSizeSYSc, &info->baseAddressCPUc, error);
}

static void connection_free(AMmanagedDevice c)
{
    machine_destroy(c->machine);
    atoll_device_destroy(c->device);
    pthread_cond_destroy(&c->more);
    pthread_mutex_destroy(&c->lock);
    free(c->waiting);
    free(c);
}

static AMmanagedDevice connection_make(const struct settings *settings, AMmanagedDeviceInfo *info,
                                       struct atoll_error *error)
{
    AMmanagedDevice c = calloc(1, sizeof *c);
    if (!c) {
        error_memory(error);
        return NULL;
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->more, NULL);
    c->settings = *settings;
    c->settings.machine.interrupt = &c->stop;
    c->next_id = settings->first_id;
    c->consumed = settings->first_id - 1;
    bool ok = atoll_device_create(NULL, &c->device, error) &&
              machine_create(c->device, &c->settings.machine, &c->machine, error) && arenas_make(c, info, error);
    if (ok && !thread_start(c))
        ok = error_set(error, ATOLL_SYSTEM, "a thread cannot be started");
    if (ok)
        return c;
    connection_free(c);
    return NULL;
}

AMmanagedDevice amOpenManagedConnection(const char *dev, AMmanagedDeviceInfo *info)
{
    struct atoll_error error = {0};
    struct settings settings;
    AMmanagedDevice c = NULL;
    AMmanagedDeviceInfo made;
    if (settings_read(&settings, &error) && device_named(dev, &error))
        c = connection_make(&settings, &made, &error);
    if (!c)
        settings_tell(&settings, error.message);
    else if (info)
        *info = made;
    return c;
}

AMuint32 amCloseManagedConnection(AMmanagedDevice c)
{
    if (!c)
        return 0;
    pthread_mutex_lock(&c->lock);
    __atomic_store_n(&c->stop, 1, __ATOMIC_RELAXED);
    pthread_cond_signal(&c->more);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    connection_free(c);
    return 1;
}

/* ---- buffers ------------------------------------------------------------------------------------------------ */

/* Room for one more; with the lock held. */
static bool ring_grow(AMmanagedDevice c)
{
    if (c->count < c->room)
        return true;
    size_t room = c->room ? 2 * c->room : 64;
    struct buffer *ring = room > WAITING_MOST ? NULL : malloc(room * sizeof *ring);
    if (!ring)
        return false;
    for (size_t i = 0; i < c->count; i++)
        ring[i] = c->waiting[(c->first + i) & (c->room - 1)];
    free(c->waiting);
    c->waiting = ring;
    c->room = room;
    c->first = 0;
    return true;
}

static uint32_t submit(AMmanagedDevice c, uint32_t address, uint32_t words)
{
    struct atoll_error error;
    if (address % 4 || !machine_at(c->machine, address, words ? (uint64_t)words * 4 : 1)) {
        error_set(&error, ATOLL_USAGE,
                  "amSubmitCommandBuffer: %" PRIu32 " words at 0x%08" PRIx32 ": wanted words in one arena", words,
                  address);
        remember(c, 0, error.message);
        return 0;
    }
    if (!ring_grow(c)) {
        remember(c, 0, "amSubmitCommandBuffer: too many buffers wait");
        return 0;
    }
    uint32_t id = c->next_id;
    c->next_id += c->next_id == UINT32_MAX ? 2 : 1;
    c->waiting[(c->first + c->count++) & (c->room - 1)] = (struct buffer){id, address, words};
    pthread_cond_signal(&c->more);
    return id;
}

AMuint32 amSubmitCommandBuffer(AMmanagedDevice c, AMuint32 addr, AMuint32 size)
{
    if (!c)
        return 0;
    pthread_mutex_lock(&c->lock);
    uint32_t id = submit(c, addr, size);
    pthread_mutex_unlock(&c->lock);
    return id;
}

/* Ids are a circle: those up to half of it behind the last one have been processed. Of 0, which is no buffer, nothing
 * is to be waited for. */
AMuint32 amCommandBufferConsumed(AMmanagedDevice c, AMuint32 buf)
{
    if (!c || !buf)
        return 1;
    uint32_t consumed = __atomic_load_n(&c->consumed, __ATOMIC_ACQUIRE);
    return (int32_t)(consumed - buf) >= 0;
}
