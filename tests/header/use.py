#!/usr/bin/env python3
"""Writes C++ that names every type and takes the address of every function of a header: use.py HEADER OUTPUT
Types are named without `struct` or `enum`: a function of the same name would hide them."""
import re
import sys

header, output = sys.argv[1:]
text = re.sub(r"/\*.*?\*/", "", open(header).read(), flags=re.S)
types = sorted(set(re.findall(r"^(?:struct|enum) (atoll_\w+)", text, flags=re.M)))
functions = sorted(set(re.findall(r"^[\w ]+[ *](atoll_\w+)\(", text, flags=re.M)))
if len(types) < 20 or len(functions) < 40:
    sys.exit(f"{header}: {len(types)} types, {len(functions)} functions: this script does not understand it any more")
with open(output, "w") as out:
    out.write('/* Every type and function of atoll.h, named as C++ may. */\n#include "atoll.h"\n\n')
    for name in types:
        out.write(f"extern {name} *use_{name};\n{name} *use_{name};\n")
    out.write("\nextern const void *const use_functions[];\nconst void *const use_functions[] = {\n")
    for name in functions:
        out.write(f"    reinterpret_cast<const void *>(&{name}),\n")
    out.write("};\n")
