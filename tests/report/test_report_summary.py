"""The words of the page, and the command that runs it all again."""

from dataclasses import replace
from pathlib import Path

import pytest

import autotelic as at
from autotelic import paper
from autotelic.agents import Sac
from autotelic.commands.train import methods_of, read
from autotelic.evaluation.health import Alarm
from autotelic.flags.setting import seeds_of, setting_of
from autotelic.learner.plan import EnvironmentSizes
from autotelic.learner.setting import Setting, describe
from autotelic.objectives import Diayn
from autotelic.presets import reaching
from autotelic.report.summary import alarms, sentence, train_words
from autotelic.runs.run import Runs
from autotelic.selectors.spelling import describe as describe_selector

METHODS = {"uniform": at.Uniform(), "mine": at.DiversityProgress(temperature=0.3, offset=100)}


def planned(folder: Path, setting: Setting, seeds: list[int]) -> Runs:
    """A run as its description says, without a file."""
    return Runs(
        folder,
        {
            "setting": describe(setting),
            "sizes": EnvironmentSizes(2, 2, 100)._asdict(),
            "methods": {name: describe_selector(method) for name, method in METHODS.items()},
            "seeds": seeds,
            "epochs": 40,
        },
    )


@pytest.mark.parametrize("seeds", [[0, 1, 2], [4], [3, 9]])
@pytest.mark.parametrize(
    "setting",
    [
        Setting(hidden_units=32),
        paper.NAVIGATION_2D,
        paper.HALF_CHEETAH,
        Setting(agent=Sac(tune_entropy=False)),
        Setting(
            environment="Ant-v5",
            environment_options={"include_cfrc_ext_in_observation": False},
            agent=Sac(tune_entropy=True),
            objective=Diayn(features=(0, 1)),
            learning_rate=1e-3,
            frozen=True,
        ),
        reaching("maze2d"),
        reaching("HalfCheetah-v5"),
        replace(reaching("maze2d"), num_goals=Setting().num_goals),
        replace(reaching("HalfCheetah-v5"), num_goals=Setting().num_goals),
        replace(reaching("maze2d"), objective=Diayn()),
        Setting(environment="maze2d"),
    ],
)
def test_the_command_spells_the_same_run(tmp_path: Path, setting: Setting, seeds: list[int]):
    words = train_words(planned(tmp_path / "my runs", setting, seeds))
    assert words is not None and words[:2] == ["autotelic", "train"]
    flags, base, saved = read(words[2:])
    assert setting_of(flags, base) == setting
    assert list(methods_of(flags, saved).values()) == list(METHODS.values())
    assert (seeds_of(flags.seeds), flags.epochs) == (seeds, 40)
    assert flags.out == str(tmp_path / "my runs")


def test_the_command_measures_what_the_run_measured(tmp_path: Path):
    runs = planned(tmp_path, Setting(), [0])
    measured = Runs(runs.folder, {**runs.description, "evaluate_every": 5})
    words, plain = train_words(measured), train_words(runs)
    assert words is not None and plain is not None
    assert read(words[2:])[0].evaluate_every == 5
    assert read(plain[2:])[0].evaluate_every is None


def test_an_environment_of_ones_own_has_no_command(tmp_path: Path):
    def my_environment() -> None: ...

    assert train_words(planned(tmp_path, Setting(environment=my_environment), [0])) is None


def test_the_sentence_says_what_was_run(runs: Runs):
    text = sentence(runs)
    assert text.startswith(
        "In 2D navigation, 4 learners (2 methods with 2 seeds each) practised 3 skills for 6 epochs "
        "of 20 steps: a soft actor-critic with twin Q functions, 8 units"
    )


def test_alarms_of_several_seeds_are_one_and_epochs_count_from_one():
    found = alarms(
        [
            Alarm("collapse", ("A<b>", 0), 30, "only 1.0 of 20 skills."),
            Alarm("collapse", ("A<b>", 1), 9, "only 2.0 of 20 skills."),
            Alarm("starved goals", ("A<b>", 0), 9, "goal 3 waits."),
        ]
    )
    assert found.count('class="alarm"') == 2
    assert "A&lt;b&gt;, seeds 0, 1, since epoch 10" in found
    assert "Goal 3 waits." in found
    assert "None" in alarms([])
