"""Learns to tell odd from even numbers of ones, in the manner of Horovod.

    mpirun python train.py

Horovod's three parts, made of PyTorch and an MPI's all-reduce (mpi4py): every
rank begins with the weights of rank 0; a wrapped optimizer takes the mean of all
gradients before it steps; rank 0 alone tells. README.md says what to write
where Horovod itself is there.
"""

import numpy
import torch
from mpi4py import MPI

EPOCHS, BATCH, BITS, WORDS, RATE = 20, 32, 6, 1536, 0.01


def broadcast_parameters(world, model):
    """All ranks have the weights of rank 0."""
    with torch.no_grad():
        for parameter in model.parameters():
            # A view: what MPI writes there are the weights.
            world.Bcast(parameter.numpy(), root=0)


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


def main():
    world = MPI.COMM_WORLD
    torch.manual_seed(world.rank)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(
        torch.nn.Linear(BITS, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
    broadcast_parameters(world, model)
    optimizer = DistributedOptimizer(
        world, torch.optim.Adam(model.parameters(), lr=RATE),
        model.parameters())
    bits, odd = words_of(world)
    for epoch in range(1, EPOCHS + 1):
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
    hosts = world.gather(MPI.Get_processor_name())
    if world.rank == 0:
        print(f"{world.size} ranks on", ", ".join(sorted(set(hosts))))


if __name__ == "__main__":
    main()
