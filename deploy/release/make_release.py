#!/usr/bin/python3
"""Makes all that is published of a release, in one folder, with checksums and
notes.

    make_release.py [--output DIR] [--url URL] [--image NAME] [--complete]
    make_release.py --list

Each part is made by its own command, which --list shows. A part that cannot be
made here is named, with what it needs; --complete makes that a failure. --url:
where the files will be found, which the kubectl plugin's manifest says. --image:
the image's name with its registry, for install.yaml.

Exit codes: 0, 1 (a command has failed; or, with --complete, a part is left out).
"""

import argparse
import dataclasses
import glob
import hashlib
import os
import shutil
import subprocess
import sys

import set_version
import write_notes

TOP = set_version.TOP
SUMS, NOTES = "SHA256SUMS", "NOTES.md"
OTHER = {"amd64": "arm64", "arm64": "amd64"}


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    command: tuple  # Makes it.
    files: dict  # Pattern of what that writes -> name here; "": the same.
    use: str  # What its reader does with it.
    lack: str = ""  # Why it is not made.


def own_architecture():
    return subprocess.run(["dpkg", "--print-architecture"], check=True,
                          capture_output=True, text=True).stdout.strip()


def archive(version, architecture, command, lack=""):
    name = f"troupe_{version}_linux_{architecture}.tar.gz"
    return Part(
        f"archive for {architecture}", command,
        {f"build/dist/{name}": "", f"build/dist/{name}.spdx.json": ""},
        "unpack it anywhere on Linux, and run `bin/troupe`", lack)


def wheel(version, architecture, lack=""):
    machine = {"amd64": "x86_64", "arm64": "aarch64"}[architecture]
    name = f"troupe_operator-{version}-py3-none-*_{machine}.whl"
    return Part(f"wheel for {architecture}", ("make", "wheel"),
                {f"build/dist/{name}": ""}, "`pip install FILE`", lack)


def image(version, architecture, folder, command, lack=""):
    name = f"troupe_{version}_image_{architecture}"
    return Part(f"image for {architecture}", command,
                {f"{folder}/troupe-oci.tar": f"{name}.tar",
                 f"{folder}/troupe-oci.spdx.json": f"{name}.tar.spdx.json"},
                "`ctr -n k8s.io images import FILE`, `kind load image-archive "
                "FILE`, or to a registry: deploy/image/README.md", lack)


def parts(version, own, output, url="", image_name=""):
    """All, in the order in which they are made."""
    other = OTHER[own]
    folder = f"build-{other}"
    lack = "" if os.path.exists(os.path.join(TOP, folder, "troupe")) else \
        f"it is not built: make build-{other}"
    where = os.path.relpath(output, TOP)
    named = ("--image", image_name) if image_name else ()
    return [
        archive(version, own, ("make", "dist")),
        archive(version, other, ("make", f"dist-{other}"), lack),
        wheel(version, own),
        wheel(version, other, lack),
        image(version, own, "build", ("make", "image")),
        image(version, other, folder, ("make", "images"), lack),
        Part("image for both", ("make", "images"),
             {"build/troupe-oci-index.tar": f"troupe_{version}_image.tar"},
             "`skopeo copy --all oci-archive:FILE docker://REGISTRY/troupe:"
             f"{version}`", lack),
        Part("Helm chart", ("make", "chart"),
             {f"build/dist/troupe-{version}.tgz": "",
              f"build/dist/troupe-chart-{version}-oci.tar": ""},
             "`helm upgrade --install --take-ownership training-operator FILE "
             "--namespace kubeflow --create-namespace --set "
             "image.repository=REGISTRY/troupe`"),
        Part("install.yaml", ("deploy/write_install.py", "--output",
                              f"{where}/install.yaml", *named),
             {f"{where}/install.yaml": ""},
             "`kubectl apply --server-side -f FILE`"),
        Part("kubectl plugin", ("deploy/krew/write_manifest.py", "--archives",
                                where, "--url", url, "--output",
                                f"{where}/troupe.yaml"),
             {f"{where}/troupe.yaml": ""},
             "`kubectl krew install --manifest=FILE`",
             "" if url else "where the archives will be found is not known: "
             "make release URL=https://..."),
        Part("Debian package", ("make", "deb"),
             {f"build/troupe_{version}_{own}.deb": ""},
             "`apt-get install ./FILE` on the Debian that it was built on"),
    ]


