"""Custom resource definitions of the cases."""

GROUP = "conformance.example.com"
SPEC = {"type": "object", "properties": {
    "replicas": {"type": "integer", "minimum": 0, "maximum": 10},
    "mode": {"type": "string", "enum": ["Fast", "Slow"], "default": "Fast"},
    "title": {"type": "string", "minLength": 2, "maxLength": 5,
              "pattern": "^[a-z]+$"},
    "ratio": {"type": "number", "exclusiveMinimum": True, "minimum": 0,
              "multipleOf": 2},
    "nothing": {"type": "string", "nullable": True},
    "port": {"x-kubernetes-int-or-string": True},
    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "words": {"type": "array", "x-kubernetes-list-type": "set",
              "minItems": 1, "maxItems": 3, "items": {"type": "string"}},
    "parts": {"type": "array", "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["name"],
              "items": {"type": "object", "required": ["name"],
                        "properties": {
                            "name": {"type": "string"},
                            "size": {"type": "integer", "format": "int32",
                                     "default": 1}}}},
    "counts": {"type": "object", "maxProperties": 2,
               "additionalProperties": {"type": "integer"}},
    "either": {"type": "object",
               "properties": {"a": {"type": "string"},
                              "b": {"type": "string"}},
               "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "template": {"type": "object", "x-kubernetes-embedded-resource": True,
                 "properties": {"spec": {
                     "type": "object", "properties": {
                         "image": {"type": "string"}}}}},
    "when": {"type": "string", "format": "date-time"},
    "on": {"type": "boolean"},
    "code": {"type": "string", "pattern": r"^(?i)((a|b)+)+(?P<end>\pL?)$"}}}
STATUS = {"type": "object", "properties": {
    "replicas": {"type": "integer"}, "selector": {"type": "string"},
    "phase": {"type": "string"}}}
SCHEMA = {"openAPIV3Schema": {"type": "object", "properties": {
    "spec": SPEC, "status": STATUS}}}


def definition(plural, kind, versions=None, group=GROUP, **spec):
    """One version without subresources, unless told."""
    return {"apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"plural": plural, "kind": kind},
                     "versions": versions or [version("v1")], **spec}}


def version(name, served=True, storage=True, schema=None, **more):
    return {"name": name, "served": served, "storage": storage,
            "schema": {"openAPIV3Schema": schema or {
                "type": "object",
                "x-kubernetes-preserve-unknown-fields": True}}, **more}


THINGS = definition("things", "Thing", [
    {"name": "v1", "served": True, "storage": True, "schema": SCHEMA,
     "subresources": {"status": {}, "scale": {
         "specReplicasPath": ".spec.replicas",
         "statusReplicasPath": ".status.replicas",
         "labelSelectorPath": ".status.selector"}},
     "selectableFields": [{"jsonPath": ".spec.mode"}],
     "additionalPrinterColumns": [
         {"name": "Mode", "type": "string", "jsonPath": ".spec.mode",
          "description": "how it runs"},
         {"name": "Replicas", "type": "integer",
          "jsonPath": ".spec.replicas"},
         {"name": "On", "type": "boolean", "jsonPath": ".spec.on"},
         {"name": "Words", "type": "string", "jsonPath": ".spec.words",
          "priority": 1},
         {"name": "When", "type": "date", "jsonPath": ".spec.when"}]},
    {"name": "v1beta1", "served": True, "storage": False, "deprecated": True,
     "schema": SCHEMA, "subresources": {"status": {}}},
    # Where all versions have the same schema, none has selectableFields.
    version("v1alpha1", served=False, storage=False)])
THINGS["spec"]["names"].update(shortNames=["th"], categories=["all"])

# Whose history both servers forget.
OLDS = definition("olds", "Old", group="old.example.com")
# With a schema only: a scale, and rules, have errors of their own.
FORMS = definition("forms", "Form", [
    {"name": "v1", "served": True, "storage": True, "schema": SCHEMA}])
SEALS = definition("seals", "Seal", [version("v1", schema={
    "type": "object", "properties": {"spec": {
        "type": "object", "properties": {"fixed": {
            "type": "string", "x-kubernetes-validations": [
                {"rule": "self == oldSelf",
                 "message": "fixed may not change"}]}}}}})])
# Which a case deletes, with the objects.
PASSING = definition("passings", "Passing")
SHARED = (THINGS, OLDS, FORMS, SEALS, PASSING)
