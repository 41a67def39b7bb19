"""CIC's objective: transitions that belong to their skill, and lie far from each other."""

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp

from autotelic import _validate
from autotelic._options import option
from autotelic.networks import Mlp
from autotelic.objectives.base import Context
from autotelic.objectives.codebook import CodebookObjective, unit

REWARD_KINDS = ("full", "particle")
WIDTH = 64
"""Of what states, transitions and skills are mapped to, as published."""
NEIGHBOURS, CLIP = 16, 5e-4
"""Of the particle entropy, as published."""


class CicParams(NamedTuple):
    """state: observation -> width; prediction: two of those -> width; skill: skill -> width; codebook:
    [goals, skill], which no gradient changes.
    """

    state: Mlp
    prediction: Mlp
    skill: Mlp
    codebook: jax.Array


@dataclass(frozen=True)
class Cic(CodebookObjective):
    """Laskin et al. 2022: reward = contrastive term + particle entropy, the mean contrastive term maximised.

    With f_ij the cosine of the embeddings of skill z_i and transition (s_j, s'_j), over `temperature`,

        contrastive_i = f_ii - log mean_j exp f_ij
        entropy_i = log(1 + mean_k max(d_ik / mean(d) - 5e-4, 0)),    d_ik = |h(s'_i) - h(s'_k)|

    j is i itself and the items of the batch with other goals: transitions of the same goal are no examples
    against it, and a selector that prefers a goal fills the batch with them. k are the 16 nearest
    neighbours in the batch. Released code differs from the paper and from this: it pays particle entropy
    alone (`reward_kind="particle"`), counts an item as its own neighbour, and takes e^{1 / temperature}
    from the sum over j in place of exp f_ii.

    mean(d) is that of the batch, where released code divides by a running variance. The reward stays a
    function of parameters and batch, and of the same size whatever the scale of h: a distance over a
    variance is not. What it says is which states are rarer than the others in the batch, not by how
    much all of them have spread.

    Skills are a codebook's, and not drawn anew from [0, 1]^64. Negatives come as often as their goals are
    practised, by which f is the log ratio of q(z | s, s') to that frequency up to a constant of the
    transition: posteriors over the codebook are those of goals weighing the same.

    temperature: of the cosine.
    reward_kind: `full`, or `particle` entropy alone, which does not depend on the skill.
    """

    temperature: float = option(0.5, "Of the cosine between skills and transitions.")
    reward_kind: str = option(
        "full",
        "Contrastive term and particle entropy (the paper), or the latter alone (its code).",
        choices=REWARD_KINDS,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _validate.number("temperature", self.temperature, above=0.0)
        _validate.choice("reward_kind", self.reward_kind, REWARD_KINDS)

    def init(
        self, key: jax.Array, observation_size: int, num_goals: int, hidden_units: int
    ) -> CicParams:
        """Fresh networks, and the goals' vectors."""
        state, prediction, skill = jax.random.split(key, 3)
        return CicParams(
            Mlp([observation_size], hidden_units, WIDTH, key=state),
            Mlp([WIDTH, WIDTH], hidden_units, WIDTH, key=prediction),
            Mlp([self.skill_size(num_goals)], hidden_units, WIDTH, key=skill),
            jnp.asarray(self.vectors(num_goals)),
        )

    def loss(self, params: CicParams, context: Context, goal: jax.Array) -> jax.Array:
        """- the batch's mean contrastive term."""
        return -jnp.mean(self._contrast(params, context, goal))

    def reward(
        self, params: CicParams, context: Context, goal: jax.Array, log_prior: jax.Array
    ) -> jax.Array:
        """By `reward_kind`, whatever p(g) is; of a transition among those of its batch: [batch]."""
        entropy = particle_entropy(params.state(context.next_observation))
        if self.reward_kind == "particle":
            return entropy
        return self._contrast(params, context, goal) + entropy

    def log_posteriors(self, params: CicParams, context: Context) -> jax.Array:
        """log softmax_m of the cosines with the codebook, over `temperature`: [..., num_goals]."""
        skills = unit(params.skill(jax.lax.stop_gradient(params.codebook)))
        cosines = self._transition(params, context) @ skills.T
        return jax.nn.log_softmax(cosines / self.temperature)

    def _contrast(self, params: CicParams, context: Context, goal: jax.Array) -> jax.Array:
        cosines = unit(params.skill(context.skill)) @ self._transition(params, context).T
        return contrast(cosines / self.temperature, goal)

    def _transition(self, params: CicParams, context: Context) -> jax.Array:
        """Transitions as unit vectors, [..., width]."""
        before, after = params.state(context.observation), params.state(context.next_observation)
        return unit(params.prediction(before, after))


def contrast(likeness: jax.Array, goal: jax.Array) -> jax.Array:
    """f_ii - log mean_j exp f_ij, j: i and other goals. [batch, batch] of skills by transitions -> [batch].

    At most log(batch); 0 where all items have the same goal.
    """
    own = jnp.eye(len(goal), dtype=bool)
    kept = own | (goal[:, None] != goal[None, :])
    total = jax.nn.logsumexp(likeness, axis=1, where=kept)
    return jnp.diagonal(likeness) - total + jnp.log(jnp.sum(kept, axis=1))


def particle_entropy(states: jax.Array) -> jax.Array:
    """log(1 + mean_k max(d_ik / mean(d) - clip, 0)) over nearest neighbours: [batch, size] -> [batch].

    0 for a state alone, and where all are the same.
    """
    count = len(states)
    neighbours = min(NEIGHBOURS, count - 1)
    if not neighbours:
        return jnp.zeros(count)
    squares = jnp.sum((states[:, None] - states[None, :]) ** 2, axis=-1)
    squares = jnp.where(jnp.eye(count, dtype=bool), jnp.inf, squares)
    nearest = jnp.sqrt(-jax.lax.top_k(-squares, neighbours)[0])
    share = nearest / jnp.maximum(jnp.mean(nearest), 1e-12)
    return jnp.log1p(jnp.mean(jnp.maximum(share - CLIP, 0.0), axis=1))
