"""The best skill, its baselines, and tasks that skills do not fit."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from directions import CORNERS, STEP, corner_skills, return_towards

from autotelic.downstream import TaskFor, best_skill
from autotelic.downstream.best_skill import BEST, RANDOM, ROUND_ROBIN
from autotelic.downstream.episodes import at_random, episode, episodes, held, in_turn, returns

TASK = "autotelic/Navigation2DGoal-v0"
PLACE = np.array([0.2, 0.9])


def test_returns_are_what_the_way_to_the_place_costs():
    found = best_skill(corner_skills(), TASK, options={"goal": (0.2, 0.9)}, rollouts=4)
    expected = [return_towards(corner, PLACE, 100) for corner in CORNERS]
    np.testing.assert_allclose(found.returns, np.repeat(expected, 4).reshape(4, 4), rtol=1e-5)
    assert found.goal == 1 == int(np.argmax(expected))
    assert found.intervals()[BEST].estimate == pytest.approx(expected[1], rel=1e-5)
    assert found.advantage(ROUND_ROBIN).low > 0 and found.successes[BEST] == 0.0


def test_it_is_chosen_on_one_half_and_reported_on_the_other():
    options = {"random_start": True, "max_episode_steps": 3}
    found = best_skill(corner_skills(), TASK, options=options, rollouts=20, seed=3)
    assert np.ptp(found.returns[0]) > 0.1  # starts differ
    assert found.goal == int(np.argmax(found.returns[:, :10].mean(axis=1)))
    np.testing.assert_array_equal(found.reported[BEST], found.returns[found.goal, 10:])
    # The baselines have the same starts: with one skill they are that skill.
    apart = found.reported[RANDOM] - found.returns[:, 10:]
    assert (np.abs(apart).min(axis=0) < 0.1).all()
    other = best_skill(corner_skills(), TASK, options=options, rollouts=20, seed=4)
    assert not np.array_equal(other.returns, found.returns)
    again = best_skill(corner_skills(), TASK, options=options, rollouts=20, seed=3)
    np.testing.assert_array_equal(again.returns, found.returns)
    np.testing.assert_array_equal(again.reported[RANDOM], found.reported[RANDOM])


def test_plans_hold_draw_and_take_turns():
    task = TaskFor(TASK, corner_skills(), {"max_episode_steps": 12, "action_range": 0.01})
    environment = task.make()

    def moves(plan: Any, hold: int) -> list[int]:
        """The goal that each step belongs to."""
        one = episode(task, environment, plan, 5, steps_per_skill=hold)
        signs = np.sign(np.diff(one.observations, axis=0))
        return [int(np.flatnonzero((sign == CORNERS).all(axis=1))[0]) for sign in signs]

    assert moves(held(2), 5) == [2] * 12
    turns = moves(in_turn(4), 2)
    first = turns[0]
    assert turns == [(first + n // 2) % 4 for n in range(12)]
    drawn = moves(at_random(4), 3)
    assert all(len(set(drawn[n : n + 3])) == 1 for n in range(0, 12, 3)) and len(set(drawn)) > 1


def test_skills_may_draw_their_actions():
    task = TaskFor(TASK, corner_skills(), {"max_episode_steps": 5})
    drawn = [
        episodes(task, held(0), [seed], deterministic=False)[0].observations for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])
    straight = episodes(task, held(0), [0])
    np.testing.assert_allclose(straight[0].observations[-1], 0.5 + 5 * STEP, rtol=1e-5)
    assert returns(straight).shape == (1,) and straight[0].steps == 5


def test_it_is_saved(tmp_path: Path):
    found = best_skill(corner_skills(), TASK, rollouts=4, options={"max_episode_steps": 2})
    saved = json.loads(found.save(tmp_path / "new").read_text())
    assert saved["goal"] == 0 and set(saved["arms"]) == {BEST, RANDOM, ROUND_ROBIN}
    np.testing.assert_array_equal(saved["returns"], found.returns)


def test_a_task_takes_the_options_of_the_skills_environment():
    environment = {
        "name": "navigation2d",
        "options": {"action_range": 0.1, "episode_length": 7, "noise": 0.0},
        "episode_length": 7,
    }
    assert TaskFor(TASK, corner_skills()).options == {}
    task = TaskFor(TASK, corner_skills(environment), {"noise": 0.5})
    assert task.options == {"action_range": 0.1, "noise": 0.5}


@pytest.mark.parametrize(
    ("skills", "task", "options", "words"),
    [
        (
            {},
            "HalfCheetah-v5",
            {},
            r"is another environment, .*\[17\] .*\(6,\).* in navigation2d, .*\[2\] .*Goal-v0",
        ),
        (
            {"environment": "Mine-v0"},
            "HalfCheetah-v5",
            {},
            r"\(17,\).* the skills of Mine-v0 see \[2\]",
        ),
        ({"environment": "Mine-v0"}, "autotelic/Navigation2D-v0", {}, "pays no reward"),
        ({"environment": "Mine-v0"}, "MountainCarContinuous-v0", {}, "give a Box of the shape"),
        ({}, "autotelic/Navigation2DGoal-v1", {}, "unknown environment"),
        ({}, TASK, {"gaol": 1}, "Did you mean 'goal'"),
        ({}, TASK, {"goal": "random"}, None),
    ],
)
def test_other_tasks_are_refused(
    skills: dict[str, Any], task: str, options: dict[str, Any], words: str | None
):
    if words is None:
        assert TaskFor(task, corner_skills(**skills), options).observe(np.arange(4.0)).tolist() == [
            0,
            1,
        ]
        return
    with pytest.raises(ValueError, match=words):
        TaskFor(task, corner_skills(**skills), options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rollouts": 5}, "rollouts must be even"),
        ({"rollouts": 2}, "rollouts must be at least 4"),
        ({"steps_per_skill": 0}, "steps_per_skill must be at least 1"),
    ],
)
def test_other_numbers_are_refused(options: dict[str, Any], words: str):
    with pytest.raises(ValueError, match=words):
        best_skill(corner_skills(), TASK, **options)


def test_what_is_no_skill_is_refused():
    with pytest.raises(TypeError, match=r"Skills\.load"):
        TaskFor(TASK, "skills.npz")  # type: ignore[arg-type]
