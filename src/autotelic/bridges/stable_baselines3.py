"""Stable-Baselines3 learns, a selector chooses the goals: a wrapper for the environment, and a callback.

    goals = [np.array([x, y]) for x in (0, 1) for y in (0, 1)]
    env = DummyVecEnv([lambda: GoalEnvironment(gymnasium.make("Reach-v0"), goals)] * 4)
    SAC("MultiInputPolicy", env, replay_buffer_class=HerReplayBuffer).learn(
        100_000, callback=ChooseGoals(autotelic.Curious(), len(goals))
    )

An episode pursues one goal. A vector of environments begins the next episode before a callback is asked,
so the goal of the episode after the next is chosen when one ends. The first episode of each environment
pursues any goal, and is not learned from. Nothing here imports Stable-Baselines3:
`pip install 'autotelic[sb3]'` brings it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic.bridges.choosing import curriculum_of_episodes, tell
from autotelic.curriculum import Curriculum
from autotelic.selectors import effective_number_of_skills
from autotelic.selectors.base import GoalSelector

GOAL, COMPETENCE = "autotelic_goal", "autotelic_competence"
"""What the wrapper adds to the information of a step."""


def reset_with_goal(
    env: gymnasium.Env[Any, Any], goal: Any, seed: int | None, options: dict[str, Any] | None
) -> tuple[Any, dict[str, Any]]:
    """Begin an episode towards a goal, of an environment that takes it as `options["goal"]`."""
    return env.reset(seed=seed, options={**(options or {}), "goal": goal})


def is_success(observation: Any, reward: float, info: dict[str, Any]) -> float:
    """How well the goal is reached: `info["is_success"]`, as Gymnasium's robotics tasks give it."""
    del observation, reward
    if "is_success" not in info:
        raise ValueError(
            "the environment's info has no 'is_success'; say by competence=... how well a goal is reached, "
            "a function of observation, reward and info"
        )
    return float(info["is_success"])


class GoalEnvironment(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A multi-goal environment whose goals are chosen from a list, by number.

    Args:
        env: it is reset with a goal, see `begin`.
        goals: the goals to choose among, in whatever form the environment takes them.
        begin: begins an episode towards a goal: a function of env, goal, seed and options, which returns
            observation and info. By default the goal goes into the options of `reset`.
        competence: how well the goal is reached after a step, in [0, 1]: a function of observation,
            reward and info. By default `info["is_success"]`.

    Attributes:
        next_goal: that of the next episode; any, if None.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        goals: Sequence[Any],
        *,
        begin: Callable[..., tuple[Any, dict[str, Any]]] = reset_with_goal,
        competence: Callable[[Any, float, dict[str, Any]], float] = is_success,
    ):
        super().__init__(env)
        if len(goals) == 0:
            raise ValueError("goals must name at least one goal, got none")
        self._goals, self._begin, self._competence = goals, begin, competence
        self._goal: int = 0
        self.next_goal: int | None = None

    @property
    def num_goals(self) -> int:
        """How many goals there are."""
        return len(self._goals)

    def pursue(self, goal: int) -> None:
        """Let the next episode pursue a goal."""
        _validate.integer("goal", goal, minimum=0)
        if goal >= len(self._goals):
            raise ValueError(
                f"goal must be below {len(self._goals)}, the number of goals, got {goal}"
            )
        self.next_goal = int(goal)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode towards the goal that was chosen for it; any, as long as none was."""
        self._goal = self._any(seed) if self.next_goal is None else self.next_goal
        observation, info = self._begin(self.env, self._goals[self._goal], seed, options)
        return observation, {**info, GOAL: self._goal}

    def _any(self, seed: int | None) -> int:
        return int(np.random.default_rng(seed).integers(len(self._goals)))

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """One step; its information says the goal, and how well it is reached."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        reached = float(self._competence(observation, float(reward), info))
        info = {**info, GOAL: self._goal, COMPETENCE: reached}
        return observation, reward, terminated, truncated, info


class ChooseGoals:
    """A callback: a selector chooses the goals of all environments, by how well they were reached.

    It is a function of Stable-Baselines3's `locals` and `globals`, which `learn(callback=...)` takes as it
    is; among other callbacks say `ConvertCallback(ChooseGoals(...))`.

    Args:
        selector: how goals are chosen.
        num_goals: as many as the environments have.
        seed: of the draws.

    Attributes:
        curriculum: the selector with its state and what is in flight; `curriculum.state_dict()` is JSON.
        episodes: how many were learned from.
    """

    def __init__(self, selector: GoalSelector, num_goals: int, seed: int = 0):
        self.curriculum: Curriculum = curriculum_of_episodes(selector, num_goals, seed)
        self.episodes: int = 0
        self._environments: Any = None
        self._reached: list[list[float]] = []
        self._ended: list[int] = []

    def __call__(self, locals_: dict[str, Any], globals_: dict[str, Any]) -> bool:
        """After a step of all environments; training goes on."""
        model, infos = locals_["self"], locals_["infos"]
        if model.env is not self._environments:
            self._begin(model.env)
        for reached, info in zip(self._reached, infos, strict=True):
            reached.append(info[COMPETENCE])
        if len(ended := np.flatnonzero(locals_["dones"])):
            known = [index for index in ended if self._ended[index]]  # not the first episodes
            goals = [infos[index][GOAL] for index in known]
            tell(self.curriculum, goals, [self._reached[index] for index in known])
            self.episodes += len(known)
            for index in ended:
                self._reached[index] = []
                self._ended[index] += 1
            self._choose(ended)
            effective = effective_number_of_skills(self.curriculum.selection_probabilities)
            model.logger.record("goals/effective", effective)
            model.logger.record("goals/episodes", self.episodes)
        return True

    def _begin(self, environments: Any) -> None:
        numbers = environments.get_attr("num_goals")
        if set(numbers) != {self.curriculum.num_goals}:
            raise ValueError(
                f"num_goals is {self.curriculum.num_goals}, and the environments have {numbers} goals; they "
                "must be as many"
            )
        self.curriculum.abandon(self.curriculum.in_flight)  # of environments used before
        self._environments, self._reached = environments, [[] for _ in numbers]
        self._ended = [0] * len(numbers)
        self._choose(np.arange(len(numbers)))

    def _choose(self, indices: npt.NDArray[np.int64]) -> None:
        goals = self.curriculum.select(len(indices), repeats=True)
        for index, goal in zip(indices, goals, strict=True):
            self._environments.env_method("pursue", int(goal), indices=int(index))
