"""A commander that says how well the policy does, which DI-engine's own does
among much else."""

from ding.utils import COMMANDER_REGISTRY
from ding.worker.coordinator.solo_parallel_commander import SoloCommander


@COMMANDER_REGISTRY.register("telling")
class TellingCommander(SoloCommander):
    def finish_collector_task(self, task_id, finished_task):
        if finished_task["eval_flag"]:
            up, wanted = finished_task["reward_mean"], self._cfg.env.stop_value
            print(f"step {finished_task['train_iter']} error "
                  f"{max(wanted - up, 0):.1f}: the pole is up for {up:.1f} "
                  f"steps, {wanted} are wanted", flush=True)
        over = super().finish_collector_task(task_id, finished_task)
        # Once it is, it stays so. The coordinator looks each three seconds, and
        # the end of another collector's task would have it forget (0.5.3).
        return over or self._end_flag
