"""A curriculum told of episodes: what it learns from them, and which evidence it needs."""

from typing import Any

import numpy as np
import pytest

import autotelic as at
from autotelic.bridges.choosing import curriculum_of_episodes, tell
from autotelic.selectors.base import posteriors_of


def test_posteriors_give_the_goal_its_competence():
    rows = posteriors_of(2, np.array([0.0, 0.25, 1.0]), 4)
    np.testing.assert_allclose(rows[:, 2], [0.0, 0.25, 1.0])
    np.testing.assert_allclose(rows[:, 0], [1 / 3, 0.25, 0.0])
    np.testing.assert_allclose(rows.sum(axis=1), 1.0)
    assert posteriors_of(0, np.array([0.5]), 3).shape == (2, 3)
    np.testing.assert_array_equal(posteriors_of(0, np.array([0.2]), 1), [[1.0], [1.0]])


def test_a_selector_by_competence_prefers_the_goal_that_improves():
    curriculum = curriculum_of_episodes(at.Curious(), 2)
    for success in np.linspace(0, 1, 12):
        curriculum.select(2)
        tell(curriculum, [0, 1], [[success, success], [0.4, 0.4]])
    # The goal that stands still has its share of the 40 % that are spread evenly.
    np.testing.assert_allclose(curriculum.selection_probabilities, [0.8, 0.2])


def test_the_last_step_is_the_success_and_the_mean_the_competence():
    by_success = curriculum_of_episodes(
        at.Selector(at.signals.Competence("success"), at.rules.Even()), 2
    )
    by_competence = curriculum_of_episodes(at.Uniform(), 2)
    for curriculum in (by_success, by_competence):
        curriculum.select(2)
        tell(curriculum, [1, 0], [[0.5, 0.0, 1.0], [0.5]])
    assert by_success.values.tolist() == [0.5, 1.0]
    assert by_competence.values.tolist() == [0.5, 0.5]


def test_a_selector_by_posteriors_is_told_of_every_step():
    selector = at.DiversityProgress(offset=2, smoothing=1, normalization="none")
    curriculum = curriculum_of_episodes(selector, 2)
    curriculum.select(2)
    tell(curriculum, [1, 0], [[0.0, 0.0, 1.0, 1.0], [0.5] * 6])
    # Errors of both goals fall from 1 to 0 within the first episode.
    assert curriculum.values == pytest.approx([0.0, 1.0])


@pytest.mark.parametrize("competences", [[], [[0.5]], [np.nan], [1.5, 0.5], [-0.1, 0.5]])
def test_what_is_no_competence_is_refused(competences: Any):
    curriculum = curriculum_of_episodes(at.Uniform(), 2)
    goal = curriculum.select(1)
    with pytest.raises(ValueError, match="competences must"):
        tell(curriculum, goal, [competences])
    assert curriculum.in_flight.tolist() == goal.tolist()


def test_selectors_that_need_more_are_refused():
    with pytest.raises(ValueError, match="ValueRegret needs values, which episodes of another"):
        curriculum_of_episodes(at.ValueRegret(), 3)
    with pytest.raises(TypeError, match=r"make one: Uniform\(\)"):
        curriculum_of_episodes(at.Uniform, 3)  # type: ignore[arg-type]
