"""Steps of a model with PyTorch, kept after each in a checkpoint in the
directory of the first argument; the first life of the last rank ends with an
error in the middle, or, with a second argument, the pod of that name is killed:
torchrun, which started this, and so all of its processes."""

import os
import signal
import socket
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

STEPS, FAILS_AT = 20, 7
CHECKPOINT = os.path.join(sys.argv[1], "checkpoint.pt")
FAILED = os.path.join(sys.argv[1], "failed-once")
POD = (sys.argv[2:] or [None])[0]

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
first = 0
if os.path.exists(CHECKPOINT):
    kept = torch.load(CHECKPOINT)
    model.load_state_dict(kept["model"])
    first = kept["step"] + 1
for step in range(first, STEPS):
    chosen = socket.gethostname() == POD if POD else rank == size - 1
    if step == FAILS_AT and chosen and not os.path.exists(FAILED):
        open(FAILED, "w").close()
        if POD:
            os.kill(os.getppid(), signal.SIGKILL)
        os._exit(3)
    x = torch.randn(64, 4)
    loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if rank == 0:
        torch.save({"model": model.state_dict(), "step": step},
                   CHECKPOINT + ".new")
        os.replace(CHECKPOINT + ".new", CHECKPOINT)
    dist.barrier()
print("rank", rank, "of", size, "from step", first, flush=True)
dist.destroy_process_group()
