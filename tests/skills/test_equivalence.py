"""A skill file acts and judges as the learner did in training: every agent, every objective."""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from made_skills import GOALS, noisy_run

from autotelic.agents import GmmSac, Sac
from autotelic.environments.pool import chosen, rescale
from autotelic.evaluation.acting import seen
from autotelic.objectives import OBJECTIVES, Cic, Context, Dads, Diayn, Disdain, Metra, Rvic, Visr
from autotelic.runs.run import Runs
from autotelic.skills import Skills
from autotelic.skills.judges import JUDGES

BATCH = 20
OWN = tuple((float(i), 1.0, -1.0) for i in range(GOALS))
AGENTS = {
    "gmm": ("navigation2d", GmmSac(components=3)),
    "relu": ("navigation2d", Sac()),
    "tanh": ("navigation2d", Sac(policy_activation="tanh")),
    "bounds": ("Pendulum-v1", GmmSac()),
    "float64": ("autotelic/Navigation2D-v0", Sac()),
    "discrete": ("CartPole-v1", None),
}
OTHERS = [
    Diayn(features=(1,)),
    Rvic(features=(1, 0)),
    Disdain(members=3),
    Visr(skills="one_hot"),
    Visr(codebook=OWN),
    Metra(skills="one_hot"),
    Metra(dimension=3),
    Cic(codebook=OWN, temperature=0.3),
    Dads(features=(1,), codebook=OWN),
]


class Replayed(np.random.Generator):
    """A generator that gives noise drawn by JAX."""

    def __init__(self, noise: Any):
        super().__init__(np.random.PCG64(0))
        leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(noise)]
        self.uniform, self.normal = leaves if len(leaves) == 2 else (None, leaves[0])

    def random(self, *_: Any, **__: Any) -> Any:
        return self.uniform

    def standard_normal(self, *shape: Any, **_: Any) -> Any:
        assert shape[0] == self.normal.shape
        return self.normal

    def gumbel(self, *_: Any, size: Any = None, **__: Any) -> Any:
        assert size == self.normal.shape
        return self.normal


def exported(runs: Runs, folder: Path) -> Skills:
    return Skills.load(runs.export("A", 7, folder / "exported.npz"))


def learned(runs: Runs) -> Any:
    return jax.tree.map(lambda leaf: jnp.asarray(leaf[0]), runs.skills)


def evidence(runs: Runs) -> tuple[np.ndarray, np.ndarray]:
    """Observations [3, batch, observation] and goals [batch]."""
    rng = np.random.default_rng(1)
    size = runs.description["sizes"]["observation_size"]
    return rng.normal(0, 2, size=(3, BATCH, size)).astype(np.float32), rng.integers(
        GOALS, size=BATCH
    )


def trained_actions(runs: Runs, observation: Any, goal: Any, noise: Any) -> np.ndarray:
    """As the environment gets them in training."""
    own = learned(runs)
    agent, objective = runs.setting.agent, runs.setting.objective

    @jax.jit
    def act(observation: Any, goal: Any) -> Any:
        situation = seen(own.normalizer, observation), objective.embed(goal, GOALS)
        if noise is None:
            return agent.act_deterministically(own.policy, *situation)
        return agent.act(own.policy, *situation, noise)

    actions = np.asarray(act(observation, goal))
    make = getattr(runs.environment, "make", None)
    if make is None:
        return actions
    with runs.environment.pool(1, [0]) as pool:  # type: ignore[union-attr]
        description = pool._description
    if description.first_action is not None:
        return chosen(actions, description.first_action)
    return rescale(actions, description.low, description.high)


@pytest.mark.parametrize("normalization", ["none", "fixed", "running"])
@pytest.mark.parametrize("name", AGENTS)
def test_actions_are_those_of_training(name: str, normalization: str, tmp_path: Path):
    environment, agent = AGENTS[name]
    given = {} if agent is None else {"agent": agent}
    runs = noisy_run(
        tmp_path, environment=environment, normalize_observations=normalization, **given
    )
    skills = exported(runs, tmp_path)
    (observation, _, _), goal = evidence(runs)
    agent = runs.setting.agent
    action_size = runs.description["sizes"]["action_size"]
    for noise in (None, agent.acting_noise(jax.random.key(3), (BATCH,), action_size)):
        rng: Any = None if noise is None else Replayed(noise)
        found = skills.act(observation, goal, rng)
        expected = trained_actions(runs, observation, goal, noise)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5 * np.abs(expected).max())
        assert len(np.unique(found, axis=0)) > 1  # they do depend on what is seen


@pytest.mark.parametrize("objective", [*(OBJECTIVES[name]() for name in JUDGES), *OTHERS], ids=repr)
def test_actions_and_posteriors_are_those_of_the_objective(objective: Any, tmp_path: Path):
    runs = noisy_run(tmp_path, objective=objective, normalize_observations="fixed")
    skills = exported(runs, tmp_path)
    (start, here, after), goal = evidence(runs)
    np.testing.assert_allclose(
        skills.act(here, goal), trained_actions(runs, here, goal, None), atol=2e-5
    )
    own = learned(runs)

    @jax.jit
    def judge(*observations: Any) -> Any:
        context = Context(*(seen(own.normalizer, one) for one in observations))
        return jnp.exp(objective.log_posteriors(own.discriminator, context))

    found = {
        "state": lambda: skills.posterior(after),
        "start": lambda: skills.posterior(after, start=start),
        "step": lambda: skills.posterior(here, next_observation=after),
    }[skills.judged_by]()
    np.testing.assert_allclose(found, judge(start, here, after), atol=1e-4)
    np.testing.assert_allclose(found.sum(axis=-1), 1.0, atol=1e-5)
    assert skills.continuous == (
        getattr(objective, "skills", "") == "sphere" and objective.codebook is None
    )


def test_any_direction_of_a_sphere_is_a_skill(tmp_path: Path):
    runs = noisy_run(tmp_path, objective=Metra())
    skills = exported(runs, tmp_path)
    (observation, _, _), goal = evidence(runs)
    np.testing.assert_allclose(
        skills.act(observation, skills.goals[goal]), skills.act(observation, goal), atol=1e-6
    )
    between = skills.goals[0] + skills.goals[1]
    action = skills.act(observation[0], between / np.linalg.norm(between))
    assert not np.allclose(action, skills.act(observation[0], 0))


def test_a_codebook_of_unit_vectors_is_a_sphere_and_another_is_not(tmp_path: Path):
    unit = tuple((np.cos(a), np.sin(a)) for a in range(GOALS))
    longer = tuple((2.0, float(a)) for a in range(GOALS))
    for number, (codebook, expected) in enumerate([(unit, True), (longer, False)]):
        runs = noisy_run(tmp_path, objective=Metra(codebook=codebook))
        (tmp_path / str(number)).mkdir()
        assert exported(runs, tmp_path / str(number)).continuous is expected
