from pathlib import Path

import jax
import numpy as np
import pytest
from tiny_runs import CAPACITY, GOALS, PROBING, STEPS, run, tiny

from autotelic.objectives import Context
from autotelic.training.history import vector
from autotelic.training.plan import sizes_of
from autotelic.training.population import Crew, Program
from autotelic.training.probes import Probes
from autotelic.training.runs import learner_functions


@pytest.fixture(scope="module")
def crew(same_crews: None) -> Crew:
    """A learner that has practised goal 1 for an epoch, then goal 2."""
    setting = tiny(frozen=True)
    environment = setting.make_environment()
    functions = learner_functions(setting, sizes_of(environment), epochs=4)
    program = Program(functions, environment, 1)
    crew = Crew(program, members=[0], seeds=[0])
    program.compile(crew.learner)
    for epoch, goal in enumerate([1, 2]):
        crew.run_visit(epoch, [goal], np.log(np.full((1, GOALS), 1 / GOALS)))
    return crew


def replayed(crew: Crew, epoch: int) -> np.ndarray:
    rows = crew.program.functions.layout.unpack(crew.learner.replay)
    steps = np.arange(epoch * STEPS, (epoch + 1) * STEPS)
    return np.asarray(rows["next_observation"])[0, steps % CAPACITY]


def test_the_states_of_the_last_visit_are_kept(crew: Crew):
    probes = Probes(crew)
    probes.keep(crew, 0, np.array([1]))
    np.testing.assert_array_equal(probes.contexts.next_observation[0, 1], replayed(crew, 0))
    assert probes.known.tolist() == [[False, True, False]]
    probes.keep(crew, 1, np.array([1]))
    np.testing.assert_array_equal(probes.contexts.next_observation[0, 1], replayed(crew, 1))
    probes.keep(crew, 0, np.array([2]))
    np.testing.assert_array_equal(probes.contexts.next_observation[0, 1], replayed(crew, 1))
    assert probes.known.tolist() == [[False, True, True]]


def test_the_score_is_the_mean_certainty_of_each_goal_on_its_own_states(crew: Crew):
    probes = Probes(crew)
    probes.keep(crew, 0, np.array([1]))
    probes.keep(crew, 1, np.array([2]))
    score = probes.score(crew)
    assert score.shape == (1, GOALS)
    assert np.isnan(score[0, 0])
    discriminator = jax.tree.map(lambda x: x[0], crew.learner.discriminator)
    objective = crew.program.functions.setting.objective
    for goal, epoch in ((1, 0), (2, 1)):
        states = replayed(crew, epoch)
        log_q = objective.log_posteriors(discriminator, Context(None, states, states))
        expected = np.exp(np.asarray(log_q, np.float64))[:, goal].mean()
        assert score[0, goal] == pytest.approx(expected, rel=1e-5)


def test_what_was_kept_comes_back_from_its_arrays(crew: Crew):
    probes, restored = Probes(crew), Probes(crew)
    probes.keep(crew, 0, np.array([1]))
    restored.restore(probes.arrays())
    np.testing.assert_array_equal(restored.score(crew), probes.score(crew))
    restored.keep(crew, 1, np.array([1]))  # the arrays are its own
    np.testing.assert_array_equal(probes.contexts.next_observation[0, 1], replayed(crew, 0))


def test_a_frozen_learner_makes_no_progress_on_its_probes(same_crews: None, tmp_path: Path):
    """Progress within an epoch would show some: it also sees where in an episode a state lies."""
    history = run(tmp_path, setting=tiny(frozen=True), methods=PROBING, epochs=8).history
    signals = vector(history.query("method == 'probe'"), "signal")
    assert np.isfinite(signals[-1]).all()
    assert set(signals[np.isfinite(signals)]) == {0.0}
