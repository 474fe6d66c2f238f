#!/usr/bin/env python3
"""Writes C++ that names every type and takes the address of every function of a header: use.py HEADER OUTPUT
Types are named without `struct` or `enum`: a function of the same name would hide them."""
import sys

from names import names

header, output = sys.argv[1:]
types, functions = names(header)
with open(output, "w") as out:
    out.write('/* Every type and function of atoll.h, named as C++ may. */\n#include "atoll.h"\n\n')
    for name in types:
        out.write(f"extern {name} *use_{name};\n{name} *use_{name};\n")
    out.write("\nextern const void *const use_functions[];\nconst void *const use_functions[] = {\n")
    for name in functions:
        out.write(f"    reinterpret_cast<const void *>(&{name}),\n")
    out.write("};\n")
