"""Tells the arms of a spiral apart, with PyTorch's DistributedDataParallel.

    train.py FOLDER

Each process computes the gradients of its share of the data; DDP takes their
mean while they are computed. Rank 0 keeps the state after each epoch in
FOLDER, where all must see it: whoever starts again goes on from there.
"""

import os
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

EPOCHS, BATCH, POINTS, ARMS = 20, 64, 3072, 3


def spiral():
    """The same points in each process; the sampler gives each its share."""
    numbers = torch.Generator().manual_seed(0)
    arm = torch.arange(POINTS) % ARMS
    along = torch.rand(POINTS, generator=numbers)
    angle = 4 * along + arm * 2 * torch.pi / ARMS \
        + 0.15 * torch.randn(POINTS, generator=numbers)
    place = along[:, None] * torch.stack([angle.cos(), angle.sin()], 1)
    return TensorDataset(place, arm)


def start():
    """Meets the others, whose addresses are in the environment (MASTER_ADDR,
    MASTER_PORT, RANK, WORLD_SIZE), and returns this process's device."""
    if not torch.cuda.is_available():
        dist.init_process_group("gloo")
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    return device


def save(path, **state):
    """Under another name first: a process that is killed here leaves the last
    whole file behind."""
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


def main(folder):
    path = os.path.join(folder, "checkpoint.pt")
    device = start()
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Sequential(
        torch.nn.Linear(2, 64), torch.nn.ReLU(),
        torch.nn.Linear(64, 64), torch.nn.ReLU(),
        torch.nn.Linear(64, ARMS)).to(device))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    first = 1
    if os.path.exists(path):
        kept = torch.load(path, map_location=device)
        model.module.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])
        first = kept["epoch"] + 1

    data = spiral()
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, BATCH, sampler=sampler)
    print(f"rank {dist.get_rank()} of {dist.get_world_size()} begins with "
          f"epoch {first}, on {device}")
    for epoch in range(first, EPOCHS + 1):
        sampler.set_epoch(epoch)  # Without it each epoch has the same order.
        total = torch.zeros(3, device=device)  # Of losses, of hits, of points.
        for place, arm in loader:
            place, arm = place.to(device), arm.to(device)
            answer = model(place)
            loss = torch.nn.functional.cross_entropy(answer, arm)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += torch.stack([loss.detach() * len(arm),
                                  (answer.argmax(1) == arm).sum(),
                                  torch.tensor(len(arm), device=device)])
        dist.all_reduce(total)
        if dist.get_rank() == 0:
            print(f"epoch {epoch:2} loss {total[0] / total[2]:.4f} "
                  f"accuracy {total[1] / total[2]:.3f}")
            save(path, epoch=epoch, model=model.module.state_dict(),
                 optimizer=optimizer.state_dict())
    dist.barrier()  # Nobody leaves while rank 0 still writes.
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
