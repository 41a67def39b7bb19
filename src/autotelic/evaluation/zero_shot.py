"""Zero-shot goals: skills are led to places by phi alone, without learning (METRA, CSF).

At every step the objective says which skill leads from the present observation s to g, which is s with
its position replaced by the place (`Objective.skill_towards`). Policies act deterministically.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from autotelic import _streams, _validate
from autotelic.environments import (
    HostEnvironment,
    JaxEnvironment,
    bounds_of,
    position_entries_of,
)
from autotelic.evaluation.acting import Actor, GoalPursuit, Rows, act_out, seen, sources, waves
from autotelic.evaluation.rollouts import LARGEST_POOL, chosen_members, skills_of_members
from autotelic.learner.setting import Setting
from autotelic.objectives import Objective
from autotelic.runs.run import Runs
from autotelic.runs.skills import SkillArrays

if TYPE_CHECKING:
    import pandas

PLACES, STEPS = 50, 200
REACH = {1: 100.0, 2: 50.0}
"""Metres from the origin that places lie within, along a line (Half-Cheetah) and in the plane (Ant)."""
RADII = (3.0, 1.0)
"""Metres within which a place counts as reached, and as closely reached."""
SHARES = (0.03, 0.01)
"""The same as shares of the width of an environment with bounds, as 3 m and 1 m are of Ant's 100 m."""


class Reached(NamedTuple):
    """How places were reached, as shares from 0 to 1.

    hit: of places that were ever entered; end: of those where the trajectory ended; stay: of all steps
    that were spent at the place, mean over places.
    """

    hit: float
    end: float
    stay: float


class Closely(NamedTuple):
    """The same within the wide radius (3 m), and within the narrow one (1 m)."""

    wide: Reached
    narrow: Reached


def reached(positions: npt.ArrayLike, places: npt.ArrayLike, radius: float) -> Reached:
    """What trajectories, each towards a place of its own, made of it. The start does not count.

    Steps that an early end took away were not spent at the place: who falls down there does not stay.

    Args:
        positions: [places, steps + 1, coordinates], the start first, NaN beyond an early end.
        places: [places, coordinates].
        radius: within which a place counts as reached, its edge included.

    >>> reached([[[0.0], [2.0], [4.0]]], [[3.0]], radius=1.0)
    Reached(hit=1.0, end=1.0, stay=1.0)
    """
    positions, places = np.asarray(positions, np.float64), np.asarray(places, np.float64)
    _validate.number("radius", radius, above=0.0)
    if positions.ndim != 3 or positions.shape[1] < 2:
        raise ValueError(
            "positions must have the shape [places, steps + 1, coordinates] with at least 1 step, got "
            f"{list(positions.shape)}"
        )
    if places.shape != (len(positions), positions.shape[2]):
        raise ValueError(
            f"places must have the shape {[len(positions), positions.shape[2]]}, got "
            f"{list(places.shape)}"
        )
    distance = np.linalg.norm(positions[:, 1:] - places[:, None], axis=-1)
    there = distance <= radius  # NaN is nowhere
    lengths = (~np.isnan(distance)).sum(axis=1)
    last = there[np.arange(len(there)), np.maximum(lengths, 1) - 1]
    return Reached(float(there.any(axis=1).mean()), float(last.mean()), float(there.mean()))


@dataclass(frozen=True)
class Attempts:
    """Trajectories towards places, one towards each.

    Args:
        members: (method, seed) of each learner.
        places: [places, coordinates].
        positions: [members, places, steps + 1, coordinates], NaN beyond an early end.
        radii: the wide and the narrow one.
    """

    members: tuple[tuple[str, int], ...]
    places: np.ndarray
    positions: np.ndarray
    radii: tuple[float, float]

    def reached(self) -> list[Closely]:
        """Of each member."""
        return [
            Closely(*(reached(own, self.places, radius) for radius in self.radii))
            for own in self.positions
        ]


