"""Fits a line with TensorFlow's MultiWorkerMirroredStrategy, each worker with
data of its own. Every fifth step is kept in the folder of the first argument.
In the first attempt worker 1 is killed between two checkpoints; the next one
goes on from the last.
"""

import os
import signal
import sys

import tensorflow as tf

STEPS, EVERY, KILLED_AT = 30, 5, 17
ATTEMPT = int(os.environ["TRAINING_RESTART_ATTEMPT"])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
me, world = strategy.cluster_resolver.task_id, strategy.num_replicas_in_sync

with strategy.scope():
    # With momentum: the speed has to be kept, too.
    weights, speed = (tf.Variable(tf.zeros([4, 1])) for _ in range(2))
    steps = tf.Variable(0, dtype=tf.int64)
# All have to write, as some variables may be in parts; only worker 0's counts.
kept = tf.train.CheckpointManager(
    tf.train.Checkpoint(weights=weights, speed=speed, steps=steps),
    os.path.join(sys.argv[1], "kept" if me == 0 else f"of-worker-{me}"),
    max_to_keep=2)


@tf.function
def advance():
    def one():
        context = tf.distribute.get_replica_context()
        # The same whenever the step is repeated.
        x = tf.random.stateless_normal([64, 4], [steps, me])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(
                (x @ weights - tf.reduce_sum(x, 1, True)) ** 2)
        gradient = context.all_reduce("MEAN", tape.gradient(loss, weights))
        speed.assign(0.9 * speed + gradient)
        weights.assign_sub(0.02 * speed)
        steps.assign_add(1)
        return context.all_reduce("MEAN", loss)

    return strategy.experimental_local_results(strategy.run(one))[0]


def train():
    kept.checkpoint.restore(tf.train.latest_checkpoint(
        os.path.join(sys.argv[1], "kept")))
    step = int(steps.numpy())
    print("attempt", ATTEMPT, "rank", me, "of", world, "begins at", step)
    while step < STEPS:
        if ATTEMPT == 0 and step == KILLED_AT and me == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        loss = float(advance())
        if me == 0:
            print("attempt", ATTEMPT, "step", step, "loss", loss)
        step += 1
        if step % EVERY == 0:
            kept.save(step)


try:
    train()
except tf.errors.OpError as lost:
    # On GPUs the others would not notice, and wait.
    print("attempt", ATTEMPT, "rank", me, "waits:", type(lost).__name__)
    signal.pause()
