"""What can be trained with parts of one's own can be opened again, with its setting and no other."""

import functools
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
import own_things
import pytest
from own_things import Displacement, Line, Timid, Walk, make_walk
from tiny_runs import EPISODE, GOALS, METHODS, run, tiny

import autotelic as at
from autotelic.agents import GmmSac, Sac
from autotelic.environments.gymnasium import GymnasiumEnvironment
from autotelic.environments.navigation2d import Navigation2D
from autotelic.evaluation import discriminator_judgements
from autotelic.evaluation.catalogue import METRICS, Metric
from autotelic.evaluation.evidence import SkillEvidence
from autotelic.learner.own_parts import spelling, text_of
from autotelic.learner.setting import Setting, describe, lost_parts
from autotelic.objectives import Context
from autotelic.runs.run import load

pytestmark = pytest.mark.usefixtures("same_crews")


def own(**changes: Any) -> Setting:
    """All three parts are of one's own, the environment is a JAX object."""
    values = {"environment": Line(0.3), "agent": Timid(), "objective": Displacement(2.0)}
    return tiny(**{"environment_options": {}, **values, **changes})


def own_function(**changes: Any) -> Setting:
    """The environment is a function that makes Gymnasium's; the rest is ours."""
    return tiny(**{"environment": make_walk, "environment_options": {}, **changes})


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, same_crews: None) -> Path:
    return run(tmp_path_factory.mktemp("own") / "run", setting=own(), epochs=2).folder


@pytest.fixture(scope="module")
def trained_in_function(tmp_path_factory: pytest.TempPathFactory, same_crews: None) -> Path:
    return run(tmp_path_factory.mktemp("own") / "run", setting=own_function(), epochs=2).folder


REMEDY = r"autotelic\.load\(folder, setting=\.\.\.\), in the shell: --"


def test_without_its_setting_a_run_has_its_history_and_names_the_remedy(
    trained: Path, trained_in_function: Path
):
    runs = load(trained)
    assert len(runs.history) == 2 * len(METHODS)
    at.figures.effective_skills(runs)
    for use in (at.evaluate, at.sample_trajectories, at.report.write):
        with pytest.raises(ValueError, match=f"agent .Timid.*{REMEDY}agent my_module.MyAgent"):
            use(runs)
    by_function = load(trained_in_function)
    assert by_function.skills is not None  # needs no environment
    for use in (at.evaluate, at.sample_trajectories, at.report.write):
        with pytest.raises(ValueError, match=f"'<function make_walk>.*{REMEDY}environment"):
            use(by_function)


