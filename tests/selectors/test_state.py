"""States as JSON: exact, and safe to read."""

import json
import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import autotelic as at
from autotelic.selectors import EpochOutcome, state_from_json, state_to_json
from autotelic.selectors.state import decode, encode


class Pair(NamedTuple):
    first: object
    second: object


def test_every_value_comes_back_bit_for_bit():
    values = Pair(
        (np.array([0.1, math.nan, math.inf, -math.inf, -0.0, 5e-324]), np.arange(6).reshape(2, 3)),
        (1, 2.0, 0.1, math.nan, True, None, "word", np.empty(0), np.array([True, False])),
    )
    back = decode(json.loads(json.dumps(encode(values), allow_nan=False)), values)
    assert isinstance(back, Pair)
    assert repr(back) == repr(values)
    assert isinstance(back.second, tuple)
    assert [type(item) for item in back.second[:3]] == [int, float, float]


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, np.array([object()]), 1j])
def test_values_that_json_cannot_hold_are_refused(value: Any):
    with pytest.raises(TypeError, match="selector's state may hold"):
        encode(value)


def test_a_state_mid_round_continues_as_before():
    selector = at.DiversityProgress(offset=1, smoothing=0)
    state = selector.update(selector.init(3), EpochOutcome(1, np.full((2, 3), 1 / 3)))
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


def test_the_settings_of_a_composition_must_match():
    ours = at.Selector(at.signals.Progress(5, 3), at.rules.Softmax(0.1), warm_up=math.inf)
    theirs = at.Selector(at.signals.Progress(5, 4), at.rules.Softmax(0.1), warm_up=math.inf)
    saved = json.loads(json.dumps(state_to_json(theirs, theirs.init(2)), allow_nan=False))
    with pytest.raises(ValueError, match="smoothing=4"):
        state_from_json(ours, saved)
    assert state_from_json(theirs, saved).counts.tolist() == [0, 0]
