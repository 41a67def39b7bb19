"""The losses once more, one transition at a time in NumPy: slow, plain, from the formulas."""

import functools
import math
from typing import Any, NamedTuple

import jax
import numpy as np

from autotelic.agents import Batch, DiscreteSac, GmmSac, Sac
from autotelic.agents.base import Sizes

SIZES = Sizes(observation=3, action=2, skill=2, hidden_units=4)
VECTOR_SIZES = SIZES._replace(reward=2)
SKILLS = np.array([[0.6, -0.8], [-1.0, 0.0], [0.0, 1.0], [0.8, 0.6], [-0.6, 0.8]])
"""Directions, for vector rewards: with one-hot goals psi^T z would not see the other entry."""
BATCH = 5
LEARNING_RATE = 0.01


def mlp(network: Any, *inputs: np.ndarray) -> np.ndarray:
    """One example through two hidden layers."""
    activate = np.tanh if network.activation == "tanh" else lambda x: np.maximum(x, 0)
    first = np.asarray(network.input_bias)
    for x, weight in zip(inputs, network.inputs, strict=True):
        first = first + np.asarray(x) @ np.asarray(weight)
    second = activate(first) @ np.asarray(network.hidden) + np.asarray(network.hidden_bias)
    return activate(second) @ np.asarray(network.output) + np.asarray(network.output_bias)


class Row(NamedTuple):
    """One transition; `here` and `there` are observation and goal side by side."""

    here: np.ndarray
    action: np.ndarray
    there: np.ndarray
    terminated: float
    reward: Any
    skill: np.ndarray


def rows(batch: Batch, rewards: Any) -> list[Row]:
    """The batch, one transition at a time."""
    return [
        Row(np.r_[s, g], np.asarray(a), np.r_[s2, g], float(d), np.asarray(r), np.asarray(g))
        for s, a, s2, d, g, r in zip(*batch, rewards, strict=True)
    ]


