"""Imitation: the most probable goal, worked out by hand, and how near following it comes."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from directions import CORNERS, STEP, corner_skills
from made_skills import noisy_run

from autotelic.downstream import imitate
from autotelic.downstream.imitation import IMITATED, RANDOM, distance, log_probabilities
from autotelic.objectives import Cic, Objective, Vic
from autotelic.skills import Skills

TIMES = np.arange(9)[:, None]


@pytest.mark.parametrize("goal", range(4))
def test_a_way_to_a_corner_is_the_skill_that_goes_there(goal: int):
    way = 0.5 + STEP * TIMES * CORNERS[goal]
    found = imitate(corner_skills(), way, rollouts=3)
    assert found.goal == goal
    np.testing.assert_allclose(found.distances[IMITATED], 0.0, atol=1e-5)
    assert found.distances[RANDOM].mean() > 0.5
    assert found.intervals()[IMITATED].estimate == pytest.approx(0.0, abs=1e-5)
    assert found.advantage().estimate == pytest.approx(found.distances[RANDOM].mean(), abs=1e-4)


def test_log_probabilities_are_summed_over_the_states_after_the_start():
    way = np.array([[0.9, 0.1], [0.6, 0.7], [0.5, 0.55]], np.float32)  # the start would say goal 3
    # Logits are 20 times how far the state is within the sides of a quadrant.
    logits = 20 * np.array([[0.3, 0.2, 0.0, 0.1], [0.05, 0.05, 0.0, 0.0]])
    expected = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    found = log_probabilities(corner_skills(), way)
    np.testing.assert_allclose(found, expected.sum(axis=0), rtol=1e-4)


@pytest.mark.parametrize("objective", [Vic(), Cic()], ids=["start", "step"])
def test_other_objectives_judge_the_way_or_the_steps(objective: Objective, tmp_path: Path):
    runs = noisy_run(tmp_path, objective=objective)
    skills = Skills.load(runs.export("A", 7, tmp_path / "skills.npz"))
    way = np.random.default_rng(0).random((4, 2)).astype(np.float32)
    found = 0.0
    for before, after in itertools.pairwise(way):
        if isinstance(objective, Vic):
            found += np.log(skills.posterior(after, start=way[0]))
        else:
            found += np.log(skills.posterior(before, next_observation=after))
    np.testing.assert_allclose(log_probabilities(skills, way), found, rtol=1e-4)


def test_distance_counts_all_entries_and_an_early_end():
    way = np.array([[0.0, 5.0], [2.0, 5.0], [4.0, 5.0]])
    spread = np.std([0.0, 2.0, 4.0])
    assert distance(way, way) == 0.0
    ended = np.array([[0.0, 5.0], [2.0, 8.0]])  # it stays there
    first, second = np.sqrt(9 / 2), np.sqrt(((2 / spread) ** 2 + 9) / 2)
    assert distance(way, ended) == pytest.approx((first + second) / 2)


@pytest.mark.parametrize(
    ("way", "words"),
    [
        (
            np.zeros((5, 3)),
            r"shape \[steps \+ 1, 2\] of navigation2d with at least 1 step, got \[5, 3\]",
        ),
        (np.zeros((1, 2)), "at least 1 step"),
        (np.zeros(2), r"got \[2\]"),
        (np.full((3, 2), np.nan), "finite numbers"),
        ([["a", "b"]], "array of numbers"),
    ],
)
def test_what_is_no_trajectory_is_refused(way: Any, words: str):
    with pytest.raises(ValueError, match=words):
        imitate(corner_skills(), way)


def test_skills_that_recognise_nothing_are_refused():
    skills = corner_skills()
    arrays = {name: own for name, own in skills._arrays.items() if not name.startswith("judge")}
    mute = Skills({**skills._header, "objective": {"name": None, "repr": "Mine()"}}, arrays)
    with pytest.raises(ValueError, match="discriminator"):
        imitate(mute, np.zeros((3, 2)))
