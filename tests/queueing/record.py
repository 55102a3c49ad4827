"""What became of all pods and Workloads of a cluster, in the order in which the
API server saved it: so a moment between two looks is seen, too."""

import bisect
import http.client
import json
import threading
import time

from cluster import wait_for
from control_plane.client import ApiError

ENDED = ("Succeeded", "Failed")
JOB = "training.kubeflow.org/job-name"
LIMIT = 60  # seconds until what was saved has been told
GONE = 410
AGAIN = 0.2  # seconds until a watch that broke is asked for again
WORKLOADS = "/apis/kueue.x-k8s.io/v1beta2/workloads"


def conditions(item):
    return {c["type"]: c["status"] for c in
            item.get("status", {}).get("conditions", ())}


def of_pod(pod):
    meta = pod["metadata"]
    return {"what": "pod", "name": meta["name"],
            "job": meta.get("labels", {}).get(JOB),
            "live": pod.get("status", {}).get("phase") not in ENDED,
            "ending": "deletionTimestamp" in meta, "pod": {
                "metadata": {part: meta.get(part, {}) for part in (
                    "name", "labels", "annotations")},
                "spec": {part: pod["spec"].get(part) for part in (
                    "nodeSelector", "tolerations", "schedulingGates")}}}


def of_workload(workload):
    meta, found = workload["metadata"], conditions(workload)
    return {"what": "workload", "name": meta["name"],
            "job": next((o["name"] for o in meta.get("ownerReferences", ())
                         if o.get("controller")), None),
            "allowed": "True" in (found.get("Admitted"),
                                  found.get("Finished")),
            "reserved": found.get("QuotaReserved") == "True"
            and found.get("Finished") != "True",
            "finished": found.get("Finished") == "True",
            "active": workload["spec"].get("active", True),
            "conditions": found}


class Stream(threading.Thread):
    """All that was saved of one collection since `version`.

    An API server that was started again tells nothing of what was before: then
    what is there is listed, and what has gone is noted as gone at once.
    """

    def __init__(self, client, path, version, facts, note):
        super().__init__(daemon=True)
        self.client, self.path, self.version = client, path, version
        self.facts, self.note = facts, note
        self.over, self.there = False, {}  # UID -> namespace

    def run(self):
        while not self.over:
            try:
                self.read()
            except (OSError, http.client.HTTPException, ValueError, ApiError):
                pass  # The API server went away.
            time.sleep(AGAIN)

    def read(self):
        link = http.client.HTTPSConnection(
            self.client.url.hostname, self.client.url.port, timeout=90,
            context=self.client.tls)
        try:
            link.request("GET", f"{self.path}?watch=1&timeoutSeconds=60"
                         f"&resourceVersion={self.version}",
                         headers=self.client.headers)
            answer = link.getresponse()
            if answer.status == GONE:
                self.list()
            if answer.status != 200:
                return
            while line := answer.readline():
                event = json.loads(line)
                if event["type"] == "ERROR":
                    if event["object"].get("code") == GONE:
                        self.list()
                    return
                self.version = event["object"]["metadata"]["resourceVersion"]
                self.tell(event["object"], event["type"] == "DELETED")
        finally:
            link.close()

    def tell(self, item, gone):
        meta = item["metadata"]
        if gone:
            self.there.pop(meta["uid"], None)
        else:
            self.there[meta["uid"]] = meta["namespace"]
        self.note(int(meta["resourceVersion"]), meta["namespace"], {
            "uid": meta["uid"], "gone": gone, **self.facts(item)})

    def list(self):
        answer = self.client.get(self.path)
        left = dict(self.there)
        for item in answer["items"]:
            left.pop(item["metadata"]["uid"], None)
            self.tell(item, False)
        for uid, namespace in left.items():
            del self.there[uid]
            self.note(int(self.version), namespace, {
                "uid": uid, "gone": True, "what": self.facts({
                    "metadata": {"name": "?"}, "spec": {}})["what"],
                "name": uid, "job": None, "live": False, "ending": False,
                "conditions": {}})
        self.version = answer["metadata"]["resourceVersion"]

    def end(self):
        self.over = True


