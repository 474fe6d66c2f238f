"""The types and functions that a header of C declares: names(HEADER) -> (types, functions)."""
import re


def names(header):
    with open(header) as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    types = set(re.findall(r"^(?:struct|enum) (atoll_\w+)", text, flags=re.M))
    functions = set(re.findall(r"^[\w ]+[ *](atoll_\w+)\(", text, flags=re.M))
    if len(types) < 20 or len(functions) < 40:
        raise SystemExit(f"{header}: {len(types)} types, {len(functions)} functions: it is not understood any more")
    return sorted(types), sorted(functions)
