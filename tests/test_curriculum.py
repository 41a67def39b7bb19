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


def early(state_dict: Any, goal: int | None):
    """As it was saved when one goal could be in flight."""
    return {name: state_dict[name] for name in ("selector", "generator")} | {"goal": goal}


@pytest.mark.parametrize("goal", [0, 3])
def test_every_goal_can_be_the_one_being_practised(goal: int):
    restored = at.Curriculum(at.Uniform(), num_goals=4)
    restored.load_state_dict(early(saved(at.Uniform()), goal))
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
        ({}, "not a curriculum's state_dict: (selector|generator|in_flight) is missing"),
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
        (early(saved(dp()), 4), "goal must be a whole number from 0 to 3, got 4"),
        (early(saved(dp()), -1), "goal must be a whole number from 0 to 3, got -1"),
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


# Many goals in flight.


def kept(curriculum: at.Curriculum) -> str:
    return json.dumps(curriculum.state_dict())


def many(selector: at.GoalSelector | None = None, num_goals: int = 6, seed: int = 0):
    return at.Curriculum(selector or at.AutoSelector(), num_goals=num_goals, seed=seed)


def test_a_batch_is_in_flight_until_it_is_told_of_in_any_order_and_any_part():
    curriculum = many()
    goals = curriculum.select(4)
    assert goals.dtype == np.int64 and len(set(goals.tolist())) == 4
    assert curriculum.in_flight.tolist() == sorted(goals.tolist()) and curriculum.goal is None
    curriculum.update(goals[[3, 0]], success=[1.0, 0.5], counts=[1, 8])
    curriculum.update(int(goals[2]), success=0.0)
    assert curriculum.in_flight.tolist() == [goals[1]] and curriculum.goal == goals[1]
    tried = np.isfinite(many().values) | ~np.isin(np.arange(6), goals[[0, 2, 3]])
    assert tried.sum() == 3  # nothing told yet in a fresh one


def test_order_calls_and_looks_between_do_not_matter():
    states = []
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
        curriculum = many(seed=3)
        for _ in range(4):
            goals, rates = curriculum.select(5), np.linspace(0, 1, 5)
            for one in order:
                curriculum.update([goals[one]], success=[rates[one]], counts=8)
                if order[0]:
                    _ = curriculum.metrics(), curriculum.selection_probabilities, curriculum.prior
        states.append((curriculum.select(3).tolist(), curriculum.selection_probabilities.tolist()))
    together = many(seed=3)
    for _ in range(4):
        together.update(together.select(5), success=np.linspace(0, 1, 5), counts=8)
    states.append((together.select(3).tolist(), together.selection_probabilities.tolist()))
    assert states[0] == states[1] == states[2]


def test_results_of_one_goal_told_together_are_one_visit_of_all_their_episodes():
    by_hand, divided = many(at.Mopps(kept=1.0), 2), many(at.Mopps(kept=1.0), 2)
    for curriculum in (by_hand, divided):
        curriculum.select(4, repeats=True)
    goal, times = np.unique(divided.in_flight, return_counts=True)
    several = int(goal[times.argmax()])
    divided.update([several, several], success=[1.0, 0.5], counts=[2, 4])
    by_hand.update([several], success=[4 / 6], counts=[6])  # 2 of 2, and 2 of 4
    np.testing.assert_allclose(divided.values, by_hand.values)
    assert divided.values[several] == pytest.approx((1 + 4) / (2 + 6))


def test_a_lost_result_leaves_no_trace_and_its_goal_is_owed_again():
    curriculum = many(at.RemainingError(fresh=False, competence="success"), 4)
    curriculum.update(curriculum.select(4), success=[0.0] * 4)
    before = curriculum.selection_probabilities.tolist()
    lost = curriculum.select(2)
    curriculum.abandon(lost)
    assert curriculum.selection_probabilities.tolist() == before
    assert len(curriculum.in_flight) == 0
    # With low variance and even shares a round comes to all: the two that were lost are not left out.
    assert sorted(curriculum.select(4).tolist()) == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="in flight 1x, and told of 2x"):
        curriculum.abandon([*lost, *lost])


