"""The goldens tell what differs; the cheapest of them are what they were."""

import json

import numpy as np
import pytest

from tools.goldens import __main__ as goldens
from tools.goldens import making
from tools.goldens.cases import LINES, RUNS, Meaning
from tools.goldens.making import Unit, make
from tools.goldens.values import kept

RUN = "run: somewhere"
SKILLS = np.array([0.5, -2.0, 3.0])


def cheap() -> list[Unit]:
    """One run, some command lines of an environment that loads no simulator, and some selectors."""
    frozen = [one for one in RUNS if one.said.get("frozen")]
    lines = [one for one in LINES if one.environment == "navigation2d"][::8]
    words = ("dp", "auto", "curious", "value-regret", "learned-prior")
    return [
        *(Unit("run", one) for one in frozen),
        *(Unit("line", one) for one in lines),
        *(Unit("selector", word) for word in words),
    ]


@pytest.mark.parametrize("unit", cheap(), ids=lambda unit: unit.names[0])
def test_the_cheapest_are_what_they_were(unit: Unit, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AUTOTELIC_CORES", making.SET["AUTOTELIC_CORES"])
    cases = goldens.read()["cases"]
    assert set(unit.names) <= cases.keys()
    apart = goldens.differences(cases, make(unit))
    assert [one for one in apart if one.numbers] == []


def apart(before: object, now: object) -> list[goldens.Difference]:
    """The differences of a run's skills, before and now."""
    found = {RUN: {"history goal": kept(SKILLS), "skills policy": now}}
    return list(goldens.differences({RUN: {**found[RUN], "skills policy": before}}, found))


@pytest.mark.parametrize(
    ("now", "numbers"),
    [
        (SKILLS * (1 + 5e-5), False),
        (SKILLS * (1 + 2e-4), True),
        (SKILLS[[0, 2, 1]], True),
        (-SKILLS, True),
        (SKILLS.astype(np.float32), False),
    ],
    ids=("rounded", "changed", "in another order", "with other signs", "of another kind"),
)
def test_a_difference_is_named_and_says_whether_numbers_differ(now: np.ndarray, numbers: bool):
    (one,) = apart(kept(SKILLS), kept(now))
    assert (one.case, one.golden, one.numbers) == (RUN, "skills policy", numbers)


def test_what_is_no_array_is_compared_as_it_is():
    assert apart("sac", "sac") == [] and apart(0.1, 0.1) == []
    assert [one.words for one in apart("sac", "gmm-sac")] == ['was "sac", is "gmm-sac"']
    assert [one.words for one in apart(True, 0.3)] == ["was true, is 0.3"]
    long = ["a word and another"] * 20
    assert apart(kept(long), kept(long)) == [] and len(kept(long)) < 20
    assert len(apart(kept(long), kept([*long, "a third"]))) == 1


def test_a_golden_that_only_one_has_differs():
    gone, new = goldens.differences({RUN: {"history goal": 1}}, {RUN: {"history goals": 1}})
    assert (gone.golden, gone.words) == ("history goal", "was 1, is not there")
    assert (new.golden, new.words) == ("history goals", "was not there, is 1")
    (unknown,) = goldens.differences({}, {RUN: {"history goal": 1}})
    assert unknown.numbers


def test_a_resumed_run_is_compared_to_the_one_that_was_never_interrupted():
    kept_cases = {RUN: {"history goal": kept(SKILLS)}}
    resumed = RUN.replace("run", "resumed")
    same = {resumed: {"history goal": kept(SKILLS)}}
    assert list(goldens.differences(kept_cases, same)) == []
    other = {resumed: {"history goal": kept(SKILLS + 1)}}
    assert [one.golden for one in goldens.differences(kept_cases, other)] == ["history goal"]


def test_bits_decide_on_the_machine_that_they_are_of_alone():
    rounded = apart(kept(SKILLS), kept(SKILLS * (1 + 5e-5)))
    assert goldens.report(rounded, same_machine=True)[0] == RUN
    assert goldens.deciding(rounded, same_machine=True) == rounded
    assert "1 goldens differ in their bits" in goldens.report(rounded, same_machine=False)[0]
    assert goldens.deciding(rounded, same_machine=False) == []
    changed = apart(kept(SKILLS), kept(SKILLS * 2))
    assert goldens.deciding(changed, same_machine=False) == changed


@pytest.mark.parametrize(
    ("meaning", "words"),
    [
        (Meaning("NoSuchPlace-v0"), "ValueError: unknown environment 'NoSuchPlace-v0'"),
        (Meaning("navigation2d", "diayn:no_such_option=1"), "SystemExit: 2"),
    ],
)
def test_a_case_that_fails_says_what_was_raised(meaning: Meaning, words: str):
    unit = Unit("line", meaning)
    found = make(unit)
    (one,) = goldens.differences({unit.names[0]: {"environment": "navigation2d"}}, found)
    assert (one.case, one.golden, one.numbers) == (f"line: {meaning}", "raised", True)
    assert one.words.startswith(words)


def test_what_is_written_is_read_again(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(goldens, "FILE", tmp_path / "goldens.json")
    cases = {
        RUN: {"history goal": kept(SKILLS)},
        goldens.PLAIN: {"environment": "navigation2d", "num_goals": 20, "noise": None},
        "line: maze2d": {"environment": "maze2d", "num_goals": 20, "radius": 0.5},
    }
    goldens.write(cases)
    assert goldens.read()["cases"] == cases
    kept_lines = json.loads(goldens.FILE.read_text())["cases"]["line: maze2d"]
    assert set(kept_lines) == {"environment", "noise", "radius"}  # what differs from the plainest


def test_no_two_cases_have_one_name_and_all_are_kept():
    names = [name for unit in making.units() for name in unit.names]
    assert len(set(names)) == len(names)
    own = {name for name in names if not name.startswith(goldens.SAME_AS_RUN)}
    assert own == goldens.read()["cases"].keys()
