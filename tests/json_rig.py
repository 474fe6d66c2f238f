"""What is written as JSON, held against docs/json-schema.json: the keywords of JSON Schema that it uses, no others."""

import json
import os

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "json-schema.json")
with open(FILE, encoding="utf-8") as _file:
    SCHEMA = json.load(_file)
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float),
         "null": type(None)}
KNOWN = {"$ref", "type", "required", "properties", "additionalProperties", "items", "minItems", "maxItems", "enum", "const",
         "minimum", "description", "$schema", "$defs", "title"}


def _is(value, name):
    if isinstance(value, bool) and name != "boolean":
        return False
    return isinstance(value, TYPES[name])


def _hold(value, schema, where):
    unknown = set(schema) - KNOWN
    assert not unknown, f"{where}: the schema says {unknown}, which nothing here holds"
    if "$ref" in schema:
        return _hold(value, SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]], where)
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    assert not names or any(_is(value, name) for name in names), f"{where}: {value!r} is no {names}"
    assert "const" not in schema or value == schema["const"], f"{where}: {value!r}"
    assert "enum" not in schema or value in schema["enum"], f"{where}: {value!r} is none of {schema['enum']}"
    assert "minimum" not in schema or value >= schema["minimum"], f"{where}: {value!r} is too small"
    if isinstance(value, dict):
        missing = [name for name in schema.get("required", []) if name not in value]
        assert not missing, f"{where}: without {missing}"
        for name, member in value.items():
            own = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            assert own is not False, f"{where}: {name} is not in the schema"
            _hold(member, own, f"{where}.{name}")
    if isinstance(value, list):
        assert schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)), f"{where}: {len(value)} items"
        for i, item in enumerate(value):
            _hold(item, schema.get("items", {}), f"{where}[{i}]")


def _once(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), f"a member twice: {names}"
    return dict(pairs)


def hold(text, kind):
    """Reads a document of this kind; it must be as the schema has it. Returns it."""
    value = json.loads(text, object_pairs_hook=_once)
    _hold(value, SCHEMA, kind)
    assert value["atoll"]["kind"] == kind, value["atoll"]
    _hold(value, SCHEMA["$defs"][kind], kind)
    return value
