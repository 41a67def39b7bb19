from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import FIRST_UPDATE, GOALS, tiny

from autotelic.environments import EnvironmentStep
from autotelic.environments.navigation2d import Navigation2D
from autotelic.learner.learner import Learner, LearnerFunctions, StepRecord, learner_functions
from autotelic.learner.plan import EnvironmentSizes
from autotelic.learner.setting import Setting
from autotelic.objectives import Context, Diayn

SIZES = EnvironmentSizes(observation_size=2, action_size=2, episode_length=15)
LOG_PRIOR = jnp.log(jnp.array([0.5, 0.3, 0.2]))
GOAL = jnp.int32(1)
ACTION = jnp.array([0.5, -0.25])
HERE, THERE, ELSEWHERE = (jnp.full(2, x) for x in (0.1, 0.2, 0.9))


class Bench(NamedTuple):
    """One learner standing at HERE, and what it does with a step, compiled."""

    functions: LearnerFunctions
    learner: Learner
    take: Callable[..., tuple[Learner, StepRecord]]

    def step(self, inserted: int, step: EnvironmentStep) -> tuple[Learner, StepRecord]:
        noise = self.functions.update_noise(jax.random.key(7), 1)
        noise = jax.tree.map(lambda x: x[0], noise)
        learner, record = self.take(self.learner, jnp.int32(inserted), step, noise)
        return self.functions.remember(learner, jnp.int32(inserted + 1)), record


def make_bench(setting: Setting) -> Bench:
    functions = learner_functions(setting, SIZES, epochs=4)
    state, _ = Navigation2D().reset(jax.random.key(0))
    learner = jax.jit(functions.init)(jax.random.key(0), state, HERE)

    def take(learner: Learner, inserted: Any, step: EnvironmentStep, noise: Any) -> Any:
        skill = setting.objective.embed(GOAL, GOALS)
        learner, rows = functions.move(learner, ACTION, step, GOAL, skill, LOG_PRIOR)
        return functions.absorb(learner, inserted, rows, LOG_PRIOR, noise)

    return Bench(functions, learner, jax.jit(take))


@pytest.fixture(scope="module")
def bench(same_crews: None) -> Bench:
    return make_bench(tiny())


@pytest.fixture(scope="module")
def frozen(same_crews: None) -> Bench:
    return make_bench(tiny(frozen=True))


def moved(terminated: bool = False, truncated: bool = False) -> EnvironmentStep:
    following = ELSEWHERE if terminated or truncated else THERE
    return EnvironmentStep(THERE, jnp.array(terminated), jnp.array(truncated), following)


def parameters(learner: Learner) -> tuple[Any, Any, Any]:
    return learner.agent, learner.discriminator, learner.discriminator_optimizer


def are_equal(one: Any, other: Any) -> bool:
    return all(jax.tree.leaves(jax.tree.map(np.array_equal, one, other)))


def test_a_step_is_judged_by_q_before_its_own_update(bench: Bench):
    learner, record = bench.step(FIRST_UPDATE + 5, moved())
    objective = bench.functions.setting.objective

    def posterior(discriminator: Any) -> np.ndarray:
        return np.exp(objective.log_posteriors(discriminator, Context(None, HERE, THERE)))

    before, after = posterior(bench.learner.discriminator), posterior(learner.discriminator)
    np.testing.assert_allclose(record.posterior, before, rtol=1e-5)
    assert np.abs(after - before).max() > 1e-3  # the update of this step would show


def test_the_posterior_is_that_of_the_state_the_action_led_to(frozen: Bench):
    _, ended = frozen.step(0, moved(truncated=True))
    _, went_on = frozen.step(0, moved())
    assert ended.posterior.shape == (GOALS,)
    assert np.sum(ended.posterior) == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_array_equal(ended.posterior, went_on.posterior)  # not of the reset state


def test_nothing_is_learned_before_first_update_steps_are_collected(bench: Bench):
    too_early, record = bench.step(FIRST_UPDATE - 1, moved())
    assert are_equal(parameters(too_early), parameters(bench.learner))
    assert np.isfinite(record.posterior).all()
    in_time, _ = bench.step(FIRST_UPDATE, moved())
    agent, discriminator, _ = parameters(in_time)
    assert not are_equal(agent, bench.learner.agent)
    assert not are_equal(discriminator, bench.learner.discriminator)


@pytest.mark.parametrize(
    ("end", "stored"),
    [({}, 0.0), ({"truncated": True}, 0.0), ({"terminated": True}, 1.0)],
    ids=["no end", "time-out", "termination"],
)
def test_a_time_out_is_stored_as_not_terminated(bench: Bench, end: dict[str, bool], stored: float):
    inserted = 63  # the ring has 60 rows: the row number 63 lies in slot 3
    learner, _ = bench.step(inserted, moved(**end))
    ring: Any = np.asarray(learner.replay)
    written = {k: np.asarray(v[3]) for k, v in bench.functions.layout.unpack(ring).items()}
    np.testing.assert_array_equal(written["observation"], HERE)
    np.testing.assert_array_equal(written["action"], ACTION)
    np.testing.assert_array_equal(written["next_observation"], THERE)
    assert written["terminated"] == stored
    assert written["goal"] == GOAL
    assert not np.delete(ring, 3, axis=0).any()


@pytest.mark.parametrize("end", ["terminated", "truncated"])
def test_after_an_end_the_learner_stands_where_the_new_episode_begins(frozen: Bench, end: str):
    learner, _ = frozen.step(0, moved(**{end: True}))
    np.testing.assert_array_equal(learner.observation, ELSEWHERE)
    np.testing.assert_array_equal(learner.start, ELSEWHERE)
    learner, _ = frozen.step(0, moved())
    np.testing.assert_array_equal(learner.observation, THERE)
    np.testing.assert_array_equal(learner.start, HERE)


def test_a_frozen_learner_remembers_and_judges_but_learns_nothing(frozen: Bench):
    learner, record = frozen.step(FIRST_UPDATE + 5, moved())
    assert are_equal(parameters(learner), parameters(frozen.learner))
    assert record.losses == {}
    assert np.asarray(learner.replay).any()


class NeedsStart(Diayn):
    needs_start = True


def test_a_row_holds_no_more_than_the_objective_needs():
    def names(objective: Diayn) -> list[str]:
        functions = learner_functions(tiny(objective=objective), SIZES, epochs=4)
        return [name for name, _ in functions.layout.fields]

    least = ["observation", "action", "next_observation", "terminated", "goal"]
    assert names(Diayn(reward_prior="uniform")) == names(Diayn(reward_prior="current")) == least
    assert names(Diayn(reward_prior="at_collection")) == [*least, "log_prior"]
    assert names(NeedsStart()) == [*least, "start"]


def test_learning_begins_after_an_episode_where_nothing_else_is_said():
    setting = tiny(first_update=None)
    assert learner_functions(setting, SIZES, epochs=4).first_update == 15
    endless = EnvironmentSizes(2, 2, None)
    assert learner_functions(setting, endless, epochs=4).first_update == setting.steps_per_epoch
    assert learner_functions(tiny(first_update=33), SIZES, epochs=4).first_update == 33
