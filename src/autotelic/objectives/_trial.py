"""An objective on trial: called as training calls it, and what fails is said in a sentence."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autotelic.objectives.base import Context, Objective

DECLARATIONS = {"start": "needs_start", "ended": "needs_end", "reward": "needs_reward"}


def fault(objective: Objective, message: str) -> ValueError:
    """What is wrong with an objective."""
    return ValueError(f"{type(objective).__name__} breaks the contract of an objective: {message}")


def said(error: Exception) -> str:
    """An error's kind and first line."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


def close(one: Any, other: Any) -> bool:
    """Whether numbers are the same but for rounding: compiled programs add in another order."""
    return np.shape(one) == np.shape(other) and np.allclose(
        one, other, rtol=1e-3, atol=1e-4, equal_nan=True
    )


def apart(one: Any, other: Any) -> str:
    """How two arrays that are not close differ."""
    if np.shape(one) != np.shape(other):
        return f"they have the shapes {np.shape(one)} and {np.shape(other)}"
    return f"they differ by {np.nanmax(np.abs(np.subtract(one, other))):.3g}"


def same(one: Any, other: Any) -> bool:
    """Whether two pytrees have the same structure and numbers."""
    return jax.tree.structure(one) == jax.tree.structure(other) and all(
        map(np.array_equal, jax.tree.leaves(one), jax.tree.leaves(other))
    )


@dataclass(frozen=True, eq=False)
class Trial:
    """An objective, the parameters of two learners, and a batch.

    context: [batch, ...] with the skill, and no more than the objective asks for; goal, log_prior:
    [batch].
    """

    objective: Objective
    num_goals: int
    params: Any
    others: Any
    context: Context
    goal: jax.Array
    log_prior: jax.Array

    def fault(self, message: str) -> ValueError:
        """What is wrong with the objective."""
        return fault(self.objective, message)

    def plain(self, name: str, *arguments: Any) -> np.ndarray:
        """A method's value of these arguments, after the parameters; not compiled."""
        try:
            return np.asarray(getattr(self.objective, name)(self.params, *arguments))
        except Exception as error:
            message = self._unasked(name, *arguments) or f"{name} fails: {said(error)}"
            raise self.fault(message) from error

    def compiled(self, names: str, program: Any, *arguments: Any) -> Any:
        """A program's value of these arguments, after the parameters; `names` are of methods in it."""
        try:
            return jax.tree.map(np.asarray, program(self.params, *arguments))
        except Exception as error:
            raise self.fault(f"{names} cannot be compiled: {said(error)}") from error

    def alike(self, name: str, compiled: Any, plain: Any) -> None:
        """Refuse a method that is not the same compiled and otherwise."""
        if not close(compiled, plain):
            raise self.fault(
                f"{name} must be a pure function, and give the same compiled and otherwise: "
                + apart(compiled, plain)
            )

    def finite(self, what: str, value: Any, shape: tuple[int, ...]) -> None:
        """Refuse another shape than this, and numbers that are not finite."""
        if np.shape(value) != shape:
            raise self.fault(f"{what} must have the shape {shape}, got {np.shape(value)}")
        if not np.isfinite(value).all():
            raise self.fault(f"{what} must be finite, got {value}")

    def _unasked(self, name: str, context: Any, *rest: Any) -> str:
        """Which part of a context a method reads that is None; "" if that is not why it fails."""
        if not isinstance(context, Context):
            return ""
        given = {
            "start": context.observation,
            "ended": jnp.ones(context.observation.shape[:-1]),
            "skill": self.context.skill,
            "reward": jnp.ones(context.observation.shape[:-1]),
        }
        absent = [part for part in given if getattr(context, part) is None]
        whole = context._replace(**{part: given[part] for part in absent})
        if self._fails(name, whole, *rest):
            return ""
        read = [p for p in absent if self._fails(name, whole._replace(**{p: None}), *rest)]
        part = read[0]
        if name == "log_posteriors" and part != "start":
            return f"{name} reads context.{part}, which is not known where trajectories are judged"
        return f"{name} reads context.{part}, which is None: declare {DECLARATIONS[part]} = True"

    def _fails(self, name: str, *arguments: Any) -> bool:
        try:
            getattr(self.objective, name)(self.params, *arguments)
        except Exception:
            return True
        return False