@pytest.mark.parametrize("which", ["objects", "a function"])
@pytest.mark.thorough
def test_with_its_setting_a_run_is_sampled_evaluated_drawn_and_reported(
    which: str,
    trained: Path,
    trained_in_function: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    furthest = Metric(
        "furthest",
        "entry that a skill reaches",
        SkillEvidence,
        lambda own: own.observations.max(),
        headline=True,
    )
    monkeypatch.setitem(METRICS, "furthest", furthest)  # a metric of one's own
    folder, setting = {
        "objects": (trained, own()),
        "a function": (trained_in_function, own_function()),
    }[which]
    runs = at.load(folder, setting=setting)
    assert runs.setting.agent is setting.agent
    assert runs.setting.environment is setting.environment
    before, after = (
        at.sample_trajectories(runs, 2, untrained=untrained, members=runs.members[:1])
        for untrained in (True, False)
    )
    assert after.observations.shape == (1, GOALS, 2, EPISODE + 1, 2)
    found = at.evaluate(runs, 4)
    covered = "grid_coverage" if which == "objects" else "cells_visited"  # with and without bounds
    measured = {row.metric: row.estimate for row in found.summary() if row.trained}
    assert {"held_out_accuracy", covered, "furthest"} <= set(measured)
    if which == "objects":
        assert measured["furthest"] == 1.0  # the time within the episode, which ends there
    at.figures.effective_skills(runs)
    at.figures.goal_dynamics(runs, *runs.members[0])
    at.figures.skill_trajectories(before, after)
    at.figures.comparison(found)
    page = at.report.write(runs, tmp_path / "page.html", render=False).read_text()
    agent = "the agent Timid(" if which == "objects" else "a Gaussian mixture policy"
    assert agent in page and "furthest" in page
    assert ("rewarded by the objective Displacement(scale=2," in page) == (which == "objects")


def test_a_posterior_that_needs_the_start_is_given_that_of_the_trajectory(trained: Path):
    runs = load(trained, setting=own())
    sampled = at.sample_trajectories(runs, 2)
    for index, judged in enumerate(discriminator_judgements(runs, sampled)):
        params = jax.tree.map(lambda leaf: np.asarray(leaf)[index], runs.skills.discriminator)  # noqa: B023
        assert params.keys() == {"layers", "heat"}
        seen = sampled.observations[index]
        for time in (0, 7):
            context = Context(seen[:, :, 0], seen[:, :, time], seen[:, :, time + 1])
            expected = own().objective.log_posteriors(params, context)
            np.testing.assert_allclose(judged.log_probabilities[:, :, time], expected, rtol=1e-5)


@dataclass(frozen=True)
class Strict(Displacement):
    """Works without the start, and must not be given what it does not ask for."""

    needs_start = False

    def log_posteriors(self, params: Any, context: Context) -> Any:
        assert context.start is None
        moved = context.next_observation - context.observation
        return super().log_posteriors(params, Context(0.0, None, moved))


def test_an_objective_is_given_no_start_that_it_does_not_ask_for(trained: Path, tmp_path: Path):
    setting = own(objective=Strict())
    runs = load(run(tmp_path, setting=setting, epochs=1).folder, setting=setting)
    sampled = at.sample_trajectories(runs, 2)
    assert len(list(discriminator_judgements(runs, sampled))) == len(METHODS)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"num_goals": 4}, "num_goals was 3, now 4"),
        ({"objective": Displacement(3.0)}, r"objective was .*scale=2.*, now .*scale=3"),
        ({"agent": Timid(boldness=0.25)}, r"agent was .*boldness=0\.5.*, now .*boldness=0\.25"),
        ({"agent": Timid(Sac(discount=0.5))}, r"agent was .*discount=0\.99.*, now .*discount=0\.5"),
        ({"agent": GmmSac()}, r"agent was .*Timid.*, now {'name': 'gmm-sac'"),
        ({"environment": Line(0.1)}, r"environment was Line\(speed=0\.3\), now Line\(speed=0\.1\)"),
    ],
)
def test_another_setting_is_refused_by_what_differs(trained: Path, changes: Any, said: str):
    with pytest.raises(ValueError, match=f"the run on disk has other settings: {said}.*Open it"):
        load(trained, setting=own(**changes))


def test_a_function_of_the_same_name_that_makes_something_else_is_refused(
    trained_in_function: Path,
):
    @functools.wraps(make_walk)
    def larger() -> Any:
        return make_walk(3)

    with pytest.raises(ValueError, match="observation_size was 2, now 3"):
        load(trained_in_function, setting=own_function(environment=larger))


def test_no_setting_at_all_is_refused(trained: Path):
    wrong: Any = "my_setting"
    with pytest.raises(
        TypeError, match="must be the Setting that the run was trained with, got 'my"
    ):
        load(trained, setting=wrong)


def test_a_run_of_our_own_parts_may_be_given_its_setting_too(finished: Path):
    assert load(finished, setting=tiny()).setting == load(finished).setting


@dataclass(frozen=True)
class Hidden(Displacement):
    secret: int = field(default=0, repr=False)


@dataclass(frozen=True)
class Elsewhere:
    folder: str = field(compare=False)


def test_what_a_dataclass_is_not_compared_by_is_not_in_its_text():
    here, there = Elsewhere("here"), Elsewhere("there")
    assert here == there and text_of(here) == text_of(there) == "Elsewhere()"


@dataclass(frozen=True)
class Holder:
    held: Any


class Plain:
    def __init__(self, **settings: Any):
        self.__dict__.update(settings)


class Loop:
    def __init__(self) -> None:
        self.own = self


