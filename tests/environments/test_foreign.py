"""Python functions that compiled programs call by a name."""

import gc
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autotelic.environments import callback, foreign
from autotelic.environments.base import EnvironmentStep
from autotelic.environments.callback import CallbackEnvironment, answer_by


@pytest.fixture(scope="module")
def told() -> Iterator[list[list[np.ndarray]]]:
    """Arguments of all calls of `test_weighted`, which weighs rows by whole numbers."""
    calls = []

    def weighted(arguments: list[np.ndarray], results: list[np.ndarray]) -> None:
        calls.append([argument.copy() for argument in arguments])
        numbers, rows = arguments
        results[0][...] = numbers[..., None] * rows
        results[1][...] = numbers + 1

    foreign.register("test_weighted", weighted)
    yield calls


def call_weighted(number: jax.Array, row: jax.Array) -> list[jax.Array]:
    results = [
        jax.ShapeDtypeStruct(row.shape, jnp.float32),
        jax.ShapeDtypeStruct((), jnp.int32),
    ]
    call = jax.ffi.ffi_call(
        "test_weighted", results, has_side_effect=True, vmap_method="broadcast_all"
    )
    return list(call(number, row))


def test_a_function_sees_the_arguments_and_fills_in_the_results(told: list[list[np.ndarray]]):
    told.clear()
    numbers = jnp.array([2, -3], jnp.int32)
    rows = jnp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    weighted, following = jax.jit(jax.vmap(call_weighted))(numbers, rows)
    np.testing.assert_array_equal(weighted, [[2.0, 4.0, 6.0], [-12.0, -15.0, -18.0]])
    np.testing.assert_array_equal(following, [3, -2])
    ((seen_numbers, seen_rows),) = told  # both rows came in one call
    assert seen_numbers.dtype == np.int32 and seen_rows.dtype == np.float32
    np.testing.assert_array_equal(seen_rows, rows)


def test_a_single_number_comes_without_axes(told: list[list[np.ndarray]]):
    told.clear()
    weighted, following = jax.jit(call_weighted)(jnp.int32(5), jnp.array([1.0, 0.5]))
    np.testing.assert_array_equal(weighted, [5.0, 2.5])
    assert int(following) == 6 and told[0][0].shape == ()


def test_what_a_function_raises_ends_the_program_and_is_told():
    def fails(arguments: list[np.ndarray], results: list[np.ndarray]) -> None:
        raise LookupError("no such ünit")

    foreign.register("test_fails", fails)
    call = jax.ffi.ffi_call("test_fails", jax.ShapeDtypeStruct((), jnp.float32))
    with pytest.raises(jax.errors.JaxRuntimeError, match="LookupError: no such ünit"):
        jax.block_until_ready(jax.jit(call)(jnp.float32(1.0)))


def stepping(amount: float) -> Callable[[int, np.ndarray], EnvironmentStep]:
    """Environments of one number each, which is where the action leads from the amount."""

    def step(crew: int, actions: np.ndarray) -> EnvironmentStep:
        there = (amount + crew + actions).astype(np.float32)
        ended = np.zeros(len(actions), bool)
        return EnvironmentStep(there, ended, ~ended, there + 1, np.float32([amount]))

    return step


def test_one_program_serves_whoever_calls_it():
    @jax.jit
    def program(caller: jax.Array, crews: jax.Array, actions: jax.Array) -> EnvironmentStep:
        environment = CallbackEnvironment(1, caller, rewarded=True)
        key = jax.random.key(0)
        return jax.vmap(lambda crew, action: environment.step(crew, action, key)[1])(crews, actions)

    crews, actions = jnp.array([3, 3], jnp.int32), jnp.array([[0.25], [0.5]])
    for amount in (10.0, 20.0):
        step_crew = stepping(amount)
        step = program(np.int32(answer_by(step_crew)), crews, actions)
        np.testing.assert_array_equal(step.next_observation, [[amount + 3.25], [amount + 3.5]])
        np.testing.assert_array_equal(step.observation, [[amount + 4.25], [amount + 4.5]])
        np.testing.assert_array_equal(step.terminated, [False, False])
        np.testing.assert_array_equal(step.truncated, [True, True])
        np.testing.assert_array_equal(step.reward, [amount, amount])
    assert program._cache_size() == 1


def test_nobody_is_kept_alive_by_having_a_number():
    step_crew = stepping(1.0)
    number = answer_by(step_crew)
    assert callback._answering[number] is step_crew
    del step_crew
    gc.collect()
    assert number not in callback._answering
