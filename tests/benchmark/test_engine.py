"""The engine's rates: what is run, in which order, and what is counted."""

import time
from dataclasses import replace

import jax
import numpy as np
import pytest

from autotelic import paper
from autotelic.benchmark import engine, environments
from autotelic.benchmark.engine import Size
from autotelic.benchmark.environments import gymnasium_rates, navigate, navigation_rates
from autotelic.environments.navigation2d import Navigation2D
from autotelic.learner.learner import learner_functions
from autotelic.learner.plan import sizes_of

TINY = replace(
    paper.NAVIGATION_2D,
    num_goals=3,
    hidden_units=4,
    batch_size=8,
    replay_capacity=40,
    first_update=8,
)


class Worker:
    """Notes when it worked."""

    def __init__(self, name, log):
        self.name, self.log = name, log

    def practise(self):
        self.log.append(self.name)

    def take_in(self):
        self.log.append(f"{self.name} done")


def test_crews_queue_again_as_soon_as_they_are_done():
    log = []
    workers = [Worker(name, log) for name in "abc"]
    times = engine.completion_times(workers, 5, threads=1)
    assert len(times) == 5
    assert times == sorted(times)
    assert [name for name in log if "done" not in name][:5] == list("abcab")
    assert [name for name in log if "done" in name][:5] == [f"{name} done" for name in "abcab"]


def test_a_failure_in_an_epoch_is_not_swallowed():
    class Broken(Worker):
        def practise(self):
            raise ArithmeticError("no")

    with pytest.raises(ArithmeticError, match="no"):
        engine.completion_times([Broken("a", [])], 1, threads=1)


def test_a_made_up_replay_is_one_that_a_learner_could_have():
    functions = learner_functions(TINY, sizes_of(TINY.make_environment()), epochs=1)
    rows = engine.random_rows(functions, seed=0)
    assert rows.shape == (40, functions.layout.width)
    fields = functions.layout.unpack(rows)
    assert set(np.unique(fields["goal"])) == {0.0, 1.0, 2.0}
    assert np.abs(fields["action"]).max() <= 1.0
    assert not fields["terminated"].any()


@pytest.mark.thorough
def test_a_loop_gives_a_rate_for_every_repeat():
    found = engine.measure_loop(TINY, 4, Size(steps=20, jobs=2, repeats=3))
    assert len(found.rates) == 3
    assert min(found.rates) > 0
    assert found.environment_share == 0.0  # it is a part of the compiled epoch


def test_the_share_of_host_environments_is_a_share():
    setting = replace(TINY, environment="autotelic/Navigation2D-v0")
    found = engine.measure_loop(setting, 2, Size(steps=20, jobs=2, repeats=1))
    assert 0.0 < found.environment_share < 1.0


def test_updates_alone_change_the_networks_and_nothing_else(monkeypatch):
    kept = []

    def noting(workers, size, learners, threads):
        before = workers[0].learner
        workers[0].practise()
        kept.append((before, workers[0].learner))
        return [1.0] * size.repeats

    monkeypatch.setattr(engine, "_rates", noting)
    assert engine.measure_updates(TINY, 2, Size(steps=3, jobs=1, repeats=2)) == [1.0, 1.0]
    ((before, after),) = kept
    assert np.array_equal(before.replay, after.replay)
    steps = after.agent.optimizer.steps - before.agent.optimizer.steps
    assert np.all(np.asarray(steps) == 3)
    assert not np.array_equal(before.discriminator.hidden, after.discriminator.hidden)


def test_environments_alone_give_a_rate_for_every_repeat():
    assert len(navigation_rates(10, repeats=2)) == 2
    assert len(gymnasium_rates("autotelic/Navigation2D-v0", 150, repeats=2)) == 2


def navigation(steps):
    """A start, random actions [steps, 2] and keys [steps]."""
    state, _ = Navigation2D().reset(jax.random.key(0))
    actions = jax.random.uniform(jax.random.key(1), (steps, 2), minval=-1.0)
    return state, actions, jax.random.split(jax.random.key(2), steps)


def test_a_compiled_scan_does_what_single_steps_do():
    steps = 130  # over the end of an episode
    state, actions, keys = navigation(steps)
    end, seen = navigate(Navigation2D(), state, actions, keys)
    step = jax.jit(Navigation2D().step)
    for index in range(steps):
        state, single = step(state, actions[index], keys[index])
        assert seen.reward is single.reward is None  # nothing is paid here
        for name, value in single._asdict().items():
            if name != "reward":
                np.testing.assert_allclose(getattr(seen, name)[index], value, atol=1e-6)
    np.testing.assert_allclose(end.position, state.position, atol=1e-6)
    assert end.time == state.time == steps % 100


def test_every_step_of_a_compiled_scan_depends_on_the_actions_before_it():
    state, actions, keys = navigation(90)
    # Steps too small to meet a wall, which would make one forget them.
    actions = 0.1 * actions
    before = navigate(Navigation2D(), state, actions, keys)[1].next_observation
    after = navigate(Navigation2D(), state, actions.at[40].add(0.5), keys)[1].next_observation
    assert np.array_equal(before[:40], after[:40])
    np.testing.assert_allclose(after[40:] - before[40:], 0.5 * 0.05, atol=1e-5)


def test_each_repeat_has_actions_of_its_own_and_is_timed_until_it_is_done(monkeypatch):
    class Late:
        def block_until_ready(self):
            time.sleep(0.02)

    given = []

    def noting(environment, state, actions, keys):
        given.append(np.asarray(actions))
        return Late()

    monkeypatch.setattr(environments, "navigate", noting)
    rates = navigation_rates(10, repeats=3)
    assert len(rates) == 3
    assert max(rates) <= 10 / 0.02
    assert len(np.unique(given, axis=0)) == len(given) == 4  # one of them to compile
    assert {actions.shape for actions in given} == {(10, 2)}
