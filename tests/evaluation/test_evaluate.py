"""All metrics of a run: those of made-up skills are known, and a frozen run equals its own null."""

import dataclasses
import pickle

import numpy as np
import pytest

from autotelic._helping import Helpers
from autotelic.evaluation.catalogue import METRICS, curve_metrics, measured
from autotelic.evaluation.evaluate import Sample, Sampling, _on_one_scale, _thinned, evaluate
from autotelic.evaluation.evidence import (
    VENDI_ORDERS,
    ChoiceEvidence,
    DistanceEvidence,
    Scales,
    SkillEvidence,
)
from autotelic.evaluation.metrics import Judgements, mean_observations
from autotelic.evaluation.results import COLUMNS, Evaluation
from autotelic.evaluation.trajectories import Trajectories
from autotelic.learner.setting import Setting
from autotelic.runs.history import LearnerHistory
from autotelic.runs.run import Runs

CHOICES = {"effective_skills", "effective_selections", "selection_gini", "signal_correlation"}
"""What only a selector has, and untrained skills have not."""


@pytest.fixture(scope="module")
def found(runs: Runs) -> Evaluation:
    return evaluate(runs, per_goal=4)


def test_skills_of_a_frozen_run_are_worth_what_untrained_ones_are(found: Evaluation):
    assert list(found.table.columns) == COLUMNS
    wide = found.table.pivot(index=["metric", "trained"], columns="member", values="value")
    for metric in found.table["metric"].unique():
        if metric not in CHOICES:
            np.testing.assert_array_equal(wide.loc[metric, True], wide.loc[metric, False])
    assert found.setting == (1, 4, 6, 0)


def test_every_metric_is_in_the_catalogue_and_its_range(found: Evaluation):
    values = found.table.groupby("metric")["value"].agg(["min", "max"])
    # One epoch has no second visit, 2D navigation's coverage is that of its box, and DIAYN has no phi, no
    # success and no return.
    never = {"signal_correlation", "cells_visited", "cells_visited_per_skill", "covered_cells"}
    never |= {"success", "return"}
    never |= {name for name in METRICS if name.startswith("zero_shot")}
    assert set(values.index) == METRICS.keys() - never
    shares = ["held_out_accuracy", "trajectory_f1", "knn_f1", "certainty", "grid_coverage"]
    assert ((values.loc[shares] >= 0) & (values.loc[shares] <= 1)).all(axis=None)
    for order in VENDI_ORDERS:
        assert 1 <= values["min"][f"vendi_skills_{order}"] <= 3
        assert 1 <= values["min"][f"vendi_trajectories_{order}"] <= 12
    assert values["max"]["mutual_information"] <= np.log(3)
    assert values["max"]["effective_selections"] == 1.0  # of one epoch


def test_the_seed_decides_and_progress_is_told(runs: Runs, found: Evaluation):
    told: list[tuple[int, int]] = []
    again = evaluate(runs, per_goal=4, progress=lambda *numbers: told.append(numbers))
    assert again.table.equals(found.table)
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]  # two seeds untrained, two members trained
    other = evaluate(runs, per_goal=4, seed=1, steps=3)
    assert other.setting.steps == 3
    assert not other.table["value"].equals(found.table["value"])