def test_what_is_lost_is_owed_again():
    curriculum = many(at.LowVariance(at.Uniform()), 4)
    curriculum.update(curriculum.select(2), success=[1.0, 1.0])
    before = curriculum.state.deficits
    lost = curriculum.select(1)
    assert np.abs(curriculum.state.deficits - before).max() == pytest.approx(0.75)
    curriculum.abandon(lost)
    np.testing.assert_allclose(curriculum.state.deficits, before)


def test_many_results_of_one_goal_are_added_in_one_order():
    """Sums of such numbers differ in their last digits with the order in which they are added."""
    states, rates = [], np.array([0.1, 0.7, 1e-9, 0.3, 0.9999999, 0.2, 0.6])
    for order in (np.arange(7), np.arange(7)[::-1], np.random.default_rng(0).permutation(7)):
        curriculum = many(at.AutoSelector(), 2)
        curriculum.select(14, repeats=True)
        for rate in rates[order]:
            curriculum.update(0, success=rate)
        states.append(curriculum.state.signal.question.successes[0])
    assert states[0] == states[1] == states[2]


def test_rounds_go_on_beside_what_is_in_flight():
    curriculum = many(at.RoundRobin(), 6)
    first = np.concatenate([curriculum.select(2), curriculum.select(3), curriculum.select(1)])
    assert sorted(first.tolist()) == [0, 1, 2, 3, 4, 5]
    assert curriculum.selection_probabilities.tolist() == [1 / 6] * 6
    curriculum.update(first[:2], success=[1.0, 1.0])
    second = curriculum.select(6)  # the next round, though four of the first are under way
    assert sorted(second.tolist()) == [0, 1, 2, 3, 4, 5]


def test_repeats_follow_p_of_g_and_distinct_goals_are_the_default():
    curriculum = many(at.TeacherStudent(epsilon=0.2, competence="success"), 4)
    curriculum.update(curriculum.select(4), success=[0.0] * 4)
    curriculum.update(curriculum.select(4), success=(np.arange(4) == 3).astype(float))
    p = curriculum.selection_probabilities
    assert p.max() == pytest.approx(0.85)
    assert sorted(curriculum.select(4).tolist()) == [0, 1, 2, 3]
    counts = np.bincount(curriculum.select(40, repeats=True), minlength=4)
    # By chance: the deviation of a binomial of 40 visits at 0.15 or 0.85 is 2.3.
    assert np.abs(counts - 40 * p).max() < 3 * 2.3


@pytest.mark.parametrize("draw", ["independent", "low_variance"])
def test_a_goal_that_has_most_of_p_gets_most_of_a_batch_with_repeats(draw: str):
    curriculum = many(at.TeacherStudent(epsilon=0.2, competence="success", draw=draw), 1000)
    for rate in (0.0, 1.0):
        goals = curriculum.select(1000)
        curriculum.update(goals, success=rate * (goals == 7))
    assert curriculum.selection_probabilities[7] == pytest.approx(0.8, abs=0.01)
    counts = np.bincount(curriculum.select(512, repeats=True), minlength=1000)
    assert counts[7] == pytest.approx(0.8 * 512, abs=10)
    assert np.bincount(curriculum.select(512), minlength=1000).max() == 1


def test_select_holds_one_goal_and_does_not_drop_many():
    curriculum = many(at.Uniform(), 5)
    curriculum.select()
    second = curriculum.select()
    assert curriculum.in_flight.tolist() == [second]
    curriculum.select(2)
    with pytest.raises(ValueError, match=r"3 goals are in flight, and select\(\) holds one alone"):
        curriculum.select()
    with pytest.raises(ValueError, match=r"3 goals are in flight: say of which by update\(goals"):
        curriculum.update(np.full((2, 5), 0.2))


