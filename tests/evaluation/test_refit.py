"""A discriminator fitted anew tells apart what differs, and nothing else."""

import numpy as np
import pytest

from autotelic.evaluation.metrics import accuracy
from autotelic.evaluation.refit import refitted_judgements
from autotelic.objectives import Diayn

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
