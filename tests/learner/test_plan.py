import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from own_things import Timid

import autotelic as at
from autotelic.agents import DiscreteSac, GmmSac, Sac
from autotelic.environments.navigation2d import Navigation2D
from autotelic.learner import setting as settings
from autotelic.learner.plan import (
    EnvironmentSizes,
    Plan,
    check_same,
    check_setting,
    describe_plan,
    make_plan,
    sizes_of,
    with_agent,
)
from autotelic.learner.setting import Setting
from autotelic.runs.history import HistoryWriter

SETTING = Setting(num_goals=3, steps_per_epoch=20, batch_size=16)
SIZES = EnvironmentSizes(2, 2, 100)
METHODS = {"DIAYN": at.Uniform(), "DP": at.DiversityProgress(10, 5)}


def plan(**changes: Any) -> Plan:
    values: dict[str, Any] = {
        "setting": SETTING,
        "methods": METHODS,
        "seeds": [3, 1],
        "epochs": 4,
    }
    return make_plan(**{**values, **changes})


def test_members_are_all_seeds_of_the_first_method_then_of_the_next():
    members = [(m.number, m.method, m.seed) for m in plan().members]
    assert members == [(0, "DIAYN", 3), (1, "DIAYN", 1), (2, "DP", 3), (3, "DP", 1)]
    assert str(plan().members[2]) == "member 2 (DP, seed 3)"


@pytest.mark.parametrize(
    ("selector", "steps"),
    [
        (at.DiversityProgress(), 100),
        (at.DiversityProgress(offset=75, smoothing=25), 100),
        (at.DiversityProgress(offset=76, smoothing=25), 1000),
    ],
)
def test_goals_are_held_as_long_as_given_windows_need(selector: at.GoalSelector, steps: int):
    setting = Setting(num_goals=3)
    made = plan(setting=setting, methods={"DIAYN": at.Uniform(), "DP": selector})
    assert made.setting == replace(setting, steps_per_goal=steps)
    assert plan(setting=replace(setting, steps_per_goal=500)).setting.steps_per_goal == 500
    assert plan(setting=replace(setting, steps_per_goal=None)).setting.steps_per_goal is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seeds": []}, "seeds must hold at least one seed"),
        ({"seeds": range(0)}, "seeds must hold at least one seed"),
        ({"seeds": [1, 2, 1]}, r"seeds must differ, got \[1, 2, 1\]"),
        ({"seeds": [-1]}, "seeds must be at least 0, got -1"),
        ({"seeds": [2**32]}, "seeds must be at most 4294967295, got 4294967296"),
        ({"epochs": 0}, "epochs must be at least 1, got 0"),
        ({"methods": {}}, "methods must name at least one"),
        ({"methods": {None: at.Uniform()}}, "needs a name .* got None"),
        (
            {"methods": {"dp": at.DiversityProgress(offset=15, smoothing=6)}},
            "method 'dp': .*15.*6.*20",
        ),
        (
            {"methods": {"curious": at.Curious(competence="success")}},
            "'curious' needs success",
        ),
        (
            {"setting": Setting(steps_per_epoch=20, batch_size=128)},
            "batch_size 128 is larger than the replay's 80 rows",
        ),
    ],
)
def test_what_cannot_work_is_refused(changes: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        plan(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seeds": 5}, r"use range\(5\)"),
        ({"seeds": [0.5]}, "seeds must be an integer, got 0.5"),
        ({"epochs": 2.0}, "epochs must be an integer"),
        ({"methods": [at.Uniform()]}, "methods must be a dict"),
        ({"methods": {"DIAYN": at.Uniform}}, r"make one: Uniform\(\)"),
        ({"setting": {"num_goals": 3}}, "setting must be a Setting"),
    ],
)
def test_what_is_of_another_kind_is_refused(changes: dict[str, Any], message: str):
    with pytest.raises(TypeError, match=message):
        plan(**changes)


def test_a_window_that_just_fits_is_accepted():
    plan(methods={"dp": at.DiversityProgress(offset=15, smoothing=5)})


TRICKY_LABELS = [
    *("", " ", "NA", "NaN", "nan", "-nan", "None", "null", "NULL", "N/A", "n/a", "#N/A", "<NA>"),
    *("#NA", "#N/A N/A", "1.#IND", "-1.#QNAN", "True", "FALSE", "0.5", "1", "1e5", "inf", " 7 "),
    *("two\nlines", "two\rlines", "dp:offset=10,smoothing=5", 'a "quote"', "DIAYN + DP", "T=0.1"),
    *("Nancy", "ένα", "#1", "2021-01-01", "0x10", "1,000"),
]


@pytest.mark.parametrize("label", TRICKY_LABELS)
def test_an_accepted_label_comes_back_from_the_history(label: str, tmp_path: Path):
    try:
        plan(methods={label: at.Uniform()})
    except ValueError as error:
        assert repr(label) in str(error)
        return
    writer = HistoryWriter(tmp_path / "history.csv", ["method", "epoch"])
    writer.append([{"method": label, "epoch": 0}])
    assert pandas.read_csv(tmp_path / "history.csv").method.tolist() == [label]


