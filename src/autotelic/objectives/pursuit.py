"""Pursuits that are judged by where they began and where they led (VIC, RVIC): at which steps.

`every_step`: as if the pursuit ended with each. `end`, as published: other steps have no reward and no
part in the loss. Replay then holds one judged row a pursuit, so that a batch of 128 has one or two of
pursuits of 100 steps; and neither policy nor critic sees how much longer a pursuit lasts. Posteriors are
of every step in either case: selectors need them.
"""

import jax
import jax.numpy as jnp

from autotelic import _validate
from autotelic._options import option
from autotelic.objectives.base import Context

JUDGED_AT = ("every_step", "end")


def judged_at_option() -> str:
    """The field `judged_at` of an objective."""
    return option(
        "every_step",
        "When a pursuit is judged: at every step, or at its end alone (as published).",
        choices=JUDGED_AT,
    )


def check_judged_at(judged_at: str) -> None:
    """Refuse another word."""
    _validate.choice("judged_at", judged_at, JUDGED_AT)


def judged(judged_at: str, context: Context, like: jax.Array) -> jax.Array:
    """1.0 where a step is judged, otherwise 0.0: [batch], as `like` is."""
    return context.ended if judged_at == "end" else jnp.ones_like(like)


def mean_where(values: jax.Array, counted: jax.Array) -> jax.Array:
    """Mean of the values that count, 0 without any: [batch], [batch] of 0.0 and 1.0 -> []."""
    return jnp.sum(values * counted) / jnp.maximum(jnp.sum(counted), 1.0)
