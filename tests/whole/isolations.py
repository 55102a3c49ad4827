"""What can keep the pods of this machine apart."""

import re

from troupe import Folder, finished, tfjob

import needs  # of ../cluster


def why_no_namespaces():
    """A needs.Missing of what this machine lacks for them; None if they work.
    """
    with Folder() as folder:
        code, out = finished("run", "--isolation", "namespaces", folder.write(
            "probe.yaml", tfjob("probe", "pass")))
    if code == 0:
        return None
    if refusal := re.search("namespaces do not work here.*", out):
        return needs.Missing(refusal[0], needs.LET_NAMESPACES)
    raise SystemExit(f"exit code {code} of\n{out}")


def usable_isolations():
    """The values of --isolation to test with."""
    if why := why_no_namespaces():
        needs.left_out("pods in namespaces", why)
        return ["preload"]
    return ["preload", "namespaces"]
