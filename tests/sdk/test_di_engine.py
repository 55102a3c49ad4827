#!/usr/bin/python3
"""DI-engine's client of di-server, unchanged, against a real API server.

    test_di_engine.py [--troupe FILE] [--only PART] [-- ARGUMENTS]

Nothing runs the pods: their states are written here.
"""

import importlib.util
import os
import sys

import virtual_environment

if __name__ == "__main__":
    virtual_environment.enter()

import ding  # noqa: E402
from requests import RequestException  # noqa: E402

from checks import equal, main  # noqa: E402
from jobs.namespace import in_namespace  # noqa: E402
from jobs.replica_requests import ReplicaJob, names_of  # noqa: E402
from operators.operator_fixture import OperatorFixture  # noqa: E402

SUCCESS = (True, 0)


def client_class():
    """Its package imports all of DI-engine, so the file is loaded by itself."""
    path = os.path.join(os.path.dirname(ding.__file__), "worker",
                        "coordinator", "operator_server.py")
    spec = importlib.util.spec_from_file_location("operator_server", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.OperatorServer


def connect(ns, worker="coordinator", name="job-coordinator"):
    client = client_class()("127.0.0.1", ns.fixture.operator.di_server,
                            api_version="/v1alpha1", namespace=ns.name,
                            name=name)
    client.set_worker_type(worker)
    return client


def begin(ns):
    job = ReplicaJob(ns, "job", "")
    job.start()
    return job, connect(ns)


def data_of(answer):
    *head, _, data = answer
    equal(tuple(head), SUCCESS, "success and code")
    return data


@in_namespace
def life(ns):
    """a coordinator adds, lists, reports and removes replicas"""
    job, client = begin(ns)
    added = data_of(client.post_replicas({
        "collectors": {"replicas": 2, "cpus": "0.5", "memory": "200Mi"},
        "learners": {"gpus": "0", "replicas": 1}}))
    equal([len(added[s]) for s in ("collectors", "learners")], [2, 1])
    for url in added["collectors"] + added["learners"]:
        host, port = url.split(":")
        equal((host.rsplit(".", 1)[1], port.isdigit()), (ns.name, True), url)
    equal(job.existing(), set(names_of(added)), "pods")
    listed = data_of(client.get_replicas())
    equal(sorted(names_of(listed)), sorted(names_of(added)), "listed")

    failed = names_of(added)[0]
    ns.set_phase(failed, "Failed", 1)
    new = names_of(data_of(client.post_replicas_failed(collectors=[failed])))
    equal(len(new), 1, "replacements")
    equal(job.existing(), {*names_of(added), *new} - {failed}, "pods")

    removed = names_of(data_of(client.delete_replicas(n_collectors=1)))
    equal(len(removed), 1, "removed")
    left = {*names_of(added), *new} - {failed, *removed}
    equal(job.existing(), left, "pods")
    equal(set(names_of(data_of(client.get_replicas()))), left, "listed")


@in_namespace
def other_jobs(ns):
    """a coordinator that no job has: the client raises its own error"""
    begin(ns)
    try:
        connect(ns, name="nobody-coordinator").get_replicas()
    except RequestException:
        return
    raise AssertionError("no error")


if __name__ == "__main__":
    sys.exit(main([life, other_jobs], OperatorFixture, __doc__))
