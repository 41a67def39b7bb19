"""From a policy network's outputs to actions, for each kind of agent; the equations are in `agents/`."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from autotelic.skills import header as entry

LOG_SIGMA_RANGE = (-5.0, 2.0)
LOWEST_LOG_WEIGHT = -10.0


class Head(Protocol):
    """What stands between network outputs and actions."""

    def outputs(self, actions: int) -> int:
        """How many outputs the network has."""
        ...

    def noise(self, rng: np.random.Generator, shape: tuple[int, ...], actions: int) -> Any:
        """The randomness of one action per entry of `shape`."""
        ...

    def action(self, outputs: np.ndarray, noise: Any = None) -> np.ndarray:
        """[..., outputs] -> [..., action] in [-1, 1], or the index [...] of a discrete one.

        Without noise the most probable component's mean, or the most probable action.
        """
        ...


class Gaussian(NamedTuple):
    """A squashed Gaussian: mean and log deviation (`Sac`)."""

    def outputs(self, actions: int) -> int:
        """See `Head`."""
        return 2 * actions

    def noise(self, rng: np.random.Generator, shape: tuple[int, ...], actions: int) -> np.ndarray:
        """Standard normals [..., action]."""
        return rng.standard_normal((*shape, actions), np.float32)

    def action(self, outputs: np.ndarray, noise: Any = None) -> np.ndarray:
        """See `Head`."""
        actions = outputs.shape[-1] // 2
        mean = outputs[..., :actions]
        if noise is not None:
            log_sigma = outputs[..., actions:].clip(*LOG_SIGMA_RANGE)
            mean = mean + np.exp(log_sigma) * noise
        return np.tanh(mean)


class Mixture(NamedTuple):
    """A squashed mixture of Gaussians (`GmmSac`)."""

    components: int

    def outputs(self, actions: int) -> int:
        """See `Head`."""
        return self.components * (1 + 2 * actions)

    def noise(
        self, rng: np.random.Generator, shape: tuple[int, ...], actions: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Which component (uniform [...]) and where (normal [..., action])."""
        uniform = np.asarray(rng.random(shape, np.float32))
        return uniform, rng.standard_normal((*shape, actions), np.float32)

    def action(self, outputs: np.ndarray, noise: Any = None) -> np.ndarray:
        """See `Head`."""
        count = self.components
        actions = (outputs.shape[-1] // count - 1) // 2
        log_weight = np.maximum(outputs[..., :count], LOWEST_LOG_WEIGHT)
        shape = (*outputs.shape[:-1], count, actions)
        mean = outputs[..., count : count * (1 + actions)].reshape(shape)
        if noise is None:
            return np.tanh(_of_component(mean, np.argmax(log_weight, axis=-1)))
        uniform, normal = noise
        weights = np.exp(log_weight - log_weight.max(axis=-1, keepdims=True))
        cumulative = np.cumsum(weights / weights.sum(axis=-1, keepdims=True), axis=-1)
        # Rounding can leave the last cumulative weight a hair below 1: the last takes the rest.
        chosen = np.minimum(np.sum(uniform[..., None] > cumulative, axis=-1), count - 1)
        log_sigma = outputs[..., count * (1 + actions) :].reshape(shape).clip(*LOG_SIGMA_RANGE)
        return np.tanh(
            _of_component(mean, chosen) + np.exp(_of_component(log_sigma, chosen)) * normal
        )


def _of_component(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """[..., components, action], [...] -> [..., action]."""
    return np.take_along_axis(values, chosen[..., None, None], axis=-2)[..., 0, :]


class Categorical(NamedTuple):
    """One of a number of actions (`DiscreteSac`)."""

    def outputs(self, actions: int) -> int:
        """See `Head`."""
        return actions

    def noise(self, rng: np.random.Generator, shape: tuple[int, ...], actions: int) -> np.ndarray:
        """Gumbel noise [..., action]: the largest of logits + noise is a draw from their softmax."""
        return rng.gumbel(size=(*shape, actions)).astype(np.float32)

    def action(self, outputs: np.ndarray, noise: Any = None) -> np.ndarray:
        """See `Head`."""
        return np.argmax(outputs if noise is None else outputs + noise, axis=-1)


AGENTS = {"gmm-sac": "box", "sac": "box", "discrete-sac": "discrete"}
"""The agents whose policies a file can hold, and the kind of actions they take."""


def head_of(header: Mapping[str, Any]) -> Head:
    """What turns the outputs of the header's agent into actions."""
    kind = entry.text(header, "action.kind", ("box", "discrete"))
    fitting = [name for name, own in AGENTS.items() if own == kind]
    name = entry.text(header, "agent.name", fitting)
    if name == "gmm-sac":
        return Mixture(entry.whole(header, "agent.components"))
    return Gaussian() if name == "sac" else Categorical()


def activation_of(header: Mapping[str, Any]) -> str:
    """The activation of the policy's hidden units."""
    if header["agent"]["name"] != "sac":
        return "relu"
    return entry.text(header, "agent.policy_activation", ("relu", "tanh"))
