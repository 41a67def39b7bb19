"""States as JSON: exact, and safe to read."""

import json
import math
from typing import Any, NamedTuple, cast

import numpy as np
import pytest

import autotelic as at
from autotelic.selectors import VisitOutcome, state_from_json, state_to_json
from autotelic.selectors.state import decode, encode


class Pair(NamedTuple):
    first: object
    second: object


def test_every_value_comes_back_bit_for_bit():
    values = Pair(
        (np.array([0.1, math.nan, math.inf, -math.inf, -0.0, 5e-324]), np.arange(6).reshape(2, 3)),
        (1, 2.0, 0.1, math.nan, True, None, "word", np.empty(0), np.array([True, False])),
    )
    assert_comes_back(values)
    assert_comes_back(Pair(np.array([2**53 + 1]), np.array([2**64 - 1], dtype=np.uint64)))


def assert_comes_back(values: Pair):
    back = decode(json.loads(json.dumps(encode(values), allow_nan=False)), values)
    assert isinstance(back, Pair)
    assert repr(back) == repr(values)


def test_whole_numbers_and_fractions_stay_what_they_are():
    back = decode(encode((1, 2.0, np.float32(0.5), np.int8(3))), ())
    assert [type(item) for item in back] == [int, float, float, int]


def test_a_tuple_is_as_long_as_it_was_saved_and_keeps_named_ones():
    assert decode(encode(((1, 2), 3)), ()) == ((1, 2), 3)
    back = decode(encode((Pair(1, 2), 3)), (Pair(0, 0), 0))
    assert back == (Pair(1, 2), 3) and type(back[0]) is Pair


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {"dtype": "object", "shape": [1], "data": ["x"]},
            "state must be a Pair of 2 fields, got a dict",
        ),
        ([1, 2, 3], "state must be a Pair of 2 fields, got a list of 3"),
        ([1], "state must be a Pair of 2 fields, got a list of 1"),
    ],
)
def test_what_is_no_part_of_a_state_is_named(data: Any, message: str):
    with pytest.raises(ValueError, match=message):
        decode(data, Pair(0, 0))


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, np.array([object()]), 1j])
def test_values_that_json_cannot_hold_are_refused(value: Any):
    with pytest.raises(TypeError, match="selector's state may hold"):
        encode(value)


def test_a_state_mid_round_continues_as_before():
    selector = at.DiversityProgress(offset=1, smoothing=0)
    state = selector.update(selector.init(3), VisitOutcome(1, np.full((2, 3), 1 / 3)))
    back = state_from_json(selector, json.loads(json.dumps(state_to_json(selector, state))))
    assert type(back) is type(state)
    assert back.counts.dtype == state.counts.dtype
    assert selector.selection_probabilities(back).tolist() == [0.5, 0, 0.5]


@pytest.mark.parametrize(
    "state",
    [
        [],
        [1, 2, 3, 4],
        [{"dtype": "object", "shape": [1], "data": ["x"]}, 0, 0, 0],
        [{"dtype": "float64", "shape": [2], "data": [1.0]}, 0, 0, 0],
        [{"dtype": "float64", "shape": [1], "data": ["one"]}, 0, 0, 0],
        "import os",
    ],
)
def test_a_damaged_state_is_refused(state: Any):
    selector = at.DiversityProgress()
    saved = {**state_to_json(selector, selector.init(2)), "state": state}
    with pytest.raises(ValueError, match="damaged"):
        state_from_json(selector, saved)


@pytest.mark.parametrize("saved", [[], {}, {"format": 1}])
def test_something_else_is_refused(saved: Any):
    with pytest.raises(ValueError, match="not a saved selector state"):
        state_from_json(at.Uniform(), saved)


def test_a_state_that_gives_no_distribution_is_refused():
    selector = at.LearnedPrior()
    saved = state_to_json(selector, selector.init(2))
    fields = list(selector.init(2)._fields)
    saved["state"][fields.index("rule")]["data"] = ["inf", "inf"]
    with pytest.raises(ValueError, match=r"damaged: its prior is \[nan nan\]"):
        state_from_json(selector, saved)


class Visits(NamedTuple):
    number: int
    best: float


