"""Runs of pods that namespaces keep apart."""

import json
import os
import re

from isolations import why_no_namespaces
from troupe import finished, tfjob

import needs  # of ../cluster
from checks import equal

NAMESPACES = ("--isolation", "namespaces")

# Of those the first that the host does not use.
PODS_NETWORKS = r"(10\.244|10\.200|172\.30|192\.168|100\.96)\."

# Two workers meet at the same port, each by the other's service.
MEET = """
import json, os, socket, time
task = json.loads(os.environ['TF_CONFIG'])
index = task['task']['index']
other = task['cluster']['worker'][1 - index].rsplit(':', 1)[0]
server = socket.create_server(('', 8000))

def connect():
    while True:
        try:
            return socket.create_connection((other, 8000), 5)
        except OSError:
            time.sleep(0.05)

def meet():
    mine = connect()
    theirs, address = server.accept()
    mine.sendall(mine.getsockname()[0].encode())
    mine.shutdown(socket.SHUT_WR)
    said = b''
    while piece := theirs.recv(100):
        said += piece
    return said.decode(), address[0]
"""


def changed(job, change):
    """The manifest with `change` applied to its pods' template."""
    job = json.loads(job)
    for replica in job["spec"]["tfReplicaSpecs"].values():
        change(replica["template"]["spec"])
    return json.dumps(job)


def run_well(folder, name, program, workers=1, change=lambda _: None, more="",
             options=NAMESPACES):
    text = changed(tfjob(name, program, workers), change)
    job = folder.write(f"{name}.yaml", (more + "\n---\n" if more else "") + text)
    code, out = finished("run", *options, job)
    equal(code, 0, "exit code of\n" + out)
    return out


def kept_files(out):
    """Names of those that a run has kept, by what it said."""
    kept = re.search("Files that pods wrote in their working directories: "
                     r"(\S+)", out)
    return [name for _, _, names in os.walk(kept[1]) for name in names] \
        if kept else []


def cases(with_namespaces, without=()):
    """Without namespaces, where this machine refuses them."""
    if why := why_no_namespaces():
        needs.left_out(f"{len(with_namespaces)} cases", why)
        return list(without)
    return [*with_namespaces, *without]
