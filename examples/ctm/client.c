/* A client of CTM's managed device interface, as of 2006: packs a command buffer by hand, submits it, polls until it is
 * consumed, and reads the results back. The program runs twice: from system memory to the GPU's, which the CPU cannot
 * see, and from there back.
 *
 *   atoll asm scale.dpp -o scale.elf
 *   cc client.c $(pkg-config --cflags --libs ctm) -o client && ./client scale.elf
 */
#include <amDeviceManaged.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 64, HEIGHT = 32, BYTES = WIDTH * HEIGHT * 16, ROOM = 2048 /* to which all bases are aligned */ };

/* Places in the cached system memory. */
enum { COMMANDS = 0, PROGRAM = 16 * ROOM, CONSTANTS = 32 * ROOM, INPUT = 64 * ROOM, OUTPUT = INPUT + BYTES };

/* ---- packing ---------------------------------------------------------------------------------------------- */

struct packer {
    AMuint32 *at;
};

/* An opcode with the number of its parameters, which follow. */
static void command(struct packer *p, AMuint32 operation, AMuint32 parameters)
{
    *p->at++ = 0xc0000000u | (parameters - 1) << 16 | operation << 8;
}

static void word(struct packer *p, AMuint32 value)
{
    *p->at++ = value;
}

/* Commands without parameters have a reserved one. */
static void bare(struct packer *p, AMuint32 operation)
{
    command(p, operation, 1);
    word(p, 0);
}

enum {
    SET_DOMAIN = 0x03,
    START_PROGRAM = 0x04,
    SET_INST_FMT = 0x0a,
    SET_INP_FMT = 0x0b,
    SET_OUT_FMT = 0x0c,
    SET_CONSTF_FMT = 0x0e,
    INV_INST_CACHE = 0x11,
    INV_INP_CACHE = 0x12,
    FLUSH_OUT_CACHE = 0x13,
    INV_CONSTF_CACHE = 0x16,
    FLOAT32_4 = 4 << 24, /* a format: with the pitch in elements, linear */
};

/* Input or output 0: WIDTH x HEIGHT float4 at a base. */
static void surface(struct packer *p, AMuint32 operation, AMuint32 base)
{
    command(p, operation, 4);
    word(p, 0);
    word(p, base);
    word(p, FLOAT32_4 | WIDTH);
    word(p, HEIGHT);
}

/* One run of the program over the whole domain. */
static void pass(struct packer *p, AMuint32 from, AMuint32 to)
{
    surface(p, SET_INP_FMT, from);
    surface(p, SET_OUT_FMT, to);
    bare(p, INV_INP_CACHE);
    bare(p, START_PROGRAM);
    bare(p, FLUSH_OUT_CACHE);
}

static AMuint32 pack(AMuint32 *buffer, const AMmanagedDeviceInfo *info)
{
    struct packer p = {buffer};
    AMuint32 base = info->baseAddressSYSc;
    command(&p, SET_INST_FMT, 2);
    word(&p, base + PROGRAM);
    word(&p, 0);
    bare(&p, INV_INST_CACHE);
    command(&p, SET_CONSTF_FMT, 2);
    word(&p, base + CONSTANTS);
    word(&p, 0);
    bare(&p, INV_CONSTF_CACHE);
    command(&p, SET_DOMAIN, 4);
    word(&p, 0);
    word(&p, 0);
    word(&p, WIDTH - 1);
    word(&p, HEIGHT - 1);
    pass(&p, base + INPUT, info->baseAddressGPU);
    pass(&p, info->baseAddressGPU, base + OUTPUT);
    return (AMuint32)(p.at - buffer);
}

/* ---- the client ------------------------------------------------------------------------------------------- */

static int read_file(const char *path, void *to, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(to, 1, room, file) : 0;
    if (file)
        fclose(file);
    return size > 0 && size < room;
}

static int submit_and_wait(AMmanagedDevice device, AMuint32 address, AMuint32 words)
{
    char why[1000];
    AMuint32 id = amSubmitCommandBuffer(device, address, words);
    while (id && !amCommandBufferConsumed(device, id))
        usleep(50);
    if (!amAtollGetError(device, id, why, sizeof why)) /* a client of 2006 has no such function */
        return 1;
    fprintf(stderr, "client: %s\n", why);
    return 0;
}

static int check(const float *in, const float *out, const float constants[8])
{
    for (int i = 0; i < WIDTH * HEIGHT * 4; i++) {
        float scale = constants[i % 4], add = constants[4 + i % 4];
        float once = in[i] * scale + add, twice = once * scale + add;
        if (out[i] != twice) {
            fprintf(stderr, "client: element %d is %g, wanted %g\n", i / 4, (double)out[i], (double)twice);
            return 0;
        }
    }
    return 1;
}

static int run(AMmanagedDevice device, const AMmanagedDeviceInfo *info, const char *program)
{
    static const float constants[8] = {2, 4, 0.5f, 1, 1, -1, 8, 0};
    unsigned char *memory = info->baseAddressCPUc;
    float *in = (float *)(void *)(memory + INPUT);
    if (!read_file(program, memory + PROGRAM, CONSTANTS - PROGRAM)) {
        fprintf(stderr, "client: cannot read the program %s\n", program);
        return 0;
    }
    memcpy(memory + CONSTANTS, constants, sizeof constants);
    for (int i = 0; i < WIDTH * HEIGHT * 4; i++)
        in[i] = (float)(i % 1000);
    AMuint32 words = pack((AMuint32 *)(void *)(memory + COMMANDS), info);
    return submit_and_wait(device, info->baseAddressSYSc + COMMANDS, words) &&
           check(in, (const float *)(const void *)(memory + OUTPUT), constants);
}

int main(int argc, char **argv)
{
    AMmanagedDeviceInfo info;
    if (argc != 2) {
        fprintf(stderr, "usage: client PROGRAM.elf\n");
        return 2;
    }
    AMmanagedDevice device = amOpenManagedConnection("/dev/pcie0", &info);
    if (!device) {
        fprintf(stderr, "client: no device\n");
        return 1;
    }
    int ok = run(device, &info, argv[1]);
    amCloseManagedConnection(device);
    if (ok)
        printf("%d x %d elements, twice in = in * c0 + c1: all as computed here\n", WIDTH, HEIGHT);
    return ok ? 0 : 1;
}
