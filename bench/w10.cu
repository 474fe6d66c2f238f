/* W10: connected components (4 neighbours) of a binary picture, a byte a pixel, 2048 x 2048, blocks of 32 x 8: label equivalence
 * after Playne and Hawick. Labels are a forest; a pixel's label is at last the lowest index of its component, NONE of the
 * background. Launches: init, resolve, merge, resolve. */
#define NONE 0xffffffffu

struct pixel {
    int x, y;
    unsigned index;
    bool on; /* in the picture, and not background */
};

static __device__ pixel this_pixel(const unsigned char *picture, int width, int height)
{
    pixel p;
    p.x = blockIdx.x * blockDim.x + threadIdx.x;
    p.y = blockIdx.y * blockDim.y + threadIdx.y;
    p.index = p.y * width + p.x;
    p.on = p.x < width && p.y < height && picture[p.index] != 0;
    return p;
}

static __device__ bool on_left(const unsigned char *picture, pixel p)
{
    return p.x > 0 && picture[p.index - 1] != 0;
}

static __device__ bool on_top(const unsigned char *picture, pixel p, int width)
{
    return p.y > 0 && picture[p.index - width] != 0;
}

/* The root of the tree that a pixel is in. */
static __device__ unsigned find(const unsigned *labels, unsigned i)
{
    unsigned parent = labels[i];
    while (parent != i) {
        i = parent;
        parent = labels[i];
    }
    return i;
}

/* Makes one tree of two, whose root is the lower one. Others do the same meanwhile. */
static __device__ void unite(unsigned *labels, unsigned a, unsigned b)
{
    a = find(labels, a);
    b = find(labels, b);
    while (a != b) {
        if (a < b) {
            unsigned c = a;
            a = b;
            b = c;
        }
        unsigned old = atomicMin(&labels[a], b);
        a = old == a ? b : old; /* else it was a root no longer */
    }
}

/* Every pixel hangs on the one above, or on the one to the left. */
extern "C" __global__ void w10_init(const unsigned char *picture, unsigned *labels, int width, int height)
{
    pixel p = this_pixel(picture, width, height);
    if (p.x >= width || p.y >= height)
        return;
    unsigned label = NONE;
    if (p.on)
        label = on_top(picture, p, width) ? p.index - width : on_left(picture, p) ? p.index - 1 : p.index;
    labels[p.index] = label;
}

extern "C" __global__ void w10_resolve(const unsigned char *picture, unsigned *labels, int width, int height)
{
    pixel p = this_pixel(picture, width, height);
    if (p.on)
        labels[p.index] = find(labels, p.index);
}

/* What hangs on the one above, is next to one on the left, and is not joined with it a row above. */
extern "C" __global__ void w10_merge(const unsigned char *picture, unsigned *labels, int width, int height)
{
    pixel p = this_pixel(picture, width, height);
    if (p.on && on_left(picture, p) && on_top(picture, p, width) && picture[p.index - width - 1] == 0)
        unite(labels, p.index, p.index - 1);
}
