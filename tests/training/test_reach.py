"""Goals that are places in whole runs: success as evidence and in the history, hindsight, exact resume."""

import itertools
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from environment_doubles import GoalCorridor
from tiny_runs import Stop, StopAfter, assert_same_run, replay_rows, run, tiny

import autotelic as at
from autotelic.agents import Sac
from autotelic.environments import desired_goals_of
from autotelic.figures.goal_map import goal_map, map_of
from autotelic.learner.plan import make_plan
from autotelic.learner.setting import Setting
from autotelic.objectives import Reach
from autotelic.runs.history import vector
from autotelic.runs.run import Runs, load
from autotelic.runs.store import CheckpointStore

pytestmark = pytest.mark.usefixtures("same_crews")

STEPS, EPISODE = 10, 5
TOLD: list[Any] = []
"""Outcomes, in the order of time."""


@dataclass(frozen=True)
class Curious(at.Uniform):
    """Uniform draws that remember all that they are told."""

    asked: frozenset[str] = field(
        default=frozenset({"success", "achieved", "value_spread", "values"})
    )

    @property
    def evidence(self) -> frozenset[str]:
        return self.asked

    def update(self, state: Any, outcome: at.VisitOutcome) -> Any:
        TOLD.append(outcome)
        return super().update(state, outcome)


def setting(**changes: Any) -> Setting:
    """Two episodes a visit; goals so near that some are reached, and one that is not."""
    places = ((-0.8, 0.77), (-0.7, 0.77), (0.9, -0.9))
    values: dict[str, Any] = {
        "environment": "maze2d",
        "environment_options": {"episode_length": EPISODE},
        "steps_per_epoch": 2 * STEPS,
        "steps_per_goal": STEPS,
        "reset_on_goal_switch": True,
        "agent": Sac(),
        "objective": Reach(places=places),
        "replay_capacity": 45,  # wraps, and is rounded up to whole visits
    }
    return tiny(**{**values, **changes})


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reach") / "run"
    with pytest.MonkeyPatch.context() as patch:
        from tiny_runs import prepare

        prepare(patch)
        TOLD.clear()
        run(
            folder,
            setting=setting(),
            methods={"own": Curious(), "curious": at.Curious()},
            evaluate_every=2,
        )
    return folder


def test_success_is_told_and_written(finished: Path):
    runs = load(finished)
    own = runs.history.query("method == 'own'")
    assert len(TOLD) == len(own) - own.warm_up.sum() == 7  # one visit was before learning began
    assert [told.success for told in TOLD] == own.success[own.warm_up == 0].tolist()
    assert [told.competence for told in TOLD] == [told.success for told in TOLD]
    assert set(runs.history.success) <= {0.0, 0.5, 1.0}  # of two episodes
    assert (own.success[own.goal == 2] == 0).all()  # in a closed room
    assert own.success.max() > 0


def test_success_is_that_of_the_places_achieved(finished: Path):
    objective = load(finished).setting.objective
    for told in TOLD:
        assert told.achieved.shape == (STEPS, 2)
        np.testing.assert_allclose(told.places, objective.places, rtol=1e-6)
        apart = np.linalg.norm(told.achieved - told.places[told.goal], axis=1)
        episodes = (apart <= objective.radius).reshape(2, EPISODE).any(axis=1)
        assert told.success == episodes.mean()
        every = np.linalg.norm(told.achieved[:, None] - told.places, axis=2).min(axis=0)
        assert told.reached.tolist() == (every <= objective.radius).tolist()
        assert told.replaced is None
        assert (told.value_spread > 0).all()
        assert not np.array_equal(told.values_before, told.values_after)


def test_values_are_those_of_the_start(finished: Path):
    """With an episode for each visit it is the maze's start, wherever the last visit ended."""
    assert TOLD[1].values_before == pytest.approx(TOLD[0].values_after, rel=1e-6)


def test_replayed_rows_know_how_long_their_episode_goes_on(finished: Path):
    runs = load(finished)
    rows = replay_rows(runs)
    assert rows["left"].shape == (2, 50)
    np.testing.assert_array_equal(rows["left"], np.tile([4, 3, 2, 1, 0], (2, 10)))


def test_once_a_goal_is_reached_actions_are_random_and_held(finished: Path):
    """Random actions are held for five steps, which an episode here has."""
    runs = load(finished)
    objective, rows = runs.setting.objective, replay_rows(runs)
    apart = rows["next_observation"] - np.array(objective.places)[rows["goal"].astype(int)]
    reached = (np.linalg.norm(apart, axis=-1) <= objective.radius).reshape(-1, EPISODE)
    actions = rows["action"].reshape(-1, EPISODE, 2)
    held = 0
    for own, when in zip(actions, reached, strict=True):
        first = int(np.argmax(when)) if when.any() else EPISODE
        pursuing, exploring = own[: first + 1], own[first + 1 :]
        assert len(np.unique(pursuing, axis=0)) == len(
            pursuing
        )  # the policy's, each with its noise
        assert len(np.unique(exploring, axis=0)) <= 1
        held += len(exploring) > 1
    assert held > 0


def test_a_resumed_run_ends_as_if_never_interrupted(finished: Path, tmp_path: Path):
    values: dict[str, Any] = {
        "setting": setting(),
        "methods": {"own": Curious(), "curious": at.Curious()},
    }
    with pytest.raises(Stop):
        run(tmp_path, observers=[StopAfter(2)], **values)
    run(tmp_path, resume=True, **values)
    assert_same_run(tmp_path, finished)


