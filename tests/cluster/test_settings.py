#!/usr/bin/python3
"""The settings of a running operator: printed, and changed in their file.

    test_settings.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import json
import os
import signal
import subprocess
import sys

from checks import contains, equal, main
from cluster import wait_for
from operators.operator_fixture import LIMIT, OperatorFixture


class Configured(OperatorFixture):
    """An operator with a settings file."""

    def __init__(self, troupe, more):
        super().__init__(troupe, more)
        self.troupe = troupe
        self.file = self.cluster.path("operator.yaml")
        self.write("window-first: 5\nlog-level: info\n")
        self.operator.child.args[2:2] = ["--config", self.file]

    def write(self, text):
        # As a ConfigMap's file is replaced: at once.
        with open(self.file + ".new", "w") as out:
            out.write(text)
        os.replace(self.file + ".new", self.file)

    def windows(self):
        tree = json.loads(self.operator.page(self.operator.admin,
                                             "/admin/v1/actors"))
        return [c["window"] for c in tree["children"]
                if c["actor"] == "gateway"]

    def await_log(self, text):
        wait_for(f"the log to say: {text}",
                 lambda: text in self.operator.child.tail(), LIMIT)


def changed_file(fixture):
    """a changed file takes effect where that is safe, and the log says where"""
    equal(max(fixture.windows()) >= 5, True)
    fixture.write("window-first: 3\nwindow-most: 3\ngateways: 2\n")
    fixture.await_log("settings changed")
    contains(fixture.operator.child.tail(),
             "settings changed settings=window-first,window-most")
    contains(fixture.operator.child.tail(),
             "these settings take effect at the next start settings=gateways")
    wait_for("the new window", lambda: fixture.windows() == [3], LIMIT)
    rows = {row["name"]: row for row in json.loads(fixture.operator.page(
        fixture.operator.admin, "/admin/v1/settings"))}
    equal((rows["window-most"]["value"], rows["window-most"]["origin"]),
          ("3", fixture.file + ":2"))
    equal((rows["gateways"]["value"], rows["gateways"]["reloadable"]),
          ("1", False))


def hangup(fixture):
    """SIGHUP reads the file; what cannot be read changes nothing"""
    fixture.write("window-moist: 4\n")
    os.kill(fixture.operator.child.pid, signal.SIGHUP)
    fixture.await_log("did you mean window-most?")
    equal(fixture.operator.ready(), True)
    fixture.write("window-first: 4\nwindow-most: 4\ngateways: 2\n")
    os.kill(fixture.operator.child.pid, signal.SIGHUP)
    wait_for("the new window", lambda: fixture.windows() == [4], LIMIT)


def printed(fixture):
    """--print-config prints a settings file, with where each value is from"""
    env = dict(os.environ, KUBEFLOW_NAMESPACE="team-a")
    fixture.write("gateways: 2\n")

    def print_config(*args):
        return subprocess.run(
            [fixture.troupe, "operator", "--print-config", *args], env=env,
            check=True, stdout=subprocess.PIPE, text=True).stdout

    text = print_config("--config", fixture.file, "--list-page=7")
    contains(text, f"# From {fixture.file}:1; the default is 1:")
    contains(text, "\ngateways: 2\n")
    contains(text, "# From $KUBEFLOW_NAMESPACE; ")
    contains(text, '\nnamespace: "team-a"\n')
    contains(text, "# From --list-page; ")
    contains(text, "\nlist-page: 7\n")
    fixture.write(text)
    again = print_config("--config", fixture.file)
    values = [[line for line in t.splitlines() if not line.startswith("#")]
              for t in (text, again)]
    equal(*values)


CASES = [changed_file, hangup, printed]

if __name__ == "__main__":
    sys.exit(main(CASES, Configured, __doc__))
