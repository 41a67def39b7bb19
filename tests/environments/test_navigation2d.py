"""2D navigation: the JAX functions, the Gymnasium class, and that both are one environment."""

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from autotelic.environments import render_of
from autotelic.environments.making import NAVIGATION_ID
from autotelic.environments.navigation2d import Navigation2D, NavigationState, move

KEY = jax.random.key(0)


def at(x: float, y: float, time: int = 0) -> NavigationState:
    return NavigationState(jnp.array([x, y], jnp.float32), jnp.array(time, jnp.int32))


def test_the_paper_s_setting():
    environment = Navigation2D()
    state, observation = environment.reset(KEY)
    np.testing.assert_array_equal(observation, [0.5, 0.5])
    state, step = environment.step(state, jnp.array([1.0, -0.5]), KEY)
    np.testing.assert_allclose(step.next_observation, [0.55, 0.475], rtol=1e-6)
    assert step.next_observation.dtype == np.float32
    assert (environment.observation_size, environment.action_size) == (2, 2)


def test_outside_the_box_it_is_put_back_to_the_nearest_point():
    _, step = Navigation2D().step(at(0.98, 0.3), jnp.array([1.0, 1.0]), KEY)
    np.testing.assert_allclose(step.next_observation, [1.0, 0.35], rtol=1e-6)
    _, step = Navigation2D(action_range=0.1).step(at(0.5, 0.02), jnp.array([1.0, -1.0]), KEY)
    np.testing.assert_allclose(step.next_observation, [0.6, 0.0], rtol=1e-6)


def test_an_episode_is_cut_after_its_length_and_the_next_starts_in_the_centre():
    environment = Navigation2D(episode_length=100)
    _, step = environment.step(at(0.2, 0.2, time=98), jnp.ones(2), KEY)
    assert not step.truncated
    state, step = environment.step(at(0.2, 0.2, time=99), jnp.ones(2), KEY)
    assert step.truncated
    assert not step.terminated
    np.testing.assert_allclose(step.next_observation, [0.25, 0.25], rtol=1e-6)
    np.testing.assert_array_equal(step.observation, [0.5, 0.5])
    np.testing.assert_array_equal(state.position, [0.5, 0.5])
    assert state.time == 0


def test_without_resets_life_goes_on():
    environment = Navigation2D(resets=False)
    assert environment.episode_length is None
    state, step = environment.step(at(0.2, 0.2, time=99), jnp.ones(2), KEY)
    assert not step.truncated
    np.testing.assert_array_equal(step.observation, step.next_observation)
    assert state.time == 100


def test_random_starts_are_uniform_and_differ_between_episodes():
    environment = Navigation2D(random_start=True, episode_length=1)
    keys = jax.random.split(KEY, 2000)
    _, starts = jax.vmap(environment.reset)(keys)
    np.testing.assert_allclose(np.mean(starts, 0), 0.5, atol=0.03)
    np.testing.assert_allclose(np.var(starts, 0), 1 / 12, atol=0.01)
    _, steps = jax.vmap(environment.step, (None, None, 0))(at(0.5, 0.5), jnp.zeros(2), keys)
    np.testing.assert_array_equal(steps.next_observation, 0.5)
    np.testing.assert_allclose(np.var(steps.observation, 0), 1 / 12, atol=0.01)


def test_noise_has_the_standard_deviation_asked_for():
    keys = jax.random.split(KEY, 2000)
    environment = Navigation2D(noise=0.02)
    _, steps = jax.vmap(environment.step, (None, None, 0))(at(0.5, 0.5), jnp.zeros(2), keys)
    np.testing.assert_allclose(np.mean(steps.next_observation, 0), 0.5, atol=0.002)
    np.testing.assert_allclose(np.std(steps.next_observation, 0), 0.02, rtol=0.06)


position = st.tuples(*[st.floats(0, 1, width=32)] * 2)
displacement = st.tuples(*[st.floats(-5, 5, width=32)] * 2)


@settings(max_examples=200)
@given(position, displacement, displacement, st.sampled_from([0.05, 0.1, 1.0]))
def test_laws_of_motion(before: tuple, action: tuple, disturbance: tuple, action_range: float):
    s, a, noise = (np.array(value, np.float32) for value in (before, action, disturbance))
    after = move(s, a, noise, action_range)
    assert np.all((after >= 0) & (after <= 1))
    assert np.all(np.abs(move(s, a, 0.0, action_range) - s) <= action_range * (1 + 1e-5))
    # Turning the box by 180 degrees turns the motion with it.
    np.testing.assert_allclose(move(1 - s, -a, -noise, action_range), 1 - after, atol=2e-6)


@pytest.mark.parametrize("action_range", [0.05, 0.1])
def test_gymnasium_and_jax_agree_step_by_step(action_range: float):
    host = gymnasium.make(NAVIGATION_ID, action_range=action_range)
    native = Navigation2D(action_range=action_range)
    observation, _ = host.reset(seed=0)
    state, native_observation = native.reset(KEY)
    np.testing.assert_array_equal(observation, native_observation)
    step_natively = jax.jit(native.step)
    # A drift to one side, so that the wall is reached; two and a half episodes.
    actions = np.random.default_rng(0).uniform(-0.6, 1.0, (250, 2)).astype(np.float32)
    walls = 0
    for action in actions:
        seen, _, terminated, truncated, information = host.step(action_range * action)
        state, step = step_natively(state, action, KEY)
        np.testing.assert_allclose(seen, step.next_observation, atol=1e-6)
        assert (terminated, truncated) == (bool(step.terminated), bool(step.truncated))
        assert (information["x_position"], information["y_position"]) == tuple(seen)
        walls += int(np.any(seen == 1.0))
        if truncated:
            observation, _ = host.reset()
            np.testing.assert_array_equal(observation, step.observation)
    assert walls > 20
    host.close()


def test_the_gymnasium_class_keeps_gymnasium_s_contract():
    made = gymnasium.make(NAVIGATION_ID, noise=0.01, random_start=True)
    check_env(made.unwrapped, skip_render_check=True)
    np.testing.assert_allclose(made.action_space.high, [0.05, 0.05])  # type: ignore[attr-defined]
    endless = gymnasium.make(NAVIGATION_ID, max_episode_steps=-1)
    endless.reset(seed=0)
    assert not any(endless.step(np.zeros(2, np.float32))[3] for _ in range(150))


def test_a_picture_shows_the_point_in_its_place_with_y_upwards():
    draw = render_of(Navigation2D())
    assert draw is not None and render_of(object()) is None
    picture = draw(jnp.array([0.25, 0.75]))
    assert picture.dtype == np.uint8 and picture.shape[2] == 3
    rows, columns = np.nonzero(picture[..., 0] == 0)
    height, width = picture.shape[:2]
    np.testing.assert_allclose([columns.mean() / width, rows.mean() / height], 0.25, atol=0.01)
    assert 0.001 < len(rows) / (height * width) < 0.01  # a dot, not a blot


@pytest.mark.parametrize(
    ("setting", "value", "error"),
    [
        ("action_range", 0.0, ValueError),
        ("action_range", 1.5, ValueError),
        ("episode_length", 0, ValueError),
        ("episode_length", None, TypeError),
        ("noise", -0.1, ValueError),
        ("noise", float("nan"), ValueError),
        ("random_start", 1, TypeError),
        ("resets", "no", TypeError),
    ],
)
def test_settings_that_cannot_work_are_refused(setting: str, value: object, error: type):
    with pytest.raises(error, match=setting):
        Navigation2D(**{setting: value})  # type: ignore[arg-type]
