"""OCI image layouts in one archive each; equal input gives equal bytes."""

import gzip
import io
import json
import os
import tarfile

from debian_files import sha256

IMAGE = "application/vnd.oci.image."


def packed(files, directories, time):
    """A tar file; `directories`: path -> mode of those that may be empty."""
    modes = {parent: 0o755 for path in files for parent in parents(path)}
    modes.update(directories)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted({*modes, *files}):
            member = tarfile.TarInfo(path)
            member.mtime = time
            if path in modes:
                member.type, member.mode = tarfile.DIRTYPE, modes[path]
                tar.addfile(member)
                continue
            file = files[path]
            member.mode, member.size = file.mode, len(file.data)
            if file.link:
                member.type, member.linkname = tarfile.SYMTYPE, file.link
            tar.addfile(member, io.BytesIO(file.data))
    return out.getvalue()


def parents(path):
    while path := os.path.dirname(path):
        yield path


class Layout:
    """Collects blobs and writes them as one archive."""

    def __init__(self):
        self.blobs = {}

    def blob(self, kind, data):
        digest = sha256(data)
        self.blobs[digest] = data
        return {"mediaType": IMAGE + kind, "digest": "sha256:" + digest,
                "size": len(data)}

    def document(self, kind, value):
        return self.blob(kind, json.dumps(value, sort_keys=True,
                                          indent=1).encode())

    def image(self, layers, config, annotations):
        """The descriptor of an image of these tar files."""
        described = [self.blob("layer.v1.tar+gzip",
                               gzip.compress(tar, 6, mtime=0))
                     for tar in layers]
        rootfs = {"type": "layers",
                  "diff_ids": ["sha256:" + sha256(tar) for tar in layers]}
        return self.document("manifest.v1+json", {
            "schemaVersion": 2, "mediaType": IMAGE + "manifest.v1+json",
            "config": self.document("config.v1+json",
                                    {**config, "rootfs": rootfs}),
            "layers": described, "annotations": annotations})

    def index(self, images, annotations):
        """The descriptor of an index of these images, each with its
        platform."""
        return self.document("index.v1+json", index_of(images,
                                                       annotations))

    def write(self, path, image, time):
        """`image`: the descriptor of an image, or of an index of some."""
        index = index_of([image])
        files = {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}',
                 "index.json": json.dumps(index, sort_keys=True).encode()}
        files.update({f"blobs/sha256/{digest}": data
                      for digest, data in self.blobs.items()})
        with open(path + ".part", "wb") as out:
            out.write(packed({name: Blob(data) for name, data in
                              files.items()}, {}, time))
        os.replace(path + ".part", path)


def index_of(manifests, annotations=None):
    more = {"annotations": annotations} if annotations else {}
    return {"schemaVersion": 2, "mediaType": IMAGE + "index.v1+json",
            "manifests": manifests, **more}


class Blob:
    mode, link = 0o644, ""

    def __init__(self, data):
        self.data = data
