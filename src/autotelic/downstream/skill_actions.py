"""Skills as actions: an environment whose every step is a skill, pursued for some steps."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.utils import RecordConstructorArgs

from autotelic import _validate
from autotelic.downstream.own_environment import check_same, shapes_of
from autotelic.skills import Skills

REWARDS = ("sum", "mean")
SHORTEST = 1e-6
"""A direction is divided by no less than this length."""


class SkillActions(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """A Gymnasium wrapper whose action chooses a skill, which then acts for some steps.

    One step ends after `steps` steps of the environment, or when its episode does. Rewards on the way
    are added up. `info` is that of the last step; its entry `skill_steps` says how many there were.

    Args:
        env: the task. Its observations and actions are those that the skills were trained with.
        skills: what acts, see `autotelic.Skills`.
        steps: for how long a skill acts.
        discrete: an action is the number of a goal. By default where skills are not `continuous`;
            otherwise it is a vector in [-1, 1] whose direction is the skill.
        deterministic: skills take their most probable action, or draw from the environment's generator.
        rewards: "sum", or "mean" over the steps of a skill.
        observe: what skills see of the task's observation; by default all of it. A task that adds its
            aim to the observation of the skills' environment is used with `lambda seen: seen[:17]`.

    >>> task = SkillActions(gymnasium.make("HalfCheetah-v5"), Skills.load("skills.npz"))  # doctest: +SKIP
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        skills: Skills,
        steps: int = 25,
        *,
        discrete: bool | None = None,
        deterministic: bool = True,
        rewards: str = "sum",
        observe: Callable[[Any], Any] | None = None,
    ):
        RecordConstructorArgs.__init__(
            self,
            skills=skills,
            steps=steps,
            discrete=discrete,
            deterministic=deterministic,
            rewards=rewards,
            observe=observe,
        )
        super().__init__(env)
        if not isinstance(skills, Skills):
            raise TypeError(
                f"skills must be autotelic.Skills, such as Skills.load('skills.npz'), got {skills!r}"
            )
        _validate.integer("steps", steps, minimum=1)
        _validate.boolean("deterministic", deterministic)
        _validate.choice("rewards", rewards, REWARDS)
        if discrete is None:
            discrete = not skills.continuous
        _validate.boolean("discrete", discrete)
        if not discrete and not skills.continuous:
            raise ValueError(
                f"discrete is False, and {skills} are {len(skills)} goals with nothing between them; "
                "leave discrete out"
            )
        self._skills, self._steps, self._rewards = skills, int(steps), rewards
        self._deterministic, self._observe, self._seen = deterministic, observe, None
        check_actions(env.action_space, skills)
        if env.spec is not None:
            check_same(env.spec.id, shapes_of(env), skills)
        # Spaces do not draw from the environment's generator, so that looking changes nothing.
        self._check_seen(self._look(env.observation_space.sample()))
        self.action_space = (
            Discrete(len(skills))
            if discrete
            else Box(-1.0, 1.0, (skills.goals.shape[1],), np.float32)
        )

    @property
    def skills(self) -> Skills:
        """What acts."""
        return self._skills

    @property
    def steps_at_once(self) -> int:
        """For how long a skill acts."""
        return self._steps

    def state_dict(self) -> dict[str, Any]:
        """What a skill sees next, as JSON values: all that the wrapper itself carries."""
        return {"seen": None if self._seen is None else np.asarray(self._seen).tolist()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from what `state_dict` gave."""
        self._seen = None if state["seen"] is None else np.array(state["seen"])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode of the task."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._seen = self._look(observation)
        self._check_seen(self._seen)
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Pursue a skill; see the class for what comes back."""
        if self._seen is None:
            raise gymnasium.error.ResetNeeded("call reset() before the first step")
        if not self.action_space.contains(action):
            raise ValueError(f"action must be in {self.action_space}, got {action!r}")
        goal: Any = action
        if isinstance(self.action_space, Box):
            goal = action / max(float(np.linalg.norm(action)), SHORTEST)
        else:
            goal = int(action)
        rng = None if self._deterministic else self.np_random
        total, steps = 0.0, 0
        while True:
            observation, reward, terminated, truncated, info = self.env.step(
                self._skills.act(self._seen, goal, rng)
            )
            self._seen = self._look(observation)
            total += float(reward)
            steps += 1
            if terminated or truncated or steps == self._steps:
                break
        if self._rewards == "mean":
            total /= steps
        return observation, total, terminated, truncated, {**info, "skill_steps": steps}

    def _look(self, observation: Any) -> Any:
        return observation if self._observe is None else self._observe(observation)

    def _check_seen(self, seen: Any) -> None:
        expected = (self._skills.observation_size,)
        if isinstance(seen, dict) or np.shape(seen) != expected:
            found = (
                "a dictionary" if isinstance(seen, dict) else f"the shape {list(np.shape(seen))}"
            )
            raise ValueError(
                f"the task's observations are {found}, and the skills of {self._skills.environment} see "
                f"{list(expected)}; make the task as that environment was made, or say by observe=... "
                "which part of an observation they see"
            )


def check_actions(space: gymnasium.Space[Any], skills: Skills) -> None:
    """Refuse a task that takes other actions than the skills give."""
    low, high = skills.action_bounds
    if skills.discrete_actions:
        same = isinstance(space, Discrete) and (space.start, space.start + space.n - 1) == (
            low,
            high,
        )
        own = f"Discrete({skills.action_size}, start={low})"
    else:
        same = (
            isinstance(space, Box)
            and space.shape == low.shape
            and np.allclose(space.low, low)
            and np.allclose(space.high, high)
        )
        own = f"Box of the shape {list(low.shape)}, from {low} to {high}"
    if not same:
        raise ValueError(
            f"the task's actions are {space}, and the skills of {skills.environment} give a {own}; make "
            "the task as that environment was made"
        )
