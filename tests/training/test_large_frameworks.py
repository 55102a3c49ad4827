#!/usr/bin/python3
"""Manifests as users have them, with PyTorch, TensorFlow and Paddle, on this
machine. The packages take gigabytes.

    test_large_frameworks.py [PART OF A MANIFEST'S NAME]
"""

import re

import job_runs
import progress
import restarts
from checks import equal
from job_runs import prints, with_shared_folder


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
    prints("pytorch-ddp.yaml",
           *(f"rank {i} of 3 falls True" for i in range(3))),
    restarts.of_all("pytorch-restart.yaml", "fit-worker-1", "fit-master-0",
                    "fit-worker-0"),
    elastic,
    lost_pod,
    progress.is_told("pytorch-trainer.yaml", "loss", "epoch"),
    progress.is_told("pytorch-lightning.yaml", "loss"),
    progress.heals("pytorch-hang.yaml", "hang-worker-1", "hang-master-0",
                   "hang-worker-0"),
    progress.is_told("tensorflow-keras.yaml", "loss"),
    prints("tensorflow-multiworker.yaml",
           *(f"rank {i} of 2 falls True" for i in range(2))),
    restarts.of_all("tensorflow-restart.yaml", "fit-worker-1", "fit-worker-0"),
    prints("tensorflow-ps.yaml", "steps of the workers: 20"),
    prints("paddle-allreduce.yaml", "rank 0 of 2 sum 3"),
]

if __name__ == "__main__":
    job_runs.main("large", CASES)
