"""All that etcd has stored: what was created, changed and deleted, in order.

Complete until the API server compacts it, five minutes after its start.
"""

import base64
import collections
import json
import urllib.request

Change = collections.namedtuple("Change", "key what revision")
LIMIT = 60  # seconds without another line


def encoded(key):
    return base64.b64encode(key.encode()).decode()


def change(event):
    """`what` is created, changed or deleted."""
    stored = event["kv"]
    what = "deleted" if event.get("type") == "DELETE" else (
        "created" if stored["version"] == "1" else "changed")
    return Change(base64.b64decode(stored["key"]).decode(), what,
                  int(stored["mod_revision"]))


def changes(cluster, resource, last):
    """The Changes of the resource's objects of all namespaces until the key
    that ends with `last` is created."""
    prefix = f"/registry/{resource}"
    # A range ends before its second key; "0" comes after "/".
    request = {"create_request": {
        "key": encoded(prefix + "/"), "range_end": encoded(prefix + "0"),
        "start_revision": 1, "fragment": True}}
    asked = urllib.request.Request(cluster.etcd_url + "/v3/watch",
                                   json.dumps(request).encode())
    with urllib.request.urlopen(asked, timeout=LIMIT) as lines:
        for line in lines:
            result = json.loads(line)["result"]
            if result.get("canceled"):
                raise RuntimeError(f"etcd has ended the watch: {result}")
            for event in result.get("events", ()):
                found = change(event)
                yield found
                if found.key.endswith(last) and found.what == "created":
                    return
