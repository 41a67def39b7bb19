"""What is said before work starts: durations that one method changes for all, progress that sees time."""

from pathlib import Path

import pytest
from tiny_runs import EPISODE, STEPS, Notes, run, tiny

import autotelic as at
from autotelic.learner.plan import EnvironmentSizes, cautions, make_plan
from autotelic.learner.setting import Setting

SIZES = EnvironmentSizes(observation_size=2, action_size=2, episode_length=100)


def said(setting: Setting, episode_length: int | None = 100, **methods: at.GoalSelector):
    plan = make_plan(setting, methods, [0], 2)
    return cautions(plan, setting, SIZES._replace(episode_length=episode_length))


def test_each_method_is_cautioned_by_its_name_if_its_signal_sees_time():
    paper = at.paper.NAVIGATION_2D
    (only,) = said(
        paper,
        DP=at.DiversityProgress(),
        same=at.DiversityProgress(offset=500, smoothing=250),
        visit=at.DiversityProgress(reference="previous_visit"),
        probe=at.DiversityProgress(reference="probe"),
        uniform=at.Uniform(),
    )
    assert only.startswith("DP: offset 250 is no multiple")


def test_a_selector_within_another_is_cautioned_too():
    (only,) = said(at.paper.NAVIGATION_2D, low=at.LowVariance(at.DiversityProgress()))
    assert only.startswith("low: offset 250")


def test_without_a_time_limit_there_is_nothing_to_say():
    assert said(at.paper.NAVIGATION_2D, episode_length=None, DP=at.DiversityProgress()) == []


def test_windows_that_change_the_duration_of_all_methods_are_named():
    first, *_ = said(Setting(), long=at.DiversityProgress(offset=100), other=at.RoundRobin())
    assert first.startswith(
        "all methods hold a goal for 1000 steps, and not 100: the windows of long"
    )
    assert "--steps-per-goal" in first
    assert said(Setting(steps_per_goal=1000), other=at.RoundRobin()) == []
    assert said(Setting(), other=at.RoundRobin()) == []


@pytest.mark.usefixtures("same_crews")
def test_a_run_says_it_to_observers_or_else_as_a_warning(tmp_path: Path):
    notes = Notes()
    setting = tiny(steps_per_goal=STEPS, frozen=True)
    methods = {"DP": at.DiversityProgress(offset=10, smoothing=5)}
    run(tmp_path / "told", setting=setting, methods=methods, epochs=1, observers=[notes])
    (caution,) = [message for message in notes.messages if message.startswith("DP: ")]
    assert f"no multiple of an episode's {EPISODE} steps" in caution
    with pytest.warns(UserWarning, match="DP: offset 10 is no multiple"):
        run(tmp_path / "alone", setting=setting, methods=methods, epochs=1)
