"""Which selector would learn fastest? A ranking on a simulated learner, in seconds."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _streams, _validate
from autotelic._types import Array
from autotelic.selectors import catalogue
from autotelic.selectors.base import EVIDENCE, OPTIONAL, GoalSelector, VisitOutcome
from autotelic.simulation.exchanged import ExchangedGoals
from autotelic.simulation.maze import SimulatedMaze

BY_SUCCESS: Mapping[str, GoalSelector] = {
    "uniform": catalogue.Uniform(),
    "round-robin": catalogue.RoundRobin(),
    "dp": catalogue.DiversityProgress(draw="low_variance"),
    "curious": catalogue.Curious(competence="success", draw="low_variance"),
    "competence-progress": catalogue.CompetenceProgress(competence="success", draw="low_variance"),
    "alp": catalogue.AbsoluteLearningProgress(competence="success", draw="low_variance"),
    "teacher-student": catalogue.TeacherStudent(competence="success", draw="low_variance"),
    "exp3s": catalogue.Exp3S(draw="low_variance"),
    "learnability": catalogue.Learnability(competence="success", draw="low_variance"),
    "bidirectional-progress": catalogue.BidirectionalProgress(draw="low_variance"),
    "mopps": catalogue.Mopps(),
    "failure-counts": catalogue.FailureCounts(rate=0.1, draw="low_variance"),
    "remaining-error": catalogue.RemainingError(competence="success", fresh=False),
    "value-regret": catalogue.ValueRegret(draw="low_variance"),
    "frontier": catalogue.Frontier(draw="low_variance"),
    "skew-fit": catalogue.SkewFit(draw="low_variance"),
    "value-disagreement": catalogue.ValueDisagreement(draw="low_variance"),
    "alp-gmm": catalogue.AlpGmm(draw="low_variance"),
    "intermediate-difficulty": catalogue.IntermediateDifficulty(draw="low_variance"),
    "auto": catalogue.AutoSelector(),
}
"""Selectors at their own settings, with success as competence where they take one."""

FAMILIES: Mapping[str, SimulatedMaze | ExchangedGoals] = {
    "exchangeable": SimulatedMaze(impossible=0.0, corridors=None, hardest=1.0),
    "few hard": SimulatedMaze(impossible=0.0, corridors=None, hardest=0.1, skew=4.0),
    "unconnected, 50% impossible": SimulatedMaze(corridors=None, hardest=1.0),
    **{
        f"maze, {share:.0%} impossible": SimulatedMaze(impossible=share)
        for share in (0.0, 0.25, 0.5, 0.75)
    },
    "one corridor": SimulatedMaze(num_goals=20, impossible=0.0, corridors=1),
    "forgetting": SimulatedMaze(forgetting=0.3),
    "10 goals": SimulatedMaze(num_goals=10, corridors=2),
    "200 goals": SimulatedMaze(num_goals=200, corridors=10),
    "goals exchanged": ExchangedGoals(SimulatedMaze(impossible=0.25), num_goals=25),
}
"""Goals that do not differ, mazes with a growing share of impossible goals, and what else may happen."""

VISITS = 30
"""Visits for each goal: as many as 150 epochs in `maze2d` are."""

GOOD = 0.8


class Score(NamedTuple):
    """Of each seed, [seeds]: the mean over visits of the mean success over the reachable goals, and
    the visits until that success is 80 %; infinite if it never was.
    """

    area: Array
    visits_to_80: Array


def success_curve(
    selector: GoalSelector, maze: SimulatedMaze | ExchangedGoals, *, visits: int, seed: int = 0
) -> Array:
    """The mean success over the reachable goals before each visit, [visits].

    It is how surely goals are reached, known in a simulation, and not what the attempts of a visit
    happened to show.
    """
    goals = _streams.generator("goals", seed)
    generator = _streams.generator("simulated maze", seed)
    state: Any = selector.init(maze.num_goals)
    learner: Any = maze.init()
    asked = {name for kind in selector.evidence for name in EVIDENCE[kind]}
    # Some selectors take these where they are given.
    asked |= {"posteriors", "success", "count", *EVIDENCE["achieved"], *OPTIONAL}
    curve = np.empty(visits)
    for visit in range(visits):
        curve[visit] = maze.mean_success(learner)
        goal = selector.select(state, goals)
        learner, shown = maze.visit(learner, goal, generator)
        told = {name: value for name, value in shown.items() if name in asked}
        state = selector.update(state, VisitOutcome(goal, **told))
    return curve


def rank_selectors(
    selectors: Mapping[str, GoalSelector] = BY_SUCCESS,
    maze: SimulatedMaze | ExchangedGoals | None = None,
    *,
    visits: int | None = None,
    seeds: Iterable[int] = range(3),
) -> dict[str, Score]:
    """The score of each selector, the largest mean area first.

    Args:
        selectors: by their names.
        maze: the simulated learner; by default a maze of fifty goals, half of them impossible.
        visits: how long it practises; by default `VISITS` for each goal.
        seeds: of the draws and of the learner.

    >>> from autotelic.selectors.catalogue import RoundRobin, Uniform
    >>> maze = SimulatedMaze(num_goals=6, impossible=0.0, corridors=None)
    >>> scores = rank_selectors({"even": RoundRobin(), "uniform": Uniform()}, maze, visits=60)
    >>> list(scores)
    ['even', 'uniform']
    """
    maze = SimulatedMaze() if maze is None else maze
    visits = VISITS * maze.num_goals if visits is None else visits
    _validate.integer("visits", visits, minimum=1)
    seeds = list(seeds)
    if not seeds:
        raise ValueError("seeds must hold at least one seed, got none")
    for selector in selectors.values():
        selector.check(maze.num_goals, maze.steps)
    scores = {}
    for label, selector in selectors.items():
        curves = [success_curve(selector, maze, visits=visits, seed=seed) for seed in seeds]
        scores[label] = Score(
            np.array([curve.mean() for curve in curves]),
            np.array([_first(curve >= GOOD) for curve in curves]),
        )
    return dict(sorted(scores.items(), key=lambda item: -item[1].area.mean()))


def _first(reached: npt.NDArray[np.bool_]) -> float:
    """The index of the first true entry; infinite if there is none."""
    return float(reached.argmax()) if reached.any() else np.inf


def rank_agreement(scores: Mapping[str, Score], measured: Mapping[str, float]) -> float:
    """Spearman's rank correlation between the simulated areas and what training measured, over the
    selectors that both have; equal numbers share their mean rank.

    >>> score = lambda area: Score(np.array([area]), np.array([np.inf]))
    >>> rank_agreement({"a": score(0.9), "b": score(0.5), "c": score(0.1)}, {"a": 3, "b": 1, "c": 2})
    0.5
    """
    both = [label for label in scores if label in measured]
    if len(both) < 2:
        raise ValueError(
            f"two selectors or more must be in both, got {both} of {list(scores)} and {list(measured)}"
        )
    simulated = _ranks(np.array([scores[label].area.mean() for label in both]))
    trained = _ranks(np.array([float(measured[label]) for label in both]))
    if np.ptp(simulated) == 0 or np.ptp(trained) == 0:
        raise ValueError(f"there is no ranking: all of {both} have the same number")
    return round(float(np.corrcoef(simulated, trained)[0, 1]), 12)


def _ranks(values: Array) -> Array:
    """From 1, the mean rank for ties; [n] -> [n]."""
    below = (values[:, None] > values).sum(axis=1)
    tied = (values[:, None] == values).sum(axis=1)
    return below + (tied + 1) / 2.0


def ranking_table(scores: Mapping[str, Score]) -> str:
    """The scores as lines of text: mean area, and the median of visits to 80 % over seeds."""
    lines = [f"{'selector':24} {'area':>6}  {'visits to 80 %':>14}"]
    for label, score in scores.items():
        median = np.median(score.visits_to_80)
        shown = f"{median:.0f}" if np.isfinite(median) else "never"
        lines.append(f"{label:24} {score.area.mean():6.3f}  {shown:>14}")
    return "\n".join(lines)
