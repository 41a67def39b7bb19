"""mjlab and Isaac Lab: a curriculum term that chooses terrains, segments of a motion, commands.

    curriculum = autotelic.Curriculum(autotelic.AutoSelector(), num_goals=50)
    held = lambda env, ids: ~env.termination_manager.terminated[ids]
    CurriculumTermCfg(func=GoalTerm(curriculum, success=held, apply=begin_at))

Both call their terms before they reset environments, with the numbers of those. These are told of together,
and get goals as p(g) has them, however many they are. Nothing here imports a simulator.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from autotelic.curriculum import Curriculum


def on_host(values: Any) -> npt.NDArray[Any]:
    """An array of NumPy, from a tensor on whatever device."""
    return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)


class GoalTerm:
    """A curriculum term: `term(env, env_ids)`.

    Args:
        curriculum: of the goals; `state_dict()` of it belongs into checkpoints.
        success: how episodes that ended went, a function of env and env_ids: [n] in [0, 1], or booleans.
        apply: lets environments pursue goals, a function of env, env_ids and goals, an array [n].

    Attributes:
        goals: that each environment pursues, -1 before its first reset; [environments].
    """

    def __init__(
        self,
        curriculum: Curriculum,
        success: Callable[[Any, Any], Any],
        apply: Callable[[Any, Any, npt.NDArray[np.int64]], None],
    ):
        self.curriculum: Curriculum = curriculum
        self._success, self._apply = success, apply
        self.goals: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)

    def __deepcopy__(self, memo: Any) -> "GoalTerm":
        """Itself: managers copy their settings, and the user's curriculum is to learn."""
        return self

    def __call__(self, env: Any, env_ids: Any) -> dict[str, float]:
        """Tell of the episodes that ended, choose goals; returns metrics for the simulator's log."""
        if not len(self.goals):
            self.goals = np.full(env.num_envs, -1)
        every = env_ids is None or isinstance(env_ids, slice)
        ids = np.arange(env.num_envs)[env_ids or slice(None)] if every else on_host(env_ids)
        if not len(ids):
            return self.curriculum.metrics()
        told = self.goals[ids] >= 0
        if told.any():
            success = on_host(self._success(env, env_ids)).astype(np.float64)
            self.curriculum.update(self.goals[ids][told], success=success[told])
        self.goals[ids] = self.curriculum.select(len(ids), repeats=True)
        self._apply(env, env_ids, self.goals[ids])
        return self.curriculum.metrics()

    def reset(self, env_ids: Any = None) -> None:
        """Nothing: all is done when it is called."""
