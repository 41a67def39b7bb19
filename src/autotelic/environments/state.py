"""The state of one Gymnasium environment as JSON values, so that a resumed run continues exactly.

MuJoCo tasks of Gymnasium give it through MuJoCo's own state vector. Any other environment can offer
two methods: `state_dict()`, which returns JSON values, and `load_state_dict(state)`; its random
generator `np_random` and the time limit are taken care of here.
"""

import importlib
from typing import Any

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


def why_no_state(environment: gymnasium.Env) -> str | None:
    """Why the environment's state cannot be saved; None where it can."""
    outer, innermost = _split(environment)
    for wrapper in outer:
        if not isinstance(wrapper, (*STATELESS, wrappers.TimeLimit)):
            return f"its wrapper {type(wrapper).__name__} may keep a state of its own"
    if not _is_gymnasium_mujoco(innermost) and not _has_hook(innermost):
        return f"{type(innermost).__name__} has no methods state_dict() and load_state_dict(state)"
    if not isinstance(innermost.np_random.bit_generator, np.random.PCG64):
        return f"{type(innermost).__name__}.np_random is not the generator Gymnasium seeds"
    return None


def read_state(environment: gymnasium.Env) -> dict[str, Any]:
    """All that the environment's next steps depend on, as JSON values."""
    outer, innermost = _split(environment)
    return {
        "elapsed_steps": [w._elapsed_steps for w in outer if isinstance(w, wrappers.TimeLimit)],
        "generator": innermost.np_random.bit_generator.state,
        "environment": (
            _read_mujoco(innermost) if _is_gymnasium_mujoco(innermost) else innermost.state_dict()
        ),
    }


def write_state(environment: gymnasium.Env, state: dict[str, Any]) -> None:
    """Continue from what `read_state` gave; the environment must have been reset once."""
    outer, innermost = _split(environment)
    limits = [wrapper for wrapper in outer if isinstance(wrapper, wrappers.TimeLimit)]
    for limit, elapsed in zip(limits, state["elapsed_steps"], strict=True):
        limit._elapsed_steps = elapsed
    innermost.np_random.bit_generator.state = state["generator"]
    if _is_gymnasium_mujoco(innermost):
        _write_mujoco(innermost, state["environment"])
    else:
        innermost.load_state_dict(state["environment"])


def _split(environment: gymnasium.Env) -> tuple[list[Any], Any]:
    """The wrappers, and the environment inside them."""
    *outer, innermost = layers(environment)
    return outer, innermost


def _has_hook(environment: Any) -> bool:
    return hasattr(environment, "state_dict") and hasattr(environment, "load_state_dict")


def _is_gymnasium_mujoco(environment: Any) -> bool:
    # A class derived from these elsewhere may keep more than MuJoCo's state: it must use the hook.
    return type(environment).__module__.startswith("gymnasium.envs.mujoco.")


def _read_mujoco(environment: Any) -> dict[str, Any]:
    mujoco: Any = importlib.import_module("mujoco")
    # INTEGRATION: the solver's warm start too, without which the last bits differ.
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    vector = np.empty(mujoco.mj_stateSize(environment.model, kind))
    mujoco.mj_getState(environment.model, environment.data, vector, kind)
    positions = {name: getattr(environment.data, name).tolist() for name in BODY_POSITIONS}
    return {"integration": vector.tolist(), **positions}


def _write_mujoco(environment: Any, state: dict[str, Any]) -> None:
    mujoco: Any = importlib.import_module("mujoco")
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    mujoco.mj_setState(environment.model, environment.data, np.array(state["integration"]), kind)
    for name in BODY_POSITIONS:
        getattr(environment.data, name)[:] = state[name]
