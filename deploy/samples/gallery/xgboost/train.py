"""Boosted trees of XGBoost over several processes, each with rows of its own.

    train.py FOLDER

The tracker, which runs beside rank 0, makes a ring of the processes; they add
up the histograms of their rows, and so grow the same trees. Rank 0 keeps the
trees in FOLDER, where all must see it: whoever starts again goes on with them.
"""

import os
import socket
import sys
import threading

import numpy
import xgboost
from xgboost import collective
from xgboost.tracker import RabitTracker

ROUNDS, EVERY, ROWS = 30, 5, 2000
SETTINGS = {"objective": "binary:logistic", "eval_metric": "logloss",
            "tree_method": "hist", "max_depth": 4, "eta": 0.3,
            "nthread": int(os.environ.get("OMP_NUM_THREADS", 1))}


def my_rows(rank):
    """Points of this process, and whether each lies within a ring."""
    numbers = numpy.random.default_rng(rank)
    points = numbers.normal(size=(ROWS, 4))
    far = (points[:, :2] ** 2).sum(1)
    return xgboost.DMatrix(points, label=(far > 0.5) & (far < 2))


class TellAndKeep(xgboost.callback.TrainingCallback):
    """Of rank 0: the loss over the rows of all; and some of the rounds."""

    def __init__(self, path):
        super().__init__()
        self.path = path

    def after_iteration(self, model, epoch, evals_log):
        done = model.num_boosted_rounds()
        print(f"round {done:2} loss {evals_log['all']['logloss'][-1]:.4f}")
        if done % EVERY == 0:
            # Under another name first: who is killed here leaves the last whole
            # file behind.
            model.save_model(self.path + ".new.ubj")
            os.replace(self.path + ".new.ubj", self.path)
        return False  # Go on.


def start_tracker(world, port):
    tracker = RabitTracker(n_workers=world, port=port,
                           host_ip=socket.gethostbyname(socket.gethostname()))
    tracker.start()
    threading.Thread(target=tracker.wait_for, daemon=True).start()


def main(folder):
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    port = int(os.environ["MASTER_PORT"])
    path = os.path.join(folder, "trees.ubj")
    if rank == 0:
        start_tracker(world, port)
    with collective.CommunicatorContext(
            dmlc_tracker_uri=os.environ["MASTER_ADDR"], dmlc_tracker_port=port,
            dmlc_task_id=str(rank), dmlc_retry=20):
        model = xgboost.Booster(model_file=path) if os.path.exists(path) \
            else None
        done = model.num_boosted_rounds() if model else 0
        rows = my_rows(rank)
        print(f"rank {collective.get_rank()} of {collective.get_world_size()} "
              f"begins with round {done + 1}")
        first = collective.get_rank() == 0
        xgboost.train(SETTINGS, rows, ROUNDS - done, evals=[(rows, "all")],
                      xgb_model=model, verbose_eval=False,
                      callbacks=[TellAndKeep(path)] if first else [])


if __name__ == "__main__":
    main(sys.argv[1])
