"""Until something is learned goals come in rounds, and selectors are told nothing."""

from pathlib import Path

import numpy as np
import pytest
from tiny_runs import EPISODE, GOALS, STEPS, assert_same_run, copied, run, tiny

import autotelic as at
from autotelic.runs.history import History, vector
from autotelic.runs.run import load
from autotelic.runs.store import CheckpointStore
from autotelic.training import warm_up

pytestmark = pytest.mark.usefixtures("same_crews")
VISIT, WAITING = 5, 5
"""Steps of a visit, and visits that end before the first update."""
METHODS = {"DIAYN": at.Uniform(), "DP": at.DiversityProgress(offset=2, smoothing=1)}


@pytest.mark.parametrize("seed", [0, 5])
def test_every_goal_comes_once_a_round_in_an_order_of_its_own(seed: int):
    goals = [warm_up.choose(seed, visit, num_goals=7).goal for visit in range(21)]
    rounds = np.reshape(goals, (3, 7))
    assert all(sorted(own) == list(range(7)) for own in rounds)
    assert len({tuple(own) for own in rounds}) == 3


def test_the_goal_is_drawn_from_those_left_in_the_round():
    tried: set[int] = set()
    for visit in range(4):
        goal, selection = warm_up.choose(3, visit, num_goals=4)
        left = [g not in tried for g in range(4)]
        np.testing.assert_allclose(selection, np.array(left) / (4 - visit))
        tried.add(goal)


@pytest.fixture(scope="module")
def waiting(same_crews: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("waiting") / "run"
    # Visits 0 to 4 end with step 25, the 26th is the first that is learned from.
    setting = tiny(steps_per_goal=VISIT, first_update=WAITING * VISIT + 1)
    run(folder, setting=setting, methods=METHODS)
    return folder


def test_selectors_hear_of_the_first_visit_that_was_learned_from(waiting: Path):
    history = load(waiting).history
    visits = 4 * STEPS // VISIT
    for _, own in history.groupby("member"):
        np.testing.assert_array_equal(own["warm_up"], np.arange(visits) < WAITING)
        assert np.isnan(vector(own[own["warm_up"] == 1], "signal")).all()
        first_round = own[own["warm_up"] == 0].head(GOALS)
        # After the k-th visit that counts, k goals have a value.
        known = (~np.isnan(vector(first_round, "signal"))).sum(axis=1)
        if own["method"].iloc[0] == "DP":
            np.testing.assert_array_equal(known, [1, 2, 3])
            assert sorted(first_round["goal"]) == list(range(GOALS))


def test_all_methods_of_a_seed_wait_alike(waiting: Path):
    history = load(waiting).history
    early = history[history["warm_up"] == 1].pivot(
        index=["epoch", "visit"], columns="method", values="goal"
    )
    np.testing.assert_array_equal(early["DIAYN"], early["DP"])


def test_the_effective_number_is_that_of_the_prior_until_the_first_round(waiting: Path):
    history = load(waiting).history
    own = History(history[history["method"] == "DP"])
    expected = [GOALS] * WAITING + [3.0, 2.0, 1.0]
    np.testing.assert_allclose(own.effective_numbers[: WAITING + GOALS], expected)


@pytest.mark.thorough
def test_a_run_resumed_while_waiting_ends_as_if_never_stopped(waiting: Path, tmp_path: Path):
    folder = copied(waiting, tmp_path / "run")
    store = CheckpointStore(folder)
    shorter = tmp_path / "shorter"
    setting = load(folder).setting
    run(shorter, setting=setting, methods=METHODS, epochs=1, checkpoint_every=1)
    assert store.epochs and (load(shorter).history["warm_up"] == 1).all()
    run(shorter, setting=setting, methods=METHODS, resume=True)
    assert_same_run(shorter, waiting)


def test_without_it_and_for_frozen_learners_the_first_round_begins_at_once(tmp_path: Path):
    setting = tiny(steps_per_goal=VISIT, first_update=26, warm_up=False)
    assert (
        not run(tmp_path / "off", setting=setting, epochs=1, methods=METHODS)
        .history["warm_up"]
        .any()
    )
    frozen = tiny(steps_per_goal=VISIT, frozen=True)
    assert frozen.warm_up and EPISODE > VISIT
    assert (
        not run(tmp_path / "frozen", setting=frozen, epochs=1, methods=METHODS)
        .history["warm_up"]
        .any()
    )
