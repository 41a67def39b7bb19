"""Skills: load a file, act by it, and ask which goal a state gives away."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from autotelic._documents import FileError, read_bytes, shown
from autotelic.skills import header as entry
from autotelic.skills.file import LARGEST_FILE, SkillFileError, decode, encode
from autotelic.skills.judges import START, STATE, Judge, judge_of
from autotelic.skills.networks import Shapes, network, network_shapes
from autotelic.skills.policies import activation_of, head_of

ACTING = ("environment", "observation", "action", "goals", "hidden_units", "agent", "objective")
"""Parts of a header that say how skills act and judge."""
LONGEST_NAME = 200
NORMALIZATIONS = ("none", "fixed", "running")


class Skills:
    """The skills of one learner: a policy for every goal. Made by `Skills.load`.

    Args:
        header: what they are, see `info`.
        arrays: float32 by name, as the header demands; others are refused.
    """

    def __init__(self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]):
        sizes = self._sizes = entry.sizes_of(header)
        self._actions = actions = entry.actions_of(header)
        self._head = head_of(header)
        self._judge: Judge | None = judge_of(header, sizes)
        entry.text(header, "environment.name")
        entry.at(header, "goals.continuous", bool)
        normalized = entry.text(header, "observation.normalization", NORMALIZATIONS) != "none"
        self._check_shapes(arrays, normalized)
        if normalized and not (arrays["observation_deviation"] > 0).all():
            raise SkillFileError("its observation_deviation must be above 0")

        self._header, self._arrays = header, arrays
        self._normalized = normalized
        self._policy = network("policy", arrays, activation_of(header))
        # What a goal adds to the first layer is the same at every step.
        seen, of_goal = np.split(self._policy.inputs[0], [sizes.observation])
        self._seen = np.ascontiguousarray(seen)
        self._of_goal = of_goal
        self._of_goals = self._policy.input_bias + arrays["goals"] @ of_goal
        self._low, self._high = (np.array(b, actions.dtype) for b in (actions.low, actions.high))
        self._rescaled = bool(np.any(self._low != -1) or np.any(self._high != 1))

    def _check_shapes(self, arrays: Mapping[str, np.ndarray], normalized: bool) -> None:
        """Refuse arrays that are not just those which the header needs."""
        sizes = self._sizes
        inputs, outputs = [sizes.observation + sizes.skill], self._head.outputs(sizes.action)
        needed: Shapes = {"goals": (sizes.goals, sizes.skill)}
        needed |= network_shapes("policy", inputs, sizes.hidden, outputs)
        if normalized:
            needed |= {f"observation_{n}": (sizes.observation,) for n in ("mean", "deviation")}
        if self._judge is not None:
            needed |= self._judge.shapes()
        for name in [*needed, *arrays]:
            expected, array = needed.get(name), arrays.get(name)
            found = None if array is None else array.shape
            if found != expected:
                raise SkillFileError(
                    f"its array {name} does not fit its header: "
                    f"{'it is not there' if found is None else f'it has the shape {list(found)}'}, and "
                    f"{'none' if expected is None else f'the shape {list(expected)}'} is expected"
                )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Skills":
        """The skills in a file that `autotelic export` wrote.

        A file that is damaged, of another version or no skill file is refused by a SkillFileError.
        Nothing in a file is executed.
        """
        path = Path(path)
        if path.is_dir():
            raise SkillFileError(
                f"{path} is a folder; make a file of a run with `autotelic export {path} --out FILE`"
            )
        path.stat()  # of a file that is not there the system's own error
        try:
            return cls(*decode(read_bytes(path, LARGEST_FILE)))
        except SkillFileError as error:
            raise SkillFileError(str(error), path) from error.__cause__
        except FileError as error:
            raise SkillFileError(str(error)) from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that `load` reads."""
        partial = Path(f"{os.fspath(path)}.partial")
        partial.unlink(missing_ok=True)
        with partial.open("xb") as file:
            file.write(encode(self._header, self._arrays))
        partial.replace(path)

    def checksum(self) -> str:
        """The same for the same skills, whatever was measured of them or wrote them: SHA-256 of what acts."""
        acting = {name: self._header[name] for name in ACTING}
        found = hashlib.sha256(json.dumps(acting, sort_keys=True).encode())
        for name in sorted(self._arrays):
            found.update(name.encode() + np.ascontiguousarray(self._arrays[name]).tobytes())
        return found.hexdigest()

    @property
    def info(self) -> Mapping[str, Any]:
        """What the file says of its skills: environment, sizes, goals, agent, objective, how they were
        trained, and what was measured.
        """
        return MappingProxyType({k: v for k, v in self._header.items() if k != "arrays"})

    @property
    def environment(self) -> str:
        """The name of the environment that they were trained in; one that a terminal would obey is quoted,
        and a long one cut, as messages show it. `info` has it as it is.
        """
        name = self._header["environment"]["name"][:LONGEST_NAME]
        return name if name.isprintable() else ascii(name)

    @property
    def observation_size(self) -> int:
        """Entries of an observation."""
        return self._sizes.observation

    @property
    def action_size(self) -> int:
        """Entries of an action; of discrete ones, how many there are."""
        return self._sizes.action

    @property
    def discrete_actions(self) -> bool:
        """Whether `act` gives the numbers of actions."""
        return self._actions.discrete

    @property
    def action_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and highest action [action]; of discrete ones their numbers, []."""
        if self._actions.discrete:
            first = self._actions.first
            return np.array(first), np.array(first + self._sizes.action - 1)
        return self._low.copy(), self._high.copy()

    @property
    def goals(self) -> np.ndarray:
        """What the policy sees of each goal, [goals, skill]."""
        return self._arrays["goals"].copy()

    @property
    def continuous(self) -> bool:
        """Whether every direction of the space of goals is a skill, and not these goals alone."""
        return self._header["goals"]["continuous"]

    @property
    def judged_by(self) -> str:
        """What `posterior` judges: a `state`, a state and its `start`, or a `step`; "" for nothing."""
        return "" if self._judge is None else self._judge.judged

    def __len__(self) -> int:
        """The number of goals."""
        return self._sizes.goals

    def __repr__(self) -> str:
        actions = f"{self._sizes.action} actions" if self.discrete_actions else "actions"
        shape = "" if self.discrete_actions else f" [{self._sizes.action}]"
        return (
            f"Skills({self.environment}: {len(self)} goals of {self._header['objective']['name']}, "
            f"observations [{self._sizes.observation}] -> {actions}{shape})"
        )

    def act(
        self,
        observation: npt.ArrayLike,
        goal: npt.ArrayLike,
        rng: np.random.Generator | None = None,
    ) -> np.ndarray:
        """The action of a skill, in the environment's own units.

        Args:
            observation: [..., observation], as the environment gives it.
            goal: an integer or integers [...] below `len(skills)`; or, where skills are `continuous`,
                directions [..., skill] of real numbers.
            rng: samples the action as in training; None for the most probable one.

        Returns:
            [..., action] within the bounds; the numbers [...] of discrete actions.
        """
        seen, own = self._observations("observation", observation), self._goal_part(goal)
        try:
            first = seen @ self._seen + own
        except ValueError as error:
            raise ValueError(
                f"goal must be one for all observations, or one for each: observations have the shape "
                f"{list(seen.shape)}, and goals {list(np.shape(goal))}"
            ) from error
        outputs = self._policy.after(first)
        noise = None
        if rng is not None:
            if not isinstance(rng, np.random.Generator):
                raise TypeError(f"rng must be a numpy.random.Generator or None, got {rng!r}")
            noise = self._head.noise(rng, outputs.shape[:-1], self._sizes.action)
        return self._in_units(self._head.action(outputs, noise))

    def policy_of(self, goal: Any) -> dict[str, np.ndarray]:
        """The policy of one skill by itself: a network that sees the observation and the number 1.

        goal: as `act` takes it. Its part of the first layer is the weights of that 1. Arrays are named as in
        a file, with `observation_mean` and `observation_deviation` where observations are normalised.
        """
        own = self._goal_part(goal)
        if own.ndim != 1:
            raise ValueError(f"goal must be one skill, got {goal!r}")
        found = {n: a for n, a in self._arrays.items() if n.startswith(("policy.", "observation_"))}
        column = own - self._policy.input_bias
        return {**found, "policy.inputs.0": np.concatenate([self._seen, column[None]])}

    def posterior(
        self,
        observation: npt.ArrayLike,
        *,
        start: npt.ArrayLike | None = None,
        next_observation: npt.ArrayLike | None = None,
    ) -> np.ndarray:
        """q(g | s) over all goals, of the learner's own discriminator.

        Args:
            observation: [..., observation], the state that is judged.
            start: where its pursuit began, for objectives that judge the way from there.
            next_observation: what followed it, for objectives that judge a step.

        Returns:
            [..., goals], rows summing to 1.
        """
        judge = self._judge
        if judge is None:
            raise ValueError(
                "the file holds a policy alone: it has no discriminator of the objective "
                f"{shown(self._header['objective'].get('repr'))}"
            )
        given = {"start": start, "next_observation": next_observation}
        needed = {STATE: None, START: "start"}.get(judge.judged, "next_observation")
        for name, value in given.items():
            if (value is None) == (name == needed):
                what = f"needs {name}" if name == needed else f"takes no {name}"
                raise ValueError(
                    f"posterior {what}: {self._header['objective']['name']} judges "
                    + {None: "a state alone", "start": "a state by where its pursuit began"}.get(
                        needed, "a step, from observation to next_observation"
                    )
                )
        here = self._observations("observation", observation)
        other = None if needed is None else self._observations(needed, given[needed])
        try:
            return np.exp(judge.log_posteriors(self._arrays, here, other))
        except ValueError as error:
            shape = [] if other is None else list(other.shape)
            raise ValueError(
                f"{needed} must be one for all observations, or one for each: observations have the shape "
                f"{list(here.shape)}, and {needed} {shape}"
            ) from error

    def _observations(self, name: str, values: Any) -> np.ndarray:
        """Observations [..., observation] as the learner saw them."""
        size = self._sizes.observation
        try:
            seen = np.asarray(values)
        except ValueError as error:  # a list of lists that differ in length
            raise ValueError(f"{name} must be an array [..., {size}]: {error}") from error
        if seen.dtype.kind not in "fiub":
            raise TypeError(
                f"{name} must hold real numbers [..., {size}] of {self.environment}, got "
                f"{type(values).__name__} of {seen.dtype}"
            )
        seen = seen.astype(np.float32, copy=False)
        if seen.ndim == 0 or seen.shape[-1] != size:
            raise ValueError(
                f"{name} must have the shape [..., {size}] of {self.environment}, got {list(seen.shape)}"
            )
        if not np.isfinite(seen).all():
            raise ValueError(f"{name} must hold finite numbers, got {seen}")
        if self._normalized:
            seen = seen - self._arrays["observation_mean"]
            seen /= self._arrays["observation_deviation"]
        return seen

    def _goal_part(self, goal: Any) -> np.ndarray:
        """What goals add to the first layer, [..., hidden]."""
        if type(goal) is int and 0 <= goal < self._sizes.goals:  # the usual case, at once
            return self._of_goals[goal]
        goal, size = np.asarray(goal), self._sizes.skill
        if goal.dtype.kind in "iu":
            if goal.size and not (goal.min() >= 0 and goal.max() < len(self)):
                raise ValueError(f"goal must be from 0 to {len(self) - 1}, got {goal}")
            return self._of_goals[goal]
        if goal.dtype.kind != "f" or not self.continuous:
            raise TypeError(
                f"goal must be an integer from 0 to {len(self) - 1}"
                + (f", or a direction of {size} real numbers" if self.continuous else "")
                + f", got {goal!r}"
            )
        if goal.ndim == 0 or goal.shape[-1] != size or not np.isfinite(goal).all():
            raise ValueError(
                f"a goal of real numbers must be a direction [..., {size}], got the shape "
                f"{list(goal.shape)}: {goal}"
            )
        return self._policy.input_bias + goal.astype(np.float32) @ self._of_goal

    def _in_units(self, action: np.ndarray) -> np.ndarray:
        """Actions in [-1, 1] within the environment's bounds; indices as its numbers."""
        if self._actions.discrete:
            return action + np.int64(self._actions.first)
        if not self._rescaled:
            return action.astype(self._actions.dtype, copy=False)
        # In float64, as in training: float32 would lose digits of a small bound beside a large one.
        low, high = self._low.astype(np.float64), self._high.astype(np.float64)
        scaled = (low + high) / 2 + (high - low) / 2 * action
        return np.clip(scaled, low, high).astype(self._actions.dtype)
