"""The pool: episodes, seeds and failures of each member, the same in every backend."""

import os
import signal
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from environment_doubles import Chooser, Counter

from autotelic.environments.backends import Processes
from autotelic.environments.base import EnvironmentFailure
from autotelic.environments.pool import GymnasiumPool

BACKENDS = ["serial", "thread", "process"]
STAY = np.zeros((3, 1), np.float32)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_time_limit_truncates_and_the_learner_acts_on_the_reset_observation(backend: str):
    with GymnasiumPool("environment_doubles:doubles/Counter-v0", 3, [0, 1, 2], backend) as pool:
        assert (pool.observation_size, pool.action_size, pool.episode_length) == (2, 1, 4)
        np.testing.assert_array_equal(pool.reset(), [[0, 1]] * 3)
        for time in (1, 2, 3):
            step = pool.step(STAY)
            np.testing.assert_array_equal(step.next_observation, [[time, 1]] * 3)
            np.testing.assert_array_equal(step.observation, step.next_observation)
            assert not step.truncated.any()
        step = pool.step(STAY)
        np.testing.assert_array_equal(step.next_observation, [[4, 1]] * 3)
        np.testing.assert_array_equal(step.observation, [[0, 2]] * 3)
        np.testing.assert_array_equal(step.truncated, [True] * 3)
        np.testing.assert_array_equal(step.terminated, [False] * 3)
        assert step.observation.dtype == step.next_observation.dtype == np.float32


def test_a_pool_that_is_reset_with_other_seeds_is_as_one_made_with_them():
    turn = np.array([[0.7], [-0.4]], np.float32)

    def episodes(pool: GymnasiumPool, *seeds: list[int]) -> list[np.ndarray]:
        begun = pool.reset(*seeds)
        return [begun, *(pool.step(turn).next_observation for _ in range(5))]

    with (
        GymnasiumPool("Pendulum-v1", 2, [3, 4]) as pool,
        GymnasiumPool("Pendulum-v1", 2, [8, 9]) as other,
    ):
        first, expected = episodes(pool), episodes(other)
        np.testing.assert_array_equal(episodes(pool, [8, 9]), expected)
        np.testing.assert_array_equal(episodes(pool), first)


def test_members_end_their_episodes_at_their_own_times():
    lengths = iter([None, 2, None, 3])  # the first is the instance that is only looked at

    def make():
        return Counter(terminates_after=next(lengths))

    with GymnasiumPool(make, 3, [0, 0, 0], "serial") as pool:
        pool.reset()
        steps = [pool.step(STAY) for _ in range(6)]
    terminated = np.array([step.terminated for step in steps])
    np.testing.assert_array_equal(np.flatnonzero(terminated[:, 0]), [1, 3, 5])
    np.testing.assert_array_equal(np.flatnonzero(terminated[:, 1]), [])
    np.testing.assert_array_equal(np.flatnonzero(terminated[:, 2]), [2, 5])
    np.testing.assert_array_equal(steps[-1].next_observation, [[2, 3], [6, 1], [3, 2]])
    np.testing.assert_array_equal(steps[-1].observation, [[0, 4], [6, 1], [0, 3]])


@pytest.mark.parametrize("backend", BACKENDS)
def test_each_member_gets_its_own_action_rescaled_and_says_so_in_its_information(backend: str):
    with GymnasiumPool(Counter, 3, [0, 0, 0], backend, low=-3.0, high=1.0) as pool:
        pool.reset()
        pool.step(np.array([[-1.0], [0.5], [1.0]], np.float32))
        given = [information["action"] for information in pool.informations]
    np.testing.assert_array_equal(given, [[-3.0], [0.0], [1.0]])
    assert given[0].dtype == np.float32


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_discrete_action_is_that_of_the_largest_entry_counted_from_the_first(backend: str):
    with GymnasiumPool(Chooser, 3, [0, 0, 0], backend) as pool:
        assert (pool.action_size, pool.discrete_actions) == (3, True)
        pool.reset()
        pool.step(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [-0.9, -0.1, -0.5]], np.float32))
        given = [information["action"] for information in pool.informations]
        with pytest.raises(ValueError, match=r"shape \(3, 3\), got \(3,\)"):
            pool.step(np.array([0, 1, 2]))
    assert given == [-1, 1, 0]
    assert all(isinstance(action, np.int8) for action in given)  # as the space samples them


