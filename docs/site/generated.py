"""Pages of the site that are written from the sources when it is built: the
fields of each kind from its definition, the rights from the roles."""

import glob
import os
import re

import yaml

KINDS = {"tfjob": "TFJob", "pytorchjob": "PyTorchJob", "jaxjob": "JAXJob",
         "xgboostjob": "XGBoostJob", "paddlejob": "PaddleJob",
         "mpijob": "MPIJob", "mxjob": "MXJob", "dijob": "DIJob"}
# The kind whose definition is described for all; what others have otherwise is
# on their own pages.
MODEL = "pytorchjob"
# Below these nothing is told: they are Kubernetes' own.
FOREIGN = {"template": "a pod template of Kubernetes",
           "metadata": "as of all objects",
           "metrics": "as `metrics` of a HorizontalPodAutoscaler"}
ROLES = (
    ("The base role", "deploy/rbac/role.yaml",
     "Installed by every variant; in every namespace."),
    ("In its own namespace", "deploy/rbac/namespaced_role.yaml", ""),
    ("Kubernetes' own gangs", "deploy/overlays/native-gang/role.yaml",
     "Only with the variant `native-gang`."),
    ("Queues of Kueue's", "deploy/overlays/kueue/role.yaml",
     "Only with the overlay `kueue`."),
    ("For Kueue itself", "deploy/overlays/kueue-pods/role.yaml",
     "Only with the overlay `kueue-pods`; granted to Kueue, not to Troupe."),
    ("Logs of pods", "deploy/overlays/pod-logs/role.yaml",
     "Only with the overlay `pod-logs`."),
    ("People", "deploy/rbac/users/roles.yaml",
     "What is added to the roles `admin`, `edit` and `view`."),
)


def pages(repository):
    """Path in the site -> Markdown."""
    definitions = {name: definition(repository, name) for name in KINDS}
    result = {"fields/jobs.md": fields_of_all(definitions),
              "rights.md": rights(repository)}
    for name in KINDS:
        result[f"fields/{name}.md"] = fields_of(name, definitions)
    return result


def definition(repository, name):
    path, = glob.glob(os.path.join(repository, "deploy", "crds",
                                   f"*_{name}s.yaml"))
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)["spec"]


def schema(version):
    return version["schema"]["openAPIV3Schema"]


# -- fields -------------------------------------------------------------------

def rows(node, path=""):
    """[(path, type, description)] of all that is below."""
    result = []
    for name, field in sorted((node.get("properties") or {}).items()):
        what, inner, suffix = kind_of(field)
        here = f"{path}{name}"
        said = field.get("description", "")
        if name in FOREIGN and inner is not None:
            what, inner = FOREIGN[name], None
        result.append((here + suffix, what, bounded(said, field)))
        if inner is not None:
            result += rows(inner, f"{here}{suffix}.")
    return result


def kind_of(field):
    """(type in words, what it consists of or None, what follows its name)."""
    if "items" in field:
        what, inner, suffix = kind_of(field["items"])
        return f"list of {plural(what)}", inner, "[]" + suffix
    more = field.get("additionalProperties")
    if isinstance(more, dict):
        what, inner, suffix = kind_of(more)
        return f"map of {plural(what)}", inner, ".*" + suffix
    if field.get("x-kubernetes-int-or-string"):
        return "quantity", None, ""
    if field.get("properties"):
        return "object", field, ""
    if field.get("format") == "date-time":
        return "time", None, ""
    return field.get("type", "any"), None, ""


def plural(what):
    """Of a type in words; of lists and maps, of their first word."""
    word, space, rest = what.partition(" ")
    return (word[:-1] + "ies" if word.endswith("y") and word != "any"
            else word + "s") + space + rest


def bounded(text, field):
    """The description with what the schema says beside it."""
    inner = field.get("items", field)
    parts = []
    if "default" in field:
        parts.append(f"default `{str(field['default']).lower()}`"
                     if isinstance(field["default"], bool)
                     else f"default `{field['default']}`")
    if "enum" in inner:
        parts.append("one of " + ", ".join(f"`{v}`" for v in inner["enum"]))
    if "minimum" in field or "maximum" in field:
        parts.append(f"{field.get('minimum', '')} to "
                     f"{field.get('maximum', '')}")
    if "maxItems" in field:
        parts.append(f"at most {field['maxItems']} items")
    if inner.get("maxLength"):
        parts.append(f"at most {inner['maxLength']} characters")
    return text + (f" ({'; '.join(parts)})" if parts else "")


def cell(text):
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())


