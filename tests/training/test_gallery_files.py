#!/usr/bin/python3
"""The files of deploy/samples/gallery, without any framework: Dockerfiles that
a builder would take, pages that say what to type, manifests that the shipped
program runs with simulated pods. No image is built.

    test_gallery_files.py [PART OF A SAMPLE'S NAME]
"""

import ast
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", name) for name in ("cluster", "whole")]

import yaml  # noqa: E402

import dockerfiles  # noqa: E402
from checks import contains, equal, run  # noqa: E402
from troupe import REPOSITORY, Folder, finished  # noqa: E402

SAMPLES = os.path.join(REPOSITORY, "deploy", "samples")
GALLERY = os.path.join(SAMPLES, "gallery")
NAMES = sorted(os.listdir(GALLERY))
COVERED = {"di-engine", "horovod-style", "jax", "mpi4py", "paddle",
           "pytorch-ddp", "pytorch-elastic", "tensorflow-multiworker",
           "tensorflow-ps", "transformers", "xgboost"}
IMAGE = re.compile(r"image: troupe-gallery/([a-z0-9-]+):([\d.]+)$", re.M)
PARTS = ["## On a laptop", "## On a cluster", "## What is printed",
         "## For your own"]
MOST_LINES, MOST_COLUMNS = 170, 88  # Each is read in one sitting.
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")
PATH = re.compile(r"`(\.\./[^`]+)`")


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


def programs_of(name):
    return [file for file in os.listdir(os.path.join(GALLERY, name))
            if file.endswith(".py")]


def tested_packages():
    """The lines of the lists that tests of frameworks install."""
    return {line for file in os.listdir(HERE)
            if file.startswith("requirements-")
            for line in read(HERE, file).splitlines()}


def manifest(name):
    """One job, with the sample's name and image, and the claim it mounts."""
    text = read(GALLERY, name, "job.yaml")
    documents = list(yaml.safe_load_all(text))
    equal({d["metadata"]["name"] for d in documents}, {name}, "names")
    equal([d["kind"] for d in documents][0], "PersistentVolumeClaim", "first")
    equal(len(documents), 2, "documents")
    equal({found[0] for found in IMAGE.findall(text)}, {name}, "images")
    equal(text.count("image: "), len(IMAGE.findall(text)), "images")
    for file in re.findall(r"[\w-]+\.py", text):
        contains(str(programs_of(name)), file)
    return IMAGE.search(text)[2]


def dockerfile(name, tag):
    folder = os.path.join(GALLERY, name)
    text = read(folder, "Dockerfile")
    dockerfiles.checked(text, folder)
    copied = dockerfiles.copied(text)
    equal(sorted(copied), sorted(["requirements.txt", *programs_of(name)]),
          "what is copied")
    contains(text, f"docker build -t troupe-gallery/{name}:{tag} .")
    lack = set(read(folder, "requirements.txt").split()) - tested_packages()
    equal(lack, set(), "packages that are not those of the tests")


def page(name, tag):
    folder = os.path.join(GALLERY, name)
    text, image = read(folder, "README.md"), f"troupe-gallery/{name}:{tag}"
    for part in [*PARTS, "pip install -r requirements.txt",
                 "troupe run job.yaml", f"docker build -t {image} .",
                 f"kind load docker-image {image}", "kubectl apply -f job.yaml",
                 "seconds on two cores", "but do not build the image"]:
        contains(" ".join(text.split()), part)
    for path in LINK.findall(text) + PATH.findall(text):
        there = os.path.exists(os.path.join(folder, path))
        equal(there, True, f"{path} exists")
    contains(read(GALLERY, "..", "README.md"), f"(gallery/{name}/README.md)")


def size(name):
    for file in os.listdir(os.path.join(GALLERY, name)):
        if file == "__pycache__":
            continue
        lines = read(GALLERY, name, file).splitlines()
        equal(len(lines) <= MOST_LINES, True, f"{file} has few lines")
        long = [line for line in lines if len(line) > MOST_COLUMNS]
        equal(long, [], f"long lines of {file}")
        if file.endswith(".py"):
            ast.parse("\n".join(lines), file)