def test_cart_poles_in_the_pool_are_those_of_gymnasium():
    choices = np.random.default_rng(1).integers(2, size=(60, 2))
    lone = gymnasium.make("CartPole-v1", max_episode_steps=25)
    expected = [lone.reset(seed=11)[0]]
    for choice in choices[:, 1]:
        observation, _, terminated, truncated, _ = lone.step(choice)
        expected.append(lone.reset()[0] if terminated or truncated else observation)
    with GymnasiumPool("CartPole-v1", 2, [10, 11], max_episode_steps=25) as pool:
        rows = [pool.reset()[1]]
        rows += [pool.step(one_hot).observation[1] for one_hot in np.eye(2)[choices]]
    np.testing.assert_array_equal(rows, expected)
    lone.close()


@pytest.mark.parametrize("backend", BACKENDS)
def test_seeds_belong_to_members(backend: str):
    with GymnasiumPool(Counter, 3, [5, 6, 5], backend) as pool:
        pool.reset()
        first, second, third = (information["drawn"] for information in pool.informations)
    assert first == third == np.random.default_rng(5).random()
    assert second == np.random.default_rng(6).random()


def test_all_backends_give_the_same_numbers():
    actions = np.random.default_rng(0).uniform(-1, 1, (30, 3, 1)).astype(np.float32)
    seen = {}
    for backend in BACKENDS:
        with GymnasiumPool("Pendulum-v1", 3, [1, 2, 3], backend, max_episode_steps=20) as pool:
            rows = [pool.reset()]
            rows += [pool.step(given).observation for given in actions]
            seen[backend] = np.array(rows)
    np.testing.assert_array_equal(seen["thread"], seen["serial"])
    np.testing.assert_array_equal(seen["process"], seen["serial"])


def test_an_ant_in_the_pool_is_the_ant_of_gymnasium():
    """Through the time limit or a fall, thread by thread: no number differs but by the cast."""
    actions = np.random.default_rng(1).uniform(-1, 1, (60, 2, 8)).astype(np.float32)
    lone = gymnasium.make("Ant-v5", max_episode_steps=25)
    expected, positions = [lone.reset(seed=11)[0]], []
    for action in actions[:, 1]:
        observation, _, terminated, truncated, information = lone.step(action)
        positions.append(information["y_position"])
        expected.append(lone.reset()[0] if terminated or truncated else observation)
    with GymnasiumPool("Ant-v5", 2, [10, 11], "thread", max_episode_steps=25) as pool:
        rows, told = [pool.reset()[1]], []
        for action in actions:
            rows.append(pool.step(action).observation[1])
            told.append(pool.informations[1]["y_position"])
    np.testing.assert_array_equal(rows, np.array(expected, np.float32))
    assert told == positions
    lone.close()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("raise", "ArithmeticError: the wheel came off"),
        ("shape", r"observation of shape \(3,\) where its observation space says \(2,\)"),
        ("nan", "it returned nan in entry 1"),
        ("inf", "it returned -inf in entry 1"),
        ("huge", r"it returned 1e\+300 in entry 1"),
    ],
)
def test_a_failing_environment_is_reported_with_its_member(backend: str, fault: str, message: str):
    with GymnasiumPool(Counter, 2, [0, 0], backend, fault=fault) as pool:
        pool.reset()
        pool.step(STAY[:2])
        pool.step(STAY[:2])
        with pytest.raises(EnvironmentFailure, match=message) as caught:
            pool.step(STAY[:2])
    assert caught.value.member == 0


def test_the_member_at_fault_is_the_one_named():
    faults = iter([None, None, None, "raise"])

    def make():
        return Counter(fault=next(faults))

    with GymnasiumPool(make, 3, [0, 0, 0], "thread") as pool:
        pool.reset()
        pool.step(STAY)
        pool.step(STAY)
        with pytest.raises(EnvironmentFailure, match="member 2 failed") as caught:
            pool.step(STAY)
    assert caught.value.member == 2
    assert caught.value.message == "ArithmeticError: the wheel came off"


