/* Makes the functions and the rows of a header of meanings:
 *
 *   #define MEANINGS "engine/meaning/ints.h"
 *   #define ROWS     meanings_ints
 *   #include "engine/meaning/family.h"
 *
 * The header is read twice, as shapes.h says; rows end with one that has no function. Only the rows of `base` have
 * names: each is a pointer that the loader of a program has to make. */
#include "engine/meaning/families.h"
#include "engine/meaning/shapes.h"

#define MEMBERS(...)         __VA_ARGS__
#define NAME_IN_base(string) string
#define NAME_IN_v3(string)   NULL
#define NAME_IN_v4(string)   NULL

#define MEANING(shape, name, members, ...) shape(name, __VA_ARGS__)
#include MEANINGS
#undef MEANING

#define MEANING(shape, function, members, ...) \
    {.name = KERNEL_PASTE(NAME_IN, KERNEL_SET)(#function), .run = function, MEMBERS members},
const struct meaning KERNEL_NAME(ROWS)[] = {
#include MEANINGS
    {.run = NULL},
};
