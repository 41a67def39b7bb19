"""A curriculum told of episodes: what other trainers know of one is how well its own goal was reached."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from autotelic._types import Array
from autotelic.curriculum import Curriculum
from autotelic.selectors.base import OPTIONAL, GoalSelector, check_is_selector, posteriors_of

KNOWN = OPTIONAL | {"success"}
"""The evidence that a finished episode gives, and that which may be left out."""


def curriculum_of_episodes(selector: GoalSelector, num_goals: int, seed: int = 0) -> Curriculum:
    """A curriculum, or a refusal of a selector that needs more than episodes show."""
    check_is_selector(selector)
    if unknown := sorted(selector.evidence - KNOWN):
        raise ValueError(
            f"{type(selector).__name__} needs {' and '.join(unknown)}, which episodes of another "
            "trainer do not give; choose a selector by competence"
        )
    return Curriculum(selector, num_goals, seed)


def tell(
    curriculum: Curriculum, goals: npt.ArrayLike, competences: Sequence[Sequence[float] | Array]
) -> None:
    """Tell of episodes that ended together.

    Args:
        curriculum: in which their goals are in flight.
        goals: that they pursued, [n].
        competences: of each, how well its goal was reached at every step, in [0, 1]; the last is its success,
            the mean its competence.
    """
    courses = [np.asarray(course, np.float64) for course in competences]
    for course in courses:
        if course.ndim != 1 or not len(course) or not np.all((course >= 0) & (course <= 1)):
            raise ValueError(
                f"competences must be finite numbers in [0, 1], a row for each episode, got {course}"
            )
    posteriors: Any = None
    if curriculum.selector.needs_posteriors:
        numbers = np.asarray(goals)
        pairs = zip(numbers, courses, strict=True)
        posteriors = [posteriors_of(int(g), course, curriculum.num_goals) for g, course in pairs]
    curriculum.update(
        goals,
        success=[course[-1] for course in courses],
        competence=[course.mean() for course in courses],
        posteriors=posteriors,
    )