class Release:
    """The folder, and what became of each part."""

    def __init__(self, output):
        self.output = output
        self.made, self.left_out, self.failed = [], {}, {}
        self.codes = {}  # Command -> its exit code.
        shutil.rmtree(output, ignore_errors=True)
        os.makedirs(output)

    def add(self, part):
        if part.lack:
            self.left_out[part.name] = part.lack
            return
        command = " ".join(part.command)
        if part.command not in self.codes:
            print(f"== {part.name}: {command}", flush=True)
            self.codes[part.command] = subprocess.run(
                part.command, cwd=TOP, env=dict(
                    os.environ, GNUMAKEFLAGS="--no-print-directory")
            ).returncode
        if code := self.codes[part.command]:
            self.failed[part.name] = f"{command}: exit code {code}"
            return
        names = []
        for pattern, name in part.files.items():
            found = glob.glob(os.path.join(TOP, pattern))
            if len(found) != 1:
                self.failed[part.name] = (
                    f"{command} has written {len(found)} files {pattern}, not "
                    "one")
                return
            path = os.path.join(self.output, name or os.path.basename(found[0]))
            if not os.path.exists(path) or not os.path.samefile(
                    found[0], path):
                shutil.copyfile(found[0], path)
            names.append(os.path.basename(path))
        self.made.append((part, names))

    def finish(self, notes):
        """Writes the notes and the checksums."""
        rows = [f"| `{names[0]}` | {part.name}: "
                + part.use.replace("FILE", names[0]) + " |"
                for part, names in self.made]
        left = [f"* {name}: {why}" for name, why in self.missing().items()]
        text = "\n".join([
            notes, "## Files", "",
            f"`sha256sum --check {SUMS}` checks them. `.spdx.json` lists the "
            "parts of the file it is named after.", "", "| file | what |",
            "|---|---|", *rows, ""]
            + (["Not made:", "", *left, ""] if left else []))
        with open(os.path.join(self.output, NOTES), "w") as file:
            file.write(text)
        names = sorted(set(os.listdir(self.output)) - {SUMS})
        with open(os.path.join(self.output, SUMS), "w") as file:
            for name in names:
                file.write(f"{digest(os.path.join(self.output, name))}  "
                           f"{name}\n")

    def missing(self):
        return {**self.left_out, **self.failed}


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--output", metavar="DIR",
                        default=os.path.join(TOP, "build", "release"))
    parser.add_argument("--url", default="")
    parser.add_argument("--image", metavar="NAME", default="")
    parser.add_argument("--complete", action="store_true")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    version = set_version.version()
    table = parts(version, own_architecture(), os.path.abspath(args.output),
                  args.url, args.image)
    if args.list:
        for part in table:
            print(f"{part.name:18} {' '.join(part.command)}"
                  + (f"   (not now: {part.lack})" if part.lack else ""))
        return 0
    if lines := set_version.wrong():
        sys.exit("\n".join(lines))
    tag = write_notes.where_tag_is(version)
    try:
        notes = write_notes.notes(set_version.read(TOP, "CHANGELOG.md"),
                                  version, tag)
    except write_notes.Wrong as reason:
        sys.exit(str(reason))
    release = Release(os.path.abspath(args.output))
    for part in table:
        release.add(part)
    release.finish(notes)
    print(f"\n{args.output}: {len(os.listdir(args.output))} files"
          + ("" if tag == write_notes.HERE else
             f"; no release, as this commit has no tag v{version}"))
    for name, why in release.missing().items():
        print(f"NOT MADE: {name}: {why}")
    return 1 if release.failed or args.complete and release.left_out else 0


if __name__ == "__main__":
    sys.exit(main())
