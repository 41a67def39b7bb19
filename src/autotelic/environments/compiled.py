"""Environments that other packages compile in JAX, by name: `brax::ant`, `playground::CheetahRun`.

Two colons, because one is Gymnasium's, between a module and its id.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from autotelic import _names, _validate
from autotelic._modules import safe_path
from autotelic.environments.base import EnvironmentStep

MARK = "::"
SEEN = "state"
"""What a policy sees of observations that are a dict; the rest is for critics, or pictures."""


class Suite(NamedTuple):
    """A package of such environments.

    Args:
        module: where its environments are found.
        names: of all of them.
        make: one of them, from the module, its name and its options.
        episode_length: steps of an episode, from the module and the name, as the package itself trains.
    """

    module: str
    names: Callable[[Any], list[str]]
    make: Callable[[Any, str, Mapping[str, Any]], Any]
    episode_length: Callable[[Any, str], int]


def _of_playground(registry: Any, name: str, options: Mapping[str, Any]) -> Any:
    """An environment with physics in JAX. Playground's own choice is often Warp, whose kernels keep the model
    where programs that are compiled ahead, as ours are, do not find it.
    """
    if options.get("impl", "jax") != "jax":
        raise ValueError(f"impl must be 'jax', got {options['impl']!r}; leave it out")
    if "impl" in registry.get_default_config(name):
        options = {**options, "impl": "jax"}
    return registry.load(name, config_overrides=dict(options))


SUITES = {
    "brax": Suite(
        "brax.envs",
        lambda module: list(module._envs),
        lambda module, name, options: module.get_environment(name, **options),
        lambda module, name: 1000,
    ),
    "playground": Suite(
        "mujoco_playground",
        lambda module: list(module.registry.ALL_ENVS),
        lambda module, name, options: _of_playground(module.registry, name, options),
        lambda module, name: int(module.registry.get_default_config(name).episode_length),
    ),
}
"""By the word before the colons, which is the name of the extra that installs it too."""


class CompiledState(NamedTuple):
    """The package's own state, and for how many steps the episode has lasted."""

    inner: Any
    time: jax.Array


@dataclass(frozen=True)
class CompiledEnvironment:
    """One environment of a suite as pure functions, for one learner.

    Its episodes end where the environment says so, or are cut after `episode_length` steps. A new one
    begins with a start of its own, not with the first one's again.

    Args:
        id: the suite and the name, such as "brax::ant".
        options: of the environment, and `episode_length` (by default what its suite trains with). Those of
            Brax are arguments (`backend="spring"`), those of Playground entries of its configuration.
    """

    id: str
    options: Mapping[str, Any] = field(default_factory=dict)

    observation_size: int = field(init=False)
    action_size: int = field(init=False)
    episode_length: int = field(init=False)
    pays_reward: bool = field(init=False, default=True)
    inner: Any = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        suite, module = _opened(self.id)
        name = self.id.partition(MARK)[2]
        if name not in suite.names(module):
            raise ValueError(_unknown(self.id, suite.names(module)))
        options = dict(self.options)
        length = options.pop("episode_length", None)
        if length is not None:
            _validate.integer("episode_length", length, minimum=1)
        try:
            inner = suite.make(module, name, options)
            start = jax.eval_shape(inner.reset, jax.eval_shape(_plain_key, jax.random.key(0)))
        except Exception as error:  # whatever a package finds wrong with its options
            given = f" with {options}" if options else ""
            message = f"{self.id} cannot be made{given}: {type(error).__name__}: {error}"
            raise ValueError(message) from error
        found = {
            "observation_size": _size(self.id, start.obs),
            "action_size": int(inner.action_size),
            "episode_length": length or suite.episode_length(module, name),
            "inner": inner,
        }
        for attribute, value in found.items():
            object.__setattr__(self, attribute, value)

    @property
    def caution(self) -> str:
        """What a user should know before training here; "" on an accelerator."""
        if jax.default_backend() != "cpu":
            return ""
        return (
            f"{self.id} is physics compiled for accelerators, and slow on a CPU: playground::CheetahRun "
            "makes tens of steps a second there, Gymnasium's HalfCheetah-v5 tens of thousands"
        )

    def reset(self, key: jax.Array) -> tuple[CompiledState, jax.Array]:
        """The start of an episode, and its observation [observation_size]."""
        inner = self.inner.reset(_plain_key(key))
        # Of types that are said: those that follow from Python's numbers would not survive a step.
        inner = jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.result_type(leaf)), inner)
        return CompiledState(inner, jnp.zeros((), jnp.int32)), _seen(inner.obs)

    def step(
        self, state: CompiledState, action: jax.Array, key: jax.Array
    ) -> tuple[CompiledState, EnvironmentStep]:
        """The step that `action` [action_size] in [-1, 1] leads to; a new episode begins where one ends."""
        inner = self.inner.step(state.inner, action)
        moved = CompiledState(inner, state.time + 1)
        terminated = jnp.asarray(inner.done) > 0
        truncated = (moved.time >= self.episode_length) & ~terminated
        ended = terminated | truncated
        fresh, first = self.reset(key)
        following = jax.tree.map(
            lambda new, old: jnp.where(ended, new, jnp.asarray(old, new.dtype)), fresh, moved
        )
        reached = _seen(inner.obs)
        step = EnvironmentStep(
            reached,
            terminated,
            truncated,
            jnp.where(ended, first, reached),
            jnp.asarray(inner.reward, jnp.float32),
        )
        return following, step


def _plain_key(key: jax.Array) -> jax.Array:
    """A key as two numbers: environments keep keys in their state, and checkpoints hold numbers."""
    return jax.random.key_data(key)


def _seen(observation: Any) -> jax.Array:
    part = observation[SEEN] if isinstance(observation, Mapping) else observation
    return jnp.asarray(part, jnp.float32)


def _size(id: str, observation: Any) -> int:
    """The entries of an observation, or a refusal."""
    if isinstance(observation, Mapping):
        if SEEN not in observation:
            raise ValueError(
                f"{id} observes {', '.join(observation)}, and no {SEEN!r}; learners see vectors, so choose "
                "an environment, or options of it, that have one"
            )
        observation = observation[SEEN]
    if len(observation.shape) != 1:
        raise ValueError(
            f"{id} has observations of shape {list(observation.shape)}, and learners see vectors; choose "
            "another environment"
        )
    return int(observation.shape[0])


def _opened(id: str) -> tuple[Suite, Any]:
    """The suite of an id and its module, or what to install."""
    word = id.partition(MARK)[0]
    if word not in SUITES:
        raise ValueError(_validate.unknown("suite of environments", word, SUITES))
    suite = SUITES[word]
    _names.check_allowed(id)
    try:
        with safe_path():  # as in `making`
            return suite, import_module(suite.module)
    except ImportError as error:
        package = suite.module.partition(".")[0]
        raise ImportError(
            f"{id} needs {package} ({error}): pip install 'autotelic[{word}]'"
        ) from error


def _unknown(id: str, names: list[str]) -> str:
    """The sentence for an unknown name: the nearest, or all."""
    word, _, name = id.partition(MARK)
    lower = {one.lower(): one for one in names}
    near = [lower[match] for match in get_close_matches(name.lower(), lower, n=3, cutoff=0.5)]
    those = f"nearest: {', '.join(f'{word}{MARK}{one}' for one in near)}"
    return f"unknown environment {id!r}; " + (those if near else f"{word} has {', '.join(names)}")
