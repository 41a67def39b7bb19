"""Over which devices learners are spread: all that JAX has, unless their environments run outside it.

Learners are independent, so each device runs the program of its own learners and none waits for another.
"""

from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from autotelic.environments import HostEnvironment

AXIS = "learners"
EACH, ALL = PartitionSpec(AXIS), PartitionSpec()
"""Of arrays: a part of their leading axis on each device, or the whole on all."""


def devices_for(environment: Any, members: int) -> Mesh | None:
    """The devices that share so many learners; None where they stay on one.

    A host environment's step is a call that acts for all learners of a program together, so they stay on
    one device, and that is the CPU: what is called has no other memory.
    """
    devices = jax.local_devices()[:members]
    if isinstance(environment, HostEnvironment):
        if jax.default_backend() != "cpu":
            raise ValueError(
                "an environment that runs outside JAX is stepped by programs on the CPU, and JAX uses "
                f"{jax.default_backend()!r}; set JAX_PLATFORMS=cpu, or take an environment compiled in JAX"
            )
        return None
    if len(devices) == 1:
        return None
    return Mesh(np.array(devices), (AXIS,))


def count(mesh: Mesh | None) -> int:
    """How many devices share the learners."""
    return 1 if mesh is None else mesh.size


def idle_note(environment: Any) -> str:
    """What a user should know of devices that are left alone; "" if none are."""
    number = len(jax.local_devices())
    if number == 1 or not isinstance(environment, HostEnvironment):
        return ""
    return (
        f"one of {number} devices is used: the environment runs outside JAX, and its learners are not "
        "spread over devices"
    )


def places(members: int, mesh: Mesh | None) -> int:
    """The length of the learners' axis: the least that the devices divide."""
    return -(-members // count(mesh)) * count(mesh)


def spread(tree: Any, members: int, mesh: Mesh) -> Any:
    """Arrays [members, ...] over the devices, [places, ...]; the last member is repeated in idle places."""
    length = places(members, mesh)
    rows = np.minimum(np.arange(length), members - 1)
    sharding = NamedSharding(mesh, EACH)

    def put(leaf: Any) -> jax.Array:
        padded = leaf if length == members else leaf[rows]
        # Never the buffer that is given: a visit takes over the learners' own.
        return jax.device_put(padded, sharding, may_alias=False)

    return jax.tree.map(put, tree)
