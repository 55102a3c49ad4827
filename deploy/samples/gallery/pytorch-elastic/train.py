"""Tells the direction of a bar in an image, as an elastic job of torchrun.

    torchrun train.py FOLDER

torchrun starts this program anew in all places whenever a process is lost or a
pod comes or goes: so it has no other state than the checkpoint in FOLDER,
where all must see it, and asks each time how many there are.
"""

import os
import sys

import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

EPOCHS, BATCH_OF_ALL, IMAGES, SIDE = 12, 96, 1536, 12


def bars():
    """Images of noise with a bar: across, upright, or on either diagonal."""
    numbers = torch.Generator().manual_seed(0)
    images = 0.5 * torch.randn(IMAGES, 1, SIDE, SIDE, generator=numbers)
    labels = torch.arange(IMAGES) % 4
    middles = torch.randint(3, SIDE - 3, (IMAGES, 2), generator=numbers)
    for image, label, (row, column) in zip(images, labels, middles):
        down, right = ((0, 1), (1, 0), (1, 1), (1, -1))[label]
        for i in range(-3, 4):
            y, x = row + i * down, column + i * right
            if 0 <= y < SIDE and 0 <= x < SIDE:
                image[0, y, x] += 1.5
    return TensorDataset(images, labels)


def network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(),
        torch.nn.Conv2d(8, 16, 3, padding=1), torch.nn.ReLU(),
        torch.nn.AdaptiveMaxPool2d(1), torch.nn.Flatten(),
        torch.nn.Linear(16, 4))


def save(path, **state):
    """Under another name first: a process that is killed here leaves the last
    whole file behind."""
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


@record  # An error of a rank is then told by torchrun, with its trace.
def main(folder):
    path = os.path.join(folder, "checkpoint.pt")
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda \
        else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")  # As torchrun says.
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = DistributedDataParallel(network().to(device))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    first = 1
    if os.path.exists(path):
        kept = torch.load(path, map_location=device)
        model.module.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])
        first = kept["epoch"] + 1

    # Of a smaller or larger crowd each takes more or less, so that a step
    # remains the same step.
    data = bars()
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, max(BATCH_OF_ALL // world, 1), sampler=sampler)
    start = os.environ["TORCHELASTIC_RESTART_COUNT"]
    print(f"rank {rank} of {world} begins with epoch {first}, on {device}, "
          f"restarts so far: {start}")
    for epoch in range(first, EPOCHS + 1):
        sampler.set_epoch(epoch)  # Without it each epoch has the same order.
        total = torch.zeros(2, device=device)  # Of losses, of images.
        for images, labels in loader:
            images, labels = images.to(device), labels.to(device)
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += torch.stack([loss.detach() * len(labels),
                                  torch.tensor(len(labels), device=device)])
        dist.all_reduce(total)
        if rank == 0:
            print(f"epoch {epoch:2} loss {total[0] / total[1]:.4f} "
                  f"by {world} processes")
            save(path, epoch=epoch, model=model.module.state_dict(),
                 optimizer=optimizer.state_dict())
    dist.barrier()  # Nobody leaves while rank 0 still writes.
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
