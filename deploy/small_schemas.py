"""Pieces of schemas of custom resources, and their descriptions."""


def text(**more):
    return {"type": "string", **more}


def flag(**more):
    return {"type": "boolean", **more}


def whole(bits=32, **more):
    return {"type": "integer", "format": f"int{bits}", **more}


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


def describe(schema, words, table, path=()):
    """Puts words[name] on each field below `schema`, wherever it stands.

    The value is a text, or (text, words for the fields below it). `table` of
    words.py is where a name that is missing is to be added.
    """
    for name, field in schema.get("properties", {}).items():
        said = words.get(name)
        if said is None:
            raise ValueError(
                f"no description of {'.'.join((*path, name))}: add \"{name}\" "
                f"to {table} in deploy/words.py")
        said, below = said if isinstance(said, tuple) else (said, words)
        if below is not None:
            describe(inner(field), below, table, (*path, name))
        given = dict(field)
        field.clear()
        field.update({"description": said, **given})


def inner(schema):
    """What the fields of a list's items or of a map's values are in."""
    while "items" in schema or "additionalProperties" in schema:
        schema = schema.get("items") or schema["additionalProperties"]
    return schema


def custom_resource(group, version, kind, schema, description, columns,
                    subresources, short_names=()):
    """A definition of one version; `schema` is that of the whole object."""
    # The API server has its own for this one, and wants none here.
    schema["properties"]["metadata"].pop("description", None)
    singular = kind.lower()
    names = {"kind": kind, "listKind": kind + "List", "plural": singular + "s"}
    if short_names:
        names["shortNames"] = list(short_names)
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{singular}s.{group}"},
        "spec": {
            "group": group, "scope": "Namespaced",
            "names": {**names, "singular": singular},
            "versions": [version_of(version, schema, description, columns,
                                    subresources)]}}


def version_of(version, schema, description, columns, subresources,
               served=True, storage=True):
    """One version of a definition."""
    return {"name": version, "served": served, "storage": storage,
            "additionalPrinterColumns": list(columns),
            "subresources": subresources,
            "schema": {"openAPIV3Schema": {
                "description": description, **schema}}}
