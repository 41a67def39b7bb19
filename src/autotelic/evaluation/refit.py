"""A discriminator fitted anew: the learner's own kind, from fresh weights, on balanced fresh rollouts.

The discriminator that was trained with the skills knows each goal as well, and as recently, as the
schedule of practice let it. One that is fitted afterwards to as many fresh states of every goal
depends on the skills alone. It sees standardised observations, so that their units do not matter.
"""

from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autotelic import _streams
from autotelic.agents import adam
from autotelic.evaluation.acting import kept_program
from autotelic.evaluation.classifier import halves
from autotelic.evaluation.metrics import Judgements, mean_and_deviation
from autotelic.evaluation.rollouts import judge_trajectories
from autotelic.objectives import Context, Objective

UPDATES, BATCH_SIZE, LEARNING_RATE = 1000, 256, 3e-3
"""Three times as many updates raise an accuracy in 2D navigation by 0.02 at most."""


def refitted_judgements(
    objective: Objective,
    hidden_units: int,
    observations: np.ndarray,
    lengths: np.ndarray,
    seed: int = 0,
) -> Judgements:
    """Fit to half of one learner's trajectories of each goal, judge every step of the others.

    A batch draws goals uniformly, then a trajectory and a step of it. The loss is the objective's, the
    halves are those of `held_out_judgements`. Mean and deviation of the fitted half standardise both
    halves, whatever the learner saw; an objective that `judges_raw` gets observations as they are.

    Args:
        objective: whose parameters are fitted.
        hidden_units: of its networks.
        observations: [goals, trajectories, steps + 1, observation], the start first.
        lengths: [goals, trajectories] steps made, at least 1.
        seed: of the split, the weights and the batches.
    """
    fitted, held_out = halves(lengths.shape, _streams.generator("held-out classifier", seed))
    key = jax.random.key(_streams.integer("refitted discriminator", seed))
    fit = kept_program(_compiled, objective, hidden_units)
    fitted, fitted_lengths = _chosen(observations, lengths, fitted)
    tested, tested_lengths = _chosen(observations, lengths, held_out)
    if not objective.judges_raw:
        seen = np.arange(fitted.shape[2]) <= fitted_lengths[..., None]
        mean, deviation = mean_and_deviation(fitted[seen].astype(np.float64))
        fitted, tested = (
            ((part - mean) / deviation).astype(np.float32) for part in (fitted, tested)
        )
    log_probabilities = fit(key, fitted, fitted_lengths, tested)
    return Judgements(np.asarray(log_probabilities, np.float64), tested_lengths)


def _chosen(
    observations: np.ndarray, lengths: np.ndarray, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The chosen trajectories [goals, n] and their lengths."""
    own = np.take_along_axis(observations, chosen[..., None, None], axis=1)
    return own, np.take_along_axis(lengths, chosen, axis=1)


@lru_cache(maxsize=8)
def _compiled(objective: Objective, hidden_units: int) -> Any:
    """key, observations and lengths to fit, observations to judge -> log q [goals, n, steps, goals]."""

    def run(key: jax.Array, observations: Any, lengths: Any, tested: Any) -> jax.Array:
        goals, trajectories = lengths.shape
        init_key, batch_key = jax.random.split(key)
        params = objective.init(init_key, observations.shape[-1], goals, hidden_units)

        def update(carry: Any, key: jax.Array) -> Any:
            params, optimizer = carry
            draws = jax.random.uniform(key, (3, BATCH_SIZE))
            goal = (draws[0] * goals).astype(jnp.int32)
            trajectory = (draws[1] * trajectories).astype(jnp.int32)
            step = (draws[2] * lengths[goal, trajectory]).astype(jnp.int32)
            context = Context(
                observations[goal, trajectory, 0] if objective.needs_start else None,
                observations[goal, trajectory, step],
                observations[goal, trajectory, step + 1],
                (step + 1 == lengths[goal, trajectory]) * 1.0 if objective.needs_end else None,
                objective.embed(goal, goals),
            )
            gradients = jax.grad(objective.loss)(params, context, goal)
            return adam.step(params, gradients, optimizer, LEARNING_RATE, True), None

        keys = jax.random.split(batch_key, UPDATES)
        (params, _), _ = jax.lax.scan(update, (params, adam.init(params)), keys)
        return judge_trajectories(objective, params, tested)

    return jax.jit(run)
