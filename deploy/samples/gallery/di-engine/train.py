"""DI-engine's coordinator, collector or learner, which learn to balance a
pole.

    train.py coordinator|collector|learner FOLDER

The coordinator asks di-server for collectors and a learner (as many as
settings.py says), hands out tasks, and ends when the pole stays up. FOLDER is
one for all of them: they hand policies and data on as files.

DI-engine's command `ding` (0.5.3) cannot start them: whatever the mode, it
first reads the settings as those of one process, and refuses those for
several.
"""

import os
import shutil
import sys

from ding.entry.dist_entry import (
    dist_launch_collector, dist_launch_coordinator, dist_launch_learner,
    dist_prepare_config)

SEED = 0
LAUNCH = {"collector": dist_launch_collector, "learner": dist_launch_learner,
          "coordinator": lambda *what: dist_launch_coordinator(*what, True)}


def main(role, folder):
    here = os.path.dirname(os.path.abspath(__file__))
    os.chdir(folder)
    settings = "./settings.py"
    if role == "coordinator":
        shutil.copy(os.path.join(here, "settings.py"), settings)
        dist_prepare_config(settings, SEED, "k8s", *6 * [None])
    os.environ.update(RANK="0", LOCAL_RANK="0")  # Each is one process.
    LAUNCH[role](settings + ".pkl", SEED,
                 int(os.environ[f"{role.upper()}_PORT"]))
    if role == "coordinator":
        # Else a thread of DI-engine waits for the answer of a collector that it
        # has already turned away, if there is one just then, for ever (0.5.3).
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