@pytest.mark.parametrize("label", ["dp:offset=10,smoothing=5", "DIAYN + DP", "T=0.1", "Nancy"])
def test_ordinary_labels_are_accepted(label: str):
    assert plan(methods={label: at.Uniform()}).members[0].method == label


def describe(**changes: Any) -> dict[str, Any]:
    return json.loads(json.dumps(describe_plan(plan(**changes), SIZES, crew=1)))


def test_a_description_is_json_whatever_kind_of_numbers_it_was_given():
    assert describe(seeds=np.arange(2), epochs=np.int64(4)) == describe(seeds=[0, 1])


def test_the_same_run_and_a_longer_one_are_accepted():
    check_same(describe(), describe())
    check_same(describe(), describe(epochs=9))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epochs": 3}, "epochs were 4, now only 3"),
        ({"seeds": [3, 1, 2]}, r"seeds were \[3, 1\], now \[3, 1, 2\]"),
        ({"methods": {"DIAYN": at.Uniform()}}, r"methods were \['DIAYN', 'DP'\], now"),
        ({"methods": METHODS | {"DP": at.DiversityProgress(10, 6)}}, "method DP was .*6"),
        (
            {"setting": Setting(num_goals=4, steps_per_epoch=20, batch_size=16)},
            "num_goals was 3, now 4",
        ),
        (
            {"setting": Setting("Pendulum-v1", num_goals=3, steps_per_epoch=20, batch_size=16)},
            "environment was navigation2d, now Pendulum-v1",
        ),
    ],
)
def test_other_settings_are_refused_by_name(changes: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        check_same(describe(), describe(**changes))


def test_an_environment_that_changed_behind_its_name_is_refused():
    changed = describe_plan(plan(), EnvironmentSizes(3, 2, 100), crew=1)
    with pytest.raises(ValueError, match="observation_size was 2, now 3"):
        check_same(describe(), changed)


@pytest.mark.parametrize("steps", [100, 1000])
def test_auto_is_what_it_was_for_the_selectors_of_the_run(steps: int):
    setting = Setting(num_goals=3, agent=Sac())
    saved = {
        "setting": settings.describe(replace(setting, steps_per_goal=steps)),
        "sizes": SIZES._asdict(),
    }
    assert check_setting(saved, setting).steps_per_goal == steps


@pytest.mark.parametrize("discrete", [False, True])
def test_an_agent_that_was_left_open_is_what_the_environment_asked_for(discrete: bool):
    setting = Setting(num_goals=3, steps_per_goal=100)
    agent = DiscreteSac(tune_entropy=True) if discrete else Sac(tune_entropy=True)
    sizes = SIZES._replace(discrete_actions=discrete)
    assert with_agent(setting, sizes).agent == agent
    chosen = replace(setting, agent=agent)
    assert with_agent(chosen, sizes) is chosen
    saved = {"setting": settings.describe(chosen), "sizes": sizes._asdict()}
    assert check_setting(saved, setting) == chosen


def test_an_agent_for_other_actions_is_refused_with_the_one_to_choose():
    own = Setting(environment=make_nothing, agent=GmmSac())
    with pytest.raises(
        ValueError, match=r"<function make_nothing> has discrete .* GmmSac takes cont"
    ):
        with_agent(own, SIZES._replace(discrete_actions=True))
    with pytest.raises(
        ValueError, match=r"^navigation2d has continuous .*choose Sac \(--agent sac\)$"
    ):
        with_agent(Setting(agent=DiscreteSac()), SIZES)


def make_nothing() -> None: ...


def test_sizes_are_those_of_the_environment():
    class Choices(Navigation2D):
        discrete_actions = True

    assert sizes_of(Navigation2D()) == EnvironmentSizes(2, 2, 100, discrete_actions=False)
    assert sizes_of(Choices()) == EnvironmentSizes(2, 2, 100, discrete_actions=True)


def test_values_are_asked_of_an_agent_that_gives_them():
    methods = {"regret": at.ValueRegret()}
    plan(setting=replace(SETTING, agent=DiscreteSac()), methods=methods)
    plan(methods=methods)  # who the agent is will be known with the environment
    with pytest.raises(
        ValueError, match=r"'regret' needs values, .*choose an agent that gives values"
    ):
        plan(setting=replace(SETTING, agent=Timid()), methods=methods)


def test_auto_is_not_what_a_run_was_that_was_given_other_steps():
    setting = Setting(num_goals=3, agent=Sac())
    saved = {
        "setting": settings.describe(replace(setting, steps_per_goal=500)),
        "sizes": SIZES._asdict(),
    }
    with pytest.raises(ValueError, match="other settings: steps_per_goal was 500, now 100"):
        check_setting(saved, setting)
