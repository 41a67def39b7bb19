"""The paper's claims as measures: small cases whose numbers are worked out by hand."""

from pathlib import Path

import numpy as np
import pytest

from autotelic.figures.paper_data import SeedData
from autotelic.runs.history import LearnerHistory
from studies.claims import (
    Level,
    claim_1,
    claim_2,
    claim_3,
    first_visits,
    hard_goals,
    level,
    order,
    rank_correlation,
    waits,
)

NAN = float("nan")
# Four goals: a first round in the order 1, 0, 3, 2, and 18 epochs. The surest, 1, comes again first; the two
# hard goals, 0 and 2, have none of the next 16 epochs, and both of the last two.
GOALS = np.array([1, 0, 3, 2, *[1, 3] * 8, 0, 2])
CERTAINTY = np.array([0.9, 0.2, 0.6, 0.1, *[0.5] * 18])


def learner(goals: np.ndarray = GOALS, certainty: np.ndarray = CERTAINTY) -> LearnerHistory:
    signal = np.full((len(goals), 4), NAN)
    for epoch, value in enumerate([0.4, 0.3, 0.2, 0.1]):
        signal[epoch:, goals[epoch]] = value
    return LearnerHistory(("DP", 0), goals, certainty, np.full((len(goals), 4), 0.25), signal)


def seed_data(figure: str, seed: int = 0, **arrays: np.ndarray) -> SeedData:
    setting = {"num_goals": 4, "environment": "Ant-v5"}
    head = {
        "figure": figure,
        "reading": "l2",
        "seed": seed,
        "setting": setting,
        "methods": {"DP": {}},
    }
    own = learner()
    selection = np.where(np.arange(4) < 2, 0.5, 0.0) * np.ones((len(GOALS), 1))
    series = {"goal": own.goals, "certainty": own.certainty, "selection": selection}
    shared = {name: array[None] for name, array in {**series, "signal": own.signal}.items()}
    return SeedData(head, {**shared, **arrays})


def test_the_first_round_and_what_follows_a_divergence_are_left_out_of_the_level():
    assert level(np.array([3.0, 2.0, 1.0, 3.0, 1.0, NAN]), 3) == Level(2.0, 1.0, 1.0, 1.0)


def test_waits_count_from_the_end_of_the_first_round():
    assert waits(GOALS, 4).tolist() == [17, 1, 18, 2]
    assert waits(GOALS[:6], 4).tolist() == [3, 1, 3, 2]  # never: one more than the two there are


def test_first_visits_are_by_goal_not_by_time():
    certainty, value = first_visits(learner())
    assert certainty.tolist() == [0.2, 0.9, 0.1, 0.6]
    assert value.tolist() == [0.3, 0.4, 0.1, 0.2]
    with pytest.raises(ValueError, match="has no first round"):
        first_visits(learner(np.array([1, 1, 3, 2, 0])))


def test_easiest_first_and_hard_ones_later():
    found = order(learner())
    # Ranks of certainty 2, 4, 1, 3 and of soonness 2, 4, 1, 3; ranks of DP 3, 4, 1, 2: 1 - 6 * 2 / 60.
    assert found.by_certainty == pytest.approx(1.0)
    assert found.by_progress == pytest.approx(0.8)
    # Goals 0 and 2: in none of 16 epochs; in the last half, 11 epochs, twice.
    assert found.early == 0.0
    assert found.late == pytest.approx(2 / 11)


def test_hard_goals_and_ranks_with_ties():
    assert hard_goals(np.array([0.5, 0.5, 0.1])).tolist() == [2]
    assert np.isnan(rank_correlation(np.ones(3), np.arange(3.0)))
    # Ranks 1.5, 1.5, 3 and 1, 2, 3: covariance 1.5 over sqrt(1.5 * 2).
    assert rank_correlation(np.array([1.0, 1.0, 2.0]), np.arange(3.0)) == pytest.approx(0.8660254)


def test_claim_1_has_a_row_for_each_method():
    *_, row = claim_1([[seed_data("fig1c", seed) for seed in range(2)]])
    assert row == "| (c) Ant | l2 | DP | 2 | 22 | 2.00 | 0.00 | 2.00 | 2.0 to 2.0 |"


def test_claim_2_has_means_over_seeds():
    rows = claim_2([seed_data("fig2", seed) for seed in range(3)])
    assert rows[2].endswith("| 1.00 [1.00, 1.00] | 0 |")
    assert rows[4:6] == [
        "| share of hard goals in the 16 epochs after the first round | 0.00 [0.00, 0.00] | 0.50 |",
        "| share of hard goals in the last half | 0.18 [0.18, 0.18] | 0.50 |",
    ]


def test_claim_3_takes_plain_dp_against_diayn_from_the_study_and_the_seeds_of_figures_1_and_3(
    tmp_path,
):
    header = "condition,arm,baseline,metric,seeds,difference,difference_low,difference_high"
    lines = [
        ",DP,uniform,held_out_accuracy,3,0.08,-0.12,0.28",
        ",DP,round-robin,held_out_accuracy,3,0.5,0.4,0.6",
        "frozen,DP,uniform,held_out_accuracy,3,0.7,0.6,0.8",
    ]
    (tmp_path / "attribution").mkdir()
    (tmp_path / "attribution" / "comparisons.csv").write_text("\n".join([header, *lines]) + "\n")
    scores = [np.array([0.05, 0.5, value]) for value in (0.6, 0.8)]
    embedded = [
        seed_data("fig3", seed, knn_f1=score, held_out_accuracy=score)
        for seed, score in enumerate(scores)
    ]
    curves = [
        both(
            seed_data("fig1c", seed), certainty=np.array([[0.5, 0.5 + 2 * ahead] * 11, [0.5] * 22])
        )
        for seed, ahead in enumerate((0.1, 0.3))
    ]
    rows = claim_3(Path(tmp_path), [curves], embedded)[2:]
    assert rows[:2] == [
        "| 2D navigation | attribution | accuracy from one state at the end | 3 | +0.080 [-0.120, +0.280] |",
        "| Ant | Figure 1(c), l2, DP | certainty of the goal pursued, mean over epochs | 2 "
        "| +0.200 [-1.071, +1.471] |",
    ]
    # Differences 0.1 and 0.3: mean 0.2, Student's half width 12.706 * 0.1.
    assert rows[2] == "| Half-Cheetah | Figure 3, l2 | KNN-F1 | 2 | +0.200 [-1.071, +1.471] |"


def both(data: SeedData, certainty: np.ndarray) -> SeedData:
    """With DIAYN beside DP, and these certainties of the two."""
    arrays = {name: np.concatenate([array, array]) for name, array in data.arrays.items()}
    head = {**data.head, "methods": {"DP": {}, "DIAYN": {}}}
    return SeedData(head, {**arrays, "certainty": certainty})
