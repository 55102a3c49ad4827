"""Loads on a cluster, and what they cost the operator."""

import base64
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import yaml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cluster"))

from cluster import wait_for  # noqa: E402
from operators.shipped import LABEL, TICKS  # noqa: E402

IDLE_SECONDS = 3            # seconds without a request: what was asked is done
IDLE_LIMIT = 120    # seconds until that is given up


def cpu_seconds(pid):
    """Seconds of CPU, user and system, of all threads of a process so far."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_mib(pid):
    """The most memory that a process has had so far."""
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) / 1024


def flags(load):
    """The load generator's flags for `1000x4:PyTorchJob` and the like.

    Raises ValueError for what has another form; whether there can be such a
    load is for the generator to say.
    """
    parts = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)(?::(\w+))?", load)
    if not parts:
        raise ValueError(f"{load!r} is not JOBSxPODS or JOBSxPODS:KIND")
    return ["-jobs", parts[1], "-pods", parts[2],
            "-kind", parts[3] or "TFJob"]


class Load:
    """Jobs x pods of a kind on one cluster, through its kubeconfig."""

    def __init__(self, loadgen, kubeconfig, load):
        with open(kubeconfig) as file:
            config = yaml.safe_load(file)
        cluster = config["clusters"][0]["cluster"]
        user = (config.get("users") or [{"user": {}}])[0]["user"] or {}
        self.command = [loadgen, "-server", cluster["server"], *flags(load)]
        self.environment = dict(os.environ,
                                LOADGEN_TOKEN=user.get("token", ""))
        authority = cluster.get("certificate-authority-data")
        if authority:
            self.file = tempfile.NamedTemporaryFile(prefix="troupe-bench-")
            self.file.write(base64.b64decode(authority))
            self.file.flush()
            self.command += ["-ca", self.file.name]

    def __call__(self, command, *more):
        done = subprocess.run(
            self.command + list(map(str, more)) + [command],
            stdout=subprocess.PIPE, check=True, text=True,
            env=self.environment)
        return json.loads(done.stdout)


def served(cluster):
    """The requests that the API server ended so far, by `VERB resource`.

    Without leases: those that it holds itself are renewed all the time.
    """
    _, text = cluster.client.text("GET", "/metrics")
    counts = {}
    for line, value in re.findall(r"^apiserver_request_total\{(.*)\} (\S+)$",
                                  text.decode(), re.M):
        label = dict(LABEL.findall(line))
        if label["resource"] in ("", "leases"):
            continue
        key = f"{label['verb']} {label['resource']}"
        if label["subresource"]:
            key += "/" + label["subresource"]
        counts[key] = counts.get(key, 0) + int(float(value))
    return counts


def by_verb(requests):
    verbs = {}
    for key, count in requests.items():
        verb = key.split()[0]
        verbs[verb] = verbs.get(verb, 0) + count
    return verbs


def difference(after, before):
    return {key: count - before.get(key, 0) for key, count in
            sorted(after.items()) if count != before.get(key, 0)}


class Meter:
    """Reads the operator before and after a part of the run."""

    def __init__(self, cluster, operator):
        self.cluster, self.operator = cluster, operator
        self.read()

    def read(self):
        self.cpu = self.operator.cpu()
        self.requests = self.operator.requests()
        self.served = served(self.cluster)

    def wait_until_idle(self):
        """Waits until no request was made for IDLE_SECONDS; says whether."""
        def counts():
            return self.operator.requests(), served(self.cluster)

        state = [counts(), time.monotonic()]

        def idle():
            time.sleep(0.9)
            now = counts()
            if now != state[0]:
                state[:] = [now, time.monotonic()]
            return time.monotonic() - state[1] >= IDLE_SECONDS

        try:
            wait_for("the operator to be idle", idle, IDLE_LIMIT)
            return True
        except TimeoutError:
            return False

    def part(self, result, rests=True):
        """`result`, with what it cost until the operator was idle again, or,
        unless it `rests`, so far."""
        result["cpu_at_end"] = self.operator.cpu() - self.cpu
        result["came_to_rest"] = rests and self.wait_until_idle()
        before = self.cpu, self.requests, self.served
        self.read()
        requests = difference(self.requests, before[1])
        arrived = difference(self.served, before[2])
        now, peak = self.operator.memory()
        result.update(
            cpu=self.cpu - before[0], requests=requests,
            verbs=by_verb(requests), served=arrived,
            status_writes=sum(count for key, count in arrived.items()
                              if key.endswith("jobs/status")),
            memory_mib=now, peak_mib=peak)
        return result

    def quiet(self, seconds):
        """The requests of idle seconds: by its own account, and all that the
        server answered, whoever asked."""
        time.sleep(seconds)
        before = self.requests, self.served
        self.read()
        return {"seconds": seconds,
                "requests": difference(self.requests, before[0]),
                "served": difference(self.served, before[1])}
