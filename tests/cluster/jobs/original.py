"""Jobs as the training operator leaves them: objects and status of each kind.

Taken from its documentation and from what was seen of it, not from Troupe's
tables: the tests compare the two.
"""

import time

from jobs.kinds import JAX, LABEL, MPI, MX, PADDLE, PYTORCH, TF

RBAC = "/apis/rbac.authorization.k8s.io/v1"
CREATED = ("Created", "True", "Created")
# State of a job -> its conditions: (type, status, what the reason says).
STATES = {
    "created": [CREATED],
    "running": [CREATED, ("Running", "True", "Running")],
    "succeeded": [CREATED, ("Running", "False", "Running"),
                  ("Succeeded", "True", "Succeeded")],
    "failed": [CREATED, ("Running", "False", "Running"),
               ("Failed", "True", "Failed")],
    "suspended": [CREATED, ("Running", "False", "Suspended"),
                  ("Suspended", "True", "Suspended")]}
COUNTED = {"Running": "active", "Failed": "failed"}


def manifest(kind, state):
    """A job that keeps its pods at its end."""
    policy = {"cleanPodPolicy": "None"}
    if state == "suspended":
        policy["suspend"] = True
    return kind.manifest(state, policy, restart="Never" if state == "failed"
                         else None)


def slots(kind, state="running"):
    """(type, index) of each pod of a usual job."""
    return [(name, index) for name, count in kind.types
            for index in range(count) if state != "suspended"]


def phase(kind, state, slot):
    """Of a pod: a worker has failed; or those that lead have succeeded."""
    if state == "created":
        return "Pending"
    if state == "failed" and slot == slots(kind)[-1]:
        return "Failed"
    if state == "succeeded" and "%s-%d" % slot in kind.leads:
        return "Succeeded"
    return "Running"


# -- metadata -----------------------------------------------------------------

def owner(kind, name, uid):
    return {"apiVersion": "kubeflow.org/v1", "kind": kind.name, "name": name,
            "uid": uid, "controller": True, "blockOwnerDeletion": True}


def selector(kind, job, replica, index):
    labels = {LABEL + "job-name": job,
              LABEL + "operator-name": kind.controller,
              LABEL + "replica-type": replica.lower()}
    if (kind, replica) != (MPI, "Launcher"):
        labels[LABEL + "replica-index"] = str(index)
    return labels


def labels(kind, job, replica, index):
    more = ({LABEL + "job-role": "master"}
            if f"{replica}-{index}" in kind.roles else {})
    return {**selector(kind, job, replica, index), **more}


# -- objects ------------------------------------------------------------------

def pod(kind, job, uid, slot):
    template = manifest(kind, job)["spec"][kind.field][slot[0]]["template"]
    container = template["spec"]["containers"][0]
    env = [{"name": name, "value": value} for name, value in
           kind.environment(job, *slot).items() if value]
    if env:
        container["env"] = env
    return {"metadata": {"name": kind.pod(job, *slot),
                         "labels": labels(kind, job, *slot),
                         "ownerReferences": [owner(kind, job, uid)]},
            "spec": {"containers": [container],
                     "restartPolicy": "Never" if job == "failed"
                     else kind.restarts or "Never"}}


def service(kind, job, uid, slot):
    name, number = kind.port
    return {"metadata": {"name": kind.pod(job, *slot),
                         "labels": selector(kind, job, *slot),
                         "ownerReferences": [owner(kind, job, uid)]},
            "spec": {"clusterIP": "None",
                     "selector": selector(kind, job, *slot),
                     "ports": [{"name": name, "port": number}]}}