def test_a_worker_that_dies_is_reported_with_its_exit_code():
    with GymnasiumPool(Counter, 2, [0, 0], "process", fault="die") as pool:
        pool.reset()
        pool.step(STAY[:2])
        pool.step(STAY[:2])
        with pytest.raises(EnvironmentFailure, match=r"member 0.*exit code 7"):
            pool.step(STAY[:2])


def test_a_worker_killed_between_steps_is_reported():
    with GymnasiumPool(Counter, 2, [0, 0], "process") as pool:
        pool.reset()
        assert isinstance(pool._members, Processes)
        victim = pool._members._processes[1]
        assert victim.pid is not None
        os.kill(victim.pid, signal.SIGKILL)
        victim.join()
        with pytest.raises(EnvironmentFailure, match=r"member 1.*exit code -9"):
            pool.step(STAY[:2])


def test_processes_end_with_the_pool():
    pool = GymnasiumPool(Counter, 2, [0, 0], "process")
    assert isinstance(pool._members, Processes)
    sentinels = [process.pid for process in pool._members._processes]
    pool.close()
    for pid in sentinels:
        assert pid is not None
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_auto_takes_threads_where_a_mujoco_step_is_long_enough(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("autotelic.environments.pool.usable_cores", lambda: 2)
    limit = "autotelic.environments.pool.SECONDS_WORTH_A_THREAD"
    for seconds, expected in ((0.0, "thread"), (60.0, "serial")):
        monkeypatch.setattr(limit, seconds)
        with GymnasiumPool("InvertedPendulum-v5", 2, [0, 1]) as pool:
            assert pool.backend == expected
    monkeypatch.setattr(limit, 0.0)
    with GymnasiumPool("InvertedPendulum-v5", 1, [0]) as pool:
        assert pool.backend == "serial"
    with GymnasiumPool("Pendulum-v1", 2, [0, 1]) as pool:
        assert pool.backend == "serial"


def test_what_cannot_work_is_refused_before_anything_runs():
    with pytest.raises(ValueError, match="2 members need as many seeds, got 1"):
        GymnasiumPool(Counter, 2, [0])
    with pytest.raises(ValueError, match="seeds must be at least 0, got -1"):
        GymnasiumPool(Counter, 2, [0, -1])
    with pytest.raises(ValueError, match="num_members must be at least 1"):
        GymnasiumPool(Counter, 0, [])
    with pytest.raises(ValueError, match="top level of a module"):
        GymnasiumPool(lambda: Counter(), 1, [0], "process")
    with GymnasiumPool(Counter, 2, [0, 1]) as pool:
        pool.reset()
        with pytest.raises(ValueError, match=r"shape \(2, 1\), got \(1, 1\)"):
            pool.step(STAY[:1])


def test_a_signal_to_all_processes_of_a_job_is_for_the_caller_alone():
    pool = GymnasiumPool(Counter, 2, [0, 0], "process")
    pool.reset()
    assert isinstance(pool._members, Processes)
    workers = [process.pid for process in pool._members._processes]
    for pid in workers:
        assert pid is not None
        os.kill(pid, signal.SIGTERM)
    assert pool.step(STAY[:2]).terminated.tolist() == [False, False]
    pool.close()
    for pid in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid or 0, 0)


def test_a_pool_that_is_never_closed_does_not_hold_up_the_interpreter():
    code = (
        "from autotelic.environments.pool import GymnasiumPool\n"
        "if __name__ == '__main__':\n"
        "    pool = GymnasiumPool('Pendulum-v1', 1, [0], 'process')\n"
        "    pool.reset()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_an_environment_that_fails_to_close_warns(monkeypatch: pytest.MonkeyPatch):
    pool = GymnasiumPool(Counter, 1, [0], "serial")

    def close(self: Counter) -> None:
        raise OSError("the window is gone")

    monkeypatch.setattr(Counter, "close", close)
    with pytest.warns(UserWarning, match="member 0 failed to close: OSError: the window is gone"):
        pool.close()