def test_goals_that_were_met_are_exchanged_and_the_selector_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("autotelic.objectives.reach.EXCHANGE", 0.7)
    values: dict[str, Any] = {
        "setting": setting(objective=Reach(goals="met")),
        "methods": {"own": Curious()},
    }
    TOLD.clear()
    run(tmp_path / "whole", **values)
    told = list(TOLD)
    changed = [one.replaced for one in told if one.replaced is not None]
    assert 0 < len(changed) < len(told) and all(replaced.sum() == 1 for replaced in changed)
    for before, after in itertools.pairwise(told):
        moved = (before.places != after.places).any(axis=1)
        expected = np.zeros(3, bool) if after.replaced is None else after.replaced
        np.testing.assert_array_equal(moved, expected)
        assert not moved[after.goal]  # what was just pursued stays
        for place in after.places[moved]:
            assert (after.achieved == place).all(axis=1).any()
    with pytest.raises(Stop):
        run(tmp_path / "stopped", observers=[StopAfter(2)], **values)
    run(tmp_path / "stopped", resume=True, **values)
    assert_same_run(tmp_path / "stopped", tmp_path / "whole")


TRAIN = """
import sys
sys.path[:0] = sys.argv[1:3]
from pathlib import Path
import pytest
from test_reach import dict_run
from tiny_runs import prepare
prepare(pytest.MonkeyPatch())
dict_run(Path(sys.argv[3]), epochs=30, resume=True)
"""


def dict_run(folder: Path, **changes: Any) -> Runs:
    """A run with hindsight in a goal environment with Dict observations."""
    values: dict[str, Any] = {
        "setting": setting(environment=GoalCorridor, environment_options={}, objective=Reach()),
        "methods": {"curious": at.Curious(competence="success")},
    }
    return run(folder, **{**values, **changes})


@pytest.mark.slow
@pytest.mark.thorough
def test_sigkill_with_hindsight_and_dict_observations_changes_nothing(tmp_path: Path):
    folder, here = tmp_path / "killed", Path(__file__).parent
    paths = [str(here), str(here.parent / "environments")]
    arguments = [sys.executable, "-c", TRAIN, *paths, str(folder)]
    with subprocess.Popen(arguments, env=os.environ) as process:
        while process.poll() is None and max(CheckpointStore(folder).epochs, default=0) < 5:
            time.sleep(0.01)
        process.kill()
        assert process.wait() == -signal.SIGKILL, "it ended before it could be killed"
    assert max(CheckpointStore(folder).epochs) < 30
    dict_run(folder, epochs=30, resume=True)
    dict_run(tmp_path / "whole", epochs=30)
    assert_same_run(folder, tmp_path / "whole")


def test_a_goal_environment_s_run_is_resumed_to_the_bit(tmp_path: Path):
    runs = dict_run(tmp_path / "whole")
    fitted = runs.setting.objective
    assert (fitted.features, fitted.radius) == ((2,), 0.25)
    assert np.allclose(fitted.places, desired_goals_of(runs.environment, 3))
    assert runs.history.success.between(0, 1).all() and runs.history.success.max() > 0
    with pytest.raises(Stop):
        dict_run(tmp_path / "stopped", observers=[StopAfter(1)])
    dict_run(tmp_path / "stopped", resume=True)
    assert_same_run(tmp_path / "stopped", tmp_path / "whole")


def test_success_is_asked_of_an_objective_that_knows_it():
    with pytest.raises(
        ValueError, match=r"needs success, which the objective Diayn.*--objective reach"
    ):
        make_plan(tiny(), {"own": at.Curious(competence="success")}, [0], 4)
    make_plan(setting(), {"own": at.Curious(competence="success")}, [0], 4)


def test_goals_are_refused_before_anything_is_made(tmp_path: Path):
    for objective, message in (
        (Reach(places=((0.0, 0.0), (1.0, 1.5), (0.5, 0.5))), "lies outside the bounds"),
        (Reach(features=(2,)), r"features \[2\] are beyond the observation's 2 entries"),
        (Reach(places=((0.0, 0.0),)), "there are 1 places, and num_goals is 3"),
    ):
        with pytest.raises(ValueError, match=message):
            run(
                tmp_path / "refused",
                setting=setting(objective=objective),
                methods={"own": Curious()},
            )
    assert not (tmp_path / "refused").exists()


def test_success_of_fresh_trajectories_is_measured_on_the_way(finished: Path):
    curve = load(finished).learning_curve
    assert curve is not None and list(curve.epoch.unique()) == [0, 2, 4]
    of_goals = vector(curve, "success_of_goal")
    assert of_goals.shape == (6, 3) and (of_goals[:, 2] == 0).all()
    # The third goal is in a closed room and does not count.
    np.testing.assert_allclose(curve.success, of_goals[:, :2].mean(axis=1))
    assert ((of_goals >= 0) & (of_goals <= 1)).all() and of_goals.max() > 0


def test_a_map_shows_every_method_s_goals(finished: Path):
    runs = load(finished)
    found = map_of(runs)
    assert found.members == [("own", 0), ("curious", 0)] and found.measured
    assert found.epochs.tolist() == [2, 4] and found.success.shape == (2, 2, 3)
    assert found.reachable.tolist() == [True, True, False]
    assert (found.visits.sum(axis=1) == 8).all()
    figure = goal_map(runs)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[:2] == ["epoch 2", "epoch 4"]
    with pytest.raises(ValueError, match="goals of Diayn are no places"):
        map_of(type("Run", (), {"setting": tiny()}))
