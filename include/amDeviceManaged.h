/* The host functions of ATI's CTM (Close To Metal, 2006), as Atoll's libctm has them: one header for clients of its
 * managed device interface. C99 and later, C++11 and later.
 *
 *   cc client.c $(pkg-config --cflags --libs ctm)
 *
 * What the guide leaves open, the environment variables and where errors are told: docs/ctm.md, "Host functions".
 */
#ifndef AM_DEVICE_MANAGED_H
#define AM_DEVICE_MANAGED_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* the library is built with all other names hidden */
#endif

typedef uint32_t AMuint32;
typedef struct AMmanagedDeviceRec *AMmanagedDevice; /* a connection; NULL: none */

/* Arenas of memory that a connection has. Addresses are the device's, sizes are bytes; 0 and NULL: there is no such
 * arena. The CPU reads and writes byte a of SYS at baseAddressCPU + (a - baseAddressSYS); likewise SYSc, the cached
 * one. Memory of the GPU is not mapped: programs copy to it and from it. */
typedef struct AMmanagedDeviceInfo {
    AMuint32 baseAddressGPU, arenaSizeGPU;
    AMuint32 baseAddressGPUb, arenaSizeGPUb;
    AMuint32 baseAddressSYS, arenaSizeSYS;
    void *baseAddressCPU;
    AMuint32 baseAddressSYSc, arenaSizeSYSc;
    void *baseAddressCPUc;
    AMuint32 reserved0, reserved1;
} AMmanagedDeviceInfo;

/* Opens "/dev/pcie0" to "/dev/pcie9": a device of its own for each connection. NULL: it failed. */
AMmanagedDevice amOpenManagedConnection(const char *dev, AMmanagedDeviceInfo *info);
/* Stops what runs, forgets what waits, and takes the arenas away. Not 0: done. NULL is fine. */
AMuint32 amCloseManagedConnection(AMmanagedDevice dev);
/* Hands over a command buffer of `size` words of 32 bits at device address `addr`, and returns its id at once: 1, 2, 3,
 * ..., and after 2^32-1 again 1; 0: it is not in an arena. Buffers run one after the other, in the order of their ids.
 * The buffer must stay as it is until it is consumed. Threads may share a connection. */
AMuint32 amSubmitCommandBuffer(AMmanagedDevice dev, AMuint32 addr, AMuint32 size);
/* Not 0: the buffer with this id has been processed, up to its end or to its first mistake, and what it wrote is in
 * memory. 0: it waits or runs. */
AMuint32 amCommandBufferConsumed(AMmanagedDevice dev, AMuint32 buf);

/* Not ATI's: Atoll's own. What was wrong with buffer `buf`, or, of 0, what was wrong last on this connection (a
 * submission that was refused, too). Writes text with its 0 to text[0..size) and returns its whole length without it;
 * 0: nothing is known to be wrong. The last 16 mistakes are kept. `text` may be NULL if size is 0. */
AMuint32 amAtollGetError(AMmanagedDevice dev, AMuint32 buf, char *text, AMuint32 size);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
