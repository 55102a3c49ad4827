"""Fits a line with JAX, each process with data of its own. Process 0 keeps
every fifth step in the folder of the first argument. In the first attempt the
last process is killed between two checkpoints; the next one goes on from the
last.
"""

import os
import signal
import sys

import jax
import jax.numpy as jnp
import numpy
from jax.experimental import multihost_utils
from jax.sharding import NamedSharding, PartitionSpec

STEPS, EVERY, KILLED_AT, RATE = 30, 5, 17, 0.02
PATH = os.path.join(sys.argv[1], "jax.npz")
ATTEMPT = int(os.environ["TRAINING_RESTART_ATTEMPT"])

jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(
    "{COORDINATOR_ADDRESS}:{COORDINATOR_PORT}".format(**os.environ),
    int(os.environ["NUM_PROCESSES"]), int(os.environ["PROCESS_ID"]))
me, world = jax.process_index(), jax.process_count()
mesh = jax.make_mesh((jax.device_count(),), ("data",))
everywhere = NamedSharding(mesh, PartitionSpec())
in_parts = NamedSharding(mesh, PartitionSpec("data"))


@jax.jit
def advance(weights, speed, x, y):
    """A step with momentum: the speed has to be kept, too."""
    loss, gradient = jax.value_and_grad(
        lambda w: jnp.mean((x @ w - y) ** 2))(weights)
    speed = 0.9 * speed + gradient
    return weights - RATE * speed, speed, loss


def batch(step):
    """The same whenever the step is repeated."""
    x = numpy.random.default_rng([step, me]).normal(size=(64, 4))
    return [jax.make_array_from_process_local_data(in_parts, part)
            for part in (x, x.sum(axis=1))]


def save(step, weights, speed):
    """Under another name first: who is killed leaves the last behind."""
    if me == 0:
        with open(PATH + ".new", "wb") as file:
            numpy.savez(file, step=step, weights=weights, speed=speed)
        os.replace(PATH + ".new", PATH)
    multihost_utils.sync_global_devices(f"step {step} is kept")


def train():
    step, weights, speed = 0, numpy.zeros(4), numpy.zeros(4)
    if os.path.exists(PATH):
        with numpy.load(PATH) as kept:
            step, weights, speed = (
                int(kept["step"]), kept["weights"], kept["speed"])
    print("attempt", ATTEMPT, "rank", me, "of", world, "begins at", step)
    weights, speed = (jax.device_put(a, everywhere) for a in (weights, speed))
    while step < STEPS:
        if ATTEMPT == 0 and step == KILLED_AT and me == world - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        weights, speed, loss = advance(weights, speed, *batch(step))
        loss = float(loss)  # Waits for the step, on every process.
        if me == 0:
            print("attempt", ATTEMPT, "step", step, "loss", loss)
        step += 1
        if step % EVERY == 0:
            save(step, weights, speed)


try:
    train()
except Exception as lost:
    # On GPUs the others would not notice, and wait.
    print("attempt", ATTEMPT, "rank", me, "waits:", type(lost).__name__)
    signal.pause()