def test_visits_that_show_more_are_learned_from_goal_by_goal():
    one, other = many(dp(), 4, seed=2), many(dp(), 4, seed=2)
    shown = np.stack([posteriors(np.random.default_rng(i)) for i in range(3)])
    goals = one.select(3)
    other.select(3)
    one.update(goals, posteriors=shown)
    for index in (2, 0, 1):
        other.update(goals[index], posteriors=shown[index])
    np.testing.assert_array_equal(one.values, other.values)
    with pytest.raises(ValueError, match="DiversityProgress needs the argument posteriors"):
        one.update(one.select(2), success=[0.0, 1.0])
    places = many(at.Frontier(), 3)
    with pytest.raises(ValueError, match="Frontier needs the argument achieved and places"):
        places.update(places.select(1), success=[1.0])
    places.update(
        places.in_flight, success=[1.0], achieved=[[[0.0], [1.0]]], places=[[0.0], [1.0], [5.0]]
    )
    assert places.selection_probabilities[2] == 0.0


def test_goals_are_added_and_retired():
    curriculum = many(at.RoundRobin(), 3)
    curriculum.update(curriculum.select(3), success=[1.0] * 3)
    assert curriculum.add(2).tolist() == [3, 4] and curriculum.num_goals == 5
    assert curriculum.state.counts.tolist() == [1] * 5
    # New goals join the round that comes next, and do not catch up.
    assert sorted(curriculum.select(5).tolist()) == [0, 1, 2, 3, 4]
    curriculum.retire([1, 4])
    assert curriculum.in_flight.tolist() == [0, 2, 3]
    with pytest.raises(ValueError, match="goal 1 is retired"):
        curriculum.update([1], success=[1.0])
    curriculum.update([0, 2, 3], success=[0.0] * 3)
    assert {g for _ in range(4) for g in curriculum.select(3).tolist()} == {0, 2, 3}
    with pytest.raises(ValueError, match="k must be at most 3, the number of goals to select from"):
        curriculum.select(4)
    curriculum.retire([0, 2, 3])
    with pytest.raises(ValueError, match="all are retired"):
        curriculum.select(1)
    assert curriculum.selection_probabilities.tolist() == [0.0] * 5
    assert curriculum.metrics()["effective_goals"] == 0.0
    assert curriculum.add(1).tolist() == [5] and curriculum.select(1).tolist() == [5]


@pytest.mark.parametrize(
    "selector",
    [
        at.AutoSelector(),
        at.Uniform(),
        at.Curious(competence="success"),
        at.Exp3S(),
        at.LearnedPrior(),
        at.VariationalControl(),
        at.Mopps(),
        at.LowVariance(at.TeacherStudent(variant="sampling", competence="success")),
        at.Frontier(),
    ],
    ids=repr,
)
def test_a_curriculum_that_grew_is_saved_and_goes_on(selector: at.GoalSelector):
    steps = 4
    evidence: dict[str, Any] = {"success": [0.5, 0.25]}
    curriculum = many(selector, 3)

    def visit(num_goals: int, own: at.Curriculum = curriculum):
        more = {"posteriors": np.full((2, steps, num_goals), 1 / num_goals)}
        if "achieved" in selector.evidence:
            more["achieved"], more["places"] = np.ones((2, 3, 2)), np.eye(num_goals)[:, :2]
        goals = own.select(2)
        own.update(goals, **evidence, **more)
        return goals.tolist()

    for _ in range(4):
        visit(3)
    p = curriculum.selection_probabilities
    curriculum.add(2)
    after = curriculum.selection_probabilities
    assert after.shape == (5,) and after.sum() == pytest.approx(1.0)
    if not isinstance(selector, at.Frontier):
        # The odds among the old ones stay where p(g) does not wait for a first round.
        assert np.all(after > 0) or selector.first_round
        assert selector.first_round or after[:3] / after[:3].sum() == pytest.approx(p, abs=0.2)
    other = many(selector, 5, seed=9)
    other.load_state_dict(json.loads(kept(curriculum)))
    assert [visit(5) for _ in range(6)] == [visit(5, other) for _ in range(6)]