class Best(at.signals.Signal):
    """A plain class whose state has a named tuple for each goal."""

    def __init__(self, start: float = 0.0):
        self.start = start

    def init(self, num_goals: int):
        return (Visits(0, self.start),) * num_goals

    def update(self, state: Any, outcome: VisitOutcome):
        old, c = state[outcome.goal], float(outcome.certainty.mean())
        new = Visits(old.number + 1, max(old.best, c))
        return (*state[: outcome.goal], new, *state[outcome.goal + 1 :]), c - old.best


def test_named_tuples_within_tuples_come_back():
    selector = at.Selector(Best(), at.rules.Softmax())
    at.check_selector(selector, steps=5)
    state = selector.update(selector.init(2), VisitOutcome(1, np.full((2, 2), 0.5)))
    back = state_from_json(selector, json.loads(json.dumps(state_to_json(selector, state))))
    assert back.signal == (Visits(0, 0.0), Visits(1, 0.5))
    assert type(back.signal[1]) is Visits


def test_parts_of_a_plain_class_are_known_by_their_settings():
    saved = state_to_json(*with_start(0.25))
    assert state_from_json(with_start(0.25)[0], saved).signal == (Visits(0, 0.25),) * 2
    with pytest.raises(
        ValueError, match=r"signal='Best\(start=0.25\)' \(here 'Best\(start=0.5\)'\)"
    ):
        state_from_json(with_start(0.5)[0], saved)


def with_start(start: float) -> tuple[at.GoalSelector, Any]:
    selector = at.Selector(Best(start), at.rules.Softmax())
    return selector, selector.init(2)


class Plain(at.GoalSelector):
    """A selector that is no dataclass."""

    def __init__(self, weight: float):
        self.weight = weight

    def init(self, num_goals: int):
        return num_goals

    def update(self, state: int, outcome: VisitOutcome):
        return state

    def selection_probabilities(self, state: int):
        p = np.ones(state)
        p[0] = self.weight
        return p / p.sum()


def test_a_selector_of_a_plain_class_is_known_by_its_settings():
    saved = state_to_json(Plain(1.0), 3)
    assert state_from_json(Plain(1.0), saved) == 3
    with pytest.raises(ValueError, match=r"weight=1.0 \(here 100.0\)"):
        state_from_json(Plain(100.0), saved)
    assert at.selectors.describe(Plain(1.0))["repr"] == "Plain(weight=1.0)"


def test_settings_may_be_numbers_of_numpy():
    ours = at.DiversityProgress(2, 1, temperature=0.5)
    theirs: Any = at.DiversityProgress(
        *(cast(Any, value) for value in (np.int64(2), np.int32(1), np.float32(0.5)))
    )
    saved = json.loads(json.dumps(state_to_json(theirs, theirs.init(2))))
    assert state_from_json(ours, saved).counts.tolist() == [0, 0]
    assert json.dumps(at.selectors.describe(theirs)) == json.dumps(at.selectors.describe(ours))


def test_the_settings_of_a_composition_must_match():
    ours = at.Selector(at.signals.Progress(5, 3), at.rules.Softmax(0.1), warm_up=math.inf)
    theirs = at.Selector(at.signals.Progress(5, 4), at.rules.Softmax(0.1), warm_up=math.inf)
    saved = json.loads(json.dumps(state_to_json(theirs, theirs.init(2)), allow_nan=False))
    with pytest.raises(ValueError, match="smoothing=4"):
        state_from_json(ours, saved)
    assert state_from_json(theirs, saved).counts.tolist() == [0, 0]


def test_an_object_that_holds_itself_can_be_spelled():
    def circular() -> at.GoalSelector:
        signal = Best()
        vars(signal)["itself"] = signal
        return at.Selector(signal, at.rules.Softmax())

    saved = state_to_json(circular(), circular().init(2))
    assert state_from_json(circular(), saved).counts.tolist() == [0, 0]
    # Itself, and four times within itself: another depth would not know the states saved so far.
    assert saved["selector"]["settings"]["signal"].count("Best(") == 5


