"""The shipped binary as a child process, and what can be measured of it."""

import os
import re
import urllib.error
import urllib.request

from cluster import REPOSITORY, wait_for
from process import Child, free_port

TROUPE = os.path.join(REPOSITORY, "build", "troupe")
TICKS = os.sysconf("SC_CLK_TCK")
SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)", re.M)
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Operator:
    """`troupe operator` against the cluster of `kubeconfig`.

    `more` are further arguments, `webhooks` is the port for these; the log is
    appended to over restarts. A program called `manager` takes the flags alone.
    """

    def __init__(self, kubeconfig, log, troupe=TROUPE, more=(), webhooks=None):
        self.health, self.metrics_port, self.admin, self.di_server = (
            free_port() for _ in range(4))
        self.webhooks = webhooks
        if webhooks:
            more = [*more, "--webhook-server-port", str(webhooks)]
        self.child = Child(
            [troupe, *([] if os.path.basename(troupe) == "manager" else
                       ["operator"]), "--kubeconfig", kubeconfig,
             "--health-probe-bind-address", f"127.0.0.1:{self.health}",
             "--metrics-bind-address", f"127.0.0.1:{self.metrics_port}",
             "--admin-bind-address", f"127.0.0.1:{self.admin}",
             "--di-server-bind-address", f"127.0.0.1:{self.di_server}",
             *more], log)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.child.stop()

    def start(self, seconds=60):
        self.child.start()
        try:
            wait_for("the operator to be ready", self.ready, seconds)
        except BaseException:
            self.child.stop()
            raise

    def kill(self):
        """SIGKILL: what was not written is lost."""
        self.child.kill()

    def page(self, port, path):
        url = f"http://127.0.0.1:{port}{path}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.read().decode()

    def ready(self):
        if not self.child.running():
            raise RuntimeError("the operator ended:\n" + self.child.tail())
        try:
            self.page(self.health, "/readyz")
            return True
        except (urllib.error.URLError, OSError):
            return False

    # -- measures ------------------------------------------------------------

    def metric(self, name):
        """The samples of a metric: a list of (labels, value)."""
        text = self.page(self.metrics_port, "/metrics")
        return [(dict(LABEL.findall(labels or "")), float(value))
                for sample, labels, value in SAMPLE.findall(text)
                if sample == name]

    def requests(self):
        """How many requests were made so far, by `verb resource`."""
        counts = {}
        for labels, value in self.metric("troupe_api_requests_total"):
            key = f"{labels.get('verb')} {labels.get('resource')}"
            counts[key] = counts.get(key, 0) + int(value)
        return counts

    def cpu(self):
        """Seconds of CPU, user and system, of all threads so far."""
        with open(f"/proc/{self.child.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self):
        """Resident memory in MiB: (now, at its peak)."""
        with open(f"/proc/{self.child.pid}/status") as file:
            kib = dict(re.findall(r"^(Vm\w+):\s+(\d+) kB", file.read(), re.M))
        return int(kib["VmRSS"]) / 1024, int(kib["VmHWM"]) / 1024
