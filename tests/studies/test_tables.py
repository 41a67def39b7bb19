"""A learner's row from its curve and history, by hand."""

import numpy as np
import pandas
import pytest

from autotelic.runs.history import LearnerHistory
from studies.tables import effective_after_first_round, learner_row

CURVE = pandas.DataFrame(
    {
        "epoch": [0, 10, 20],
        "trajectory_accuracy": [0.0, 0.5, 1.0],
        "held_out_accuracy": [0.0, 0.2, 0.4],
        "discriminator_accuracy": [0.1, 0.3, 0.3],
        "knn_f1": [0.0, 0.5, 0.75],
        "mutual_information": [0.0, 0.1, 0.2],
        "distinct_skills": [1.0, 1.5, 1.9],
        "grid_coverage": [0.1, 0.2, 0.6],
        "cells_visited": [np.nan] * 3,
    }
)
HISTORY = LearnerHistory(
    ("DP", 0),
    goals=np.array([0, 1, 0, 0]),
    certainty=np.array([0.1, 0.2, 0.3, 0.4]),
    prior=np.array([[0.9, 0.1], [0.9, 0.1], [0.5, 0.5], [1.0, 0.0]]),
    signal=np.full((4, 2), np.nan),
)


def test_a_learner_is_described_by_its_curve() -> None:
    row = learner_row(CURVE, HISTORY)
    assert row["area"] == pytest.approx(0.5)
    assert row["area_per_step"] == pytest.approx(0.2)
    assert row["area_discriminator"] == pytest.approx(0.25)
    assert row["trajectory_accuracy"] == 1.0
    assert row["discriminator_accuracy"] == 0.3
    assert row["coverage"] == 0.6
    assert row["epochs_to_50"] == 10
    assert row["epochs_to_90"] == 20
    assert np.isnan(row["epochs_to_50_per_step"])


def test_a_learner_is_described_by_its_choices() -> None:
    row = learner_row(CURVE, HISTORY)
    # Goal 0 in three visits of four: exp(entropy(3/4, 1/4)) = 4 / 3^(3/4).
    assert row["effective_selections"] == pytest.approx(4 / 3**0.75)
    assert np.isnan(row["signal_correlation"])


def test_the_first_round_does_not_count_for_the_effective_number() -> None:
    found = effective_after_first_round(HISTORY.prior)
    assert found["effective_number"] == pytest.approx(1.5)
    assert found["effective_number_lowest"] == pytest.approx(1.0)


def test_without_visits_after_the_first_round_there_is_no_effective_number() -> None:
    assert np.isnan(effective_after_first_round(HISTORY.prior[:2])["effective_number"])