def test_a_state_that_names_the_file_of_its_selector_is_read():
    # As version 0.1 wrote it, when all selectors were in one file.
    selector = at.Uniform()
    saved = state_to_json(selector, selector.init(3))
    saved["selector"]["class"] = "autotelic.selectors.catalogue.Uniform"
    assert state_from_json(selector, saved).counts.tolist() == [0, 0, 0]
    saved["selector"]["class"] = "mine.Uniform"
    with pytest.raises(ValueError, match="another selector"):
        state_from_json(selector, saved)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("selector", ["Uniform"], "not a saved selector state"),
        ("selector", {"class": "Uniform", "version": 2}, "not a saved selector state"),
        (
            "selector",
            {"class": "Uniform", "version": 2, "settings": 3},
            "not a saved selector state",
        ),
        ("num_goals", 0, "num_goals must be a whole number of at least 1, got 0"),
        ("num_goals", "2", "num_goals must be a whole number of at least 1, got '2'"),
    ],
)
def test_what_cannot_be_is_refused_by_what_is_wrong_with_it(key: str, value: Any, message: str):
    selector = at.Uniform()
    saved = state_to_json(selector, selector.init(2))
    with pytest.raises((ValueError, TypeError), match=message):
        state_from_json(selector, {**saved, key: value})


def test_a_setting_that_is_missing_is_one_that_differs():
    selector = at.DiversityProgress(offset=3, smoothing=2)
    saved = state_to_json(selector, selector.init(2))
    settings = {name: x for name, x in saved["selector"]["settings"].items() if name != "offset"}
    saved["selector"] = {**saved["selector"], "settings": {**settings, "temperature": 9.0}}
    with pytest.raises(
        ValueError, match=r"with offset=None \(here 3\), temperature=9.0 \(here 0.1\)"
    ):
        state_from_json(selector, saved)


class Told(at.GoalSelector):
    """Its prior is its state."""

    def init(self, num_goals: int) -> Any:
        return np.full(num_goals, 1 / num_goals)

    def update(self, state: Any, outcome: VisitOutcome) -> Any:
        return state

    def selection_probabilities(self, state: Any) -> Any:
        return np.full(len(state), 1 / len(state))

    def prior(self, state: Any) -> Any:
        return state


@pytest.mark.parametrize("prior", [[np.inf, 0.5], [0.5, 0.6], [1.5, -0.5]])
def test_a_state_with_a_prior_that_is_no_distribution_is_damaged(prior: list[float]):
    selector = Told()
    saved = state_to_json(selector, np.array(prior))
    with pytest.raises(ValueError, match="damaged: its prior is"):
        state_from_json(selector, saved)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"dtype": "object", "shape": [2], "data": ["x", "y"]}, "state.dtype must be float64"),
        (
            {"dtype": "int64", "shape": [2], "data": [1, 2]},
            "state.dtype must be float64, got 'int64'",
        ),
        (
            {"dtype": "float64", "shape": [3], "data": [1, 2, 3]},
            r"state.shape must be \[2\], got \[3\]",
        ),
        (
            {"dtype": "float64", "shape": [2], "data": [1]},
            r"state has 1 numbers, and its shape is \[2\]",
        ),
        (
            {"dtype": "float64", "shape": [2], "data": [1, None]},
            "state must be of numbers, got None",
        ),
        (
            {"dtype": "float64", "shape": [2], "data": [1, "nan"]},
            "state must be of numbers, and holds nan",
        ),
        ({"dtype": "float64", "shape": [2]}, "state.data is missing"),
        (None, "state must be an object, got None"),
    ],
)
def test_an_array_is_of_the_kind_and_length_of_a_fresh_one(data: Any, message: str):
    with pytest.raises(ValueError, match=message):
        decode(data, np.zeros(2))


def test_what_is_empty_in_a_fresh_state_may_have_grown():
    grown = {"dtype": "float64", "shape": [3, 2], "data": [0.0] * 6}
    assert decode(grown, np.zeros((0, 0))).shape == (3, 2)
    with pytest.raises(ValueError, match=r"state.shape must be \[0\], got \[3, 2\]"):
        decode(grown, np.zeros(0))


@pytest.mark.parametrize("name", ["LearnedPrior", "Curious", "Learnability", "AutoSelector"])
def test_a_field_that_is_none_is_refused_by_its_name_and_changes_nothing(name: str):
    curriculum = at.Curriculum(getattr(at, name)(), num_goals=3)
    saved, before = curriculum.state_dict(), curriculum.state_dict()
    for place, field in enumerate(curriculum.state._fields):
        damaged = {**saved, "selector": {**saved["selector"]}}
        damaged["selector"]["state"] = [*saved["selector"]["state"]]
        damaged["selector"]["state"][place] = None
        with pytest.raises(ValueError, match=f"the saved state is damaged: state.{field} must be"):
            curriculum.load_state_dict(damaged)
    assert curriculum.state_dict() == before


