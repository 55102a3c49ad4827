#!/usr/bin/python3
"""Writes the manifest of the kubectl plugin for krew, from the archives.

    write_manifest.py --archives DIR --url URL [--homepage URL]
                      [--output FILE]

URL is where the archives will be found, e.g. that of a release; the name of
each is added. Each archive of DIR (troupe_VERSION_linux_ARCHITECTURE.tar.gz)
becomes a platform; the checksum is that of the file.
"""

import argparse
import glob
import hashlib
import os
import re
import sys

import yaml

ARCHIVE = re.compile(r"troupe_(?P<version>[^_]+)_linux_(?P<arch>[a-z0-9]+)"
                     r"\.tar\.gz")

DESCRIPTION = """\
Says what a training job waits for, and whose move it is (explain), and shows
jobs, watches and calls of the operator live (top). Asks the operator that runs
in the cluster, through a port that kubectl's own rights forward.

The same program runs training jobs on this machine (run, up).
"""


class Dumper(yaml.SafeDumper):
    """Writes texts of several lines as such."""


Dumper.add_representer(str, lambda dumper, text: dumper.represent_scalar(
    "tag:yaml.org,2002:str", text, style="|" if "\n" in text else None))


def platform(path, match, url):
    with open(path, "rb") as file:
        checksum = hashlib.sha256(file.read()).hexdigest()
    name = os.path.basename(path)
    folder = name.removesuffix(".tar.gz")
    return {
        "selector": {"matchLabels": {"os": "linux", "arch": match["arch"]}},
        "uri": f"{url.rstrip('/')}/{name}",
        "sha256": checksum,
        "files": [{"from": f"{folder}/*", "to": "."}],
        "bin": "bin/troupe",
    }


def manifest(folder, url, homepage):
    found = sorted((path, ARCHIVE.fullmatch(os.path.basename(path)))
                   for path in glob.glob(os.path.join(folder, "*.tar.gz")))
    found = [(path, match) for path, match in found if match]
    versions = {match["version"] for _, match in found}
    if len(versions) != 1:
        sys.exit(f"{folder} has archives of {len(versions)} versions; `make "
                 "dist` writes those of one")
    return {
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
        "kind": "Plugin",
        "metadata": {"name": "troupe"},
        "spec": {
            "version": "v" + versions.pop(),
            **({"homepage": homepage} if homepage else {}),
            "shortDescription": "Explain and watch distributed training jobs",
            "description": DESCRIPTION,
            "platforms": [platform(path, match, url)
                          for path, match in found],
        },
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--archives", required=True, metavar="DIR")
    parser.add_argument("--url", required=True)
    parser.add_argument("--homepage", metavar="URL")
    parser.add_argument("--output", metavar="FILE", default="-")
    args = parser.parse_args()
    text = yaml.dump(manifest(args.archives, args.url, args.homepage), None,
                     Dumper, sort_keys=False)
    if args.output == "-":
        print(text, end="")
    else:
        with open(args.output, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
