#!/usr/bin/python3
"""Manifests as users have them, with PyTorch, TensorFlow and Paddle, on this
machine: those of the gallery, and some in which processes are lost. The
packages take gigabytes.

    test_large_frameworks.py [PART OF A MANIFEST'S NAME]
"""

import re

import gallery
import job_runs
import progress
import restarts
from checks import equal
from job_runs import with_shared_folder


def elastic(frameworks):
    """pytorch-elastic.yaml goes on from its checkpoint when a worker fails"""
    text = frameworks.output(with_shared_folder(
        frameworks, "pytorch-elastic.yaml", "/srv/checkpoints"))
    firsts = re.findall(r"rank \d of 2 from step (\d+)", text)
    equal(len(firsts), 2, "ranks that end\n" + text)
    equal([int(x) > 0 for x in firsts], [True, True], "they went on\n" + text)


def lost_pod(frameworks):
    """pytorch-elastic-lost-pod.yaml: one pod is replaced, and all meet again"""
    job = restarts.Played(frameworks, "pytorch-elastic-lost-pod.yaml")
    ranks = range(3)
    equal(sorted((int(m[1]), int(m[2])) for m in job.lines(
        r"rank (\d) of 3 from step (\d+)")), [(i, 7) for i in ranks],
        "(rank, first step) at the end of\n" + job.text)
    equal(job.starts(), {"elastic-worker-0": 1, "elastic-worker-1": 1,
                         "elastic-worker-2": 2}, "starts of pods")
    equal([(r["pod"], r["count"]) for r in job.status["restarts"]],
          [("elastic-worker-2", 1)], "restarts that count")
    equal("restartAttempt" in job.status, False, "the job has attempts")


CASES = [
    gallery.trains("pytorch-ddp", members=3),
    gallery.trains("pytorch-elastic", members=3),
    gallery.trains("transformers", gallery.tells_how_far),
    gallery.trains("tensorflow-multiworker", members=2),
    gallery.trains("tensorflow-ps"),
    gallery.trains("paddle", members=2),
    gallery.trains("horovod-style", members=2, programs=("mpirun.openmpi",)),
    restarts.of_all("pytorch-restart.yaml", "fit-worker-1", "fit-master-0",
                    "fit-worker-0"),
    elastic,
    lost_pod,
    progress.is_told("pytorch-lightning.yaml", "loss"),
    progress.heals("pytorch-hang.yaml", "hang-worker-1", "hang-master-0",
                   "hang-worker-0"),
    progress.is_told("tensorflow-keras.yaml", "loss"),
    restarts.of_all("tensorflow-restart.yaml", "fit-worker-1", "fit-worker-0"),
]

if __name__ == "__main__":
    job_runs.main("large", CASES)
