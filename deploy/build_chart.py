#!/usr/bin/python3
"""Makes the Helm chart as a file and as an OCI artifact.

    build_chart.py [--output DIR]

Writes troupe-VERSION.tgz, which `helm install` and `helm push` take, and
troupe-chart-VERSION-oci.tar, the same as an OCI image layout in one file, for
tools that copy those to a registry. Needs no Helm. Equal input gives equal
bytes: times are the commit's, entries are sorted; links are followed.
"""

import argparse
import fnmatch
import gzip
import json
import os
import sys
import time

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
CHART = os.path.join(HERE, "chart")
sys.path.insert(0, os.path.join(HERE, "image"))

import build_image  # noqa: E402
import oci  # noqa: E402

CONFIG = "application/vnd.cncf.helm.config.v1+json"
CONTENT = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"


def ignored():
    """The patterns of .helmignore: names of files, or paths of them."""
    with open(os.path.join(CHART, ".helmignore")) as file:
        return [line.strip() for line in file
                if line.strip() and not line.startswith("#")]


def files():
    """Path in the chart -> contents."""
    patterns, result = ignored(), {}
    for folder, _, names in os.walk(CHART, followlinks=True):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), CHART)
            if any(fnmatch.fnmatch(path if "/" in p else name, p)
                   for p in patterns):
                continue
            with open(os.path.join(folder, name), "rb") as file:
                result[path] = file.read()
    return result


def artifact(chart, archive, created):
    """(layout, descriptor) of the chart's one manifest."""
    layout = oci.Layout()
    config = layout.blob("", json.dumps(chart, sort_keys=True).encode())
    content = layout.blob("", archive)
    notes = {"org.opencontainers.image." + name: text for name, text in (
        ("title", chart["name"]), ("version", chart["version"]),
        ("description", chart["description"]), ("created", created))}
    manifest = layout.document("manifest.v1+json", {
        "schemaVersion": 2, "mediaType": oci.IMAGE + "manifest.v1+json",
        "config": {**config, "mediaType": CONFIG},
        "layers": [{**content, "mediaType": CONTENT}], "annotations": notes})
    return layout, {**manifest, "annotations": {
        "org.opencontainers.image.ref.name": chart["version"]}}


def build(output):
    found = files()
    chart = yaml.safe_load(found["Chart.yaml"])
    name, version = chart["name"], chart["version"]
    epoch = build_image.facts()[2]
    archive = gzip.compress(oci.packed(
        {f"{name}/{path}": oci.Blob(data) for path, data in found.items()},
        {}, epoch), 9, mtime=0)
    os.makedirs(output, exist_ok=True)
    path = os.path.join(output, f"{name}-{version}.tgz")
    with open(path, "wb") as out:
        out.write(archive)
    layout, manifest = artifact(chart, archive, time.strftime(
        "%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)))
    image = os.path.join(output, f"{name}-chart-{version}-oci.tar")
    layout.write(image, manifest, epoch)
    print(path, image, sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--output", metavar="DIR", default=os.path.join(
        build_image.TOP, "build", "dist"))
    build(parser.parse_args().output)


if __name__ == "__main__":
    main()