def test_metrics_say_what_there_is_to_know():
    curriculum = many(at.RoundRobin(), 5)
    for _ in range(3):
        goals = curriculum.select(5)
        told = goals[goals < 4]
        success = np.array([1.0, 0.0, 0.5, 1.0])[told]
        curriculum.update(told, success=success, counts=4)
        curriculum.abandon([4])
    curriculum.retire([3])
    curriculum.select(2)
    found = curriculum.metrics()
    assert found == {
        "never_tried": 0.25,
        "mastered": 0.25,
        "hopeless": 0.25,
        "effective_goals": found["effective_goals"],
        "largest_probability": found["largest_probability"],
        "in_flight": 2.0,
        "told": 12.0,
        "useful": 0.25,
    }
    assert found["effective_goals"] == pytest.approx(1 / found["largest_probability"])


@pytest.mark.parametrize("selector", [at.AutoSelector(), at.Mopps(floor=0.2), at.Exp3S()], ids=repr)
def test_it_resumes_exactly_from_every_step_with_what_is_in_flight(selector: at.GoalSelector):
    def step(curriculum: at.Curriculum, time: int):
        shown = []
        if time % 3 == 0:
            shown.append(curriculum.select(3))
        elif len(flying := curriculum.in_flight):
            q = np.full((1, 4, 6), 1 / 6) if selector.needs_posteriors else None
            curriculum.update(flying[-1:], success=[time / 11], counts=time, posteriors=q)
        if time == 5:
            curriculum.retire([2])
        if time == 7 and len(flying := curriculum.in_flight):
            curriculum.abandon(flying[:1])
        return curriculum, [*shown, curriculum.in_flight, curriculum.selection_probabilities]

    at.check_resume(lambda: many(selector), step, steps=12)


class Elsewhere:
    """A tensor as torch has it on another device."""

    class device:
        type = "cuda"

    def __array__(self, *_: Any) -> Any:
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


BAD: list[tuple[Any, dict[str, Any], Any, str]] = [
    ([5], {"success": [1.0]}, ValueError, "goal 5 is not in flight"),
    ([0, 0], {"success": [1.0, 1.0]}, ValueError, "goal 0 is in flight 1x, and told of 2x"),
    ([4], {"success": [1.0]}, ValueError, "goal 4 is retired"),
    ([6], {"success": [1.0]}, ValueError, r"goals must lie in \[0, 6\), got 6"),
    ([-1], {"success": [1.0]}, ValueError, r"goals must lie in \[0, 6\), got -1"),
    ([0.0], {"success": [1.0]}, ValueError, "goals must be whole numbers"),
    ([True], {"success": [1.0]}, TypeError, "goals must be whole numbers"),
    (["0"], {"success": [1.0]}, TypeError, "goals must be whole numbers"),
    ([0, 1], {"success": [1.0]}, ValueError, "success must be 2 numbers, one for each goal"),
    ([0, 1], {"success": 1.0}, ValueError, "success must be 2 numbers"),
    (0, {"success": [1.0]}, ValueError, "success must be one number"),
    ([0, 1], {"success": [1.0, np.nan]}, ValueError, "got nan for goal 1; abandon goals"),
    (
        [0, 1],
        {"success": [1.5, 1.0]},
        ValueError,
        r"success must lie in \[0, 1\], got 1.5 for goal 0",
    ),
    ([0], {"success": ["a"]}, TypeError, "success must be an array of numbers"),
    (
        [0],
        {"success": Elsewhere()},
        TypeError,
        r"success is a tensor on the device 'cuda'.*\.cpu\(\)",
    ),
    (Elsewhere(), {"success": [1.0]}, TypeError, r"is a tensor on the device 'cuda'"),
    ([0], {}, ValueError, "update needs to know how the goals went: pass success"),
    ([0], {"success": [1.0], "counts": [1.5]}, TypeError, "counts must be whole numbers"),
    ([0], {"success": [1.0], "counts": [0]}, ValueError, r"counts must lie in \[1, "),
    ([0], {"success": [1.0], "counts": [1, 2]}, ValueError, "counts must be one number or 1"),
    ([0], {"success": [1.0], "count": 3}, TypeError, "for goals say counts"),
    ([0], {"competence": [-0.1]}, ValueError, r"competence must lie in \[0, 1\]"),
    ([0], {"success": [1.0], "reached": [[True] * 5]}, ValueError, "reached must be booleans"),
    ([0], {"success": [1.0], "reached": []}, ValueError, "reached must have a row for each"),
    ([0, 1], {"posteriors": np.full((2, 3, 5), 0.2)}, ValueError, "each of the 6 goals"),
    (None, {"success": 1.0}, TypeError, "update needs goals, or the posteriors"),
]


