#!/usr/bin/python3
"""Writes objects (custom resource definitions, roles) as JSON, one in a line.

    crds_to_json.py OUTPUT CRD.yaml ...
"""

import json
import sys

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def definitions(paths):
    for path in paths:
        with open(path) as file:
            yield from filter(None, yaml.load_all(file, LOADER))


def main(output, *paths):
    with open(output, "w") as file:
        for definition in definitions(paths):
            json.dump(definition, file, separators=(",", ":"))
            file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
