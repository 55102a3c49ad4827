#!/usr/bin/python3
"""Writes the chart's table of values (chart/README.md) from the comments in
chart/values.yaml, and into chart/values.schema.json the kinds that there are
and the operator's settings, from crds/ and config/operator.yaml.

    list_values.py            writes the files that differ
    list_values.py --check    writes nothing; fails, and names the file

Fails, too, where values and schema do not have the same names, and where the
chart's version is not that of the source.
"""

import argparse
import glob
import json
import os
import re
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
README = "deploy/chart/README.md"
SCHEMA = "deploy/chart/values.schema.json"
VALUES = "deploy/chart/values.yaml"
LINE = re.compile(r"( *)([a-zA-Z]+):(.*)$")
HEAD = "| value | default | what it is |\n|---|---|---|\n"
# Definitions of what is no job.
NO_JOBS = ("AggregatorConfig",)
# Flags that are other words for settings.
OTHER_FLAGS = ("burst", "metric-addr", "probe-addr", "probe-address", "qps",
               "sync-period", "zap-devel", "zap-encoder", "zap-log-level",
               "zap-stacktrace-level", "zap-time-encoding")


def read(name):
    with open(os.path.join(TOP, name)) as file:
        return file.read()


# -- the table ----------------------------------------------------------------

def rows(text):
    """[path, default, comment] of each value without values of its own; those
    without a comment have that of what they are in."""
    found, above, comment = [], [], []
    lines = text[text.index("\n\n"):].splitlines()
    for number, line in enumerate(lines):
        if line.startswith("#"):
            comment.append(line[1:].strip())
        if not (match := LINE.match(line)):
            comment = comment if line.startswith("#") else []
            continue
        del above[len(match[1]) // 2:]
        default, _, beside = match[3].partition(" # ")
        said = " ".join(comment) or beside.strip() or (
            above[-1][1] if above else "")
        comment = []
        above.append((match[2], said))
        if default.strip():
            found.append((".".join(name for name, _ in above),
                          default.strip(), said))
    return found


def with_table(text):
    begin = text.index(HEAD)
    end = text.index("\n\n", begin)
    table = "".join(f"| `{path}` | `{default}` | {said} |\n"
                    for path, default, said in rows(read(VALUES)))
    return text[:begin] + HEAD + table.rstrip("\n") + text[end:]


# -- the schema ---------------------------------------------------------------

def kinds():
    """Of one with several versions also each alone: MPIJob.v1."""
    found = set()
    for path in glob.glob(os.path.join(HERE, "crds", "*_*.yaml")):
        with open(path) as file:
            spec = yaml.load(file, yaml.CSafeLoader)["spec"]
        kind = spec["names"]["kind"]
        if kind in NO_JOBS:
            continue
        found.add(kind)
        if len(spec["versions"]) > 1:
            found |= {f"{kind}.{version['name']}"
                      for version in spec["versions"]}
    return sorted(found)


def with_lists(text):
    schema = json.loads(text)
    properties = schema["properties"]
    # A value is changed, and not taken away by null.
    for part in (schema, *schema["definitions"].values(),
                 *properties.values()):
        names = set(part.get("properties", {})) - {"global"}
        if part.get("additionalProperties") is False and names and part not \
                in (properties["args"], properties["resources"]):
            part["required"] = sorted(names)
    properties["kinds"]["items"]["enum"] = kinds()
    settings = {*yaml.safe_load(read("config/operator.yaml")), *OTHER_FLAGS}
    properties["args"]["properties"] = {
        name: {"$ref": "#/definitions/setting"} for name in sorted(settings)}
    return json.dumps(schema, indent=2) + "\n"


# -- what cannot be written ---------------------------------------------------

def names_in(values, schema, definitions, path=""):
    """Sentences about names that only one of them has."""
    schema = definitions.get(schema.get("$ref", "").rpartition("/")[2], schema)
    known = schema.get("properties", {})
    for name in sorted(set(known) - set(values)):
        if path or name != "global":  # Helm's own.
            yield f"{VALUES}: there is no {path}{name}, which the schema has"
    for name, value in values.items():
        if name not in known:
            yield f"{SCHEMA}: there is no {path}{name}, which is a value"
        elif isinstance(value, dict) and value:
            yield from names_in(value, known[name], definitions,
                                f"{path}{name}.")


def faults():
    schema, values = json.loads(read(SCHEMA)), yaml.safe_load(read(VALUES))
    opened = {"args", "resources"}
    yield from names_in({name: {} if name in opened else value
                         for name, value in values.items()},
                        {"properties": {
                            name: {} if name in opened else part
                            for name, part in schema["properties"].items()}},
                        schema["definitions"])
    version = re.search(r"project\(troupe VERSION (\S+)",
                        read("CMakeLists.txt"))[1]
    chart = yaml.safe_load(read("deploy/chart/Chart.yaml"))
    for name in ("version", "appVersion"):
        if chart[name] != version:
            yield f"deploy/chart/Chart.yaml: {name} is not {version}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    said = list(faults())
    for name, text in ((README, with_table(read(README))),
                       (SCHEMA, with_lists(read(SCHEMA)))):
        if text == read(name):
            continue
        if check:
            said.append(f"{name}: its lists are of before; run "
                        "deploy/list_values.py")
        else:
            with open(os.path.join(TOP, name), "w") as file:
                file.write(text)
            print(f"wrote {name}")
    print(*said, sep="\n", end="\n" if said else "")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