def zero_shot(
    runs: Runs,
    places: int = PLACES,
    seed: int = 0,
    *,
    steps: int | None = None,
    untrained: bool = False,
    members: Sequence[tuple[str, int]] | None = None,
    at_random: bool = False,
) -> "pandas.DataFrame":
    """How well the skills of a run reach places: a row for each member and radius.

    All members are sent to the same places from the same starts.

    Args:
        runs: a run, finished or with a checkpoint, whose objective has a representation and whose
            observations hold the position.
        places: how many, uniform within 50 m of the origin along each axis, 100 m where there is one
            axis, or the bounds of the environment.
        seed: of places, starts and environments.
        steps: for each place; by default 200, or an episode where that is shorter.
        untrained: the same learners before their first step.
        members: (method, seed) of the learners to send; by default all that did not diverge.
        at_random: as a baseline, each place is sought with one goal drawn at random.

    Returns:
        Columns method, seed, radius, hit, end, stay; see `Reached`.
    """
    import pandas

    chosen = chosen_members(runs, members, untrained=untrained)
    entries = entries_to_set(runs.setting.objective, runs.environment)
    if not entries:
        raise ValueError(_refusal(runs))
    found = attempt(
        runs.setting,
        skills_of_members(runs, chosen, untrained),
        chosen,
        entries,
        places,
        seed,
        steps=steps,
        environment=runs.environment,
        at_random=at_random,
    )
    rows = [
        (*member, radius, *of_radius)
        for member, both in zip(chosen, found.reached(), strict=True)
        for radius, of_radius in zip(found.radii, both, strict=True)
    ]
    columns = ["method", "seed", "radius", *Reached._fields]
    return pandas.DataFrame(rows, columns=pandas.Index(columns))


def entries_to_set(objective: Objective, environment: Any) -> tuple[int, ...]:
    """The entries of an observation by which a place is described; () where none can be aimed at."""
    return position_entries_of(environment) if objective.has_representation else ()


def _refusal(runs: Runs) -> str:
    objective = type(runs.setting.objective).__name__
    if not runs.setting.objective.has_representation:
        return (
            f"{objective} has no representation of states by which skills are led to a place; "
            "zero-shot goals need an objective with `skill_towards`, such as METRA's"
        )
    return (
        "observations do not hold the position, so no place can be described to the skills; train a "
        "MuJoCo task with exclude_current_positions_from_observation=False, or give your environment "
        "`position_entries`"
    )


def attempt(
    setting: Setting,
    skills: SkillArrays,
    members: Sequence[tuple[str, int]],
    entries: tuple[int, ...],
    places: int = PLACES,
    seed: int = 0,
    *,
    steps: int | None = None,
    environment: JaxEnvironment | HostEnvironment | None = None,
    at_random: bool = False,
) -> Attempts:
    """Trajectories of skills with a leading axis of members, see `zero_shot`.

    entries: of an observation, those that hold the position.
    environment: the setting's, where it was made before.
    at_random: each place is sought with one goal drawn at random.
    """
    _validate.integer("places", places, minimum=1, maximum=100_000)
    _validate.seed("seed", seed)
    environment = setting.make_environment() if environment is None else environment
    if steps is None:
        steps = min(STEPS, environment.episode_length or STEPS)
    _validate.integer("steps", steps, minimum=1)
    low, high = ground(environment, len(entries))
    aims = _streams.generator("zero-shot places", seed).uniform(low, high, (places, len(entries)))
    aims = aims.astype(np.float32)
    pursuit, given = PlacePursuit(setting.objective, entries), aims
    if at_random:
        pursuit = GoalPursuit(setting.objective, setting.num_goals)
        given = _streams.generator("zero-shot goals at random", seed).integers(
            setting.num_goals, size=places
        )
    actor = Actor(setting.agent, pursuit, environment.action_size, steps, deterministic=True)
    names = [f"the trajectory towards place {index}" for index in range(places)]
    rows = Rows(given, sources("zero-shot", seed, places), waves(places, LARGEST_POOL), names)
    found = act_out(environment, actor, skills, members, rows)
    bounded = bounds_of(environment) is not None
    wide, narrow = (share * (high - low) for share in SHARES) if bounded else RADII
    positions = found.observations[..., list(entries)]
    return Attempts(tuple(members), aims, positions, (wide, narrow))


def ground(environment: Any, coordinates: int) -> tuple[float, float]:
    """The lowest and highest coordinate of places: the bounds, or as far as the protocol goes."""
    bounds = bounds_of(environment)
    if bounds is not None:
        return bounds
    reach = REACH.get(coordinates)
    if reach is None:
        raise ValueError(
            f"position_entries must be x, or x and y, got {coordinates} of them; leave the others out"
        )
    return -reach, reach


@dataclass(frozen=True)
class PlacePursuit:
    """The aim is a place, and the skill the one that leads there.

    entries: of an observation, those that hold the position.
    """

    objective: Objective
    entries: tuple[int, ...]

    def skill(self, own: SkillArrays, observation: jax.Array, aim: jax.Array) -> jax.Array:
        """The skill towards the place [coordinates]."""
        there = observation.at[jnp.asarray(self.entries)].set(aim)
        here, target = (seen(own.normalizer, state) for state in (observation, there))
        return self.objective.skill_towards(own.discriminator, here, target)
