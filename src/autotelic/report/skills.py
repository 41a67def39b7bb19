"""What the page draws of the skills: fresh trajectories, a map of them, and their paths."""

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np

from autotelic._spaced import spaced
from autotelic.environments import HostEnvironment, bounds_of, walls_of
from autotelic.evaluation import Trajectories, mean_observations, sample_trajectories, standardised
from autotelic.evaluation.budget import MOST
from autotelic.evaluation.success import counted_goals, successes_of
from autotelic.report.histories import compact

if TYPE_CHECKING:
    from autotelic.runs.run import Runs

MAPPED, DRAWN, POINTS = MOST, 4, 50
"""Trajectories of each skill on the map, as many as an evaluation samples, so that their program is
compiled once; those of them drawn as paths; points of a path."""
MOST_LEARNERS = 20
"""Learners whose skills are shown; of more seeds the first ones."""
HOST_STEPS = 400_000
"""Steps in environments that are not compiled: tens of seconds. Fewer trajectories stay below it."""


class Sampled(NamedTuple):
    """Fresh trajectories: of the learners shown, and of each seed before training."""

    trained: Trajectories
    untrained: Trajectories


def sample(runs: "Runs", seed: int = 0) -> Sampled:
    """As many trajectories of as many seeds as a page and a minute hold."""
    environment = runs.environment
    steps = environment.episode_length or runs.setting.steps_per_epoch
    budget = HOST_STEPS if isinstance(environment, HostEnvironment) else None
    seeds, per_goal = how_many(
        len(runs.methods), len(runs.seeds), runs.setting.num_goals * steps, budget
    )
    shown = [number for number in runs.seeds if number in {s for _, s in runs.sound_members}][
        :seeds
    ]
    members = [member for member in runs.sound_members if member[1] in shown]
    first = [
        (runs.methods[0], number) for number in shown
    ]  # all methods begin with the same skills
    return Sampled(
        sample_trajectories(runs, per_goal, seed, members=members),
        sample_trajectories(runs, per_goal, seed, members=first, untrained=True),
    )


