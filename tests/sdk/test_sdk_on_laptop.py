#!/usr/bin/python3
"""The Kubeflow Python SDK, unchanged, against `troupe up`: processes run, and
their logs are read.

    test_sdk_on_laptop.py [PART OF A CASE'S FUNCTION NAME]
"""

import contextlib
import io
import os
import sys
import threading

import virtual_environment

if __name__ == "__main__":
    virtual_environment.enter()

from kubeflow.training import constants  # noqa: E402

from checks import contains, equal, run  # noqa: E402
from jobs.kinds import PYTORCH, TF  # noqa: E402
from sdk_jobs import (SDK_KINDS, check_pod_names, client_of,  # noqa: E402
                      has_event, job_object, refusal, true_conditions)
from test_up import Up  # noqa: E402
from troupe import LIMIT, Folder, wait_until  # noqa: E402

# Prints, waits for a file, prints.
PROGRAM = """
import os, socket, sys, time
print("begun on", socket.gethostname())
while not os.path.exists(sys.argv[1]):
    time.sleep(0.05)
print("ended")
"""


class OnLaptop(Folder):
    """What a case gets: `troupe up`, and a folder."""

    def __enter__(self):
        super().__enter__()
        # Its pods wait for files in /tmp of the host.
        self.up = Up("--isolation", "preload")
        try:
            self.up.__enter__()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.up.__exit__()
        super().__exit__()

    def report(self):
        return "-- what `troupe up` printed:\n" + self.up.text()

    def sdk(self, kind):
        return client_of(self.up.kubeconfig, "default", kind)

    def command(self, name):
        """A container's; and the file that it waits for."""
        path = os.path.join(self.path, name)
        return [sys.executable, "-u", "-c", PROGRAM, path], path


class Following:
    """get_job_logs(follow=True) on a thread of its own; what it prints."""

    def __init__(self, client, job):
        self.printed, self.answer = io.StringIO(), None
        self.client, self.job = client, job
        self.thread = threading.Thread(target=self.follow, daemon=True)

    def __enter__(self):
        self.redirection = contextlib.redirect_stdout(self.printed)
        self.redirection.__enter__()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.redirection.__exit__(*_)

    def follow(self):
        self.answer = self.client.get_job_logs(self.job, follow=True)

    def await_text(self, text):
        wait_until(text, lambda: text in self.printed.getvalue())

    def logs(self):
        """When it has ended."""
        self.thread.join(LIMIT)
        equal(self.thread.is_alive(), False, "follows an ended pod")
        return self.answer[0]


def await_condition(client, job, condition):
    return client.wait_for_job_conditions(
        job, expected_conditions={condition}, wait_timeout=LIMIT,
        polling_interval=0.2)


# -- cases --------------------------------------------------------------------

def life_case(kind):
    def life(laptop):
        client, job = laptop.sdk(kind), f"life-{kind.short_name}"
        command, go = laptop.command(job)
        client.create_job(job_object(kind, job, command))
        await_condition(client, job, constants.JOB_CONDITION_RUNNING)
        check_pod_names(client, kind, job)
        wait_until("all pods to run", lambda: all(
            pod.status.phase == "Running"
            for pod in client.get_job_pods(job)))
        equal(client.is_job_running(job), True)
        equal([j.metadata.name for j in client.list_jobs()], [job])
        lead, = kind.named(job, kind.roles)
        with Following(client, job) as following:
            following.await_text(f"[Pod {lead}]: begun on {lead}")
            equal("ended" in following.printed.getvalue(), False, "early")
            open(go, "w").close()
            contains(following.logs()[lead], "ended")
        ended = await_condition(client, job, constants.JOB_CONDITION_SUCCEEDED)
        equal(client.is_job_succeeded(job=ended), True)
        equal("Running" in true_conditions(client, job), False)
        logs, _ = client.get_job_logs(job, is_master=False)
        equal(set(logs), set(kind.pods(job)), "pods with logs")
        equal(logs[lead], f"begun on {lead}\nended\n")
        wait_until("an event", lambda: has_event(client, kind, job, lead))
        client.delete_job(job)
        contains(refusal(client.get_job, job), "404")
        wait_until("its pods to go",
                   lambda: client.get_job_pod_names(job) == [])
    life.__name__ = f"life_{kind.short_name}"
    life.__doc__ = (f"{kind}: is created, followed, read and deleted; its "
                    "pods go with it")
    return life


def train(parameters):
    import os
    print("rank", os.environ.get("RANK"), "rate", parameters["lr"])


def functions(laptop):
    """a function runs as a PyTorchJob and as a TFJob"""
    for kind, line in ((PYTORCH, "rank 0 rate 0.1\n"),
                       (TF, "rank None rate 0.1\n")):
        client, job = laptop.sdk(kind), f"function-{kind.short_name}"
        client.create_job(name=job, base_image="none", train_func=train,
                          parameters={"lr": 0.1})
        await_condition(client, job, constants.JOB_CONDITION_SUCCEEDED)
        equal(client.get_job_logs(job), ({kind.pod(job, (
            "Master" if kind is PYTORCH else "Worker"), 0): line}, {}))


def failed(laptop):
    """a job whose program fails ends the wait for its success"""
    client = laptop.sdk(PYTORCH)
    client.create_job(job_object(
        PYTORCH, "failing", [sys.executable, "-c", "raise SystemExit(3)"],
        backoff_limit=0))
    contains(refusal(await_condition, client, "failing",
                     constants.JOB_CONDITION_SUCCEEDED), "is Failed")


def suspended(laptop):
    """an update suspends a running job, another one resumes it"""
    client = laptop.sdk(PYTORCH)
    command, go = laptop.command("suspended")
    job = job_object(PYTORCH, "suspended", command)
    client.create_job(job)
    await_condition(client, "suspended", constants.JOB_CONDITION_RUNNING)
    job.spec.run_policy.suspend = True
    client.update_job(job, "suspended")
    wait_until("no pods", lambda: client.get_job_pod_names("suspended") == [])
    wait_until("Suspended", lambda: "Suspended" in true_conditions(
        client, "suspended"))
    job.spec.run_policy.suspend = False
    client.update_job(job, "suspended")
    open(go, "w").close()
    await_condition(client, "suspended", constants.JOB_CONDITION_SUCCEEDED)


def refused(laptop):
    """what the API server refuses is told with the reason"""
    client = laptop.sdk(TF)
    contains(refusal(client.create_job, job_object(
        TF, "refused", managed_by="nobody.example/nothing")),
        "spec.runPolicy.managedBy")
    job = job_object(TF, "refused", suspend=True)
    client.create_job(job, queue_name="mine")  # There is no Kueue.
    equal(client.get_job("refused").metadata.labels,
          {"kueue.x-k8s.io/queue-name": "mine"})
    contains(refusal(client.create_job, job), "409")
    contains(refusal(client.delete_job, "another"), "404")


CASES = [*map(life_case, SDK_KINDS), functions, failed, suspended, refused]

if __name__ == "__main__":
    sys.exit(run(CASES, OnLaptop, *sys.argv[1:2]))