def launcher_objects(ns, job, uid):
    """Collection -> object, of an MPIJob with two workers."""
    workers = [f"{job}-worker-{n}" for n in range(2)]
    running = [name for name in workers if job in ("running", "succeeded")]
    objects = {
        (ns.core("configmaps"), "config"): {"data": {
            "hostfile": "".join(f"{name} slots=1\n" for name in workers),
            "discover_hosts.sh": "\n".join(
                ["#!/bin/sh", *(f"echo {name}:1" for name in running)]),
            "kubexec.sh": "#!/bin/sh\nset -x\nPOD_NAME=$1\nshift\n"
                          "/opt/kube/kubectl exec ${POD_NAME} -- /bin/sh -c "
                          "\"$*\""}},
        (ns.core("serviceaccounts"), "launcher"): {},
        (ns.at(RBAC, "roles"), "launcher"): {"rules": [
            {"apiGroups": [""], "resources": ["pods"],
             "verbs": ["get", "list", "watch"]},
            {"apiGroups": [""], "resources": ["pods/exec"],
             "resourceNames": workers, "verbs": ["create"]}]},
        (ns.at(RBAC, "rolebindings"), "launcher"): {
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io",
                        "kind": "Role", "name": f"{job}-launcher"},
            "subjects": [{"kind": "ServiceAccount", "namespace": ns.name,
                          "name": f"{job}-launcher"}]}}
    return {path: {"metadata": {
        "name": f"{job}-{what}", "labels": {"app": job},
        "ownerReferences": [owner(MPI, job, uid)]}, **rest}
        for (path, what), rest in objects.items()}


# -- status -------------------------------------------------------------------

def message(kind, ns, job, reason):
    full = f"{kind} {ns.name}/{job}"
    short = f"{kind} {job}"
    if reason == "Running":
        return f"{full if kind in (TF, JAX) else short} is running."
    if reason == "Succeeded":
        return (f"{full} successfully completed." if kind in (TF, JAX)
                else f"{short} is successfully completed.")
    if reason == "Failed":
        said = (f"{full} has failed" if kind is TF else
                f"mxjob {job} is failed" if kind is MX else
                f"{short} is failed")
        return f"{said} because 1 Worker replica(s) failed."
    return f"{short} is {reason.lower()}."


def replica_status(kind, state, replica):
    counts = {}
    for slot in slots(kind, state):
        word = COUNTED.get(phase(kind, state, slot))
        if state == "succeeded":  # All, but workers that a launcher started.
            word = "" if (kind, replica) == (MPI, "Worker") else "succeeded"
        if slot[0] == replica and word:
            counts[word] = counts.get(word, 0) + 1
    if kind in (PYTORCH, PADDLE, JAX):
        terms = selector(kind, state, replica, 0)
        del terms[LABEL + "replica-index"]
        counts["selector"] = ",".join(
            f"{key}={value}" for key, value in sorted(terms.items()))
    return counts


def status(kind, ns, state, now):
    def reason(word):
        doubled = "MPIJob" if (kind, word) == (MPI, "Failed") else ""
        return f"{kind}{doubled}{word}"
    result = {
        "startTime": now,
        "conditions": [{
            "type": name, "status": value, "reason": reason(why),
            "message": message(kind, ns, state, why),
            "lastUpdateTime": now, "lastTransitionTime": now}
            for name, value, why in STATES[state]],
        "replicaStatuses": {name: replica_status(kind, state, name)
                            for name, _ in kind.types}}
    if state in ("succeeded", "failed"):
        result["completionTime"] = now
    return result


def leave(ns, kind, state):
    """A job of the state's name, with all that belongs to it."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    uid = ns.client.post(ns.of(kind), manifest(kind, state))[
        "metadata"]["uid"]
    if kind is MPI:
        for path, made in launcher_objects(ns, state, uid).items():
            ns.client.post(path, made)
    for slot in slots(kind, state):
        ns.client.post(ns.core("pods"), pod(kind, state, uid, slot))
        if kind.port:
            ns.client.post(ns.core("services"),
                           service(kind, state, uid, slot))
        reached = phase(kind, state, slot)
        if reached != "Pending":
            ns.set_phase(kind.pod(state, *slot), reached,
                         1 if reached == "Failed" else 0)
    ns.client.merge(ns.of(kind, state) + "/status",
                    {"status": status(kind, ns, state, now)})