def how_many(methods: int, seeds: int, round_steps: int, budget: int | None) -> tuple[int, int]:
    """Seeds shown, and trajectories of each skill; `round_steps` are those of one of every skill.

    >>> how_many(methods=4, seeds=5, round_steps=2000, budget=None)
    (5, 20)
    >>> how_many(methods=4, seeds=5, round_steps=20_000, budget=400_000)
    (2, 2)
    """
    seeds = min(seeds, max(1, MOST_LEARNERS // methods))
    if budget is None:
        return seeds, MAPPED
    rounds = budget // round_steps
    seeds = min(seeds, max(1, rounds // (2 * (methods + 1))))
    return seeds, min(MAPPED, max(2, rounds // (seeds * (methods + 1))))


def skills_data(runs: "Runs", sampled: Sampled, best: str) -> dict[str, Any]:
    """Everything the section of the skills draws; `best` is the method to show first."""
    both = (sampled.trained, sampled.untrained)
    objective, walls = runs.setting.objective, walls_of(runs.environment)
    with_places = objective.has_places and objective.gives_success
    per_goal = sampled.trained.observations.shape[2]
    described, places = skill_map(both)
    drawn, lines = paths(both)
    if drawn is not None and walls is not None:
        low, high = bounds_of(runs.environment) or (0.0, 1.0)
        drawn |= {"domain": [[low, high]] * 2, "walls": wall_cells(walls, low, high)}
    note = (
        f"Fresh trajectories, {per_goal} of each skill on the map"
        + (f" and {min(per_goal, DRAWN)} drawn as paths" if drawn is not None else "")
        + f", with actions as the policy draws them. {described.pop('note')} Before training, all "
        "methods have the same skills."
    )
    if with_places:
        note += (
            " Blue goals are reached in at least half of their trajectories, orange ones in fewer."
        )
        if not counted_goals(objective, sampled.trained.num_goals).all():
            note += " Grey ones cannot be reached."
        note += " A ring is where the goal is." * (walls is not None)
    trained, untrained = (
        [
            {"method": method, "seed": seed, "map": place, "paths": line, **goals}
            for (method, seed), place, line, goals in zip(
                part.members, place_of, line_of, goals_of, strict=True
            )
        ]
        for part, place_of, line_of, goals_of in zip(
            both,
            places,
            lines,
            (
                goal_outcomes(runs, part, skills) if with_places else [{}] * len(part.members)
                for part, skills in ((both[0], runs.skills), (both[1], runs.untrained))
            ),
            strict=True,
        )
    )
    return {
        "noun": "goal" if with_places else "skill",
        "members": trained,
        "untrained": untrained,
        "map": described,
        "paths": drawn,
        "start": best,
        "note": note,
    }


def goal_outcomes(runs: "Runs", part: Trajectories, skills: Any) -> list[dict[str, Any]]:
    """Of each member its goals' `places`, their `success`, and which are `reachable`, [goals]."""
    rows = np.array([runs.members.index(member) for member in part.members])
    own = jax.tree.map(lambda leaf: np.asarray(leaf)[rows], skills)
    objective = runs.setting.objective
    places = np.asarray(objective.goal_places(own.discriminator))
    return [
        {
            "places": compact(np.asarray(place)),
            "success": compact(np.asarray(success).mean(axis=1)),
            "reachable": counted_goals(objective, part.num_goals).tolist(),
        }
        for place, success in zip(places, successes_of(objective, own, part), strict=True)
    ]


def wall_cells(walls: np.ndarray, low: float, high: float) -> list[list[float]]:
    """The walls, bool [x, y] of cells between two bounds, as rectangles [left, bottom, right, top].

    >>> wall_cells(np.array([[False, True], [False, False]]), 0.0, 1.0)
    [[0.0, 0.5, 0.5, 1.0]]
    """
    x, y = (np.linspace(low, high, count + 1) for count in walls.shape)
    return [
        compact(np.array([x[i], y[j], x[i + 1], y[j + 1]])) for i, j in np.argwhere(walls).tolist()
    ]


def skill_map(both: tuple[Trajectories, ...]) -> tuple[dict[str, Any], list[list[Any]]]:
    """Mean observations in two dimensions on one scale for all: the plane itself, or components.

    Returns:
        The map's words and domain, and for each of the arguments the members' points
        [goals, trajectories, 2].
    """
    features = [mean_observations(part.observations, part.lengths) for part in both]
    if features[0].shape[-1] == 2:
        labels = ["observation 0", "observation 1"]
        if both[0].positions is not None and np.isfinite(both[0].positions).all():
            labels = ["mean x", "mean y"]
        note = "The map shows the mean observation of each trajectory."
        points, equal = features, True
    else:
        points, shares = principal_components(features)
        labels = [f"component {i + 1} ({share:.0%})" for i, share in enumerate(shares)]
        note = (
            "The map shows the first two principal components of trajectories' standardised mean "
            "observations, the same two for all learners, with their shares of the variance."
        )
        equal = False
    every = np.concatenate([part.reshape(-1, points[0].shape[-1]) for part in points])
    domain = compact(np.stack([every.min(axis=0), every.max(axis=0)], axis=1))
    words = {"labels": labels, "domain": domain, "equal": equal, "note": note}
    return words, [[compact(member) for member in part] for part in points]


def principal_components(parts: list[np.ndarray]) -> tuple[list[np.ndarray], np.ndarray]:
    """The first two principal components of standardised features, and their shares of variance.

    Args:
        parts: arrays [..., size], standardised together; one feature gets a second component of 0.
    """
    size = parts[0].shape[-1]
    rows = standardised(np.concatenate([part.reshape(-1, size) for part in parts]))
    _, values, directions = np.linalg.svd(rows, full_matrices=False)
    # The sign of a component is arbitrary: its largest entry is made positive.
    directions = directions[:2]
    largest = np.abs(directions).argmax(axis=1)
    directions *= np.sign(directions[np.arange(len(directions)), largest])[:, None]
    found = np.zeros((len(rows), 2))
    found[:, : len(directions)] = rows @ directions.T
    shares = np.zeros(2)
    shares[: len(directions)] = values[:2] ** 2 / max(float((values**2).sum()), 1e-300)
    ends = np.cumsum([part.size // size for part in parts])[:-1]
    return [
        rows.reshape(*part.shape[:-1], 2)
        for rows, part in zip(np.split(found, ends), parts, strict=True)
    ], shares


def paths(both: tuple[Trajectories, ...]) -> tuple[dict[str, Any] | None, list[list[Any]]]:
    """Paths in the plane, traces of x over steps, or nothing where no positions are known.

    Returns:
        kind and domain, and for each of the arguments the members' lines [goals][trajectories]:
        [xs, ys] of a path, xs of a trace.
    """
    positions = [part.positions for part in both]
    if any(part is None for part in positions):
        return None, [[None] * len(part.members) for part in both]
    # Where every episode ends early, points beyond would be of nothing.
    longest = max(int(part.lengths.max()) for part in both)
    chosen = spaced(longest + 1, POINTS + 1)
    thinned = [np.asarray(part)[:, :, :DRAWN, chosen] for part in positions]
    first = np.asarray(positions[0])
    if np.isfinite(first[..., 1, 1]).any():
        # [members, goals, drawn, points, 2] -> xs and ys of each path
        lines = [np.swapaxes(part, -1, -2) for part in thinned]
        every = np.concatenate([part.reshape(-1, 2) for part in thinned])
        low, high = np.nanmin(every, axis=0), np.nanmax(every, axis=0)
        drawn = {"kind": "plane", "domain": compact(np.stack([low, high], axis=1))}
    else:
        lines = [part[..., 0] for part in thinned]
        drawn = {"kind": "trace", "steps": chosen.tolist()}
    return drawn, [[compact(member) for member in part] for part in lines]
