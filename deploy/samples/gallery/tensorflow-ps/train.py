"""Learns what users think of films, with TensorFlow's ParameterServerStrategy.

    train.py FOLDER

The tables of users and films lie on the parameter servers, a part on each. The
chief sends steps to the workers, which fetch the rows that a step needs and
send back what changes, each at its own pace: a slow or lost worker holds up
nobody. Workers and servers run this same program, which serves them until the
end.
"""

import os
import sys

# A peer that is gone is told at once, and not waited for. TensorFlow reads it
# when it is loaded.
os.environ["GRPC_FAIL_FAST"] = "use_caller"

import tensorflow as tf  # noqa: E402

EPOCHS, EVERY, STEPS, BATCH, RATE = 12, 3, 40, 128, 0.05
USERS, FILMS, TASTES = 200, 100, 4


def opinions(_):
    """Each worker's endless data: users, films, and what those think of these,
    which hidden tastes decide."""
    users = tf.random.stateless_normal([USERS, TASTES], [1, 0]) / 2
    films = tf.random.stateless_normal([FILMS, TASTES], [2, 0])

    def one(_):
        user = tf.random.uniform([BATCH], 0, USERS, tf.int32)
        film = tf.random.uniform([BATCH], 0, FILMS, tf.int32)
        opinion = tf.reduce_sum(
            tf.gather(users, user) * tf.gather(films, film), 1)
        opinion += tf.random.normal([BATCH], 0, 0.1)
        return user, film, opinion

    return tf.data.Dataset.counter().map(one)


def serve(cluster):
    """What workers and parameter servers do, for ever: when the chief has
    ended, so has the job."""
    tf.distribute.Server(
        cluster.cluster_spec(), job_name=cluster.task_type,
        task_index=cluster.task_id, protocol="grpc").join()


def lead(cluster, folder):
    strategy = tf.distribute.ParameterServerStrategy(
        cluster, variable_partitioner=tf.distribute.experimental.partitioners
        .MinSizePartitioner(min_shard_bytes=1024, max_shards=2))
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        tables = [tf.Variable(tf.random.stateless_normal(
            [rows, TASTES], [3, rows]) / 2) for rows in (USERS, FILMS)]
        epochs = tf.Variable(0, dtype=tf.int64)
    # The servers write their parts themselves, so FOLDER is theirs, too.
    kept = tf.train.CheckpointManager(
        tf.train.Checkpoint(users=tables[0], films=tables[1], epochs=epochs),
        os.path.join(folder, "kept"), max_to_keep=2)
    kept.restore_or_initialize()

    @tf.function
    def step(data):
        def one(user, film, opinion):
            with tf.GradientTape() as tape:
                guess = tf.reduce_sum(
                    tf.nn.embedding_lookup(tables[0], user)
                    * tf.nn.embedding_lookup(tables[1], film), 1)
                error = tf.reduce_sum((guess - opinion) ** 2)
            parts = [part for table in tables for part in table.variables]
            for part, change in zip(parts, tape.gradient(error, parts)):
                # Of the rows that the step has seen, no others.
                part.scatter_sub(tf.IndexedSlices(
                    RATE * change.values, change.indices))
            return error / BATCH

        return strategy.reduce("MEAN", strategy.run(one, next(data)), None)

    data = iter(coordinator.create_per_worker_dataset(
        lambda: strategy.distribute_datasets_from_function(opinions)))
    print("begins with epoch", int(epochs.numpy()) + 1)
    while epochs < EPOCHS:
        losses = [coordinator.schedule(step, (data,)) for _ in range(STEPS)]
        coordinator.join()  # Until all of these have been done by somebody.
        epochs.assign_add(1)
        loss = sum(x.fetch() for x in losses) / STEPS
        print(f"epoch {int(epochs.numpy()):2} loss {loss:.4f}")
        if epochs % EVERY == 0:
            kept.save(int(epochs.numpy()))


def main(folder):
    # The members and which of them this is: TF_CONFIG, of the operator.
    cluster = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if cluster.task_type in ("worker", "ps"):
        serve(cluster)
    else:
        lead(cluster, folder)


if __name__ == "__main__":
    main(sys.argv[1])
