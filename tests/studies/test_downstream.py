"""Which measure of diversity tells what skills are worth: its correlations."""

import math
from pathlib import Path

import gymnasium
import pandas
import pytest

from studies import downstream, objectives
from studies.downstream import correlation_picture, rank_correlation
from studies.study import parts
from studies.tables import Tables


def learners() -> pandas.DataFrame:
    return pandas.DataFrame(
        {
            "condition": ["a"] * 4 + ["b"] * 4,
            "coverage": [1.0, 2.0, 3.0, 4.0, 11.0, 12.0, 13.0, 14.0],
            "constant": [1.0] * 8,
            "return": [40.0, 30.0, 20.0, 10.0, 90.0, 80.0, 70.0, 60.0],
        }
    )


def test_over_all_learners_and_within_objectives_may_differ_in_sign():
    # Within each objective the order is turned round; the second has the larger ranks in both.
    within = rank_correlation(learners(), "coverage", "return", within=True)
    assert within.estimate == within.low == within.high == pytest.approx(-1.0)
    # Ranks 1 to 8 beside 4, 3, 2, 1, 8, 7, 6, 5: squares of differences 9 + 1 + 1 + 9, twice.
    over_all = rank_correlation(learners(), "coverage", "return", within=False)
    assert over_all.estimate == pytest.approx(1 - 6 * 40 / (8 * 63))
    assert over_all.low < over_all.estimate < over_all.high


def test_what_does_not_vary_has_no_correlation():
    assert math.isnan(rank_correlation(learners(), "constant", "return", within=True).estimate)


def test_the_picture_has_a_number_for_every_pair_but_not_for_baselines():
    table = learners().rename(columns={"return": "best, run"}).assign(**{"random, run": 1.0})
    figure = correlation_picture(table, {"coverage": "cells"}, ["best, run", "random, run"])
    words = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert words == ["+0.52", "-1.00"]


@pytest.mark.parametrize("study", downstream.TASKS)
def test_every_task_can_be_made(study: str):
    tasks = downstream.TASKS[study]
    assert {tasks.tuned, tasks.controlled} <= set(tasks.looked_at)
    for task, options in tasks.looked_at.values():
        environment = gymnasium.make(task, **options)
        environment.reset(seed=0)
        environment.close()


def test_in_half_cheetah_it_takes_the_runs_of_the_study_of_objectives():
    trained = [part.folder for part in parts(objectives.STUDIES["half_cheetah"])]
    assert [part.folder for part in parts(downstream.STUDIES["half_cheetah"])] == trained


def test_skills_that_are_not_at_hand_are_named(tmp_path: Path):
    with pytest.raises(ValueError, match=r"the skills of metra-\w+, diayn-\w+, csf-\w+ are not in"):
        downstream.with_tasks(downstream.STUDIES["half_cheetah"], tmp_path, Tables(None, None))


def test_it_says_whose_skills_are_in_the_tasks(tmp_path: Path, monkeypatch, capsys):
    study = downstream.STUDIES["half_cheetah"]
    for part in parts(study):
        (tmp_path / part.folder).mkdir()

    def broken(*_: object):
        raise RuntimeError

    monkeypatch.setattr(downstream, "_worth", broken)
    with pytest.raises(RuntimeError):
        downstream.with_tasks(study, tmp_path, Tables(None, None))
    assert capsys.readouterr().out == "downstream_half_cheetah, tasks 1 of 3: METRA\n"
