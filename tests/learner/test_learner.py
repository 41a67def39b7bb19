from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import FIRST_UPDATE, GOALS, tiny

from autotelic.agents import GmmSac, adam
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


def test_a_task_s_rows_hold_what_was_paid():
    class Paid(Diayn):
        needs_reward = True

    functions = learner_functions(tiny(objective=Paid()), SIZES, epochs=4)
    assert functions.layout.fields[-2:] == (("reward", 0), ("returned", 0))


class Plain(Diayn):
    """Its only parameter is a number, by which it judges states and goals."""

    gives_competence = True
    needs_end = True

    def log_posteriors(self, params: Any, context: Context) -> jax.Array:
        return jnp.log(jnp.full((*context.next_observation.shape[:-1], GOALS), 1 / GOALS))

    def competence(self, params: Any, context: Context, goal: jax.Array) -> jax.Array:
        return params * context.next_observation[..., 0] + goal

    def loss(self, params: Any, context: Context, goal: jax.Array) -> jax.Array:
        return params**2

    def reward(self, params: Any, context: Context, goal: Any, log_prior: jax.Array) -> jax.Array:
        return jnp.zeros(goal.shape)


class Noting(GmmSac):
    """Learns nothing, and gives the batch away as its losses."""

    def update(self, state: Any, batch: Any, *_: Any, **__: Any) -> Any:
        return state, batch._asdict()


WIDE = EnvironmentSizes(observation_size=2, action_size=3, episode_length=15)
PULL = jnp.array([0.5, -0.25, 0.75])


def plain() -> tuple[LearnerFunctions, Learner]:
    """A learner without networks at HERE, whose actions have more entries than its observations."""
    functions = learner_functions(tiny(objective=Plain(), agent=Noting()), WIDE, epochs=4)
    ring, three = jnp.zeros((functions.capacity, functions.layout.width)), jnp.array(3.0)
    return functions, Learner((), three, adam.init(three), ring, ring[:1], (), HERE, HERE)


def row_of(functions: LearnerFunctions, learner: Learner, step: EnvironmentStep, last: bool) -> Any:
    skill = functions.setting.objective.embed(GOAL, GOALS)
    return functions.move(learner, PULL, step, GOAL, skill, LOG_PRIOR, jnp.array(last))[1]


def test_a_row_ends_where_its_episode_or_the_visit_does():
    functions, learner = plain()
    for terminated, truncated, last in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)):
        row = row_of(functions, learner, moved(bool(terminated), bool(truncated)), bool(last))
        assert functions.layout.unpack(row)["ended"] == terminated + truncated + last


def test_competence_is_the_objective_s_of_the_state_and_the_goal():
    functions, learner = plain()
    _, competence = functions.judge(learner, row_of(functions, learner, moved(), last=False))
    assert competence == pytest.approx(3.0 * 0.2 + 1)


def test_the_agent_learns_from_transitions_as_they_were():
    functions, learner = plain()
    row = row_of(functions, learner, moved(terminated=True), last=False)
    learner = functions.remember(learner._replace(latest=row[None]), jnp.int32(1))
    noise = jax.tree.map(lambda x: x[0], functions.update_noise(jax.random.key(7), 1))
    _, batch = functions.learn(learner, jnp.int32(1), LOG_PRIOR, noise)
    expected: dict[str, Any] = {
        "observation": HERE,
        "action": PULL,
        "next_observation": THERE,
        "terminated": 1.0,
        "skill": [0.0, 1.0, 0.0],
    }
    for name, value in expected.items():
        np.testing.assert_array_equal(
            batch[name], np.tile(value, (16, 1)).reshape(batch[name].shape)
        )
