"""The state of one Gymnasium environment as JSON values, so that a resumed run continues exactly.

MuJoCo tasks of Gymnasium give it through MuJoCo's own state vector, its classic control tasks (CartPole,
Acrobot, Pendulum, MountainCar) in their attribute `state`; the Fetch tasks and mazes of Gymnasium-Robotics
as MuJoCo tasks, with their goal. Any other environment can offer two methods:
`state_dict()`, which returns JSON values, and `load_state_dict(state)`; its random generator
`np_random` and the time limit are taken care of here. So can a wrapper that carries a state.
"""

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import wrappers

from autotelic.environments.making import layers

# Wrappers that carry nothing from one step to the next.
STATELESS = (
    wrappers.OrderEnforcing,
    wrappers.PassiveEnvChecker,
    wrappers.ClipAction,
    wrappers.RescaleAction,
    wrappers.TransformAction,
    wrappers.FlattenObservation,
    wrappers.FilterObservation,
    wrappers.ReshapeObservation,
    wrappers.RescaleObservation,
    wrappers.DtypeObservation,
    wrappers.TransformReward,
)

# Ant and Humanoid measure their velocity from these, which a MuJoCo step leaves one substep behind
# the state vector; they touch rewards and information only.
BODY_POSITIONS = ("xpos", "xipos")
BODY_ANGLES = ("xquat", "xmat", "site_xpos", "site_xmat")


def why_no_state(environment: gymnasium.Env) -> str | None:
    """Why the environment's state cannot be saved; None where it can."""
    outer, innermost = _split(environment)
    for wrapper in outer:
        if not isinstance(wrapper, (*STATELESS, wrappers.TimeLimit)) and not _is_saved(wrapper):
            return f"its wrapper {type(wrapper).__name__} may keep a state of its own"
    if _way(innermost) is None:
        return f"{type(innermost).__name__} has no methods state_dict() and load_state_dict(state)"
    if not isinstance(innermost.np_random.bit_generator, np.random.PCG64):
        return f"{type(innermost).__name__}.np_random is not the generator Gymnasium seeds"
    return None


def read_state(environment: gymnasium.Env) -> dict[str, Any]:
    """All that the environment's next steps depend on, as JSON values."""
    outer, innermost = _split(environment)
    way = _way(innermost)
    assert way is not None  # or `why_no_state` says so
    carried = [wrapper.state_dict() for wrapper in outer if _is_saved(wrapper)]
    return {
        "elapsed_steps": [w._elapsed_steps for w in outer if isinstance(w, wrappers.TimeLimit)],
        "generator": innermost.np_random.bit_generator.state,
        "environment": way.read(innermost),
        **({"wrappers": carried} if carried else {}),
    }


def write_state(environment: gymnasium.Env, state: dict[str, Any]) -> None:
    """Continue from what `read_state` gave; the environment must have been reset once."""
    outer, innermost = _split(environment)
    limits = [wrapper for wrapper in outer if isinstance(wrapper, wrappers.TimeLimit)]
    for limit, elapsed in zip(limits, state["elapsed_steps"], strict=True):
        limit._elapsed_steps = elapsed
    saved = [wrapper for wrapper in outer if _is_saved(wrapper)]
    for wrapper, carried in zip(saved, state.get("wrappers", []), strict=True):
        wrapper.load_state_dict(carried)
    innermost.np_random.bit_generator.state = state["generator"]
    way = _way(innermost)
    assert way is not None
    way.write(innermost, state["environment"])


def _split(environment: gymnasium.Env) -> tuple[list[Any], Any]:
    """The wrappers, and the environment inside them."""
    *outer, innermost = layers(environment)
    return outer, innermost


def _is_saved(wrapper: Any) -> bool:
    """Whether a wrapper has both methods itself, and does not hand on those of what it wraps."""
    return {"state_dict", "load_state_dict"} <= vars(type(wrapper)).keys()


class _Way(NamedTuple):
    """How the state of an environment is read, and written back."""

    read: Callable[[Any], dict[str, Any]]
    write: Callable[[Any, dict[str, Any]], None]


def _way(environment: Any) -> _Way | None:
    """The way for this environment, if there is one."""
    # A class derived elsewhere from Gymnasium's may keep more than they do: it must use the hook.
    module = type(environment).__module__
    if module.startswith("gymnasium.envs.mujoco."):
        return _Way(read_mujoco, write_mujoco)
    if module.startswith(("gymnasium_robotics.envs.fetch.", "gymnasium_robotics.envs.maze.")):
        return _Way(_read_robotics, _write_robotics)
    if module.startswith("gymnasium.envs.classic_control."):
        return _Way(_read_classic, _write_classic)
    if hasattr(environment, "state_dict") and hasattr(environment, "load_state_dict"):
        return _Way(lambda own: own.state_dict(), lambda own, state: own.load_state_dict(state))
    return None


def _read_classic(environment: Any) -> dict[str, Any]:
    # All else that a step changes serves rendering, or warns of steps beyond an episode's end. Acrobot
    # begins an episode in float32 and goes on in float64: the type decides the last bits.
    state = np.asarray(environment.state)
    return {"state": state.tolist(), "type": state.dtype.name}


def _write_classic(environment: Any, state: dict[str, Any]) -> None:
    environment.state = np.array(state["state"], state["type"])


def read_mujoco(environment: Any) -> dict[str, Any]:
    """The state of a MuJoCo environment of Gymnasium's, as JSON values."""
    mujoco: Any = importlib.import_module("mujoco")
    # INTEGRATION: the solver's warm start too, without which the last bits differ.
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    vector = np.empty(mujoco.mj_stateSize(environment.model, kind))
    mujoco.mj_getState(environment.model, environment.data, vector, kind)
    positions = {name: getattr(environment.data, name).tolist() for name in BODY_POSITIONS}
    return {"integration": vector.tolist(), **positions}


def write_mujoco(environment: Any, state: dict[str, Any]) -> None:
    """Continue from what `read_mujoco` gave."""
    mujoco: Any = importlib.import_module("mujoco")
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    mujoco.mj_setState(environment.model, environment.data, np.array(state["integration"]), kind)
    for name in BODY_POSITIONS:
        getattr(environment.data, name)[:] = state[name]


def _read_robotics(environment: Any) -> dict[str, Any]:
    # A step of Fetch begins where its last one left the bodies, a substep behind the state vector.
    moved: Any = _moved(environment)
    angles = {name: getattr(moved.data, name).tolist() for name in BODY_ANGLES}
    own = {
        name: np.asarray(getattr(environment, name)).tolist()
        for name in ("goal", "reset_pos")
        if hasattr(environment, name)
    }
    return {"body": read_mujoco(moved), "angles": angles, "own": own, "clock": _generator(moved)}


def _write_robotics(environment: Any, state: dict[str, Any]) -> None:
    moved: Any = _moved(environment)
    write_mujoco(moved, state["body"])
    for name, values in state["angles"].items():
        getattr(moved.data, name)[:] = values
    for name, value in state["own"].items():
        setattr(environment, name, np.array(value))
    if state["clock"] is not None:
        moved.np_random.bit_generator.state = state["clock"]


def _moved(environment: Any) -> Any:
    """What a maze of Gymnasium-Robotics moves, an environment of its own; otherwise itself."""
    for name in ("point_env", "ant_env"):
        if hasattr(environment, name):
            return getattr(environment, name)
    return environment


def _generator(environment: Any) -> Any:
    """The random numbers of an environment within another, which has none unless it asked for any."""
    own = getattr(environment, "_np_random", None)
    return None if own is None else own.bit_generator.state
