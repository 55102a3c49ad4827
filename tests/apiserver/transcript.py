"""What a case saw of a server, without what may differ from server to server."""

import difflib
import json
import re

UID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
MICRO_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
# Times that the cases write; they are shown as they are.
WRITTEN_TIME = re.compile(r"\b20(00|01)-")
VERSION_IN_TEXT = re.compile(
    r"((?:resource version|current): |(?:precondition|record) \()\d+"
    r"(?: \(\d+\))?")
# Of requests; versions that a case makes up have one digit or nine.
PARAMETERS = ((re.compile(r"(resourceVersion=)\d{2,8}\b"), r"\1<version>"),
              (re.compile(r"(continue=)[^&: ]{20,}"), r"\1<token>"))
LONG_RUN = re.compile(r"([a-z])\1{39,}")
ANY_IP = re.compile(r"\b10\.0\.\d+\.\d+\b")
# Members of metadata and of lists whose values say nothing.
OPAQUE = {"resourceVersion": "<version>", "continue": "<token>",
          "clusterIP": "<address>"}
DROPPED = {"managedFields", "selfLink", "storageVersionHash"}


def without_forms(value):
    """What Go leaves out of a list, or not, after its types: the kind of its
    items, and that nothing is to be continued."""
    if value.get("kind", "").endswith("List") \
            and isinstance(value.get("items"), list):
        value = dict(value, items=[
            {k: v for k, v in item.items() if k not in ("kind", "apiVersion")}
            for item in value["items"]])
    if value.get("continue") == "":
        value = {k: v for k, v in value.items() if k != "continue"}
    if value.get("kind") == "Event":
        value = {k: v for k, v in value.items() if v or k == "count"}
    return value


def with_sorted_causes(status):
    """The order of several errors says nothing; some are named twice."""
    if status.get("kind") != "Status" or not status.get("details"):
        return status
    causes = status["details"].get("causes")
    if not causes:
        return status
    once = {json.dumps(c, sort_keys=True): c for c in causes}
    causes = [once[key] for key in sorted(once)]
    message = status["message"]
    if len(causes) > 1:
        message = message.split(" is invalid: ")[0] + " is invalid: [...]"
    return dict(status, message=message,
                details=dict(status["details"], causes=causes))


class Normalizer:
    """`words`: text -> what stands for it, as of the case's namespace."""

    def __init__(self, words):
        self.words = sorted(words.items(), key=lambda w: -len(w[0]))

    def text(self, text):
        text = LONG_RUN.sub(lambda m: f"<{len(m[0])} {m[1]}>", text)
        for word, stands_for in self.words:
            text = text.replace(word, stands_for)
        text = UID.sub("<uid>", text)
        text = VERSION_IN_TEXT.sub(r"\1<version>", text)
        for pattern, name in ((MICRO_TIME, "<microtime>"), (TIME, "<time>")):
            text = pattern.sub(lambda m: m[0] if WRITTEN_TIME.match(m[0])
                               else name, text)
        for pattern, name in PARAMETERS:
            text = pattern.sub(name, text)
        return ANY_IP.sub("<address>", text)

    def value(self, value):
        if isinstance(value, dict):
            value = with_sorted_causes(without_forms(value))
            return {self.text(k): self.member(k, v) for k, v in value.items()
                    if k not in DROPPED}
        if isinstance(value, list):
            return [self.value(v) for v in value]
        return self.text(value) if isinstance(value, str) else value

    def member(self, key, value):
        # Empty is not the same as opaque, and "None" is a service's choice.
        if key in OPAQUE and isinstance(value, str) and value not in ("", "None"):
            return OPAQUE[key]
        return self.value(value)


class Transcript:
    def __init__(self, normalizer):
        self.normalizer, self.lines = normalizer, []

    def add(self, head, value=None):
        self.lines += self.normalizer.text(head).split("\n")
        if value is None:
            return
        if isinstance(value, str):
            shown = self.normalizer.text(value)
        else:
            shown = json.dumps(self.normalizer.value(value), indent=1,
                               sort_keys=True)
        self.lines += ["    " + line for line in shown.split("\n")]


def differences(real, embedded):
    """The lines of a diff; [] if both are the same."""
    return list(difflib.unified_diff(real, embedded, "kube-apiserver",
                                     "embedded", lineterm="", n=4))
