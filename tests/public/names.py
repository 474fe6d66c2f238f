"""The types and functions that a header of C declares, whose names begin alike: names(HEADER) -> (types, functions)."""
import re


def names(header, prefix="atoll_", least=(20, 40)):
    with open(header) as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    types = set(re.findall(rf"^(?:struct|enum) ({prefix}\w+)", text, flags=re.M))
    functions = set(re.findall(rf"^[\w ]+[ *]({prefix}\w+)\(", text, flags=re.M))
    if len(types) < least[0] or len(functions) < least[1]:
        raise SystemExit(f"{header}: {len(types)} types, {len(functions)} functions: it is not understood any more")
    return sorted(types), sorted(functions)
