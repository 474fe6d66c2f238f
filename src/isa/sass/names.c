/* The lists of names of SASS fields, made from names_list.h (memory, flow) and names_alu.h. */
#include "isa/sass/rows.h"

#define NAMES(list, rest, ...) static const char *const text_##list[] = {__VA_ARGS__};
#include "isa/sass/names_alu.h"
#include "isa/sass/names_list.h"
#undef NAMES

#define NAMES(list, rest, ...) {#list, text_##list, sizeof text_##list / sizeof text_##list[0], rest},

const struct isa_names sass_names[] = {
#include "isa/sass/names_alu.h"
#include "isa/sass/names_list.h"
};

const unsigned sass_nnames = sizeof sass_names / sizeof sass_names[0];
