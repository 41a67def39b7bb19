"""What METRA, LSD and CSF share: a map phi of states in which a skill is a direction to move in.

A step's displacement is D = phi(s') - phi(s), its reward D^T z. This file has what follows from that
alone: how goals count that a selector does not choose equally often, how certain a goal is, and how
well it is pursued.
"""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp

from autotelic import _validate
from autotelic._options import option
from autotelic.networks import Mlp
from autotelic.objectives.base import Context
from autotelic.objectives.codebook import CodebookObjective

BALANCES = ("centre", "weight", "none")
SHORTEST = 1e-6
"""Lengths are divided by no less: a skill of zeros has no direction, and a step may lead nowhere."""


class DisplacementParams(NamedTuple):
    """The parameters of an objective on displacement.

    phi: the map, observation -> skill; log_beta: [], of the posteriors' inverse temperature;
    codebook: [goals, skill], the goals' vectors, which posteriors need and no gradient changes;
    log_multiplier: [], log lambda of METRA's constraint; () where there is none.
    """

    phi: Mlp
    log_beta: jax.Array
    codebook: jax.Array
    log_multiplier: jax.Array | tuple[()] = ()


@dataclass(frozen=True)
class DisplacementObjective(CodebookObjective):
    """Reward D^T z with D = phi(s') - phi(s); subclasses say how phi is learned.

    balance: what is done about goals that are not equally often in the batch. E[D^T z] then contains
      E[D]^T E[z], which grows by moving all skills along the mean skill: they drift, and no longer
      differ. `centre` takes the batch's mean skill from every z, `weight` lets every goal in the
      batch count the same, `none` is the published loss, for goals drawn uniformly. The shares are
      those of the batch and not the selector's p(g): replay mixes what many earlier p(g) chose.
    """

    learns_first = True
    needs_start = True
    gives_competence = True
    has_representation = True

    balance: str = option(
        "centre",
        "Against a drift along goals chosen more often: centre their skills, weight them, or none.",
        choices=BALANCES,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.choice("balance", self.balance, BALANCES)

    def check(self, observation_size: int, num_goals: int) -> None:
        """Refuse a lone goal that centring would leave without a direction."""
        super().check(observation_size, num_goals)
        if num_goals == 1 and self.balance == "centre" and not self.jitter:
            raise ValueError(
                "num_goals is 1, and less its mean a lone skill is 0: nothing would be learned; raise "
                "num_goals, or choose balance='none' (--balance none)"
            )

    def init(
        self, key: jax.Array, observation_size: int, num_goals: int, hidden_units: int
    ) -> DisplacementParams:
        """A fresh phi; beta is 1."""
        phi = Mlp([observation_size], hidden_units, self.skill_size(num_goals), key=key)
        return DisplacementParams(phi, jnp.zeros(()), jnp.asarray(self.vectors(num_goals)))

    def balanced(
        self, skill: jax.Array, goal: jax.Array, num_goals: int
    ) -> tuple[jax.Array, jax.Array]:
        """Skills [batch, skill] and weights [batch] of the loss, by `balance`."""
        if self.balance == "weight":
            return skill, goal_weights(goal, num_goals)
        if self.balance == "centre":
            skill = skill - jnp.mean(skill, axis=0, keepdims=True)
        return skill, jnp.ones(goal.shape, skill.dtype)

    def log_posteriors(self, params: DisplacementParams, context: Context) -> jax.Array:
        """log q(m) = log softmax_m beta (phi(s_{t+1}) - phi(s_start))^T z_m, [..., num_goals].

        Since the start of the pursuit, because one step's displacement tells hardly anything.
        """
        travelled = displacement(params.phi, context.start, context.next_observation)
        return log_certainties(travelled, params.codebook, params.log_beta)

    def calibration(
        self, params: DisplacementParams, context: Context, goal: jax.Array, weight: jax.Array
    ) -> jax.Array:
        """Cross-entropy of the posteriors [], whose gradient reaches log beta alone.

        Posteriors are for selectors; phi is not to be bent to please them.
        """
        phi = jax.lax.stop_gradient(params.phi)
        log_q = self.log_posteriors(params._replace(phi=phi), context)
        own = jnp.sum(log_q * jax.nn.one_hot(goal, log_q.shape[-1]), axis=-1)
        return -jnp.mean(weight * own)

    def longest(self, context: Context) -> jax.Array:
        """How long a step's displacement can be, [...]."""
        raise NotImplementedError

    def competence(
        self, params: DisplacementParams, context: Context, goal: jax.Array
    ) -> jax.Array:
        """D^T z of the unit direction z, as a share of what a step can do: [...], in about [-1, 1]."""
        del goal
        moved = displacement(params.phi, context.observation, context.next_observation)
        lengths = jnp.linalg.norm(context.skill, axis=-1) * self.longest(context)
        return progress(moved, context.skill) / jnp.maximum(lengths, SHORTEST)

    def represent(self, params: DisplacementParams, observation: jax.Array) -> jax.Array:
        """phi(s): [..., observation] -> [..., skill]."""
        return params.phi(observation)

    def skill_towards(
        self, params: DisplacementParams, observation: jax.Array, target: jax.Array
    ) -> jax.Array:
        """The direction of phi(g) - phi(s), because a skill is a direction to move in."""
        return self.skill_along(displacement(params.phi, observation, target))


def displacement(phi: Mlp, before: jax.Array, after: jax.Array) -> jax.Array:
    """phi(s') - phi(s): [..., observation] each -> [..., skill]."""
    return phi(after) - phi(before)


def progress(moved: jax.Array, skill: jax.Array) -> jax.Array:
    """D^T z, the way made in the skill's direction: [..., skill] each -> [...]."""
    return jnp.sum(moved * skill, axis=-1)


def goal_weights(goal: jax.Array, num_goals: int) -> jax.Array:
    """1 / (M f_g), f_g the share of the item's goal in the batch and M the goals in it: [batch] -> [batch].

    Every goal in the batch then counts the same, and the mean weight is 1. Goals that the batch has not
    got are not counted in M: they would scale down the others' loss.
    """
    own = jax.nn.one_hot(goal, num_goals)
    counts = jnp.sum(own, axis=0)
    return goal.size / (jnp.sum(counts > 0) * (own @ counts))


def log_certainties(travelled: jax.Array, codebook: jax.Array, log_beta: jax.Array) -> jax.Array:
    """log softmax over goals of beta D^T z_m: [..., skill], [goals, skill], [] -> [..., goals]."""
    # Without stop_gradient the cross-entropy would move the goals' vectors.
    logits = jnp.exp(log_beta) * (travelled @ jax.lax.stop_gradient(codebook).T)
    return jax.nn.log_softmax(logits)
