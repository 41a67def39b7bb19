"""Every objective through one suite, and a fault for each law that the suite must catch."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from own_things import Displacement

from autotelic.agents import adam
from autotelic.objectives import (
    OBJECTIVES,
    Cic,
    Context,
    Dads,
    Diayn,
    Disdain,
    Objective,
    Rvic,
    Vic,
    Visr,
    check_objective,
)

OTHERS = [
    Diayn("obs", "at_collection", features=(1,)),
    Vic(judged_at="end", reward_prior="at_collection"),
    Rvic(judged_at="end", features=(2, 0)),
    Disdain(members=1, bonus=0.0, reward_state="obs"),
    Visr(dimension=3, jitter=0.3),
    Visr(skills="one_hot"),
    Cic(reward_kind="particle", jitter=0.1),
    Dads(features=(3,), jitter=0.3),
    Dads(codebook=tuple((float(i), 1.0, -1.0) for i in range(5))),
    Displacement(scale=0.5),
]


FITTED = [name for name in OBJECTIVES if name not in ("reach", "task")]
"""Those of several goals that an environment need not complete; test_reach.py and test_task.py have the
others.
"""


@pytest.mark.parametrize("name", FITTED)
def test_contract(name: str):
    check_objective(OBJECTIVES[name]())


@pytest.mark.parametrize("objective", OTHERS, ids=repr)
@pytest.mark.thorough
def test_contract_with_other_options(objective: Objective):
    check_objective(objective)


@pytest.mark.parametrize("name", FITTED)
@pytest.mark.thorough
def test_an_optimiser_leaves_the_codebook_exactly_as_it_was(name: str):
    objective = OBJECTIVES[name]()
    params = objective.init(jax.random.key(0), 4, 5, 8)
    if not hasattr(params, "codebook"):
        return
    observations = np.random.default_rng(0).normal(size=(3, 10, 4)).astype(np.float32)
    goal = jnp.arange(10) % 5
    context = Context(*observations, ended=jnp.ones(10), skill=objective.embed(goal, 5))
    gradients = jax.jit(jax.grad(objective.loss))(params, context, goal)
    learned, _ = adam.step(params, gradients, adam.init(params), 0.1)
    np.testing.assert_array_equal(learned.codebook, params.codebook)
    moved = jax.tree.map(lambda a, b: np.array_equal(a, b), learned, params)
    assert not all(jax.tree.leaves(moved))


@dataclass(frozen=True)
class Plain(Objective):
    """A linear classifier of next states, with one fault."""

    fault: str = ""

    @property
    def needs_end(self) -> bool:  # type: ignore[override]
        return self.fault in ("no end", "judges by the end")

    @property
    def gives_competence(self) -> bool:  # type: ignore[override]
        return self.fault in ("", "competence")

    @property
    def has_representation(self) -> bool:  # type: ignore[override]
        return self.fault in ("", "representation", "skill towards")

    @property
    def vector_reward(self) -> bool:  # type: ignore[override]
        return self.fault == "no vector"

    def check(self, observation_size: int, num_goals: int) -> Any:
        if self.fault == "refuses by a word":
            return False
        if self.fault == "refuses without one":
            raise KeyError("features")
        if self.fault == "refuses":
            raise ValueError(f"{num_goals} goals are too many")

    def skill_size(self, num_goals: int) -> Any:
        sizes: dict[str, Any] = {"size": num_goals + 1, "no size": 2.5}
        return sizes.get(self.fault, num_goals)

    def embed(self, goal: Any, num_goals: int) -> Any:
        vectors = jax.nn.one_hot(goal, num_goals)
        if self.fault == "embeds at random":
            vectors = vectors * np.random.default_rng().uniform()
        if self.fault == "embeds one axis":
            vectors = vectors.reshape(-1, num_goals)
        if self.fault == "embeds nothing":
            vectors = vectors / 0.0
        return vectors

    def pursue(self, goal: Any, num_goals: int, key: Any) -> Any:
        vector = jax.nn.one_hot(goal, num_goals)
        if self.fault == "pursues less":
            return vector[:-1]
        if self.fault == "pursues at random":
            return vector * np.random.default_rng().uniform()
        return vector + (0.1 if self.fault == "pursues another" else 0.0)

    def init(self, key: Any, observation_size: int, num_goals: int, hidden_units: int) -> Any:
        if self.fault == "same start":
            key = jax.random.key(7)
        weights = jax.random.normal(key, (observation_size, num_goals))
        if self.fault == "random start":
            weights = weights * np.random.default_rng().uniform()
        if self.fault == "no start":
            weights = weights * jnp.nan
        params: dict[str, Any] = {"weights": weights}
        if self.fault == "no arrays":
            params["name"] = "linear"
        if self.fault == "whole numbers":
            params["steps"] = jnp.zeros((), int)
        return params

    def loss(self, params: Any, context: Context, goal: Any) -> Any:
        own = self._own(params, context, goal)
        if self.fault == "loss of each":
            return -own
        if self.fault == "no gradient":
            return -jnp.mean(own) + jnp.sum(jnp.sqrt(params["weights"] * 0.0))
        if self.fault == "no end":
            return -jnp.sum(own * context.ended) / jnp.sum(context.ended)
        if self.fault == "one goal":
            return -jnp.mean(own) / jnp.var(goal.astype(float))
        if self.fault == "reads start":
            return -jnp.mean(own * context.start[..., 0])
        if self.fault == "fails":
            raise RuntimeError("no idea")
        return -jnp.mean(own)

    def reward(self, params: Any, context: Context, goal: Any, log_prior: Any) -> Any:
        reward = self._own(params, context, goal) - log_prior
        if self.fault == "column":
            return reward[:, None]
        if self.fault == "infinite":
            return reward / 0.0
        if self.fault == "reads end":
            return reward * context.ended
        if self.fault == "alone":
            return reward / jnp.std(reward, ddof=1)
        if self.fault == "changes parameters" and not isinstance(reward, jax.core.Tracer):
            params["weights"] = params["weights"] + 1.0
        if self.fault == "changes itself":
            object.__setattr__(self, "count", getattr(self, "count", 0) + 1)
        if self.fault == "noise":
            reward = reward + np.random.default_rng().normal()
        return reward

    def log_prior(self, prior: np.ndarray) -> np.ndarray:
        return np.log(prior.sum(axis=-1) if self.fault == "prior of all" else prior)

    def log_prior_of(self, goal: Any, current: Any, collected: Any) -> Any:
        if self.fault == "prior at collection":
            return collected * 1.0
        found = super().log_prior_of(goal, current, collected)
        return found[:-1] if self.fault == "prior of others" else found

    def log_posteriors(self, params: Any, context: Context) -> Any:
        logits = context.next_observation @ params["weights"]
        if self.fault == "logits":
            return logits
        if self.fault == "one goal less":
            return jax.nn.log_softmax(logits[..., :-1])
        if self.fault == "judges the batch":
            logits = logits - logits.mean(axis=tuple(range(logits.ndim - 1)))
        if self.fault == "judges by the skill":
            logits = logits + context.skill
        if self.fault == "judges by the end":
            logits = logits * context.ended[..., None]
        if self.fault == "not compiled" and float(jnp.sum(logits)) > 1e6:
            return logits
        if self.fault == "one batch only":
            logits = jnp.einsum("bg->bg", logits)
        if self.fault == "one learner only":
            logits = jax.pure_callback(lambda x: x, logits, logits)
        if self.fault == "all learners":
            like = jax.ShapeDtypeStruct(logits.shape, logits.dtype)
            logits = jax.pure_callback(
                self._doubled_for_two, like, logits, vmap_method="expand_dims"
            )
        return jax.nn.log_softmax(logits)

    @staticmethod
    def _doubled_for_two(logits: Any) -> Any:
        return np.asarray(logits) * (2.0 if np.shape(logits) == (2, 6, 5) else 1.0)

    def competence(self, params: Any, context: Context, goal: Any) -> Any:
        return context.skill if self.fault else jnp.exp(self._own(params, context, goal))

    def represent(self, params: Any, observation: Any) -> Any:
        if self.fault == "representation":
            return observation[..., :2]
        return observation @ params["weights"]

    def skill_towards(self, params: Any, observation: Any, target: Any) -> Any:
        return target if self.fault else self.represent(params, target - observation)

    def _own(self, params: Any, context: Context, goal: Any) -> Any:
        log_q = jax.nn.log_softmax(context.next_observation @ params["weights"])
        return jnp.sum(log_q * jax.nn.one_hot(goal, log_q.shape[-1]), axis=-1)


def test_a_plain_objective_without_faults_passes():
    check_objective(Plain())


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("refuses by a word", "check must raise a ValueError or return nothing, it returned False"),
        ("refuses without one", "check must refuse with a ValueError.*KeyError: 'features'"),
        ("refuses", "^5 goals are too many$"),
        ("no size", "skill_size must be a positive integer, got 2.5"),
        ("size", r"embed must have the shape \(5, skill_size = 6\), got \(5, 5\)"),
        ("embeds at random", "embed must give the same vectors"),
        ("embeds one axis", r"goals of any shape: of \(\) it makes \(1, 5\), and not \(5,\)"),
        ("embeds nothing", "embed must be finite"),
        ("pursues less", "pursue must give 5 finite numbers"),
        ("pursues at random", "pursue must give the same skill for the same key"),
        ("pursues another", "declare needs_skill = True"),
        ("same start", "init must make other parameters of another key"),
        ("random start", "init must make the same parameters of the same key"),
        ("no start", "init must make finite numbers"),
        ("no arrays", "init must make a pytree of arrays"),
        ("whole numbers", "floating-point numbers, to be learned; got .*int32"),
        ("loss of each", r"the loss of a batch must have the shape \(\), got \(6,\)"),
        ("no gradient", "the gradient of the loss of a batch must be finite"),
        ("no end", "the loss of a batch without an end must be finite"),
        ("one goal", "the loss of a batch of one goal must be finite"),
        ("reads start", r"loss reads context.start, which is None: declare needs_start = True"),
        ("reads end", r"reward reads context.ended, which is None: declare needs_end = True"),
        ("fails", "loss fails: RuntimeError: no idea"),
        ("column", r"the reward of a batch must have the shape \(6,\), got \(6, 1\)"),
        ("no vector", r"the reward of a batch must have the shape \(6, 5\), got \(6,\)"),
        ("infinite", "the reward of a batch must be finite"),
        ("alone", "the reward of one transition must be finite"),
        ("noise", "reward must be a pure function"),
        ("changes parameters", "no method may change the parameters"),
        ("changes itself", r"no method may change the objective; it was .*'changes itself'"),
        ("prior of all", r"log_prior must be finite and have the shape of p\(g\), \(2, 5\)"),
        ("prior at collection", "declare needs_collected_prior = True"),
        ("prior of others", "a finite number for each of 6 transitions"),
        ("logits", "sum to 1 over all goals"),
        ("one goal less", r"log_posteriors of 6 transitions must have the shape \(6, 5\)"),
        ("judges the batch", "log_posteriors must give one transition the same"),
        ("judges by the skill", "log_posteriors reads context.skill, which is not known"),
        ("judges by the end", "log_posteriors reads context.ended, which is not known"),
        ("not compiled", "log_posteriors cannot be compiled: ConcretizationTypeError"),
        ("one batch only", "log_posteriors of one transition cannot be compiled: "),
        ("one learner only", "must work under jax.vmap over learners"),
        ("all learners", "log_posteriors of learners together must be that of each alone"),
        ("competence", r"competence of 6 transitions must have the shape \(6,\), got \(6, 5\)"),
        (
            "representation",
            r"represent of 6 transitions must have the shape \(6, 5\), got \(6, 2\)",
        ),
        (
            "skill towards",
            r"skill_towards of 6 transitions must have the shape \(6, 5\), got \(6, 4\)",
        ),
    ],
)
def test_every_fault_is_caught(fault: str, message: str):
    with pytest.raises((ValueError, TypeError), match=message):
        check_objective(Plain(fault))


def test_a_setting_without_a_hash_is_caught():
    class Loose(Plain):
        __hash__ = None  # type: ignore[assignment]

    with pytest.raises(ValueError, match=r"Loose .*make it a frozen dataclass"):
        check_objective(Loose())


def test_what_is_no_objective_is_refused():
    with pytest.raises(TypeError, match=r"make one: Diayn\(\)"):
        check_objective(Diayn)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="batch_size must be even, got 5"):
        check_objective(Diayn(), batch_size=5)
