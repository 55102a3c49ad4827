#!/usr/bin/python3
"""Every command and every manifest of the documentation is run, or names the
test that runs its like on a cluster (blocks.py).

    test_blocks.py [PART OF A CASE'S NAME]
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", part) for part in ("whole", "cluster")]

import yaml  # noqa: E402

import assets  # noqa: E402  of ../cluster
import needs  # noqa: E402
from blocks import (  # noqa: E402
    CLASSES, COMMANDS, REPOSITORY, blocks, pages, prose, read)
from checks import contains, equal, run  # noqa: E402
from test_samples import RUN_ELSEWHERE  # noqa: E402  of ../whole
from test_up import Up  # noqa: E402
from troupe import TROUPE, Folder, finished  # noqa: E402

SAMPLE = re.compile(r"troupe run deploy/samples/([\w.-]+\.yaml)")
KINDS = {"PyTorchJob": ("kubeflow.org/v1", "pytorchReplicaSpecs", "pytorch")}
HERE_DOCUMENT = re.compile(r"<<'?(?:END|EOF)'?[^\n]*\n(.*?)^(?:END|EOF)$",
                           re.M | re.S)
# Names of folders that begin a path in this repository.
PLACE = re.compile(r"(?<![\w/.:-])((?:deploy|docs|tests|config|cmake|k8s|"
                   r"frameworks|actors)/[\w./-]*[\w/-])")


class Places(Folder):
    """A folder in which paths of the repository are what they are there, and
    its program in the PATH."""

    def __enter__(self):
        super().__enter__()
        self.place = self.path  # That of all cases.
        for name in ("deploy", "docs", "tests"):
            os.symlink(os.path.join(REPOSITORY, name),
                       os.path.join(self.place, name))
        os.symlink(TROUPE, os.path.join(self.place, "troupe"))
        return self

    def shell(self, text, **variables):
        """The output of commands, which have to succeed."""
        done = subprocess.run(
            ["bash", "-euc", text], cwd=self.place, text=True, timeout=120,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PATH": self.place + ":" + os.environ["PATH"],
                 "HOME": self.place, **variables})
        equal(done.returncode, 0, f"exit code of\n{text}\n{done.stdout}")
        return done.stdout


def problems(found):
    if found:
        raise AssertionError("\n".join(found))


# -- cases --------------------------------------------------------------------

def classes(_):
    """each block has a class, and what its class needs"""
    found = []
    for b in blocks():
        if b.kind not in CLASSES:
            found.append(f"{b}: say above it what it is, <!-- block: ... -->: "
                         f"tests/documents/blocks.py has the classes")
        elif b.kind in ("cluster", "packaging", "shown") and not os.path.isfile(
                os.path.join(REPOSITORY, *b.words[:1])):
            found.append(f"{b}: names no test that there is: {b.words}")
        elif b.kind == "output" and re.search(r"^\$ ", b.text, re.M):
            found.append(f"{b}: has commands")
    problems(found)


def paths(_):
    """each path of the repository in blocks and text is there"""
    found = []
    for page in pages():
        if page.startswith(("CHANGELOG", "docs/adr/")):
            continue  # Of their time.
        for place in set(PLACE.findall(read(page))):
            if "NAME" in place or place.endswith("-") or os.path.exists(
                    os.path.join(REPOSITORY, place)):
                continue
            if not any(os.path.exists(os.path.join(REPOSITORY, place + more))
                       for more in (".cpp", ".hpp", ".py", ".md")):
                found.append(f"{page}: {place} is not there")
    problems(found)


def flags_of_commands():
    result = {}
    for command in re.findall(r"^  ([\w-]+)  ", finished("--help")[1].partition(
            "Subcommands:")[2], re.M):
        text = finished(command, "--help")[1]
        result[command] = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text))
    return result


def command_lines(_):
    """flags of troupe's commands, and targets of make, are there"""
    known, found = flags_of_commands(), []
    targets = set(re.findall(r"^([a-z0-9-]+):", read("Makefile"), re.M))
    lines = [(b, line) for b in blocks() if b.kind in COMMANDS
             for line in b.commands()]
    lines += [(page, span.replace("\n", " ")) for page in pages()
              for span in re.findall(r"`((?:kubectl )?(?:troupe|make) [^`]+)`",
                                     prose(page))
              if not page.startswith(("CHANGELOG", "docs/adr/"))]
    for where, line in lines:
        for part in re.split(r"&&|\||;|\n", line.replace("\\\n", " ")):
            words = part.split()
            if words[:1] == ["kubectl"]:
                words = words[1:]
            if words[:1] == ["make"] and set(words[1:2]) - targets \
                    and re.match(r"[a-z]", words[1]):
                found.append(f"{where}: no target {words[1]}: {part.strip()}")
            if words[:1] != ["troupe"] or words[1:2] == ["COMMAND"]:
                continue
            if len(words) > 1 and words[1] not in known \
                    and not words[1].startswith("-"):
                found.append(f"{where}: no command {words[1]}: {part.strip()}")
            for word in words[2:]:
                flag = word.strip("`'\"").partition("=")[0]
                if flag.startswith("--") and flag not in known[words[1]]:
                    found.append(f"{where}: no flag {flag}: {part.strip()}")
    problems(found)


def syntax(_):
    """Python, JSON, YAML and shell are well formed"""
    for b in blocks():
        try:
            if b.kind == "python":
                compile(b.text, str(b), "exec")
            elif b.kind == "json":
                json.loads(b.text)
            elif b.kind in ("manifest", "part", "file"):
                list(yaml.safe_load_all(b.text))
        except (SyntaxError, ValueError, yaml.YAMLError) as why:
            raise AssertionError(f"{b}: {why}") from None
        if b.kind == "promql":
            for name in re.findall(r"\b[a-z]+_\w+\b(?!\))", b.text):
                contains(read("docs/metrics.md"), f"| `{name}` |")
        if b.kind in COMMANDS:
            done = subprocess.run(["bash", "-nc", "\n".join(b.commands())],
                                  text=True, capture_output=True)
            equal(done.returncode, 0, f"{b}: {done.stderr}")


