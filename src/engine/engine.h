/* The engine interface: a program is one kernel, linked and made ready for one engine; a launch runs it. */
#ifndef ATOLL_ENGINE_ENGINE_H
#define ATOLL_ENGINE_ENGINE_H

#include "atoll.h"
#include "lane/lane.h"
#include "mem/device.h"

struct program;

/* The address of function `f` of a module (an index), as function pointers hold it: never device memory. */
#define PROGRAM_FUNCTION_ADDRESS(f) (UINT64_C(0xf000000000000000) + (uint64_t)(f)*16)

/* Links kernel `func` of a verified module: lays out shared memory, resolves symbols, decodes. `addresses` holds the
 * device address of symbol n at [n - 1] for GLOBAL and SURFREF symbols. The module, the device and the addresses must
 * outlive the program. */
bool program_create(struct device *device, const struct lane_module *module, uint32_t func, const uint64_t *addresses,
                    struct program **program, struct atoll_error *error);
void program_destroy(struct program *program);

/* Runs it. Arguments, limits and callbacks as in atoll.h. `file` is the name of the module's text, for messages.
 * On a trap, error has status ATOLL_TRAP and a message with kernel, file:line, block and thread, coordinate or address
 * and the object's extent; *trap (may be NULL) has the same as data. */
bool program_launch(struct program *program, const char *file, const struct atoll_launch_options *launch,
                    struct atoll_stats *stats, struct atoll_trap *trap, struct atoll_error *error);

/* Name of check number `index`, NULL past the last; its bit (enum atoll_check). */
const char *check_name(unsigned index);
unsigned check_bit(unsigned index);
/* The bits of all. */
unsigned checks_known(void);

/* Can kernels be compiled? *why says what is missing. */
bool engine_jit_available(const char **why);

#endif
