"""Random streams: told apart by purpose, seed and numbers, and from what others make of the seed."""

import itertools

import numpy as np
import pytest

from autotelic import Curriculum, Uniform, _streams

SAMPLES = 2000
# Of a correlation of independent samples: five standard errors.
LARGEST = 5 / np.sqrt(SAMPLES)


def draws(generator: np.random.Generator) -> np.ndarray:
    return generator.random(SAMPLES)


def test_no_two_streams_are_alike_or_correlated():
    streams = {
        (purpose, seed, numbers): draws(_streams.generator(purpose, seed, *numbers))
        for purpose in ("goals", "environment")
        for seed in (0, 1)
        for numbers in ((), (0,), (0, 0), (1,))
    }
    streams["NumPy's own"] = draws(np.random.default_rng(0))  # type: ignore[index]
    for one, other in itertools.combinations(streams.values(), 2):
        assert abs(np.corrcoef(one, other)[0, 1]) < LARGEST


def test_a_stream_repeats():
    again = _streams.generator("goals", 3, 1)
    np.testing.assert_array_equal(draws(_streams.generator("goals", 3, 1)), draws(again))
    assert _streams.integer("goals", 3) == _streams.integer("goals", 3)


@pytest.mark.parametrize("seed", [0, 7])
def test_goals_of_a_curriculum_are_not_those_of_numpys_stream(seed: int):
    curriculum = Curriculum(Uniform(), num_goals=20, seed=seed)
    generator = np.random.default_rng(seed)
    goals = [curriculum.select() for _ in range(SAMPLES)]
    assert abs(np.corrcoef(goals, draws(generator))[0, 1]) < LARGEST
