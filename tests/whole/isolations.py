"""What can keep the pods of this machine apart."""

import re

from troupe import Folder, finished, tfjob


def why_no_namespaces():
    """What this machine lacks for them; "" if they work."""
    with Folder() as folder:
        code, out = finished("run", "--isolation", "namespaces", folder.write(
            "probe.yaml", tfjob("probe", "pass")))
    if code == 0:
        return ""
    if refusal := re.search("namespaces do not work here.*", out):
        return refusal[0]
    raise SystemExit(f"exit code {code} of\n{out}")


def usable_isolations():
    """The values of --isolation to test with."""
    if why := why_no_namespaces():
        print(f"LEFT OUT: pods in namespaces, {why}")
        return ["preload"]
    return ["preload", "namespaces"]