def test_a_state_of_another_number_of_goals_than_it_says_is_damaged():
    saved = {**state_to_json(Plain(1.0), 3), "num_goals": 2}
    with pytest.raises(ValueError, match=r"damaged: its prior has the shape \(3,\)"):
        state_from_json(Plain(1.0), saved)


def test_states_that_were_saved_once_stay_readable():
    name = f"{Plain.__module__}.{Plain.__qualname__}"
    selector = {"class": name, "version": 1, "settings": {"weight": 2.0}}
    saved = {"format": 1, "selector": selector, "num_goals": 3, "state": 3}
    assert state_from_json(Plain(2.0), saved) == 3


def test_many_small_arrays_are_written_as_one_and_read_as_they_were():
    known = tuple(np.full((i % 3, 2), float(i)) for i in range(200))
    saved = json.loads(json.dumps(encode(known)))
    assert saved.keys() == {"lengths", "rows"} and saved["rows"]["shape"] == [199, 2]
    fresh = (np.empty((0, 2)),) * 200
    read = decode(saved, fresh)
    assert all(
        np.array_equal(a, b) and b.dtype == a.dtype for a, b in zip(known, read, strict=True)
    )
    assert decode(json.loads(json.dumps(encode(known))), known)[5].tolist() == known[5].tolist()
    for change, message in (
        ({"lengths": saved["lengths"][1:]}, "200 arrays with 199 rows together, got 199 lengths"),
        ({"lengths": [1] * 200}, "got 200 lengths that sum to 200"),
        ({"lengths": [-1, *saved["lengths"][1:]]}, "whole number of at least 0"),
        ({"rows": []}, "rows"),
    ):
        with pytest.raises(ValueError, match=message):
            decode({**saved, **change}, fresh)
    with pytest.raises(ValueError, match="must be of 200 arrays"):  # as long as they were at first
        decode({**saved, "lengths": [2, *saved["lengths"][1:4], 0, *saved["lengths"][5:]]}, known)


def after_visits(selector: at.GoalSelector) -> Any:
    """A saved curriculum that has seen all kinds of evidence."""
    curriculum, rng = at.Curriculum(selector, num_goals=4), np.random.default_rng(0)
    for visit in range(40):
        curriculum.select()
        curriculum.update(
            rng.dirichlet(np.ones(4), 5),
            success=visit % 2,
            reached=rng.random(4) < 0.5,
            achieved=rng.random((3, 2)),
            places=np.arange(8.0).reshape(4, 2),
        )
    return json.loads(json.dumps(curriculum.state_dict()))


@pytest.mark.parametrize(
    ("selector", "place", "value", "problem"),
    [
        (at.LearnedPrior(), ("signal", 1, "data", 0), "inf", "signal.1 .* holds inf"),
        (at.AbsoluteLearningProgress(), ("signal", "data", 0), "-inf", "signal .* holds -inf"),
        (at.SkewFit(), ("signal", 2, "data", 1), "inf", "signal.missed .* holds inf"),
        (at.SkewFit(), ("signal", 0, 0, "data", 1), 1e308, r"places .* holds 1e\+308"),
        (at.SkewFit(), ("signal", 0, 1), 2**70, "seen is too large a number"),
        (at.SkewFit(), ("signal", 0, 1), 0.5, "seen must be a whole number"),
        (at.Exp3S(), ("rule", 2), -1, "visits must be a whole number .*, got -1"),
        (
            at.VariationalControl(),
            ("rule", 1, "float"),
            "-inf",
            "must be a finite number, got -inf",
        ),
    ],
)
def test_what_would_make_probabilities_no_numbers_later_is_refused_at_once(
    selector: at.GoalSelector, place: tuple[Any, ...], value: Any, problem: str
):
    saved = after_visits(selector)
    at.Curriculum(selector, num_goals=4).load_state_dict(saved)
    inner = saved["selector"]["state"]
    first, *between, last = ("counts", "values", "signal", "rule").index(place[0]), *place[1:]
    for key in (first, *between):
        inner = inner[key]
    inner[last] = value
    with pytest.raises(ValueError, match=f"the saved state is damaged: state.*{problem}"):
        at.Curriculum(selector, num_goals=4).load_state_dict(saved)
