"""The front door: select and update, refusals that change nothing, exact resumption."""

import json
from typing import Any, ClassVar, cast

import numpy as np
import pytest

import autotelic as at


def posteriors(generator: np.random.Generator, steps: int = 20, num_goals: int = 4):
    weights = generator.exponential(size=(steps, num_goals))
    return weights / weights.sum(axis=1, keepdims=True)


def dp(**settings: Any):
    return at.DiversityProgress(offset=10, smoothing=5, **settings)


def run(curriculum: at.Curriculum, generator: np.random.Generator, epochs: int):
    """Goals and probabilities of some epochs."""
    record = []
    for _ in range(epochs):
        probabilities = curriculum.selection_probabilities.tolist()
        goal = curriculum.select()
        curriculum.update(posteriors(generator, num_goals=curriculum.num_goals))
        record.append((goal, probabilities, curriculum.prior.tolist()))
    return record


def test_first_round_declines_from_all_goals_to_one_while_the_prior_stays_uniform():
    curriculum = at.Curriculum(dp(), num_goals=20, seed=3)
    generator = np.random.default_rng(0)
    effective, goals = [], []
    for _ in range(20):
        effective.append(at.effective_number_of_skills(curriculum.selection_probabilities))
        assert curriculum.prior.tolist() == [1 / 20] * 20
        goals.append(curriculum.select())
        curriculum.update(posteriors(generator, num_goals=20))
    assert effective == pytest.approx(list(range(20, 0, -1)), abs=1e-12)
    assert sorted(goals) == list(range(20))
    # The round is over: softmax of DP, which no two random goals share.
    assert len(set(curriculum.selection_probabilities)) == 20


def test_the_order_of_the_first_round_depends_on_the_seed_alone():
    orders = []
    for seed in (0, 0, 1):
        curriculum = at.Curriculum(dp(), num_goals=8, seed=seed)
        orders.append([goal for goal, _, _ in run(curriculum, np.random.default_rng(5), 8)])
    assert orders[0] == orders[1] != orders[2]


def test_a_restored_curriculum_continues_exactly():
    uninterrupted = at.Curriculum(dp(temperature=0.05), num_goals=4, seed=1)
    generator = np.random.default_rng(2)
    run(uninterrupted, generator, 7)
    saved = json.dumps(uninterrupted.state_dict(), allow_nan=False)
    generator_state = generator.bit_generator.state
    expected = run(uninterrupted, generator, 30)

    restored = at.Curriculum(dp(temperature=0.05), num_goals=4, seed=99)
    restored.load_state_dict(json.loads(saved))
    generator.bit_generator.state = generator_state
    assert run(restored, generator, 30) == expected


def test_the_goal_being_practised_survives():
    curriculum = at.Curriculum(at.Uniform(), num_goals=4, seed=0)
    goal = curriculum.select()
    restored = at.Curriculum(at.Uniform(), num_goals=4, seed=5)
    restored.load_state_dict(curriculum.state_dict())
    assert restored.goal == goal
    restored.update(posteriors(np.random.default_rng(0)))
    assert restored.goal is None


@pytest.mark.parametrize("goal", [0, 3])
def test_every_goal_can_be_the_one_being_practised(goal: int):
    restored = at.Curriculum(at.Uniform(), num_goals=4)
    restored.load_state_dict({**saved(at.Uniform()), "goal": goal})
    assert restored.goal == goal


def test_the_seed_is_0_unless_given():
    by_default, given = at.Curriculum(at.Uniform(), 1000), at.Curriculum(at.Uniform(), 1000, seed=0)
    assert [by_default.select() for _ in range(5)] == [given.select() for _ in range(5)]


class Careless(at.GoalSelector):
    """Needs a success rate, and checks nothing by itself."""

    @property
    def evidence(self) -> frozenset[str]:
        return frozenset({"success"})

    def init(self, num_goals: int) -> int:
        return num_goals

    def update(self, state: int, outcome: Any) -> int:
        return state

    def selection_probabilities(self, state: int) -> np.ndarray:
        return np.full(state, 1 / state)


