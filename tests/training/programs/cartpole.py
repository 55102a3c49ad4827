"""DI-engine's own coordinator, collector or learner, on its CartPole example.

    cartpole.py coordinator|collector|learner FOLDER

FOLDER is one for all of them: they hand policies on as files. DI-engine's
command `ding` (0.5.3) cannot start them: whatever the mode, it first reads the
settings as those of one process, and refuses the file that is for several.
"""

import os
import shutil
import sys

from ding.entry.dist_entry import (
    dist_launch_collector, dist_launch_coordinator, dist_launch_learner,
    dist_prepare_config)
from dizoo.classic_control.cartpole.config.parallel import (
    cartpole_dqn_config_k8s as example)

SEED = 0
LAUNCH = {"collector": dist_launch_collector, "learner": dist_launch_learner,
          "coordinator": lambda *what: dist_launch_coordinator(*what, True)}

role, folder = sys.argv[1:]
os.chdir(folder)
settings = "./" + os.path.basename(example.__file__)
if role == "coordinator":
    shutil.copy(example.__file__, settings)
    dist_prepare_config(settings, SEED, "k8s", *6 * [None])
os.environ.update(RANK="0", LOCAL_RANK="0")
LAUNCH[role](settings + ".pkl", SEED, int(os.environ[f"{role.upper()}_PORT"]))