def files(name):
    def case(_):
        tag = manifest(name)
        dockerfile(name, tag)
        page(name, tag)
        size(name)

    case.__name__ = "files_" + name
    case.__doc__ = f"gallery/{name}: manifest, Dockerfile, page, programs agree"
    return case


def simulated(name):
    def case(_):
        code, text = finished(
            "run", "--node", "simulated", "--simulated-run-time", "1s",
            os.path.join(GALLERY, name, "job.yaml"))
        equal(code, 0, "exit code of\n" + text)
        contains(text, " succeeded after ")

    case.__name__ = "simulated_" + name
    case.__doc__ = f"gallery/{name}: the manifest runs, with simulated pods"
    return case


def complete(_):
    """the gallery has what people run, and a test of frameworks runs each"""
    equal(set(NAMES), COVERED, "samples")
    run_by = "".join(read(HERE, file) for file in os.listdir(HERE)
                     if file.startswith("test_") and file.endswith("s.py")
                     or file == "test_di_engine.py")
    for name in NAMES:
        equal(bool(re.search(rf'trains\(\s*"{name}"', run_by)), True,
              f"gallery.trains of {name} is in a test")


REFUSED = {
    "": "does not begin with FROM",
    "RUN true\nFROM a:1\n": "does not begin with FROM",
    "FROM python\n": "no tag",
    "FROM python:latest\n": "no tag",
    "FROM registry.example/python:3.11\n": "names a registry",
    "FROM python:3.11 as\n": "FROM IMAGE",
    "FROM python:3.11\nCOPPY a b\n": "line 2: there is no instruction COPPY",
    "FROM python:3.11\nRUN\n": "line 2: RUN lacks",
    "FROM python:3.11\nRUN a \\\n  && b \\\n": "ends with a backslash",
    "FROM python:3.11\nCOPY job.yaml\n": "COPY WHAT WHERETO",
    "FROM python:3.11\nCOPY nothing.py ./\n": "there is no nothing.py",
    "FROM python:3.11\nCOPY ../jax/job.yaml ./\n": "outside",
    "FROM python:3.11\nCOPY job.yaml train.py app\n": "has to end with /",
    'FROM python:3.11\nCMD ["python", 1]\n': "no list of texts",
    'FROM python:3.11\nCMD ["python"\n': "is no JSON",
    "FROM python:3.11\nCMD a\nCMD b\n": "CMD is there more than once",
    "FROM python:3.11\nENV A\n": "NAME=VALUE",
    "FROM python:3.11\nWORKDIR app\n": "no absolute path",
    "FROM python:3.11\nEXPOSE http\n": "http is no port",
}


def refusals(_):
    """a Dockerfile that a builder would refuse is refused, with its line"""
    folder = os.path.join(GALLERY, "jax")
    for text, why in REFUSED.items():
        try:
            dockerfiles.checked(text, folder)
        except dockerfiles.Wrong as wrong:
            contains(str(wrong), why)
        else:
            raise AssertionError(f"taken: {text!r}")


def taken(_):
    """one with all that the checks know is taken"""
    dockerfiles.checked(
        "# syntax=docker/dockerfile:1\nARG V=1\nFROM python:3.11-slim AS base\n"
        "RUN --mount=type=cache,target=/root/.cache \\\n# between\n\n"
        "    pip install a \\\n    && true\nENV A=1 B=\"two words\"\n"
        "COPY --chown=1000:1000 [\"job.yaml\", \"train.py\", \"/app/\"]\n"
        "EXPOSE 80 443/tcp\nUSER 1000\nCMD [\"python\", \"train.py\"]\n",
        os.path.join(GALLERY, "jax"))


CASES = [complete, refusals, taken, *map(files, NAMES), *map(simulated, NAMES)]

if __name__ == "__main__":
    sys.exit(run(CASES, Folder, *sys.argv[1:2], at_once=2))