def gallery(_):
    """commands of the gallery's pages name files of their folders, which tests
    run"""
    for b in blocks():
        if b.kind != "gallery":
            continue
        folder = os.path.dirname(os.path.join(REPOSITORY, b.path))
        for name in re.findall(r"[\w-]+\.(?:yaml|txt|py)\b", b.text):
            equal(os.path.exists(os.path.join(folder, name)), True,
                  f"{b}: {name}")
        if "docker build" in b.text:
            equal(os.path.exists(os.path.join(folder, "Dockerfile")), True, b)
        tests = "".join(read(os.path.join("tests", "training", name))
                        for name in os.listdir(os.path.join(
                            REPOSITORY, "tests", "training"))
                        if name.endswith(".py"))
        contains(tests, os.path.basename(folder))


def here_documents(_):
    """objects in here-documents are well formed"""
    for b in blocks():
        for text in HERE_DOCUMENT.findall(b.text) if b.kind in COMMANDS else []:
            text = re.sub(r"\$\d", "x", text)
            for thing in yaml.safe_load_all(text):
                equal({"apiVersion", "kind", "metadata"} - set(thing), set(),
                      f"{b}: missing in {thing}")


def kustomizations(places):
    """each folder that `kubectl apply -k` names can be built"""
    kubectl = assets.kubectl()
    named = {found for page in pages() for found in re.findall(
        r"\bapply(?: --[\w-]+)* -k (deploy[\w/-]*)", read(page))}
    equal(len(named) > 5, True, f"only {named}")
    for folder in sorted(named):
        places.shell(f"{kubectl} kustomize {os.path.join(REPOSITORY, folder)}")


def merged(base, more):
    if isinstance(base, dict) and isinstance(more, dict):
        return {**base, **{k: merged(base.get(k), v) for k, v in more.items()}}
    if isinstance(base, list) and isinstance(more, list) and base and more \
            and isinstance(more[0], dict):
        return [merged(base[0], more[0])] + more[1:]
    return more


def whole_job(b):
    """The job of which the block is a part."""
    kind, path = b.words[0], "".join(b.words[1:2])
    version, replicas, container = KINDS[kind]
    job = {"apiVersion": version, "kind": kind, "metadata": {"name": "part"},
           "spec": {replicas: {"Worker": {"replicas": 16, "template": {"spec": {
               "containers": [{"name": container, "image": "none"}]}}}}}}
    part = yaml.safe_load(b.text)
    for name in reversed(path.split(".") if path else []):
        part = {name: part}
    return merged(job, part)


def url_of(thing):
    group = thing["apiVersion"]
    base = "/apis/" + group if "/" in group else "/api/" + group
    plural = thing["kind"].lower() + "s"
    space = "" if thing["kind"] == "Node" else "/namespaces/default"
    return f"{base}{space}/{plural}?dryRun=All&fieldValidation=Strict"


def manifests(_):
    """each manifest is accepted, with no field that is not known"""
    found, count = [], 0
    with Up("--no-node") as up:
        for b in blocks():
            if b.kind not in ("manifest", "part"):
                continue
            things = [whole_job(b)] if b.kind == "part" \
                else list(yaml.safe_load_all(b.text))
            for thing in filter(None, things):
                thing["metadata"].pop("namespace", None)
                status, answer = up.ask("POST", url_of(thing), thing)
                count += 1
                if status != 201:
                    found.append(f"{b}: {status} {answer}")
    problems(found)
    equal(count > 20, True, f"only {count} manifests")


def run_here(places):
    """commands for this machine succeed"""
    for b in blocks():
        if b.kind != "run":
            continue
        for line in b.commands():
            sample = SAMPLE.fullmatch(line)
            if sample:  # Which ../whole/test_samples.py runs.
                equal(os.path.exists(os.path.join(
                    REPOSITORY, "deploy", "samples", sample[1])), True, str(b))
                equal(sample[1] in RUN_ELSEWHERE, False, str(b))
            elif not b.words or shutil.which(b.words[0]):
                places.shell(line)
            else:
                needs.left_out(str(b), f"no {b.words[0]}")


def run_on_laptop(places):
    """commands for `troupe up` succeed, and print what is shown"""
    needs.programs("curl")
    kubectl = assets.kubectl()
    os.symlink(kubectl, os.path.join(places.place, "kubectl"))
    with Up("--node", "simulated", "--simulated-run-time", "0s",
            "--authorization", "RBAC") as up:
        places.shell("kubectl apply -f deploy/samples/tfjob-ps.yaml",
                     KUBECONFIG=up.kubeconfig)
        up.await_condition("rings", "Running")
        for b in blocks():
            if b.kind != "laptop":
                continue
            text = "\n".join(b.commands())
            text = text.replace("127.0.0.1:8082",
                                up.admin.removeprefix("http://"))
            text = re.sub(r"http://127\.0\.0\.1:40511",
                          up.server.replace("https", "http"), text)
            text = re.sub(r"\bcurl\b", "curl -sS --fail", text)
            out = places.shell(text, KUBECONFIG=up.kubeconfig)
            for line in b.output():
                contains(out, line)


CASES = [classes, paths, command_lines, syntax, here_documents,
         kustomizations, gallery, manifests, run_here, run_on_laptop]

if __name__ == "__main__":
    sys.exit(run(CASES, Places, "".join(sys.argv[1:2])))
