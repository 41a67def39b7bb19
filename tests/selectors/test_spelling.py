"""Selectors as words: the shell's spelling, labels and descriptions."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import autotelic as at
from autotelic.selectors import describe, from_description, label, parse_method
from autotelic.selectors.spelling import NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_name_makes_its_selector_and_survives_a_description(name: str):
    spelled, selector = parse_method(name)
    assert spelled == name == label(selector)
    assert selector == NAMES[name]()
    assert from_description(json.loads(json.dumps(describe(selector)))) == selector


def test_options():
    spelled, selector = parse_method("dp:temperature=0.3,normalization=l2,absolute=true,offset=900")
    assert spelled == "dp:temperature=0.3,normalization=l2,absolute=true,offset=900"
    assert selector == at.DiversityProgress(
        offset=900, temperature=0.3, normalization="l2", absolute=True
    )
    assert from_description(json.loads(json.dumps(describe(selector)))) == selector
    assert parse_method("teacher-student:temperature=none")[1] == at.TeacherStudent()
    assert parse_method("uniform")[1] == at.Uniform()


def test_labels_show_what_differs_from_the_defaults():
    assert label(at.DiversityProgress(temperature=0.3)) == "dp:temperature=0.3"
    assert label(at.DiversityProgress()) == "dp"
    assert label(at.Selector(at.signals.Progress(), at.rules.Even())) == "Selector"


@pytest.mark.parametrize(
    ("spelling", "error", "message"),
    [
        ("dyn", ValueError, "unknown method 'dyn'; choose from diayn, dp.*Did you mean 'diayn'"),
        ("dp:temperatur=1", ValueError, "unknown option of dp.*Did you mean 'temperature'"),
        ("diayn:temperature=1", ValueError, "option of diayn 'temperature'; choose from draw"),
        ("dp:draw=stratified", ValueError, "unknown draw 'stratified'; choose from independent"),
        ("dp:temperature=hot", TypeError, "temperature must be a number, got 'hot'"),
        ("dp:temperature=0", ValueError, "temperature must be greater than 0"),
        ("dp:offset=2.5", TypeError, "offset must be an integer, got 2.5"),
        ("dp:temperature", ValueError, "options read name=value"),
        ("dp:", ValueError, "options read name=value"),
        ("dp:offset=1,offset=2", ValueError, "gives the option 'offset' twice"),
        ("no_such_module.selector", ValueError, "No module named 'no_such_module'"),
        ("autotelic.Unifrm", ValueError, "Did you mean 'Uniform'"),
        ("autotelic.__version__", TypeError, "must be a GoalSelector or a class of one"),
        ("autotelic.VisitOutcome:goal=0", TypeError, "must be a GoalSelector or a class of one"),
        ("os.system:command=ls", ValueError, "in Python's standard library, which has no method"),
    ],
)
def test_bad_spellings_are_refused(spelling: str, error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        parse_method(spelling)


MODULE = """
import autotelic as at
from dataclasses import dataclass

mine = at.Selector(at.signals.Progress(5, 5), at.rules.EpsilonGreedy(0.2), warm_up=1)

def make():
    raise SystemExit("a function was called")

@dataclass(frozen=True)
class Mine(at.RoundRobin):
    speed: float = 1.0

@dataclass(frozen=True)
class Bare(at.GoalSelector):
    pass
"""


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "my_selectors.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield "my_selectors"
    sys.modules.pop("my_selectors", None)


def test_a_selector_of_your_own_in_the_current_directory(own_module: str):
    path = sys.path.copy()
    spelled, selector = parse_method("my_selectors.mine")
    assert spelled == "my_selectors.mine"
    assert sys.path == path
    at.check_selector(selector, steps=20)
    assert label(parse_method("my_selectors.Mine:speed=2")[1]) == "Mine"
    with pytest.raises(ValueError, match="already made"):
        parse_method("my_selectors.mine:epsilon=0.5")
    with pytest.raises(ValueError, match=r"unknown option of my_selectors\.Mine 'sped'"):
        parse_method("my_selectors.Mine:sped=2")
    with pytest.raises(ValueError, match=r"my_selectors\.Bare has no options, got 'speed'"):
        parse_method("my_selectors.Bare:speed=2")
    with pytest.raises(TypeError, match="must be a GoalSelector or a class of one, got <function"):
        parse_method("my_selectors.make")


def test_a_description_of_your_own_selector_is_never_rebuilt(own_module: str):
    description = json.loads(json.dumps(describe(parse_method("my_selectors.mine")[1])))
    with pytest.raises(ValueError, match=r"pass the selector itself again, made as Selector\("):
        from_description(description)


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ({}, "not the description"),
        ({"name": "os.system", "settings": {}}, "unknown selector 'os.system'"),
        ({"name": "dp", "settings": {"run": 1}}, "unknown option of dp 'run'"),
        ({"name": "dp", "settings": []}, "must be a dict"),
        ({"name": ["dp"]}, "unknown selector"),
    ],
)
def test_bad_descriptions_are_refused(description: Any, message: str):
    with pytest.raises(ValueError, match=message):
        from_description(description)