@pytest.mark.parametrize(("goals", "told", "error", "message"), BAD)
def test_bad_results_are_named_and_change_nothing(goals: Any, told: Any, error: Any, message: str):
    curriculum = many(seed=4)
    curriculum.select(6)
    curriculum.retire([4])
    curriculum.update([5], success=[1.0])
    before = kept(curriculum)
    with pytest.raises(error, match=message):
        curriculum.update(goals, **told)
    assert kept(curriculum) == before
    curriculum.update([0, 1, 2, 3], success=[0.5] * 4, counts=2)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda c: c.select(0), ValueError, "k must be at least 1"),
        (lambda c: c.select(7), ValueError, "k must be at most 6.*repeats=True"),
        (lambda c: c.select(2.0), TypeError, "k must be an integer"),
        (lambda c: c.retire([6]), ValueError, r"goals must lie in \[0, 6\)"),
        (lambda c: c.add(0), ValueError, "n must be at least 1"),
        (lambda c: c.abandon([0]), ValueError, "goal 0 is not in flight"),
    ],
)
def test_bad_calls_are_named_and_change_nothing(call: Any, error: Any, message: str):
    curriculum = many()
    before = kept(curriculum)
    with pytest.raises(error, match=message):
        call(curriculum)
    assert kept(curriculum) == before


def test_ten_thousand_damaged_updates_change_nothing():
    curriculum, generator = many(num_goals=8), np.random.default_rng(0)
    curriculum.update(curriculum.select(8), success=generator.random(8))
    flying = curriculum.select(5)
    curriculum.retire(flying[:1])
    flying = flying[1:]
    others = np.setdiff1d(np.arange(-3, 12), flying)
    before, refused = kept(curriculum), 0

    def damaged() -> tuple[Any, dict[str, Any]]:
        n = int(generator.integers(1, 5))
        goals: Any = generator.permutation(flying)[:n]
        told: dict[str, Any] = {
            "success": generator.random(n),
            "counts": generator.integers(1, 9, n),
        }
        at_ = int(generator.integers(n))
        wrong = [np.nan, np.inf, -0.1, 1.1, -np.inf]
        match int(generator.integers(12)):
            case 0:
                goals[at_] = generator.choice(others)
            case 1:
                goals = np.append(goals, goals[at_])
                told = {name: np.append(v, v[at_]) for name, v in told.items()}
            case 2:
                told["success"][at_] = generator.choice(wrong)
            case 3:
                told["counts"][at_] = -generator.integers(3)
            case 4:
                told["counts"] = told["counts"] + generator.random(n)
            case 5:
                told["success"] = np.append(told["success"], 0.5)
            case 6:
                goals = goals + 0.5
            case 7:
                told["competence"] = np.full(n, generator.choice(wrong))
            case 8:
                told["success"] = [["a"], None, object(), Elsewhere(), {}][generator.integers(5)]
                told.pop("competence", None)
                if told["success"] is None:
                    del told["success"]
            case 9:
                told["reached"] = generator.random((n, int(generator.integers(1, 8)))) < 0.5
            case 10:
                told["posteriors"] = generator.random((n, 3, 8)) + 0.5
            case _:
                goals = [goals.astype(str), goals.astype(bool), goals[:, None] * 1j][at_ % 3]
        return goals, told

    for _ in range(10_000):
        goals, told = damaged()
        with pytest.raises((TypeError, ValueError)) as error:
            curriculum.update(goals, **told)
        assert type(error.value) in (TypeError, ValueError) and len(str(error.value)) > 20
        refused += 1
    assert refused == 10_000 and kept(curriculum) == before
    curriculum.update(flying, success=[0.5] * 4)


