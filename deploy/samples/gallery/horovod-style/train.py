"""Learns to tell odd from even numbers of ones, in the manner of Horovod.

    mpirun python train.py FOLDER

Horovod's parts, made of PyTorch and an MPI's all-reduce (mpi4py): every rank
begins with the state of rank 0; a wrapped optimizer takes the mean of all
gradients before it steps; rank 0 alone tells, and keeps the state in FOLDER.
README.md says what to write where Horovod itself is there.
"""

import os
import sys

import numpy
import torch
from mpi4py import MPI

EPOCHS, BATCH, BITS, WORDS, RATE = 20, 32, 6, 1536, 0.01


def broadcast_state(world, *keepers):
    """All ranks have the weights, and the optimizer's state, of rank 0."""
    states = world.bcast([keeper.state_dict() for keeper in keepers])
    for keeper, state in zip(keepers, states):
        keeper.load_state_dict(state)


class DistributedOptimizer:
    """Steps by the mean of the gradients of all ranks, which are added up as
    one piece: many small all-reduces cost more than a large one."""

    def __init__(self, world, optimizer, parameters):
        self.world, self.optimizer = world, optimizer
        self.parameters = list(parameters)

    def zero_grad(self):
        self.optimizer.zero_grad()

    def step(self):
        gradients = [p.grad for p in self.parameters]
        piece = torch.cat([g.flatten() for g in gradients])
        self.world.Allreduce(MPI.IN_PLACE, piece.numpy(), op=MPI.SUM)
        piece /= self.world.size
        parts = piece.split([g.numel() for g in gradients])
        for gradient, mean in zip(gradients, parts):
            gradient.copy_(mean.view_as(gradient))
        self.optimizer.step()


def words_of(world):
    """This rank's share: words of bits, and whether their ones are odd."""
    words = torch.arange(WORDS)[world.rank::world.size]
    bits = words[:, None] >> torch.arange(BITS) & 1
    return bits.float() * 2 - 1, bits.sum(1) % 2


def mean(world, value):
    total = numpy.array([value])
    world.Allreduce(MPI.IN_PLACE, total, op=MPI.SUM)
    return total[0] / world.size


def save(path, **state):
    """Under another name first: who is killed here leaves the last whole file
    behind."""
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


def main(folder):
    path = os.path.join(folder, "checkpoint.pt")
    world = MPI.COMM_WORLD
    torch.manual_seed(world.rank)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(
        torch.nn.Linear(BITS, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
    adam = torch.optim.Adam(model.parameters(), lr=RATE)
    first = 1
    if world.rank == 0 and os.path.exists(path):
        kept = torch.load(path)
        model.load_state_dict(kept["model"])
        adam.load_state_dict(kept["optimizer"])
        first = kept["epoch"] + 1
    broadcast_state(world, model, adam)
    first = world.bcast(first)
    optimizer = DistributedOptimizer(world, adam, model.parameters())
    print(f"rank {world.rank} of {world.size} on {MPI.Get_processor_name()} "
          f"begins with epoch {first}", flush=True)
    bits, odd = words_of(world)
    for epoch in range(first, EPOCHS + 1):
        losses = []
        for some in torch.randperm(len(odd)).split(BATCH):
            loss = torch.nn.functional.cross_entropy(
                model(bits[some]), odd[some])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        loss = mean(world, sum(losses) / len(losses))
        if world.rank == 0:
            print(f"epoch {epoch:2} loss {loss:.4f}", flush=True)
            save(path, epoch=epoch, model=model.state_dict(),
                 optimizer=adam.state_dict())


if __name__ == "__main__":
    main(sys.argv[1])
