"""Reads an OCI archive, as a container runtime does."""

import gzip
import hashlib
import io
import json
import os
import tarfile


class Archive:
    def __init__(self, path):
        self.tar = tarfile.open(path)
        self.index = json.loads(self.file("index.json"))
        self.digest = self.index["manifests"][0]["digest"]
        self.manifest = json.loads(self.blob(self.digest))
        if "config" in self.manifest:
            self.config = json.loads(
                self.blob(self.manifest["config"]["digest"]))

    def file(self, name):
        return self.tar.extractfile(name).read()

    def blob(self, digest):
        data = self.file("blobs/" + digest.replace(":", "/"))
        found = "sha256:" + hashlib.sha256(data).hexdigest()
        if found != digest:
            raise AssertionError(f"the blob {digest} has the digest {found}")
        return data

    def layers(self):
        """The tar files; each digest is as the config says."""
        result = []
        for layer, wanted in zip(self.manifest["layers"],
                                 self.config["rootfs"]["diff_ids"]):
            data = gzip.decompress(self.blob(layer["digest"]))
            found = "sha256:" + hashlib.sha256(data).hexdigest()
            if found != wanted:
                raise AssertionError(f"a layer {found} is named {wanted}")
            result.append(tarfile.open(fileobj=io.BytesIO(data)))
        return result

    def unpack(self, folder):
        for layer in self.layers():
            layer.extractall(folder, numeric_owner=os.geteuid() == 0)


class Index(Archive):
    """One with an index of images; of these, platforms and digests."""

    def __init__(self, path):
        super().__init__(path)
        images = self.manifest["manifests"]
        self.platforms = ["{os}/{architecture}".format(**image["platform"])
                          for image in images]
        self.digests = [image["digest"] for image in images]