def gmm_components(
    outputs: np.ndarray, components: int
) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """Weight, mean and standard deviation of every component."""
    actions = (len(outputs) // components - 1) // 2
    log_weights = np.maximum(outputs[:components], -10.0)
    means = outputs[components : components * (1 + actions)].reshape(components, actions)
    log_sigmas = np.clip(outputs[components * (1 + actions) :], -5.0, 2.0).reshape(means.shape)
    total = sum(math.exp(w) for w in log_weights)
    return [
        (math.exp(w) / total, mean, np.exp(log_sigma))
        for w, mean, log_sigma in zip(log_weights, means, log_sigmas, strict=True)
    ]


def gmm_log_density(components: list[tuple[float, np.ndarray, np.ndarray]], x: np.ndarray) -> float:
    """Eq. 11 by its definition: the logarithm of a weighted sum of products of normal densities."""
    density = 0.0
    for weight, mean, sigma in components:
        z = (x - mean) / sigma
        density += weight * np.prod(np.exp(-0.5 * z**2) / (sigma * math.sqrt(2 * math.pi)))
    return math.log(density)


class GmmDraw(NamedTuple):
    """A fresh action and the constants that the score-function loss multiplies log pi by."""

    unsquashed: np.ndarray
    q: float
    scaled_log_policy: float
    advantage: float


def gmm_draws(agent: GmmSac, networks: Any, batch: Batch, noise: Any) -> list[GmmDraw]:
    """What the policy does at every observation of the batch, given the noise."""
    draws = []
    for row, uniform, normal in zip(rows(batch, np.zeros(BATCH)), *noise, strict=True):
        components = gmm_components(mlp(networks.policy, row.here), agent.components)
        index, cumulative = 0, components[0][0]
        while uniform > cumulative:
            index += 1
            cumulative += components[index][0]
        _, mean, sigma = components[index]
        x = mean + sigma * np.asarray(normal)
        log_policy = gmm_log_density(components, x) - sum(
            math.log(1 - math.tanh(u) ** 2 + 1e-6) for u in x
        )
        q = float(mlp(networks.q, row.here, np.tanh(x))[0])
        v = float(mlp(networks.v, row.here)[0])
        scaled = agent.entropy_scale * log_policy
        draws.append(GmmDraw(x, q, scaled, scaled - q + v))
    return draws


def gmm_sac_losses(
    agent: GmmSac, networks: Any, target_v: Any, batch: Batch, rewards: Any, draws: list[GmmDraw]
) -> dict[str, float]:
    """The three losses of the paper's agent, with the draws held fixed."""
    q_total = v_total = score_total = 0.0
    means, log_sigmas = [], []
    for row, draw in zip(rows(batch, rewards), draws, strict=True):
        v_next = float(mlp(target_v, row.there)[0])
        y = row.reward + (0.0 if row.terminated else agent.discount * v_next)
        q_total += 0.5 * (y - float(mlp(networks.q, row.here, row.action)[0])) ** 2
        v = float(mlp(networks.v, row.here)[0])
        v_total += 0.5 * (draw.q - draw.scaled_log_policy - v) ** 2
        components = gmm_components(mlp(networks.policy, row.here), agent.components)
        score_total += gmm_log_density(components, draw.unsquashed) * draw.advantage
        means += [mean for _, mean, _ in components]
        log_sigmas += [np.log(sigma) for _, _, sigma in components]
    regularizer = 0.5 * np.mean(np.square(log_sigmas)) + 0.5 * np.mean(np.square(means))
    return {
        "q": q_total / BATCH,
        "v": v_total / BATCH,
        "policy": score_total / BATCH + agent.regularization * float(regularizer),
    }


def sac_action(policy: Any, situation: np.ndarray, normal: Any) -> tuple[np.ndarray, float]:
    """A squashed Gaussian action and its log density, by change of variables."""
    outputs = mlp(policy, situation)
    actions = len(outputs) // 2
    mean, sigma = outputs[:actions], np.exp(np.clip(outputs[actions:], -5.0, 2.0))
    x = mean + sigma * np.asarray(normal)
    log_policy = 0.0
    for u, m, s in zip(x, mean, sigma, strict=True):
        density = math.exp(-0.5 * ((u - m) / s) ** 2) / (s * math.sqrt(2 * math.pi))
        log_policy += math.log(density / (1 - math.tanh(u) ** 2))
    return np.tanh(x), log_policy


def sac_losses(
    agent: Sac, networks: Any, target_twin_q: Any, batch: Batch, rewards: Any, noise: Any
) -> dict[str, float]:
    """The three losses of the modern agent; rewards [batch], or [batch, 2] where critics are vectors."""
    twins = [jax.tree.map(lambda a, i=i: np.asarray(a)[i], networks.twin_q) for i in (0, 1)]
    targets = [jax.tree.map(lambda a, i=i: np.asarray(a)[i], target_twin_q) for i in (0, 1)]
    scale = math.exp(networks.log_entropy_scale) if agent.entropy_scale > 0 else 0.0
    target_entropy = SIZES.action * agent.target_entropy_per_action
    if agent.target_entropy is not None:
        target_entropy = agent.target_entropy
    is_vector = np.ndim(rewards) == 2

    def q_of(network: Any, situation: np.ndarray, action: np.ndarray, row: Row) -> float:
        outputs = mlp(network, situation, action)
        return float(outputs @ row.skill) if is_vector else float(outputs[0])

    q_total = policy_total = excess_total = 0.0
    for row, here, there in zip(rows(batch, rewards), *noise, strict=True):
        a2, log_policy2 = sac_action(networks.policy, row.there, there)
        follows = 0.0 if row.terminated else agent.discount
        if is_vector:
            lower = min(targets, key=lambda q: q_of(q, row.there, a2, row))
            y = row.reward + follows * mlp(lower, row.there, a2)
            q_total += sum(np.mean((y - mlp(q, row.here, row.action)) ** 2) for q in twins)
        else:
            soft_value = min(q_of(q, row.there, a2, row) for q in targets) - scale * log_policy2
            y = row.reward + follows * soft_value
            q_total += sum(0.5 * (y - q_of(q, row.here, row.action, row)) ** 2 for q in twins)
        a, log_policy = sac_action(networks.policy, row.here, here)
        policy_total += scale * log_policy - min(q_of(q, row.here, a, row) for q in twins)
        excess_total += -log_policy - target_entropy
    return {
        "q": float(q_total) / BATCH,
        "policy": policy_total / BATCH,
        "entropy_scale": float(networks.log_entropy_scale) * excess_total / BATCH
        if agent.tune_entropy
        else 0.0,
    }


def sac_value(agent: Sac, networks: Any, situation: np.ndarray, normal: Any) -> float:
    """min Q - alpha log pi of one sampled action, Q = psi^T z where critics have several outputs."""
    twins = [jax.tree.map(lambda a, i=i: np.asarray(a)[i], networks.twin_q) for i in (0, 1)]
    action, log_policy = sac_action(networks.policy, situation, normal)
    outputs = [mlp(q, situation, action) for q in twins]
    skill = situation[SIZES.observation :]
    q = min(float(out @ skill) if len(out) > 1 else float(out[0]) for out in outputs)
    return (
        q - (math.exp(networks.log_entropy_scale) if agent.entropy_scale > 0 else 0.0) * log_policy
    )


def discrete_sac_losses(
    agent: DiscreteSac, networks: Any, target_twin_q: Any, batch: Batch, rewards: Any
) -> dict[str, float]:
    """The three losses of the agent for discrete actions, one action at a time."""
    twins = [jax.tree.map(lambda a, i=i: np.asarray(a)[i], networks.twin_q) for i in (0, 1)]
    targets = [jax.tree.map(lambda a, i=i: np.asarray(a)[i], target_twin_q) for i in (0, 1)]
    scale = math.exp(networks.log_entropy_scale) if agent.entropy_scale > 0 else 0.0
    target_entropy = agent.target_entropy_share * math.log(SIZES.action)

    def worth(situation: np.ndarray, critics: list[Any]) -> tuple[float, float]:
        """The soft value of a situation, and the policy's entropy there."""
        odds = [math.exp(logit) for logit in mlp(networks.policy, situation)]
        value = found_entropy = 0.0
        for action, chance in enumerate(odds / np.sum(odds)):
            q = min(float(mlp(critic, situation)[action]) for critic in critics)
            value += chance * (q - scale * math.log(chance))
            found_entropy -= chance * math.log(chance)
        return value, found_entropy

    q_total = policy_total = excess_total = 0.0
    for row in rows(batch, rewards):
        bootstrap, _ = worth(row.there, targets)
        y = row.reward + (0.0 if row.terminated else agent.discount * bootstrap)
        action = int(np.argmax(row.action))
        q_total += sum(0.5 * (y - float(mlp(q, row.here)[action])) ** 2 for q in twins)
        value, found_entropy = worth(row.here, twins)
        policy_total -= value
        excess_total += found_entropy - target_entropy
    return {
        "q": q_total / BATCH,
        "policy": policy_total / BATCH,
        "entropy_scale": float(networks.log_entropy_scale) * excess_total / BATCH
        if agent.tune_entropy
        else 0.0,
    }


class Example(NamedTuple):
    """An agent's state, a batch with its noise, and what the agent makes of them, in float64."""

    state: Any
    batch: Batch
    rewards: np.ndarray
    noise: Any
    losses: dict[str, np.ndarray]
    gradients: dict[str, Any]  # of every loss in every network
    after: Any
    losses_of_update: dict[str, np.ndarray]


@functools.cache
def example(agent: GmmSac | Sac | DiscreteSac, sizes: Sizes = SIZES) -> Example:
    """The agent at random parameters (zero biases and equal targets would hide mistakes)."""
    generator = np.random.default_rng(0)
    columns: dict[str, Any] = {
        "observation": generator.normal(size=(BATCH, SIZES.observation)),
        "action": generator.uniform(-1.0, 1.0, size=(BATCH, SIZES.action)),
        "next_observation": generator.normal(size=(BATCH, SIZES.observation)),
        "terminated": np.array([0.0, 1.0, 0.0, 0.0, 1.0]),
        "skill": SKILLS if sizes.reward else np.eye(SIZES.skill)[[0, 1, 1, 0, 0]],
    }
    if agent.actions == "discrete":
        columns["action"] = np.eye(SIZES.action)[columns["action"].argmax(axis=1)]
    batch = Batch(**columns)
    rewards: Any = generator.normal(size=(BATCH, *(sizes.reward,) * (sizes.reward > 0)))

    def make(key: jax.Array) -> tuple[Any, Any]:
        noise = agent.update_noise(key, (BATCH,), SIZES.action)
        return agent.init(key, sizes), noise

    shapes, noise_shapes = jax.eval_shape(make, jax.random.key(0))
    networks, target = jax.tree.map(lambda a: generator.normal(0.0, 0.6, a.shape), shapes[:2])
    noise = jax.tree.map(lambda a: generator.uniform(size=a.shape), noise_shapes)
    optimizer = jax.tree.map(lambda a: np.zeros(a.shape, a.dtype), shapes[2])
    state = type(shapes)(networks, target, optimizer)

    def outcome(state: Any) -> tuple[Any, ...]:
        def losses(networks: Any) -> tuple[dict[str, jax.Array], dict[str, jax.Array]]:
            found = agent.losses(networks, state[1], batch, rewards, noise)
            return found, found

        gradients, found = jax.jacrev(losses, has_aux=True)(state.networks)
        return found, gradients, *agent.update(state, batch, rewards, noise, LEARNING_RATE)

    with jax.enable_x64(True):
        found = jax.tree.map(np.asarray, jax.jit(outcome)(state))
    return Example(state, batch, rewards, noise, *found)


def finite_differences(function: Any, tree: Any, step: float = 1e-6) -> list[np.ndarray]:
    """Central differences of a function of a pytree, leaf by leaf."""
    tree = jax.tree.map(np.array, tree)  # NumPy copies, changed in place below
    gradients = []
    for leaf in jax.tree.leaves(tree):
        gradient = np.zeros_like(leaf)
        for index in np.ndindex(leaf.shape):
            value = leaf[index]
            leaf[index] = value + step
            above = function(tree)
            leaf[index] = value - step
            below = function(tree)
            leaf[index] = value
            gradient[index] = (above - below) / (2 * step)
        gradients.append(gradient)
    return gradients


def assert_close(found: Any, expected: Any, atol: float) -> None:
    """Every array of the one pytree equals its counterpart in the other."""
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=atol), found, expected)


def adams_first_step(weights: Any, gradients: Any) -> Any:
    """Bias-corrected moments of one gradient are g and g ** 2: a step of lr g / (|g| + 1e-8)."""
    return jax.tree.map(lambda w, g: w - LEARNING_RATE * g / (np.abs(g) + 1e-8), weights, gradients)
