"""Host environments seen from a compiled program: for every step it calls out, and waits.

So one compiled epoch serves both kinds of environment. A call costs a few microseconds; leaving the
program after every step to come back with some ninety arrays of state would cost most of a
millisecond.
"""

import itertools
from collections.abc import Callable
from functools import cache
from weakref import WeakValueDictionary

import jax
import jax.numpy as jnp
import numpy as np

from autotelic.environments import foreign
from autotelic.environments.base import EnvironmentStep

StepCrew = Callable[[int, np.ndarray], EnvironmentStep]

NAME = "autotelic_step_environments"
_answering: WeakValueDictionary[int, StepCrew] = WeakValueDictionary()
_numbers = itertools.count()


def answer_by(step_crew: StepCrew) -> int:
    """The number by which compiled programs call this function, as long as somebody holds it."""
    _register()
    number = next(_numbers)
    _answering[number] = step_crew
    return number


@cache
def _register() -> None:
    foreign.register(NAME, _answer)


class CallbackEnvironment:
    """A JAX environment whose steps are made by a Python function.

    Its state is the number of the crew that the learner belongs to. Learners behind one `vmap` call
    out together, once a step: `step_crew(crew, actions [members, action])` acts for all of them.

    caller: the number of `step_crew` from `answer_by`, an argument of the program: so the program is the
        same in every process, and can be kept.
    rewarded: whether steps are to hold what the environments paid.
    """

    def __init__(self, observation_size: int, caller: jax.Array, rewarded: bool = False):
        self.observation_size = observation_size
        self.caller = caller
        self.rewarded = rewarded

    def step(
        self, state: jax.Array, action: jax.Array, key: jax.Array
    ) -> tuple[jax.Array, EnvironmentStep]:
        """See `JaxEnvironment.step`; the key is not used, host environments have their own."""
        del key
        size = self.observation_size
        call = jax.ffi.ffi_call(
            NAME,
            jax.ShapeDtypeStruct((2 * size + 2 + self.rewarded,), jnp.float32),
            has_side_effect=True,
            vmap_method="broadcast_all",
        )
        packed = call(self.caller, state, action)
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


def _answer(arguments: list[np.ndarray], results: list[np.ndarray]) -> None:
    """Fill the result [members, 2 observation + 2 or 3] with what the actions led to."""
    caller, state, action = arguments
    step_crew = _answering[int(caller.flat[0])]
    step = step_crew(int(state.flat[0]), action.reshape(-1, action.shape[-1]))
    (packed,) = results
    rows = packed.reshape(-1, packed.shape[-1])  # one learner comes without an axis
    size = step.observation.shape[-1]
    rows[:, :size] = step.next_observation
    rows[:, size : 2 * size] = step.observation
    rows[:, 2 * size] = step.terminated
    rows[:, 2 * size + 1] = step.truncated
    if rows.shape[1] > 2 * size + 2:
        rows[:, 2 * size + 2] = step.reward
