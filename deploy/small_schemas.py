"""Pieces of schemas of custom resources, and their descriptions."""


def text(**more):
    return {"type": "string", **more}


def flag(**more):
    return {"type": "boolean", **more}


def whole(bits=32):
    return {"type": "integer", "format": f"int{bits}"}


def instant():
    return text(format="date-time")


def items(schema):
    return {"type": "array", "items": schema}


def mapping(schema):
    return {"type": "object", "additionalProperties": schema}


def record(properties, required=()):
    schema = {"type": "object"}
    if required:
        schema["required"] = list(required)
    return {**schema, "properties": properties}


def int_or_string():
    return {"anyOf": [{"type": "integer"}, {"type": "string"}],
            "x-kubernetes-int-or-string": True}


def quantity():
    number = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    suffix = rf"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{number}))"
    return {**int_or_string(), "pattern": rf"^(\+|-)?{number}{suffix}?$"}


def object_meta():
    """The part of an embedded object's metadata that a template may set."""
    return record({"annotations": mapping(text()), "finalizers": items(text()),
                   "labels": mapping(text()), "name": text(),
                   "namespace": text()})


AGE = {"name": "Age", "type": "date",
       "jsonPath": ".metadata.creationTimestamp"}


def describe(schema, words, path=()):
    """Puts words[name] on each field below `schema`, wherever it stands.

    The value is a text, or (text, words for the fields below it).
    """
    for name, field in schema.get("properties", {}).items():
        said = words.get(name)
        if said is None:
            raise ValueError("no description: " + ".".join((*path, name)))
        said, below = said if isinstance(said, tuple) else (said, words)
        if below is not None:
            describe(inner(field), below, (*path, name))
        given = dict(field)
        field.clear()
        field.update({"description": said, **given})


def inner(schema):
    """What the fields of a list's items or of a map's values are in."""
    while "items" in schema or "additionalProperties" in schema:
        schema = schema.get("items") or schema["additionalProperties"]
    return schema
