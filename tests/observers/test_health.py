"""Alarms while training: once for each kind and method, with the past of a resumed run."""

from pathlib import Path

import numpy as np

from autotelic.evaluation.health import Alarm
from autotelic.observers.base import RunStart
from autotelic.observers.health import INTERVAL, HealthWatch, sentences
from autotelic.runs.history import HistoryWriter, vector_columns

GOALS = 4
MEMBERS = [("DIAYN", 0), ("VIC", 0), ("VIC", 1)]


def rows(epoch: int) -> list[dict]:
    """An epoch in which VIC has collapsed to its first goal, and DIAYN is well."""
    uniform, collapsed = np.full(GOALS, 1 / GOALS), np.array([0.997, 0.001, 0.001, 0.001])
    return [
        {
            "member": number,
            "method": method,
            "seed": seed,
            "epoch": epoch,
            "goal": epoch % GOALS if method == "DIAYN" else 0,
            "certainty": 0.9,
            "prior": uniform if method == "DIAYN" else collapsed,
            "signal": np.arange(GOALS, dtype=float),
            "selection": uniform,
        }
        for number, (method, seed) in enumerate(MEMBERS)
    ]


def test_a_collapse_is_told_once_for_its_method():
    told: list[str] = []
    watch = HealthWatch(told.append)
    for epoch in range(INTERVAL - 1):
        watch.epoch_done(epoch, rows(epoch))
    assert told == []
    for epoch in range(INTERVAL - 1, 3 * INTERVAL):
        watch.epoch_done(epoch, rows(epoch))
    assert len(told) == 1
    assert told[0].startswith("collapse (VIC, seeds 0, 1, since epoch 1): only 1.0 of 4 skills")


def test_a_resumed_run_is_looked_at_from_its_beginning(tmp_path: Path):
    columns = ["member", "method", "seed", "epoch", "goal", "certainty"]
    columns += [c for name in ("prior", "signal", "selection") for c in vector_columns(name, GOALS)]
    writer = HistoryWriter(tmp_path / "history.csv", columns)
    for epoch in range(8):
        writer.append(rows(epoch))
    with open(tmp_path / "history.csv", "a") as file:
        file.write("0,DIAYN,0,")  # torn by a kill, after the checkpoint
    told: list[str] = []
    watch = HealthWatch(told.append)
    first = 2 * INTERVAL - 1
    watch.started(RunStart(tmp_path, MEMBERS, 5, first + 1, 1000))
    watch.epoch_done(first, rows(first))
    assert len(told) == 1 and "since epoch 1" in told[0]


def test_sentences_group_seeds_of_a_method_and_keep_the_order():
    found = [
        Alarm("starved goals", ("DP", 2), 7, "practise more."),
        Alarm("collapse", ("DP", 2), 5, "raise it."),
        Alarm("starved goals", ("DP", 4), 3, "practise it."),
    ]
    assert list(sentences(found).values()) == [
        "starved goals (DP, seeds 2, 4, since epoch 4): practise more.",
        "collapse (DP, seed 2, since epoch 6): raise it.",
    ]
