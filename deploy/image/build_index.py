#!/usr/bin/python3
"""Joins container images of several architectures to one, an OCI archive with an
index: who pulls it gets the image of his machine's architecture.

    build_index.py OUTPUT ARCHIVE...

The archives are those of build_image.py, each of another architecture and all of
one commit. Equal input gives an equal digest, which is printed.
"""

import json
import os
import sys
import tarfile

import oci

class Image:
    """What is in an archive of one image."""

    def __init__(self, path):
        with tarfile.open(path) as tar:
            self.time = tar.getmember("index.json").mtime
            index = json.load(tar.extractfile("index.json"))
            self.blobs = {
                os.path.basename(member.name): tar.extractfile(member).read()
                for member in tar
                if member.isfile() and member.name.startswith("blobs/sha256/")}
        self.descriptor, = index["manifests"]
        manifest = self.document(self.descriptor)
        config = self.document(manifest["config"])
        self.names = self.descriptor.pop("annotations")
        self.annotations = manifest["annotations"]
        self.commit = self.annotations.get("org.opencontainers.image.revision")
        self.architecture = config["architecture"]
        self.descriptor["platform"] = {"architecture": self.architecture,
                                       "os": config["os"]}

    def document(self, descriptor):
        return json.loads(
            self.blobs[descriptor["digest"].removeprefix("sha256:")])


def join(output, archives):
    images = sorted(map(Image, archives), key=lambda image: image.architecture)
    architectures = [image.architecture for image in images]
    commits = {image.commit for image in images}
    if len(set(architectures)) != len(images) or len(commits) != 1:
        sys.exit(f"{', '.join(archives)}: of {', '.join(architectures)} and "
                 f"{len(commits)} commits; make images of one commit, one of "
                 "each architecture")
    layout = oci.Layout()
    for image in images:
        layout.blobs.update(image.blobs)
    index = layout.index([image.descriptor for image in images],
                         images[0].annotations)
    index["annotations"] = images[0].names
    layout.write(output, index, max(image.time for image in images))
    print(f"{output}: {index['digest']}, {', '.join(architectures)}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    join(sys.argv[1], sys.argv[2:])