@pytest.mark.parametrize(
    ("make", "other"),
    [
        (lambda: Displacement(2.0), Displacement(2.5)),
        (lambda: Hidden(secret=1), Hidden(secret=2)),
        (lambda: Plain(rate=1), Plain(rate=2)),
        (lambda: Holder(Plain(rate=1)), Holder(Plain(rate=2))),
        (lambda: Holder([Plain(rate=1)]), Holder([Plain(rate=2)])),
        (lambda: Holder({"a": (Plain(), 1)}), Holder({"a": (Plain(), 2)})),
        (lambda: Holder(jax.nn.relu), Holder(jax.nn.gelu)),
        (lambda: Holder(np.zeros(2000)), Holder(np.eye(1, 2000, 1000)[0])),  # repr shows the ends
        (lambda: Holder(jax.numpy.ones(2)), Holder(jax.numpy.zeros(2))),
        (lambda: functools.partial(make_walk, 2), functools.partial(make_walk, 3)),
        (lambda: GymnasiumEnvironment(make_walk), GymnasiumEnvironment(make_walk, {"size": 3})),
        (lambda: Walk, Line),
        (Loop, Plain()),
    ],
)
def test_equal_parts_have_one_text_and_others_another(make: Callable[[], Any], other: Any):
    first, second = make(), make()
    assert text_of(first) == text_of(second) != text_of(other)
    assert "0x" not in text_of(first)


def test_numbers_that_are_equal_have_one_text():
    assert (
        text_of(Displacement(2))
        == text_of(Displacement(2.0))
        == text_of(Displacement(np.float32(2)))
    )


def test_texts_are_the_same_in_another_process(monkeypatch: pytest.MonkeyPatch):
    """Sets of words have another order there, and objects another address."""
    program = (
        "import own_things as own; from autotelic.learner.own_parts import text_of;"
        "own.quick_line.words = set('abcdefgh'); own.quick_line.act = own.make_line;"
        "print(text_of(own.quick_line))"
    )
    folders = [str(Path(own_things.__file__).parent), *filter(None, sys.path)]
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONPATH": ":".join(folders), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    words = ", ".join(f"'{letter}'" for letter in "abcdefgh")
    assert said == {f"Line(speed=0.3, words={{{words}}}, act=<function make_line>)\n"}


class Shifted(Navigation2D):
    """Moves otherwise than the environment it derives from."""


def test_an_environment_derived_from_ours_is_not_taken_for_ours():
    assert lost_parts(describe(Setting(Shifted()))).keys() == {"environment"}
    assert lost_parts(describe(Setting(Navigation2D()))) == {}


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (make_walk, "own_things.make_walk"),
        (Walk, "own_things.Walk"),
        (Line(), "own_things.Line"),
        (Line(0.3), "own_things.Line:speed=0.3"),
        (
            Displacement(2.0, reward_prior="current"),
            "own_things.Displacement:scale=2.0,reward_prior=current",
        ),
        (Timid(), "own_things.Timid"),
        (Timid(Sac(discount=0.5)), None),  # no word of the shell makes that
        (Displacement(reward_prior="a,b"), None),
        (functools.partial(make_walk, 2), None),
        (lambda: None, None),
        ("<function make_walk>", None),
    ],
)
def test_the_shells_word_makes_a_part_again(value: Any, word: str | None):
    assert spelling(value) == word


def test_a_part_in_a_script_is_found_by_the_scripts_name(tmp_path: Path):
    (tmp_path / "my_script.py").write_text(
        "from own_things import Line\n"
        "from autotelic.learner.own_parts import spelling\n"
        "class Mine(Line): pass\n"
        "print(spelling(Mine(0.5)))\n"
    )
    folders = [str(Path(own_things.__file__).parent), *filter(None, sys.path)]
    ended = subprocess.run(
        [sys.executable, "my_script.py"],
        env={"PYTHONPATH": ":".join(folders)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ended.stdout == "my_script.Mine:speed=0.5\n", ended.stderr


def test_run_json_says_what_is_ones_own_and_how_the_shell_calls_it(trained: Path, finished: Path):
    words = json.loads((trained / "run.json").read_text())["own_parts"]
    assert words == {
        "environment": "own_things.Line:speed=0.3",
        "agent": "own_things.Timid",
        "objective": "own_things.Displacement:scale=2.0",
    }
    assert json.loads((finished / "run.json").read_text())["own_parts"] == {}


def test_a_resumed_run_takes_equal_parts_that_are_made_anew(trained: Path, tmp_path: Path):
    setting = own()
    run(tmp_path / "run", setting=setting, epochs=1)
    again = run(tmp_path / "run", setting=replace(own(), agent=Timid()), epochs=2, resume=True)
    assert again.epochs_done == 2