def test_what_a_selector_of_your_own_does_not_check_is_checked_for_it():
    with pytest.raises(ValueError, match="num_goals must be at least 1, got 0"):
        at.Curriculum(Careless(), num_goals=0)
    curriculum = at.Curriculum(Careless(), num_goals=4)
    curriculum.select()
    with pytest.raises(ValueError, match="Careless needs the argument success"):
        curriculum.update(GOOD)
    curriculum.update(GOOD, success=0.5)


def test_update_before_select_is_refused():
    curriculum = at.Curriculum(at.Uniform(), num_goals=4)
    with pytest.raises(ValueError, match=r"call select\(\) first"):
        curriculum.update(posteriors(np.random.default_rng(0)))
    curriculum.select()
    curriculum.update(posteriors(np.random.default_rng(0)))
    with pytest.raises(ValueError, match=r"call select\(\) first"):
        curriculum.update(posteriors(np.random.default_rng(0)))


GOOD = np.full((20, 4), 0.25)


def with_entry(value: Any):
    bad = GOOD.copy()
    bad[7, 2] = value
    return bad


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.full((20, 5), 0.2), "one column for each of the 4 goals, got 5"),
        (np.full((20, 1), 1.0), "one column for each of the 4 goals, got 1"),
        (GOOD[:1], "at least two rows"),
        (GOOD[0], r"shape \[steps, goals\]"),
        (with_entry(np.nan), "row 7 holds NaN"),
        (with_entry(np.inf), "row 7 holds NaN or infinity"),
        (with_entry(-0.25), "row 7 holds -0.25"),
        (with_entry(0.26), "row 7 sums to 1.01"),
        (np.log(GOOD), "not logits or log-probabilities"),
        (GOOD[:14], r"offset 10 \+ smoothing 5 = 15 exceeds the 14 steps"),
    ],
)
def test_bad_posteriors_are_refused_and_the_state_is_unchanged(bad: Any, message: str):
    curriculum = at.Curriculum(dp(), num_goals=4)
    curriculum.select()
    before = json.dumps(curriculum.state_dict())
    with pytest.raises(ValueError, match=message):
        curriculum.update(bad)
    assert json.dumps(curriculum.state_dict()) == before
    curriculum.update(GOOD)  # the goal is still there to be credited


def test_posteriors_that_are_no_numbers_are_refused():
    curriculum = at.Curriculum(at.Uniform(), num_goals=2)
    curriculum.select()
    with pytest.raises(TypeError, match="posteriors must be an array of numbers"):
        curriculum.update([["a", "b"], ["c", "d"]])
    with pytest.raises(TypeError, match="probe_after must be an array of numbers"):
        curriculum.update([[0.5, 0.5]] * 2, probe_after=cast(Any, "abc"))
    with pytest.raises(ValueError, match="posteriors must be an array with rows of one length"):
        curriculum.update([[0.5, 0.5], [1.0]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float_posteriors_of_any_width_are_accepted(dtype: Any):
    curriculum = at.Curriculum(dp(), num_goals=20, seed=0)
    curriculum.select()
    curriculum.update(posteriors(np.random.default_rng(0), num_goals=20).astype(dtype))
    assert curriculum.selection_probabilities.dtype == np.float64


def test_the_tolerance_of_row_sums_is_one_in_a_thousand():
    curriculum = at.Curriculum(at.Uniform(), num_goals=4)
    curriculum.select()
    curriculum.update(GOOD * 1.0009)
    curriculum.select()
    with pytest.raises(ValueError, match="must sum to 1"):
        curriculum.update(GOOD * 1.0011)


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (dp(reference="probe"), "needs the argument probe_before and probe_after"),
        (at.Curious(competence="success"), "needs the argument success"),
    ],
)
def test_missing_evidence_is_named(selector: at.GoalSelector, message: str):
    curriculum = at.Curriculum(selector, num_goals=4)
    curriculum.select()
    with pytest.raises(ValueError, match=message):
        curriculum.update(GOOD)
    curriculum.update(GOOD, probe_before=[0.5] * 4, probe_after=[0.6] * 4, success=0.5)