def test_learners_sampled_one_by_one_give_the_same(
    runs: Runs, found: Evaluation, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("autotelic.evaluation.rollouts.LARGEST_CHUNK", 1)
    assert evaluate(runs, per_goal=4).table.equals(found.table)


@pytest.mark.thorough
def test_processes_that_share_the_learners_find_the_same(
    runs: Runs, found: Evaluation, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("autotelic.evaluation.evaluate.WORTH_A_HELPER", 0.0)
    assert evaluate(runs, per_goal=4, processes=2).table.equals(found.table)


def test_a_part_of_an_evaluation_is_the_same_wherever_it_is_done(runs: Runs):
    here = Sampling(runs, per_goal=4, seed=0, steps=6)
    there = pickle.loads(pickle.dumps(here))
    assert there.runs is not runs
    (chunk, *others) = here.chunks([(True, member) for member in runs.members], shared=True)
    assert chunk.members == (runs.members[0],) and len(others) == len(runs.members) - 1
    ((values, features, states),), ((others_values, *arrays),) = here(chunk), there(chunk)
    assert others_values == values
    for array, own in zip(arrays, (features, states), strict=True):
        np.testing.assert_array_equal(array, own)


def test_helpers_are_for_finished_runs_and_enough_work(runs: Runs, monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []
    monkeypatch.setattr(
        "autotelic.evaluation.evaluate.Helpers", lambda count: asked.append(count) or Helpers(0)
    )
    # 4 learners x 3 goals x 4 trajectories x 6 steps, and 20 us to judge a state.
    for least in (0.0057, 0.0058):
        monkeypatch.setattr("autotelic.evaluation.evaluate.WORTH_A_HELPER", least)
        evaluate(runs, per_goal=4, processes=3)
    monkeypatch.setattr("autotelic.evaluation.evaluate.WORTH_A_HELPER", 0.0)
    monkeypatch.setattr(Runs, "finished", False)
    evaluate(runs, per_goal=4, processes=3)
    assert asked == [2, 0, 0]


def test_what_cannot_be_evaluated_is_refused(runs: Runs):
    with pytest.raises(ValueError, match="per_goal must be at least 2, got 1"):
        evaluate(runs, per_goal=1)
    length = runs.description["sizes"]["episode_length"]
    with pytest.raises(ValueError, match=f"steps {length + 1} exceeds an episode"):
        evaluate(runs, steps=length + 1)
    one = Runs(runs.folder, runs.description)
    vars(one)["setting"] = dataclasses.replace(runs.setting, num_goals=1)
    with pytest.raises(ValueError, match="a run with 1 goal has nothing to evaluate"):
        evaluate(one)


SETTING = Setting(num_goals=4, hidden_units=8)


def corners(trajectories: int = 4, steps: int = 5) -> np.ndarray:
    """Four skills that stay in the corners of the unit box: [goals, trajectories, steps + 1, 2]."""
    places = np.array([[0.01, 0.01], [0.01, 0.99], [0.99, 0.01], [0.99, 0.99]], np.float32)
    return np.tile(places[:, None, None], (1, trajectories, steps + 1, 1))


def test_skills_in_the_corners_are_told_apart_and_cover_a_cell_each():
    observations = corners()
    lengths = np.full((4, 4), 5)
    own = Trajectories((("DIAYN", 0),), observations[None], lengths[None], observations[None])
    ignorant = Judgements(np.full((4, 4, 5, 4), -np.log(4.0)), lengths)
    values = measured(SkillEvidence(SETTING, own, ignorant, (0.0, 1.0)))
    assert values["held_out_accuracy"] == values["trajectory_f1"] == 1.0
    assert values["discriminator_nll"] == pytest.approx(np.log(4))
    assert values["certainty"] == pytest.approx(0.25)
    assert values["grid_coverage"] == pytest.approx(4 / 400)
    assert values["grid_coverage_per_skill"] == pytest.approx(1 / 400)
    elsewhere = measured(SkillEvidence(SETTING, own, ignorant))
    assert elsewhere["cells_visited"] == 1.0  # all corners lie in one cell of 1 m


@pytest.mark.parametrize("trajectories", [2, 3, 4])
def test_few_trajectories_are_enough_for_neighbours(trajectories: int):
    places = 100.0 * np.arange(20)[:, None, None]
    features = places + np.random.default_rng(0).normal(size=(20, trajectories, 2))
    states = np.repeat(features[:, :, None], 3, axis=2)
    found = measured(DistanceEvidence(features, states, Scales(1.0, 1.0), np.random.default_rng(0)))
    assert found["knn_f1"] == 1.0


def test_each_distance_has_the_floor_of_its_null():
    # Trajectories that stand still at 0 and 1, and at 10 and 13: halves are 1 and 3 apart.
    features = np.array([[0.0, 1.0], [10.0, 13.0]])[..., None]
    states = np.repeat(features[:, :, None], 3, axis=2)
    found = measured(DistanceEvidence(features, states, Scales(1.0, 1.0), np.random.default_rng(0)))
    assert found["energy_distance_floor"] == pytest.approx((2 * 1.0 + 2 * 3.0) / 2 / 2)
    assert found["squared_mmd_floor"] == 0.0
    assert found["squared_mmd"] == pytest.approx(np.exp(-0.5) + np.exp(-4.5))
    assert found["wasserstein_floor"] == pytest.approx((1.0 + 3.0) / 2)
    assert found["wasserstein"] == pytest.approx((10 + 13 + 9 + 12) / 4)


def test_skills_far_apart_count_as_many_as_they_are():
    generator = np.random.default_rng(0)
    states = 100.0 * corners()[:, :, 1:].astype(np.float64)
    states += 1e-7 * generator.standard_normal(states.shape)
    values = measured(DistanceEvidence(states.mean(axis=2), states, Scales(1.0, 1.0), generator))
    for order in VENDI_ORDERS:
        assert values[f"vendi_skills_{order}"] == pytest.approx(4.0)
        assert values[f"vendi_trajectories_{order}"] == pytest.approx(4.0, abs=1e-3)
    assert values["knn_f1"] == 1.0
    assert values["silhouette"] == pytest.approx(1.0, abs=1e-3)
    # Neighbours are 98 apart, corners across 98 sqrt(2): shifts, so Wasserstein's are these.
    assert values["wasserstein"] == pytest.approx(98 * (4 + 2 * np.sqrt(2)) / 6, rel=1e-3)
    assert values["wasserstein_minimum"] == pytest.approx(98.0, rel=1e-3)
    assert values["energy_distance"] == pytest.approx(2 * values["wasserstein"], rel=1e-3)
    assert values["energy_distance_floor"] < 0.01


def test_quick_metrics_of_a_curve_are_those_of_an_evaluation():
    generator = np.random.default_rng(0)
    observations = (corners() + 0.005 * generator.random((4, 4, 6, 2))).astype(np.float32)
    lengths = np.full((4, 4), 5)
    own = Trajectories((("DIAYN", 0),), observations[None], lengths[None], observations[None])
    judged = Judgements(np.log(generator.dirichlet(np.ones(4), (4, 4, 5))), lengths)
    every = measured(SkillEvidence(SETTING, own, judged, (0.0, 1.0)))
    quick = measured(SkillEvidence(SETTING, own, judged, (0.0, 1.0)), curve_metrics())
    assert quick.pop("knn_f1") == 1.0
    assert quick == {name: every[name] for name in quick}
    assert quick["distinct_skills"] == pytest.approx(4.0)


def test_units_and_origins_of_observations_change_no_metric():
    generator = np.random.default_rng(0)
    noise = generator.standard_normal((2, 4, 6, 6, 2))
    observations = np.round(256 * (corners(trajectories=6) + noise)) / 256
    # Powers of two, and sums that float32 holds exactly: nothing is rounded.
    elsewhere = observations * [128.0, 1 / 128] + [1024.0, 1.0]
    lengths = np.full((4, 6), 5)
    judged = Judgements(np.full((4, 6, 5, 4), -np.log(4.0)), lengths)

    def values(seen: np.ndarray) -> list[dict[str, float]]:
        """All metrics of two learners that need neither positions nor a history."""
        samples = []
        for observed in seen.astype(np.float32):
            own = Trajectories((("DIAYN", 0),), observed[None], lengths[None], None)
            found = measured(SkillEvidence(SETTING, own, judged))
            samples.append(Sample(found, mean_observations(observed, lengths), observed[:, :, 1:]))
        return _on_one_scale(samples, seed=0)

    for found, expected in zip(values(elsewhere), values(observations), strict=True):
        assert {"refitted_accuracy", "knn_f1", "squared_mmd", "distinct_skills"} <= expected.keys()
        assert found == pytest.approx(expected, rel=1e-5)


def test_skills_that_never_move_are_one():
    still = np.full((3, 2, 5, 2), 0.5, np.float32)
    own = Trajectories((("DIAYN", 0),), still[None], np.full((1, 3, 2), 4), None)
    judged = Judgements(np.full((3, 2, 4, 3), -np.log(3.0)), np.full((3, 2), 4))
    found = measured(SkillEvidence(SETTING, own, judged), curve_metrics())
    assert found["distinct_skills"] == 1.0
    assert found["mutual_information"] == 0.0
    assert "cells_visited" not in found


def history(goals: list[int], signal: list[list[float]], certainty: list[float]) -> LearnerHistory:
    prior = np.full((len(goals), len(signal[0])), 1 / len(signal[0]))
    return LearnerHistory(
        ("DP", 0), np.array(goals), np.array(certainty), prior, np.array(signal, float)
    )


def test_choices_by_hand():
    # Goal 0 is promising and improves, goal 1 is not and gets worse: ranks agree.
    chosen = history([0, 1, 0, 1], [[1, 0], [1, -1], [1, -1], [1, -1]], [0.2, 0.6, 0.5, 0.4])
    values = measured(ChoiceEvidence(chosen))
    assert values["effective_selections"] == pytest.approx(2.0)
    assert values["selection_gini"] == 0.0
    assert values["signal_correlation"] == pytest.approx(1.0)
    once = measured(ChoiceEvidence(history([0, 0, 0], [[1, 0]] * 3, [0.2, 0.3, 0.4])))
    assert once["effective_selections"] == 1.0
    assert once["selection_gini"] == 0.5
    assert "signal_correlation" not in once  # one goal has nothing to be compared with


def test_states_are_thinned_evenly():
    states = np.arange(9.0).reshape(1, 1, 9, 1)
    assert _thinned(states, 3).ravel().tolist() == [0.0, 4.0, 8.0]
    np.testing.assert_array_equal(_thinned(states, 9), states)
