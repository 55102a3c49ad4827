"""Fits a curve with JAX over several processes, the batch in shards.

    train.py FOLDER

There is one array of all processes for the batch, of which each has its part,
and one for each weight, of which each has a copy. JAX sees where they lie and
adds what exchanges the gradients. Process 0 keeps the state in FOLDER, where
all must see it: whoever starts again goes on from there.
"""

import os
import sys

import jax
import jax.numpy as jnp
import numpy
from jax.experimental import multihost_utils
from jax.sharding import NamedSharding, PartitionSpec

STEPS, EVERY, BATCH, WIDTH, RATE = 400, 40, 64, 32, 0.02


def meet():
    """All devices of all processes as one row. Whom to meet is in the
    environment, of the operator."""
    # Of CPUs only; GPUs use NCCL.
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(
        "{COORDINATOR_ADDRESS}:{COORDINATOR_PORT}".format(**os.environ),
        int(os.environ["NUM_PROCESSES"]), int(os.environ["PROCESS_ID"]),
        cluster_detection_method="deactivate")
    return jax.make_mesh((jax.device_count(),), ("data",))


def first_weights():
    numbers = numpy.random.default_rng(0)
    shapes = {"in": (1, WIDTH), "shift": (WIDTH,), "middle": (WIDTH, WIDTH),
              "out": (WIDTH, 1)}
    return {name: numbers.normal(0, shape[0] ** -0.5, shape)
            .astype("float32") for name, shape in shapes.items()}


def loss_of(weights, x, y):
    hidden = jnp.tanh(x @ weights["in"] + weights["shift"])
    hidden = jnp.tanh(hidden @ weights["middle"])
    return jnp.mean((hidden @ weights["out"] - y) ** 2)


@jax.jit
def advance(weights, speed, x, y):
    """One step with momentum; and the loss before it."""
    loss, change = jax.value_and_grad(loss_of)(weights, x, y)
    speed = jax.tree.map(lambda s, c: 0.9 * s + c, speed, change)
    weights = jax.tree.map(lambda w, s: w - RATE * s, weights, speed)
    return weights, speed, loss


def my_part(step):
    """This process's data of the batch, the same if the step is repeated."""
    numbers = numpy.random.default_rng([step, jax.process_index()])
    x = numbers.uniform(-2, 2, (BATCH, 1)).astype("float32")
    return x, numpy.sin(2 * x)


def save(path, step, weights, speed):
    """Under another name first: a process that is killed here leaves the last
    whole file behind. All wait, so nobody is ahead of what is kept."""
    if jax.process_index() == 0:
        with open(path + ".new", "wb") as file:
            numpy.savez(file, step=step, **weights, **{
                "speed " + name: value for name, value in speed.items()})
        os.replace(path + ".new", path)
    multihost_utils.sync_global_devices(f"step {step} is kept")


def load(path):
    weights = first_weights()
    speed = {name: numpy.zeros_like(w) for name, w in weights.items()}
    if not os.path.exists(path):
        return 0, weights, speed
    with numpy.load(path) as kept:
        return (int(kept["step"]), {name: kept[name] for name in weights},
                {name: kept["speed " + name] for name in speed})


def main(folder):
    mesh = meet()
    everywhere = NamedSharding(mesh, PartitionSpec())
    in_parts = NamedSharding(mesh, PartitionSpec("data"))
    path = os.path.join(folder, "checkpoint.npz")
    step, weights, speed = load(path)
    print(f"process {jax.process_index()} of {jax.process_count()} begins with "
          f"step {step + 1}, on {jax.local_device_count()} "
          f"{jax.default_backend()}")
    weights, speed = jax.device_put((weights, speed), everywhere)
    while step < STEPS:
        batch = [jax.make_array_from_process_local_data(in_parts, part)
                 for part in my_part(step)]
        weights, speed, loss = advance(weights, speed, *batch)
        step += 1
        if step == 1 or step % EVERY == 0:
            if jax.process_index() == 0:
                print(f"step {step:3} loss {float(loss):.4f}")
            save(path, step, weights, speed)
    jax.distributed.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
