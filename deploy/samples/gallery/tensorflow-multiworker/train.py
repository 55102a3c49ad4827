"""Learns a sum of waves with Keras on TensorFlow's
MultiWorkerMirroredStrategy.

    train.py FOLDER

Each worker holds the same weights and computes the gradients of its share of a
batch; the strategy takes their mean. Keras keeps the state after each epoch in
FOLDER, where all must see it: whoever starts again goes on from there.
"""

import os
import sys

# Keras 3 cannot train over several workers; this is the Keras of TensorFlow
# itself (the package tf_keras). It is asked for before TensorFlow is loaded.
os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy  # noqa: E402
import tensorflow as tf  # noqa: E402

EPOCHS, BATCH_OF_ALL, POINTS = 15, 128, 2048


def waves():
    """The same points in each worker; Keras gives each its share of them."""
    numbers = numpy.random.default_rng(0)
    x = numbers.uniform(-1, 1, (POINTS, 2)).astype("float32")
    y = numpy.sin(3 * x[:, 0]) + numpy.cos(4 * x[:, 1])
    data = tf.data.Dataset.from_tensor_slices((x, y.astype("float32")))
    # Endless, so that no worker runs out of data before the others do.
    data = data.shuffle(POINTS, seed=0).repeat().batch(BATCH_OF_ALL)
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = \
        tf.data.experimental.AutoShardPolicy.DATA
    return data.with_options(options)


def network():
    model = tf.keras.Sequential([
        tf.keras.layers.Input((2,)),
        tf.keras.layers.Dense(64, "tanh"), tf.keras.layers.Dense(64, "tanh"),
        tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(1e-2), "mse")
    return model


def main(folder):
    tf.keras.utils.set_random_seed(0)
    # The workers and which of them this is: TF_CONFIG, of the operator.
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    me, world = strategy.cluster_resolver.task_id, strategy.num_replicas_in_sync
    with strategy.scope():
        model = network()

    def tell(epoch, logs):
        if me == 0:
            print(f"epoch {epoch + 1:2} loss {logs['loss']:.4f}")

    print(f"worker {me} of {world} is here")
    model.fit(
        waves(), epochs=EPOCHS, steps_per_epoch=POINTS // BATCH_OF_ALL,
        verbose=0, callbacks=[
            tf.keras.callbacks.BackupAndRestore(
                os.path.join(folder, "backup"), delete_checkpoint=False),
            tf.keras.callbacks.LambdaCallback(on_epoch_end=tell)])
    # Every worker saves, as parts of the state may be elsewhere; what counts is
    # the first one's.
    name = "model" if me == 0 else f"of-worker-{me}"
    tf.saved_model.save(model, os.path.join(folder, name))


if __name__ == "__main__":
    main(sys.argv[1])
