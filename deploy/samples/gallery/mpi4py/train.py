"""Tells two crowds of points apart with mpi4py, each rank with points of its
own.

    mpirun python train.py FOLDER

Every rank computes the gradient of its points, and an all-reduce in the memory
of numpy's arrays adds them up. Rank 0 keeps the state in FOLDER and hands it
to all at the start.
"""

import os
import sys

import numpy
from mpi4py import MPI

STEPS, EVERY, POINTS, PLACES, RATE = 200, 20, 2000, 8, 0.5


def my_points(rank):
    """Of two crowds, whose middles are the same for all ranks."""
    middle = numpy.random.default_rng(0).normal(size=PLACES)
    numbers = numpy.random.default_rng([1, rank])
    crowd = numbers.integers(0, 2, POINTS)
    points = numbers.normal(size=(POINTS, PLACES)) \
        + numpy.outer(2 * crowd - 1, middle)
    return numpy.c_[points, numpy.ones(POINTS)], crowd


def loss_and_gradient(weights, points, crowd):
    chance = 1 / (1 + numpy.exp(-points @ weights))
    right = numpy.where(crowd == 1, chance, 1 - chance)
    gradient = points.T @ (chance - crowd) / POINTS
    return -numpy.log(right + 1e-12).mean(), gradient


def load(path):
    if not os.path.exists(path):
        return 0, numpy.zeros(PLACES + 1)
    with numpy.load(path) as kept:
        return int(kept["step"]), kept["weights"]


def save(path, step, weights):
    """Under another name first: who is killed here leaves the last whole file
    behind."""
    with open(path + ".new", "wb") as file:
        numpy.savez(file, step=step, weights=weights)
    os.replace(path + ".new", path)


def main(folder):
    path = os.path.join(folder, "checkpoint.npz")
    world = MPI.COMM_WORLD
    first, weights = world.bcast(load(path) if world.rank == 0 else None)
    print(f"rank {world.rank} of {world.size} on {MPI.Get_processor_name()} "
          f"begins with step {first + 1}", flush=True)
    points, crowd = my_points(world.rank)
    total = numpy.empty(1 + len(weights))  # The loss, and the gradient.
    for step in range(first + 1, STEPS + 1):
        total[0], total[1:] = loss_and_gradient(weights, points, crowd)
        # With a capital letter: the memory itself is sent, nothing is pickled.
        world.Allreduce(MPI.IN_PLACE, total, op=MPI.SUM)
        total /= world.size
        weights = weights - RATE * total[1:]
        if world.rank == 0 and (step == 1 or step % EVERY == 0):
            print(f"step {step:3} loss {total[0]:.4f}", flush=True)
            save(path, step, weights)


if __name__ == "__main__":
    main(sys.argv[1])
