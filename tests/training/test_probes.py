from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest
from tiny_runs import CAPACITY, GOALS, PROBING, STEPS, run, tiny

from autotelic.learner.learner import learner_functions
from autotelic.learner.plan import sizes_of
from autotelic.objectives import Context, Diayn
from autotelic.runs.history import vector
from autotelic.training.learners import Learners
from autotelic.training.probes import Probes
from autotelic.training.program import Program


@pytest.fixture(scope="module")
def learners(same_crews: None) -> Learners:
    """A learner that has practised goal 1 for an epoch, then goal 2."""
    setting = tiny(frozen=True)
    environment = setting.make_environment()
    functions = learner_functions(setting, sizes_of(environment), epochs=4)
    program = Program(functions, environment, 1)
    learners = Learners(program, members=[0], seeds=[0])
    program.compile(learners.state)
    for epoch, goal in enumerate([1, 2]):
        learners.run_visit(epoch, [goal], np.log(np.full((1, GOALS), 1 / GOALS)))
    return learners


def replayed(learners: Learners, epoch: int) -> np.ndarray:
    rows = learners.program.functions.layout.unpack(learners.state.replay)
    steps = np.arange(epoch * STEPS, (epoch + 1) * STEPS)
    return np.asarray(rows["next_observation"])[0, steps % CAPACITY]


def test_the_states_of_the_last_visit_are_kept(learners: Learners):
    probes = Probes(learners)
    probes.keep(learners, 0, np.array([1]))
    np.testing.assert_array_equal(probes.contexts.next_observation[0, 1], replayed(learners, 0))
    assert probes.known.tolist() == [[False, True, False]]
    probes.keep(learners, 1, np.array([1]))
    np.testing.assert_array_equal(probes.contexts.next_observation[0, 1], replayed(learners, 1))
    probes.keep(learners, 0, np.array([2]))
    np.testing.assert_array_equal(probes.contexts.next_observation[0, 1], replayed(learners, 1))
    assert probes.known.tolist() == [[False, True, True]]


def test_the_score_is_the_mean_certainty_of_each_goal_on_its_own_states(learners: Learners):
    probes = Probes(learners)
    probes.keep(learners, 0, np.array([1]))
    probes.keep(learners, 1, np.array([2]))
    score = probes.score(learners)
    assert score.shape == (1, GOALS)
    assert np.isnan(score[0, 0])
    discriminator = jax.tree.map(lambda x: x[0], learners.state.discriminator)
    objective = learners.program.functions.setting.objective
    for goal, epoch in ((1, 0), (2, 1)):
        states = replayed(learners, epoch)
        log_q = objective.log_posteriors(discriminator, Context(None, states, states))
        expected = np.exp(np.asarray(log_q, np.float64))[:, goal].mean()
        assert score[0, goal] == pytest.approx(expected, rel=1e-5)


def test_what_was_kept_comes_back_from_its_arrays(learners: Learners):
    probes, restored = Probes(learners), Probes(learners)
    probes.keep(learners, 0, np.array([1]))
    restored.restore(probes.arrays())
    np.testing.assert_array_equal(restored.score(learners), probes.score(learners))
    restored.keep(learners, 1, np.array([1]))  # the arrays are its own
    np.testing.assert_array_equal(probes.contexts.next_observation[0, 1], replayed(learners, 0))


class Following(Diayn):
    needs_start = True


@pytest.mark.parametrize("objective", [Diayn(), Following()])
def test_starts_are_kept_where_the_objective_asks_for_them(objective: Diayn):
    setting = SimpleNamespace(steps_per_visit=4, num_goals=GOALS, objective=objective)
    functions = SimpleNamespace(setting=setting, observation_size=2)
    start = np.full((1, 4, 2), 7.0) if objective.needs_start else None
    visited = Context(start, np.full((1, 4, 2), 8.0), np.full((1, 4, 2), 9.0))
    learners: Any = SimpleNamespace(
        program=SimpleNamespace(functions=functions),
        members=[0],
        recent_contexts=lambda visit, indices: visited,
    )
    probes, again = Probes(learners), Probes(learners)
    probes.keep(learners, 0, np.array([1]))
    again.restore(probes.arrays())
    for found in (probes, again):
        for part, expected in zip(found.contexts[:3], visited[:3], strict=True):
            assert (part is None) == (expected is None)
            if part is not None:
                np.testing.assert_array_equal(part[:, 1], expected)


def test_a_frozen_learner_makes_no_progress_on_its_probes(same_crews: None, tmp_path: Path):
    """Progress within an epoch would show some: it also sees where in an episode a state lies."""
    history = run(tmp_path, setting=tiny(frozen=True), methods=PROBING, epochs=8).history
    signals = vector(history.query("method == 'probe'"), "signal")
    assert np.isfinite(signals[-1]).all()
    assert set(signals[np.isfinite(signals)]) == {0.0}