def table(found):
    lines = ["| field | type | meaning |", "|---|---|---|"]
    lines += [f"| `{path}` | {cell(what)} | {cell(said)} |"
              for path, what, said in found]
    return "\n".join(lines) + "\n"


def part(version, *names):
    node = schema(version)
    for name in names:
        node = node["properties"].get(name, {})
    return node


def common(definitions):
    """Rows of run policy and status, as the model has them."""
    version = definitions[MODEL]["versions"][0]
    return (rows(part(version, "spec", "runPolicy"), "spec.runPolicy."),
            rows(part(version, "status"), "status."))


def fields_of_all(definitions):
    policy, status = common(definitions)
    return f"""# Fields that all jobs have

Written from the definitions in `deploy/crds`. `[]` stands for each item of a
list, `.*` for each key of a map; of a map by replica type the keys are names
such as `Worker`. `kubectl explain pytorchjob.spec.runPolicy` shows the same of
a cluster. What a kind has beside these, or otherwise, is on its own page;
DIJobs have [fields of their own](dijob.md).

What the run policy does is in [run policy](../run-policy.md),
[recovery](../recovery.md) and [progress](../progress.md).

## Run policy

{table(policy)}
## Status

{table(status)}"""


def fields_of(name, definitions):
    kind, found = KINDS[name], definitions[name]
    known = {row for rows_ in common(definitions) for row in rows_}
    versions = [v for v in found["versions"] if v.get("schema")]
    text = f"# Fields of {kind}\n\n" \
           f"Written from the definition, `{found['names']['plural']}." \
           f"{found['group']}`."
    if name != "dijob":
        text += " What all kinds have alike is in [Fields that all jobs have]" \
                "(jobs.md); here is the rest, and what this kind has otherwise."
    text += "\n"
    for version in versions:
        if len(versions) > 1:
            text += f"\n## {found['group']}/{version['name']}\n"
        mine = [row for row in rows(part(version, "spec"), "spec.")
                + rows(part(version, "status"), "status.") if row not in known]
        scale = (version.get("subresources") or {}).get("scale")
        text += "\n" + table(mine)
        if scale:
            text += f"\nThe scale subresource changes " \
                    f"`{scale['specReplicasPath'].lstrip('.')}`.\n"
        columns = [c["name"] + " (with `-o wide`)" * bool(c.get("priority"))
                   for c in version.get("additionalPrinterColumns", [])]
        if columns:
            text += f"\n`kubectl get` shows: {', '.join(columns)}.\n"
    return text


# -- rights -------------------------------------------------------------------

def rights(repository):
    """Each rule of the roles, with the comment above it."""
    text = """# Rights, one by one

Written from the roles themselves: what each grants, and why. A test on a real
API server gives the operator exactly these and fails when a call is refused
(`tests/components`). A row without a reason belongs to the one above it, or says
all.

"""
    for title, path, said in ROLES:
        with open(os.path.join(repository, path), encoding="utf-8") as file:
            source = file.read()
        text += f"## {title}\n\n`{path}`. {said}\n\n" \
                "| API group | resources | of this name | verbs | why |\n" \
                "|---|---|---|---|---|\n"
        for rule, why in rules(source):
            groups = ", ".join(g or "core" for g in rule.get("apiGroups", []))
            if "nonResourceURLs" in rule:
                groups = ", ".join(rule["nonResourceURLs"])
            text += f"| {groups} | {', '.join(rule.get('resources', []))} | " \
                    f"{', '.join(rule.get('resourceNames', []))} | " \
                    f"{', '.join(rule['verbs'])} | {cell(why)} |\n"
        text += "\n"
    return text


def rules(source):
    """[(rule, comment)]: those of all documents, in their order. A comment is
    what stands above the rule or within it."""
    result = []
    for document in re.split(r"^---$", source, flags=re.M):
        parsed = yaml.safe_load(document) or {}
        if "rules" not in parsed:
            continue
        pieces = re.split(r"^(?=  - (?:apiGroups|nonResourceURLs):)",
                          document.split("\nrules:\n", 1)[1], flags=re.M)
        before = pieces[0]
        for number, rule in enumerate(parsed["rules"]):
            piece = pieces[number + 1]
            inner = [n for n, line in enumerate(piece.splitlines())
                     if not line.lstrip().startswith("#") and line.strip()]
            lines = piece.splitlines()
            own = lines[:inner[-1] + 1]
            result.append((rule, comment(before) + " "
                           + comment("\n".join(own))))
            before = "\n".join(lines[inner[-1] + 1:])
    return result


def comment(text):
    return " ".join(line.strip().lstrip("#").strip()
                    for line in text.splitlines()
                    if line.strip().startswith("#"))
