"""Tells rings apart with Paddle's DataParallel.

    python -m paddle.distributed.launch train.py FOLDER

Each process computes the gradients of its share of the data; DataParallel
takes their mean. Rank 0 keeps the state after each epoch in FOLDER, where all
must see it: whoever starts again goes on from there.
"""

import os
import sys

import numpy
import paddle
import paddle.distributed as dist

EPOCHS, BATCH, POINTS, RINGS = 12, 32, 1536, 3


class Rings(paddle.io.Dataset):
    """The same points in each process; the sampler gives each its share."""

    def __init__(self):
        super().__init__()
        numbers = numpy.random.default_rng(0)
        self.ring = numpy.arange(POINTS) % RINGS
        far = self.ring + 0.5 + 0.1 * numbers.normal(size=POINTS)
        angle = numbers.uniform(0, 2 * numpy.pi, POINTS)
        self.place = numpy.stack(
            [far * numpy.cos(angle), far * numpy.sin(angle)], 1)

    def __getitem__(self, i):
        return self.place[i].astype("float32"), self.ring[i]

    def __len__(self):
        return POINTS


def save(path, state):
    """Under another name first: a process that is killed here leaves the last
    whole file behind."""
    paddle.save(state, path + ".new")
    os.replace(path + ".new", path)


def main(folder):
    path = os.path.join(folder, "checkpoint.pdparams")
    dist.init_parallel_env()  # As paddle.distributed.launch says.
    rank, world = dist.get_rank(), dist.get_world_size()
    paddle.seed(0)
    network = paddle.nn.Sequential(
        paddle.nn.Linear(2, 32), paddle.nn.Tanh(),
        paddle.nn.Linear(32, 32), paddle.nn.Tanh(),
        paddle.nn.Linear(32, RINGS))
    optimizer = paddle.optimizer.Adam(0.01, parameters=network.parameters())
    first = 1
    if os.path.exists(path):
        kept = paddle.load(path)
        network.set_state_dict(kept["network"])
        optimizer.set_state_dict(kept["optimizer"])
        first = kept["epoch"] + 1
    model = paddle.DataParallel(network)

    data = Rings()
    sampler = paddle.io.DistributedBatchSampler(data, BATCH, shuffle=True)
    loader = paddle.io.DataLoader(data, batch_sampler=sampler)
    print(f"rank {rank} of {world} begins with epoch {first}", flush=True)
    for epoch in range(first, EPOCHS + 1):
        sampler.set_epoch(epoch)  # Without it each epoch has the same order.
        total, batches = paddle.zeros([1]), 0
        for place, ring in loader():
            loss = paddle.nn.functional.cross_entropy(model(place), ring)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            total, batches = total + loss.detach(), batches + 1
        dist.all_reduce(total)
        if rank == 0:
            print(f"epoch {epoch:2} loss {total.item() / batches / world:.4f}",
                  flush=True)
            save(path, {"epoch": epoch, "network": network.state_dict(),
                        "optimizer": optimizer.state_dict()})
    dist.barrier()  # Nobody leaves while rank 0 still writes.


if __name__ == "__main__":
    main(sys.argv[1])
