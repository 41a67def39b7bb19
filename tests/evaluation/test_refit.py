"""A discriminator fitted anew tells apart what differs, and nothing else."""

import numpy as np
import pytest

from autotelic.evaluation.metrics import accuracy
from autotelic.evaluation.refit import refitted_judgements
from autotelic.objectives import Diayn, Metra, Reach

GOALS, TRAJECTORIES, STEPS = 3, 40, 5


@pytest.mark.parametrize(("apart", "low", "high"), [(6.0, 0.99, 1.0), (0.0, 0.2, 0.47)])
def test_accuracy_is_that_of_skills_apart_and_chance_for_equal_ones(apart, low, high):
    generator = np.random.default_rng(0)
    centres = apart * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    noise = generator.standard_normal((GOALS, TRAJECTORIES, STEPS + 1, 2))
    observations = (centres[:, None, None] + noise).astype(np.float32)
    lengths = np.full((GOALS, TRAJECTORIES), STEPS)
    judged = refitted_judgements(Diayn(), 16, observations, lengths)
    assert judged.log_probabilities.shape == (GOALS, TRAJECTORIES // 2, STEPS, GOALS)
    # Equal skills: 1/3, give or take five standard errors of 300 held-out steps.
    assert low <= accuracy(judged) <= high


def overlapping(generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Skills that overlap, in multiples of 1/256, NaN after early ends; the third entry never changes."""
    centres = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    noise = generator.standard_normal((GOALS, TRAJECTORIES, STEPS + 1, 2))
    moving = np.round(256 * (centres[:, None, None] + noise)) / 256
    observations = np.concatenate([moving, np.full_like(moving[..., :1], 7.0)], axis=-1)
    lengths = generator.integers(2, STEPS + 1, (GOALS, TRAJECTORIES))
    observations[np.arange(STEPS + 1) > lengths[..., None]] = np.nan
    return observations.astype(np.float32), lengths


@pytest.mark.parametrize("objective", [Diayn(), Metra()])
def test_units_and_origins_of_observations_change_nothing(objective):
    observations, lengths = overlapping(np.random.default_rng(0))
    # Powers of two, and sums that float32 holds exactly: nothing is rounded.
    elsewhere = observations * np.float32([128.0, 1 / 128, 1.0]) + np.float32([1024.0, 1.0, -7.0])
    expected, found = (
        refitted_judgements(objective, 16, seen, lengths) for seen in (observations, elsewhere)
    )
    np.testing.assert_array_equal(found.lengths, expected.lengths)
    np.testing.assert_allclose(found.log_probabilities, expected.log_probabilities, atol=1e-4)


def test_goals_that_are_places_are_judged_where_they_are():
    places = np.array([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]], np.float32)
    observations = np.tile(places[:, None, None], (1, 2, STEPS + 1, 1))
    own = tuple(map(tuple, places.tolist()))
    box = ((0.0, 100.0), (0.0, 100.0))
    reach = Reach(places=own, features=(0, 1), radius=1.0, bounds=box)
    judged = refitted_judgements(reach, 16, observations, np.full((GOALS, 2), STEPS))
    assert accuracy(judged) == 1.0
