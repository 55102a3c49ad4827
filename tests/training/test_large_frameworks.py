#!/usr/bin/python3
"""Manifests as users have them, with PyTorch, TensorFlow and Paddle, on this
machine. The packages take gigabytes.

    test_large_frameworks.py [PART OF A MANIFEST'S NAME]
"""

import re

import job_runs
from checks import equal
from job_runs import prints, with_shared_folder


def elastic(frameworks):
    """pytorch-elastic.yaml goes on from its checkpoint when a worker fails"""
    text = frameworks.output(with_shared_folder(
        frameworks, "pytorch-elastic.yaml", "/srv/checkpoints"))
    firsts = re.findall(r"rank \d of 2 from step (\d+)", text)
    equal(len(firsts), 2, "ranks that end\n" + text)
    equal([int(x) > 0 for x in firsts], [True, True], "they went on\n" + text)


CASES = [
    prints("pytorch-ddp.yaml",
           *(f"rank {i} of 3 falls True" for i in range(3))),
    elastic,
    prints("tensorflow-multiworker.yaml",
           *(f"rank {i} of 2 falls True" for i in range(2))),
    prints("tensorflow-ps.yaml", "steps of the workers: 20"),
    prints("paddle-allreduce.yaml", "rank 0 of 2 sum 3"),
]

if __name__ == "__main__":
    job_runs.main("large", CASES)