def test_remaining_error_needs_the_probe_after_the_epoch_alone():
    curriculum = at.Curriculum(at.RemainingError(), num_goals=4)
    curriculum.select()
    with pytest.raises(ValueError, match="needs the argument probe_after: pass"):
        curriculum.update(GOOD)
    curriculum.update(GOOD, probe_after=[0.6] * 4)


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ({"probe_before": [0.5] * 3}, r"probe_before must have the shape \[goals\] = \(4,\)"),
        ({"probe_after": [0.5, 0.5, 0.5, 1.5]}, r"probe_after must hold certainties in \[0, 1\]"),
        ({"success": 1.5}, r"success must lie in \[0, 1\]"),
        ({"success": float("nan")}, "success must be a finite number"),
    ],
)
def test_bad_evidence_is_refused(evidence: Any, message: str):
    curriculum = at.Curriculum(at.Uniform(), num_goals=4)
    curriculum.select()
    with pytest.raises(ValueError, match=message):
        curriculum.update(GOOD, **evidence)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((at.Uniform(), 0), ValueError, "num_goals must be at least 1, got 0"),
        ((at.Uniform(), 2.0), TypeError, "num_goals must be an integer"),
        ((at.Uniform(), 2, -1), ValueError, "seed must be at least 0"),
        ((at.Uniform, 2), TypeError, r"make one: Uniform\(\)"),
    ],
)
def test_bad_construction_is_refused(arguments: Any, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        at.Curriculum(*arguments)


def saved(selector: at.GoalSelector, num_goals: int = 4):
    return at.Curriculum(selector, num_goals=num_goals).state_dict()


def changed(state_dict: Any, **changes: Any):
    return {**state_dict, "selector": {**state_dict["selector"], **changes}}


@pytest.mark.parametrize(
    ("state_dict", "message"),
    [
        ({}, "not a curriculum's state_dict: (selector|generator|goal) is missing"),
        (saved(at.Uniform()), "another selector"),
        (saved(dp(temperature=0.2)), r"temperature=0.2 \(here 0.1\)"),
        (saved(dp(), num_goals=5), "has 5 goals, this one 4"),
        (changed(saved(dp()), format=2), "format 2"),
        (
            changed(saved(dp()), selector={**saved(dp())["selector"]["selector"], "version": 1}),
            "another version of the selector: version 1 where 3",
        ),
        (changed(saved(dp()), num_goals=10**9), "goals, this one 4"),
        (changed(saved(dp()), num_goals=10**13), "goals, this one 4"),
        (changed(saved(dp()), state=[]), "damaged"),
        ({**saved(dp()), "goal": 4}, "goal must be a whole number from 0 to 3, got 4"),
        ({**saved(dp()), "goal": -1}, "goal must be a whole number from 0 to 3, got -1"),
        ({**saved(dp()), "generator": {"bit_generator": "MT19937"}}, "random generator"),
    ],
)
def test_a_foreign_state_dict_is_refused_and_changes_nothing(state_dict: Any, message: str):
    curriculum = at.Curriculum(dp(), num_goals=4, seed=7)
    curriculum.select()
    before = json.dumps(curriculum.state_dict())
    with pytest.raises(ValueError, match=message):
        curriculum.load_state_dict(state_dict)
    assert json.dumps(curriculum.state_dict()) == before


class Noting(at.Uniform):
    """Uniform, and remembers what it was told."""

    told: ClassVar[list[at.VisitOutcome]] = []

    def update(self, state: Any, outcome: at.VisitOutcome) -> Any:
        self.told.append(outcome)
        return super().update(state, outcome)


def test_all_evidence_reaches_the_selector_under_its_name():
    evidence: dict[str, Any] = {
        "probe_before": [0.1, 0.2],
        "probe_after": [0.3, 0.4],
        "success": 0.5,
        "values_before": [1.0, 2.0],
        "values_after": [3.0, 4.0],
        "competence": 0.6,
        "achieved": [[5.0], [6.0], [7.0]],
        "places": [[8.0], [9.0]],
        "value_spread": [10.0, 11.0],
        "replaced": [True, False],
    }
    curriculum = at.Curriculum(Noting(), num_goals=2, seed=0)
    goal = curriculum.select()
    curriculum.update([[0.7, 0.3]] * 2, **evidence)
    [outcome] = Noting.told
    assert (outcome.goal, outcome.posteriors.tolist()) == (goal, [[0.7, 0.3]] * 2)
    for name, value in evidence.items():
        assert np.array_equal(getattr(outcome, name), value), name
