"""Fits a line with PyTorch's DDP, each rank with data of its own. Rank 0 keeps
every fifth step in the folder of the first argument. In the first attempt the
last rank gets the signal of the second argument (SIGKILL) between two checkpoints;
the next attempt goes on from the last.
"""

import os
import signal
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

STEPS, EVERY, LOST_AT = 30, 5, 17
LOST_BY = signal.Signals["".join(sys.argv[2:]) or "SIGKILL"]
PATH = os.path.join(sys.argv[1], "ddp.pt")
ATTEMPT = int(os.environ["TRAINING_RESTART_ATTEMPT"])

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
model = DistributedDataParallel(torch.nn.Linear(4, 1))
# With momentum: the optimizer's state has to be kept, too.
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)


def batch(step):
    """The same whenever the step is repeated."""
    numbers = torch.Generator().manual_seed(world * step + rank)
    x = torch.randn(64, 4, generator=numbers)
    return x, x.sum(1, keepdim=True)


def advance(step):
    """One step; the mean of all ranks' losses before it."""
    x, y = batch(step)
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    mean = loss.detach() / world
    dist.all_reduce(mean)
    return mean.item()


def save(step):
    """Under another name first: who is killed leaves the last behind."""
    if rank == 0:
        torch.save({"step": step, "model": model.state_dict(),
                    "optimizer": optimizer.state_dict()}, PATH + ".new")
        os.replace(PATH + ".new", PATH)
    dist.barrier()


def load():
    if not os.path.exists(PATH):
        return 0
    kept = torch.load(PATH)
    model.load_state_dict(kept["model"])
    optimizer.load_state_dict(kept["optimizer"])
    return kept["step"]


def train():
    step = load()
    print("attempt", ATTEMPT, "rank", rank, "of", world, "begins at", step)
    while step < STEPS:
        if ATTEMPT == 0 and step == LOST_AT and rank == world - 1:
            os.kill(os.getpid(), LOST_BY)
        loss = advance(step)
        if rank == 0:
            print("attempt", ATTEMPT, "step", step, "loss", loss)
        step += 1
        if step % EVERY == 0:
            save(step)


try:
    train()
except RuntimeError as lost:
    # On GPUs the others would not notice, and wait.
    print("attempt", ATTEMPT, "rank", rank, "waits:", type(lost).__name__)
    signal.pause()
dist.destroy_process_group()
