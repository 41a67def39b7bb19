"""Host environments seen from a compiled program: for every step it calls out, and waits.

So one compiled epoch serves both kinds of environment. A call costs a few microseconds; leaving the
program after every step to come back with some ninety arrays of state would cost most of a
millisecond.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.buffer_callback import buffer_callback

from autotelic.environments.base import EnvironmentStep

StepCrew = Callable[[int, np.ndarray], EnvironmentStep]


class CallbackEnvironment:
    """A JAX environment whose steps are made by a Python function.

    Its state is the number of the crew that the learner belongs to. Learners behind one `vmap` call
    out together, once a step: `step_crew(crew, actions [members, action])` acts for all of them.

    rewarded: whether steps are to hold what the environments paid.
    """

    def __init__(self, observation_size: int, step_crew: StepCrew, rewarded: bool = False):
        self.observation_size = observation_size
        self.step_crew = step_crew
        self.rewarded = rewarded

    def step(
        self, state: jax.Array, action: jax.Array, key: jax.Array
    ) -> tuple[jax.Array, EnvironmentStep]:
        """See `JaxEnvironment.step`; the key is not used, host environments have their own."""
        del key
        size = self.observation_size
        call = buffer_callback(
            self._call,
            jax.ShapeDtypeStruct((2 * size + 2 + self.rewarded,), jnp.float32),
            has_side_effect=True,
            vmap_method="broadcast_all",
        )
        packed = call(state, action)
        assert isinstance(packed, jax.Array)
        following, observation, terminated, truncated, *reward = jnp.split(
            packed, [size, 2 * size, 2 * size + 1, 2 * size + 2][: 3 + self.rewarded]
        )
        step = EnvironmentStep(
            following,
            terminated[0] > 0,
            truncated[0] > 0,
            observation,
            reward[0][0] if reward else None,
        )
        return state, step

    def _call(self, context: Any, packed: Any, state: Any, action: Any) -> None:
        """Fill `packed` [members, 2 observation + 2 or 3] with what the actions led to."""
        del context
        actions = np.asarray(action)
        step = self.step_crew(
            int(np.asarray(state).flat[0]), actions.reshape(-1, actions.shape[-1])
        )
        size = self.observation_size
        width = 2 * size + 2 + self.rewarded
        rows = np.asarray(packed).reshape(-1, width)  # one learner comes without an axis
        rows[..., :size] = step.next_observation
        rows[..., size : 2 * size] = step.observation
        rows[..., 2 * size] = step.terminated
        rows[..., 2 * size + 1] = step.truncated
        if self.rewarded:
            rows[..., 2 * size + 2] = step.reward