class Record:
    """Of a cluster that runs and has Kueue's definitions."""

    def __init__(self, client):
        self.client, self.lock, self.facts = client, threading.Lock(), {}
        self.streams = [
            Stream(client, path, client.get(path + "?limit=1")["metadata"][
                "resourceVersion"], facts, self.note)
            for path, facts in (("/api/v1/pods", of_pod),
                                (WORKLOADS, of_workload))]
        for stream in self.streams:
            stream.start()

    def stop(self):
        for stream in self.streams:
            stream.end()

    def note(self, version, namespace, fact):
        with self.lock:
            self.facts.setdefault(namespace, []).append((version, fact))

    # -- reading -------------------------------------------------------------

    def current(self, names):
        """uid -> version of all that is there, by the API server."""
        return {o["metadata"]["uid"]: int(o["metadata"]["resourceVersion"])
                for stream in self.streams
                for o in self.client.get(stream.path)["items"]
                if o["metadata"]["namespace"] in names}

    def told(self, names):
        """The same, by what was told."""
        found = {}
        with self.lock:
            for name in names:
                for version, fact in self.facts.get(name, ()):
                    if fact["gone"]:
                        found.pop(fact["uid"], None)
                    else:
                        found[fact["uid"]] = version
        return found

    def history(self, *spaces):
        """[(version, fact)] of these namespaces, in their order, up to now."""
        names = {ns.name for ns in spaces}

        def caught_up():
            # What was told may be newer than what was asked before it.
            wanted = self.current(names)
            found = self.told(names)
            return all(found.get(uid, 0) >= version
                       for uid, version in wanted.items()) \
                and set(found) <= set(wanted)

        wait_for("the record to be up to now", caught_up, LIMIT)
        with self.lock:
            return sorted((entry for name in names
                           for entry in self.facts.get(name, ())),
                          key=lambda entry: entry[0])

    def pods(self, ns):
        """Each pod that was ever there, as it was first seen."""
        found = {}
        for _, fact in self.history(ns):
            if fact["what"] == "pod" and not fact["gone"]:
                found.setdefault(fact["uid"], fact["pod"])
        return list(found.values())

    # -- what must hold ------------------------------------------------------

    def check(self, spaces, most, since=0, finished_give_back=False):
        """Of these namespaces: never more than `most` live pods, after the
        version `since`; and no live pod without an admitted or finished
        Workload. `finished_give_back`: those of a finished one have no quota any
        more, and do not count."""
        wrong = []
        for version, pods, workloads in self.moments(spaces):
            if version <= since:
                continue
            live = [p for p in pods.values() if p["live"]]
            over = {w["job"] for w in workloads.values() if w["finished"]} \
                if finished_give_back else ()
            counted = [p for p in live if p["job"] not in over]
            if len(counted) > most:
                wrong.append(f"at {version} {len(counted)} pods in {most} "
                             "places: "
                             + ", ".join(sorted(p["name"] for p in counted)))
            allowed = {w["job"] for w in workloads.values() if w["allowed"]}
            wrong += [f"at {version} {p['name']} is there, and no Workload of "
                      f"{p['job']} is admitted" for p in live
                      if p["job"] not in allowed]
        if wrong:
            raise AssertionError(
                f"{len(wrong)} moments with what must not be, first:\n"
                + "\n".join(wrong[:5]) + "\n" + self.story(spaces, wrong[0]))

    def moments(self, spaces):
        """(version, pods by UID, Workloads by UID) after each change."""
        there = {"pod": {}, "workload": {}}
        for version, fact in self.history(*spaces):
            kind = there[fact["what"]]
            if fact["gone"]:
                kind.pop(fact["uid"], None)
            else:
                kind[fact["uid"]] = fact
            yield version, there["pod"], there["workload"]

    def story(self, spaces, around, lines=40):
        """The changes before a moment, as text."""
        entries = self.history(*spaces)
        at = bisect.bisect_right([version for version, _ in entries],
                                 int(around.split()[1]))
        return "\n".join(f"  {version} {shown(fact)}" for version, fact in
                         entries[max(0, at - lines):at])

    def released_after_pods(self, ns, job):
        """How often the quota of the job's Workload was given back; each time
        no live pod of it was there. Raises AssertionError otherwise."""
        times, held = 0, {}
        for version, pods, workloads in self.moments([ns]):
            now = {uid: w["reserved"] for uid, w in workloads.items()
                   if w["job"] == job}
            left = [uid for uid in held if held[uid] and not now.get(uid)]
            live = [p["name"] for p in pods.values()
                    if p["live"] and p["job"] == job]
            if left:
                times += 1
                if live:
                    raise AssertionError(
                        f"at {version} quota of {job} was given back beside "
                        + ", ".join(live))
            held = now
        return times


def shown(fact):
    gone = "gone " if fact["gone"] else ""
    if fact["what"] == "pod":
        return (f"{gone}pod {fact['name']}"
                + ("" if fact["live"] else " ended")
                + (" ending" if fact["ending"] else ""))
    return f"{gone}Workload {fact['name']} of {fact['job']} " + " ".join(
        f"{name}={value}" for name, value in fact["conditions"].items())
