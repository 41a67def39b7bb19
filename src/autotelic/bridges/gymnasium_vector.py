"""Gymnasium's vector environments, whose goals a curriculum chooses; whoever learns need not know of it.

    goals = [np.array([x, y]) for x in (0, 1) for y in (0, 1)]
    make = lambda: GoalEnvironment(gymnasium.make("Reach-v0"), goals)
    envs = ChooseGoals(gymnasium.vector.SyncVectorEnv([make] * 64), autotelic.AutoSelector(), len(goals))

Each environment pursues a goal of its own for an episode. When some end, they are told of together, and get
their next goals before they are reset, which is at the next step. `envs.curriculum.state_dict()` is JSON.
"""

from typing import Any

import gymnasium
import numpy as np

from autotelic.bridges.choosing import curriculum_of_episodes, tell
from autotelic.bridges.stable_baselines3 import COMPETENCE, GOAL
from autotelic.curriculum import Curriculum
from autotelic.selectors.base import GoalSelector


class ChooseGoals(gymnasium.vector.VectorWrapper[Any, Any, Any, Any, Any]):
    """A vector of `GoalEnvironment`s.

    Args:
        env: Gymnasium's, which resets an environment at the step after its episode's end.
        selector: how goals are chosen.
        num_goals: as many as the environments have.
        seed: of the draws.

    Attributes:
        curriculum: the selector with its state and what is in flight.
    """

    def __init__(self, env: Any, selector: GoalSelector, num_goals: int, seed: int = 0):
        super().__init__(env)
        mode = gymnasium.vector.AutoresetMode.NEXT_STEP
        if env.metadata.get("autoreset_mode", mode) != mode:
            raise ValueError(
                f"env must reset at the next step, got {env.metadata['autoreset_mode']}: make it with "
                "autoreset_mode=AutoresetMode.NEXT_STEP"
            )
        if set(numbers := env.get_attr("num_goals")) != {num_goals}:
            raise ValueError(f"num_goals is {num_goals}, and the environments have {numbers}")
        self.curriculum: Curriculum = curriculum_of_episodes(selector, num_goals, seed)
        self._reached: list[list[float]] = [[] for _ in numbers]
        self._next = [0] * len(numbers)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        """Begin an episode in each; those under way are not told of."""
        self.curriculum.abandon(self.curriculum.in_flight)
        self._reached = [[] for _ in self._reached]
        self._choose(np.arange(self.num_envs))
        return self.env.reset(seed=seed, options=options)

    def step(self, actions: Any) -> Any:
        """A step of each; episodes that end are learned from."""
        seen, rewards, terminated, truncated, infos = self.env.step(actions)
        stepped = infos.get(f"_{COMPETENCE}", np.zeros(self.num_envs, dtype=np.bool_))
        for index in np.flatnonzero(stepped):  # the others were reset
            self._reached[index].append(float(infos[COMPETENCE][index]))
        if len(ended := np.flatnonzero(terminated | truncated)):
            goals = infos[GOAL][ended]
            tell(self.curriculum, goals, [self._reached[index] for index in ended])
            for index in ended:
                self._reached[index] = []
            self._choose(ended)
        return seen, rewards, terminated, truncated, infos

    def _choose(self, indices: Any) -> None:
        for index, goal in zip(
            indices, self.curriculum.select(len(indices), repeats=True), strict=True
        ):
            self._next[index] = int(goal)
        env: Any = self.env
        env.set_attr("next_goal", self._next)