def test_arrays_of_jax_are_taken():
    jnp = pytest.importorskip("jax.numpy")
    curriculum, other = many(), many()
    goals = curriculum.select(3)
    curriculum.update(jnp.asarray(goals), success=jnp.array([0.0, 0.5, 1.0]), counts=jnp.array(4))
    other.update(other.select(3), success=[0.0, 0.5, 1.0], counts=4)
    assert kept(curriculum) == kept(other)


def test_tensors_of_torch_are_taken_from_the_cpu_alone():
    torch = pytest.importorskip("torch")
    curriculum, other = many(), many()
    goals = torch.as_tensor(curriculum.select(3))
    success = torch.tensor([0.0, 0.5, 1.0], requires_grad=True)
    before = kept(curriculum)
    for bad in (success.to("meta"), success.to(torch.bfloat16)):
        with pytest.raises(
            TypeError, match=r"success (is a tensor on the device 'meta'|must be an)"
        ):
            curriculum.update(goals, success=bad)
    assert kept(curriculum) == before
    curriculum.update(goals, success=success, counts=torch.tensor([1, 2, 3]))
    other.update(other.select(3), success=[0.0, 0.5, 1.0], counts=[1, 2, 3])
    assert kept(curriculum) == kept(other)


def damaged_states() -> list[tuple[str, Any]]:
    curriculum = many(num_goals=4)
    curriculum.select(3)
    curriculum.update(curriculum.in_flight[:1], success=[0.5])
    curriculum.retire([3])
    text = kept(curriculum)

    def with_(path: list[Any], value: Any) -> Any:
        state = json.loads(text)
        inner = state["in_flight"]
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        return state

    return [
        (
            "goals in flight are retired",
            with_([1, "data"], json.loads(text)["in_flight"][0]["data"][:1]),
        ),
        (r"goals must lie in \[0, 4\), got 9", with_([0, "data"], [9] * len(curriculum.in_flight))),
        (r"goals must lie in \[0, 4\), got -1", with_([2, 0, "data"], [-1])),
        (r"success rates must lie in \[0, 1\]", with_([2, 1, "data"], [7.0])),
        ("not of one length", with_([2, 2], {"dtype": "float64", "shape": [0], "data": []})),
        ("its numbers of visits", with_([3, 3], 10**6)),
        ("in_flight.told must be a Told of 4 fields", with_([2], [])),
    ]


@pytest.mark.parametrize(("message", "state"), damaged_states())
def test_damage_to_what_is_in_flight_is_refused(message: str, state: Any):
    curriculum = many(num_goals=4)
    curriculum.select(2)
    before = kept(curriculum)
    with pytest.raises(ValueError, match=message):
        curriculum.load_state_dict(state)
    assert kept(curriculum) == before


def distinct_share(selector: at.GoalSelector, num_goals: int, flying: int) -> float:
    """Of the goals in flight, in the mean over episodes that end one at a time, in any order."""
    curriculum, generator = many(selector, num_goals), np.random.default_rng(0)
    success = np.linspace(0, 1, num_goals)
    goals, shares = curriculum.select(flying, repeats=True).tolist(), []
    for _ in range(400):
        goal = goals.pop(generator.integers(flying))
        curriculum.update(goal, success=float(generator.random() < success[goal]))
        goals.append(int(curriculum.select(1)[0]))
        shares.append(len(set(goals)) / flying)
    return float(np.mean(shares))


@pytest.mark.parametrize(("num_goals", "flying"), [(20, 8), (50, 16)])
def test_goals_in_flight_are_different_ones(num_goals: int, flying: int):
    assert distinct_share(at.RoundRobin(), num_goals, flying) > 0.75  # rounds overlap
    assert distinct_share(at.AutoSelector(), num_goals, flying) > 0.85
