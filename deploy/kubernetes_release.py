"""Of which Kubernetes the definitions are that are written down here, and where
that publishes them: in its Go modules."""

import json
import os
import subprocess

VERSION = "1.37.2"
KUBERNETES = "k8s.io/kubernetes"


def module_folder(module, version=VERSION):
    """Where Go keeps the files of a module of Kubernetes. Those beside the
    server itself are counted as v0.x.y."""
    number = version if module == KUBERNETES else "0" + version[1:]
    answer = subprocess.run(
        ["go", "mod", "download", "-json", f"{module}@v{number}"],
        cwd="/", env=dict(os.environ, GOFLAGS="", GOWORK="off"),
        stdout=subprocess.PIPE, check=True)
    return json.loads(answer.stdout)["Dir"]


def openapi_files(version=VERSION):
    """group/version ("v1", "apps/v1") -> the file of its OpenAPI document."""
    folder = os.path.join(module_folder(KUBERNETES, version), "api",
                          "openapi-spec", "v3")
    found = {}
    for name in sorted(os.listdir(folder)):
        parts = name.removesuffix("_openapi.json").split("__")
        if parts[0] in ("api", "apis") and len(parts) > 1:
            found["/".join(parts[1:])] = os.path.join(folder, name)
    return found
