"""Alarms sound when they should, since when they should, and not otherwise."""

from typing import Any

import numpy as np
import pandas
import pytest

from autotelic.evaluation import health
from autotelic.evaluation.health import alarms, extended, history_alarms
from autotelic.runs.history import History, LearnerHistory

MEMBER = ("DIAYN+DP", 3)


def healthy(epochs: int = 60, num_goals: int = 4) -> LearnerHistory:
    """Rounds over all goals, certain of each, with values that differ and hardly change."""
    goals = np.arange(epochs) % num_goals
    prior = np.tile([0.4, *[0.6 / (num_goals - 1)] * (num_goals - 1)], (epochs, 1))
    signal = np.tile(np.arange(num_goals, dtype=float), (epochs, 1))
    signal += 0.01 * np.random.default_rng(0).standard_normal(signal.shape)
    return LearnerHistory(MEMBER, goals, np.full(epochs, 0.9), prior, signal)


def names(history: LearnerHistory) -> list[str]:
    return [alarm.name for alarm in alarms(history)]


def test_a_healthy_learner_raises_no_alarm():
    assert names(healthy()) == []
    assert names(healthy(epochs=1)) == []
    assert names(healthy(num_goals=2)) == []


def test_collapse_sounds_when_the_mean_effective_number_falls_under_its_limit(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(health, "COLLAPSE_VISITS", 4)
    history = healthy()
    history.prior[30:] = [0.97, 0.01, 0.01, 0.01]  # effective number 1.18; before it 3.8
    (alarm,) = alarms(history)
    # Limit 2 of 4 goals: the mean of 4 epochs is 2.5 after two and 1.8 after three of them.
    assert alarm.epoch == 32
    assert (alarm.name, alarm.member) == ("collapse", MEMBER)
    assert "only 1.2 of 4 skills" in alarm.message
    assert "temperature" in alarm.message


def test_the_end_of_a_collapse_ends_its_alarm(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(health, "COLLAPSE_VISITS", 1)
    history = healthy()
    history.prior[30:40] = [0.97, 0.01, 0.01, 0.01]
    assert names(history) == []
    history.prior[50:] = [0.97, 0.01, 0.01, 0.01]
    (alarm,) = alarms(history)
    assert alarm.epoch == 50  # not 30: there was a break


def test_goals_left_out_for_rounds_are_starved(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(health, "STARVED_ROUNDS", 5)
    history = healthy()
    history.goals[20:] = history.goals[20:] % 2  # goals 2 and 3 were last visited at 18 and 19
    (alarm,) = alarms(history)
    assert (alarm.name, alarm.epoch) == ("starved goals", 18 + 5 * 4)
    assert "2 of 4 goals (2, 3)" in alarm.message
    monkeypatch.setattr(health, "STARVED_ROUNDS", 11)
    assert names(history) == []


def test_a_goal_never_tried_is_starved_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(health, "STARVED_ROUNDS", 2)
    history = healthy(num_goals=3)
    history.goals[:] = history.goals % 2
    (alarm,) = alarms(history)
    assert alarm.epoch == 5  # after 6 epochs without it
    assert "1 of 3 goals (2)" in alarm.message


def test_a_discriminator_at_chance_is_noticed_after_its_time_to_start():
    history = healthy()
    history.certainty[:] = 0.26
    (alarm,) = alarms(history)  # the limit is 0.25 + 0.05 * 0.75 = 0.2875
    assert (alarm.name, alarm.epoch) == ("discriminator at chance", 7)
    assert "0.260 on average, where a guess has 0.250" in alarm.message
    history.certainty[:] = 0.29
    assert names(history) == []
    short = LearnerHistory(MEMBER, *[field[:7] for field in history[1:5]])
    short.certainty[:] = 0.25
    assert names(short) == []


def test_the_way_to_a_place_is_no_chance():
    """Where goals have success, on the way to one others are nearer, and q says so."""
    history = healthy()
    history.certainty[:] = 0.25
    assert names(history) == ["discriminator at chance"]
    assert names(history._replace(success=np.zeros(60))) == []
    rows = [
        {
            "method": "a",
            "seed": 0,
            "goal": 0,
            "certainty": 0.5,
            "prior": one,
            "signal": one,
            "success": 1.0,
        }
        for one in np.ones((3, 2))
    ]
    assert extended(None, rows).success.tolist() == [1.0, 1.0, 1.0]


def test_values_of_noise_alone_are_noticed_but_not_where_p_is_uniform(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(health, "LEAST_SIGNAL", 0.3)
    history = healthy(epochs=200)
    noise = np.random.default_rng(1).standard_normal(200)
    current = np.zeros(4)
    for epoch, goal in enumerate(history.goals):
        current[goal] = noise[epoch]
        history.signal[epoch] = current
    assert names(history) == ["choosing by noise"]
    history.prior[:] = 0.25  # DIAYN records certainties and makes no use of them
    assert names(history) == []


def test_values_that_move_in_visits_to_others_are_no_noise(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(health, "LEAST_SIGNAL", 0.3)
    """A signal that judges every goal after every visit moves because the learner does."""
    history = healthy(epochs=200)
    history.signal[:] = np.random.default_rng(1).standard_normal((200, 4))
    assert names(history) == []


def rows_of(history: LearnerHistory) -> list[dict[str, Any]]:
    """An observer's rows of one learner."""
    return [
        {"member": history.member[1], "method": history.member[0], "seed": history.member[1]}
        | {"epoch": epoch, "goal": int(goal), "certainty": float(certainty)}
        | {"prior": prior, "signal": signal}
        for epoch, (goal, certainty, prior, signal) in enumerate(zip(*history[1:5], strict=True))
    ]


def test_a_run_and_its_observer_hear_the_same_alarms():
    well, ill = healthy(), healthy()._replace(member=("VIC", 4))
    ill.prior[30:] = [1.0, 0.0, 0.0, 0.0]
    flat = [
        {name: value for name, value in row.items() if name not in ("prior", "signal")}
        | {f"prior_{goal}": value for goal, value in enumerate(row["prior"])}
        | {f"signal_{goal}": value for goal, value in enumerate(row["signal"])}
        | {f"selection_{goal}": value for goal, value in enumerate(row["prior"])}
        for history in (ill, well)
        for row in rows_of(history)
    ]
    table = pandas.DataFrame(flat[::-1])  # the order of rows does not matter
    (alarm,) = history_alarms(History(table))
    assert (alarm.name, alarm.member) == ("collapse", ("VIC", 4))
    seen = rows_of(ill)
    assert alarms(extended(None, seen)) == [alarm]
    assert alarms(extended(extended(None, seen[:29]), seen[29:])) == [alarm]
    assert alarms(extended(None, seen[:29])) == []


def test_where_epochs_have_several_visits_an_alarm_names_the_epoch(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(health, "COLLAPSE_VISITS", 1)
    ill = healthy()
    ill.prior[30:] = [1.0, 0.0, 0.0, 0.0]
    (alarm,) = alarms(ill)
    assert alarm.epoch == 30
    visits = [row | {"epoch": row["epoch"] // 4, "visit": row["epoch"] % 4} for row in rows_of(ill)]
    (alarm,) = alarms(extended(None, visits))
    assert alarm.epoch == 7  # visits 28 to 31
