"""A study as data, and its runs: what is trained together, resumed, and trained anew."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest
from fakes import Scripted
from tiny_runs import Stop, StopAfter, poison

from autotelic import paper
from autotelic.observers.base import Observer
from autotelic.runs.run import load
from autotelic.selectors import DiversityProgress, RoundRobin, Uniform
from autotelic.sweeps.attempt import Outcome
from autotelic.sweeps.folder import Record, Task
from autotelic.training.run_state import TrainingFailure
from studies import study as studies
from studies.analysis import summarise
from studies.attribution import STUDY
from studies.command import main
from studies.kept import Kept, keep, kept
from studies.spread import spread
from studies.study import Arm, Study, parts, run, seconds
from studies.tables import collect, joined, part_tables

SETTING = paper.NAVIGATION_2D
OTHER = replace(SETTING, num_goals=5)


def a_study(*arms: Arm, **changes: Any) -> Study:
    values: dict[str, Any] = {"seeds": (0, 1), "epochs": 10, "baselines": (arms[0].name,)}
    return Study("name", "Why?", arms, **{**values, **changes})


UNIFORM, ROUND_ROBIN = Arm("uniform", SETTING, Uniform()), Arm("rr", SETTING, RoundRobin())
ELSEWHERE = Arm("uniform", OTHER, Uniform(), "5 goals")


def test_arms_with_one_setting_are_trained_together() -> None:
    found = parts(a_study(UNIFORM, ELSEWHERE, ROUND_ROBIN))
    assert [part.arms for part in found] == [(UNIFORM, ROUND_ROBIN), (ELSEWHERE,)]


def test_populations_stay_small() -> None:
    arms = [Arm(f"arm {n}", SETTING, Uniform()) for n in range(5)]
    found = parts(a_study(*arms, seeds=tuple(range(20))))
    assert [len(part.arms) for part in found] == [2, 2, 1]


def test_a_folder_is_named_after_all_that_decides_its_run() -> None:
    study = a_study(UNIFORM, ROUND_ROBIN, ELSEWHERE)
    first, second = (part.folder for part in parts(study))
    assert first.startswith("uniform-")
    assert second.startswith("5-goals-uniform-")
    more = parts(replace(study, arms=(*study.arms, Arm("more", OTHER, RoundRobin(), "5 goals"))))
    assert more[0].folder == first
    assert more[1].folder != second
    for changes in ({"seeds": (0, 2)}, {"epochs": 20}, {"evaluate_every": 10}):
        assert parts(replace(study, **changes))[0].folder != first


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epochs": 7}, "epochs must be a multiple of 5"),
        ({"seeds": (0,)}, "at least 2 seeds"),
        ({"baselines": ("unifrom",)}, "Did you mean 'uniform'"),
        ({"arms": (UNIFORM, UNIFORM)}, "each once"),
        ({"arms": ()}, "at least one"),
    ],
)
def test_a_study_that_cannot_be_run_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        replace(a_study(UNIFORM, ROUND_ROBIN), **changes)


def test_an_arm_that_does_not_fit_its_setting_is_refused() -> None:
    long = Arm("DP", SETTING, DiversityProgress(offset=900, smoothing=900))
    with pytest.raises(ValueError, match=r"method 'DP'.*exceeds"):
        a_study(long)


def test_a_stopped_study_goes_on_to_the_same_end(
    toy: Callable[..., Study], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(studies, "LARGEST_POPULATION", 2)  # an arm is a part
    small = toy(STUDY, arms=2)
    straight = run(small, tmp_path / "straight")
    stopped = tmp_path / "stopped"
    stops = iter([[StopAfter(1)], [], [StopAfter(2)], []])
    for _ in range(2):
        with pytest.raises(Stop):
            run(small, stopped, observers=lambda: next(stops))
    run(small, stopped, observers=lambda: next(stops))
    for folder in straight:
        for name in ("history.csv", "learning_curve.csv"):
            other = stopped / folder.name / name
            assert (folder / name).read_bytes() == other.read_bytes()


def test_populations_are_tasks_of_a_sweep_and_each_trains_itself_alone(
    toy: Callable[..., Study], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The backend carries out the words of a task here; the whole study then finds all of it trained."""
    monkeypatch.setattr(studies, "LARGEST_POPULATION", 2)  # an arm is a part
    small = toy(STUDY, arms=2)
    first, second = (part.folder for part in parts(small))
    trained: list[tuple[str, list[bool]]] = []

    class Here(Scripted):
        def start(self, task: Task, record: Record) -> None:
            super().start(task, record)
            assert task.module == "studies.any"
            assert main("any", {"any": small}, words=task.words) == 0
            trained.append((task.name, [(tmp_path / "runs" / f).exists() for f in (first, second)]))

    done: list[Outcome | None] = [Outcome("done")]
    words = ["--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "out")]
    backend = Here({first: list(done), second: list(done)}, slots=1)
    spread("any", words, small, tmp_path / "runs", backend, lambda part: False)
    assert trained == [(first, [True, False]), (second, [True, True])]
    assert not (tmp_path / "out").exists()

    def never() -> list[Observer]:
        raise AssertionError("a finished run was started")

    run(small, tmp_path / "runs", observers=never)
    with pytest.raises(TrainingFailure, match="1 of 1 populations"):
        elsewhere = Scripted({first: [Outcome("failed", "why")]})
        only = replace(small, arms=small.arms[:1], baselines=())
        spread("any", words, only, tmp_path / "elsewhere", elsewhere, lambda part: False)


@pytest.mark.thorough
def test_what_is_trained_is_not_trained_again(toy: Callable[..., Study], tmp_path: Path) -> None:
    small = toy(STUDY)
    run(small, tmp_path)
    took = [seconds(part, tmp_path) for part in parts(small)]
    assert min(took) > 0

    def never() -> list[Observer]:
        raise AssertionError("a finished run was started")

    run(small, tmp_path, observers=never)
    assert [seconds(part, tmp_path) for part in parts(small)] == took


@pytest.mark.filterwarnings("ignore::autotelic.runs.diverged.LearnersDiverged")
@pytest.mark.thorough
def test_learners_that_diverge_have_no_numbers_and_the_study_goes_on(
    toy: Callable[..., Study], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One learner of the second arm, and all of the first, whose run ends."""
    small = toy(STUDY)
    first, second = small.arms[:2]
    monkeypatch.setattr(studies, "LARGEST_POPULATION", len(small.seeds))  # an arm is a run
    with monkeypatch.context() as patch:
        for seed in small.seeds:
            poison(patch, first.label, seed, 1)
        poison(patch, second.label, small.seeds[0], 1)
        run(small, tmp_path)
    found = collect(small, tmp_path)
    numbers = found.seeds[["area", "trajectory_accuracy", "epochs_to_90"]].isna().all(axis=1)
    assert numbers.tolist() == [True] * len(small.seeds) + [True] + [False] * (len(numbers) - 3)
    assert set(summarise(found.seeds, small.epochs)["arm"]) == {small.arms[2].name}

    def never() -> list[Observer]:
        raise AssertionError("a run that is over was started")

    run(small, tmp_path, observers=never)


@pytest.mark.thorough
def test_a_finished_part_is_kept_without_its_run(
    toy: Callable[..., Study], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the second of two parts and continued elsewhere, a study ends with the same tables."""
    monkeypatch.setattr(studies, "LARGEST_POPULATION", 2)  # an arm is a part
    small = toy(STUDY, arms=2)
    run(small, tmp_path / "here")
    whole = collect(small, tmp_path / "here")
    first, second = parts(small)
    out = tmp_path / "out"
    own = load(tmp_path / "here" / first.folder)
    keep(out, first, Kept(part_tables(small, first, own), 7.5, {"autotelic": "1"}))

    told: list[str] = []
    there = tmp_path / "there"
    is_kept = [kept(out, part) is not None for part in (first, second)]
    assert is_kept == [True, False]
    run(
        small,
        there,
        is_kept=lambda part: kept(out, part) is not None,
        finished=lambda part: told.append(part.folder),
    )
    assert told == [second.folder]
    assert not (there / first.folder).exists()
    found = kept(out, first)
    assert found is not None
    assert (found.seconds, found.versions) == (7.5, {"autotelic": "1"})
    rest = part_tables(small, second, load(there / second.folder))
    backwards = joined(small, [rest, found.tables])
    for mine, theirs in zip(backwards, whole, strict=True):
        pandas.testing.assert_frame_equal(mine, theirs, check_dtype=False)


@pytest.mark.thorough
def test_what_results_hold_is_not_trained_again_and_another_arm_is(
    toy: Callable[..., Study], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the runs: the same command writes the same, and a longer study trains what is new."""
    monkeypatch.setattr(studies, "LARGEST_POPULATION", 2)  # an arm is a part
    both = toy(STUDY, arms=2)
    first = replace(both, arms=both.arms[:1], baselines=(both.arms[0].name,))
    out, trained, rows = tmp_path / "out", [], []

    def folders(*given: Any, **options: Any) -> Any:
        trained.append(given[4].name)
        return real(*given, **options)

    real = studies.train
    monkeypatch.setattr(studies, "train", folders)
    for number, study in enumerate([first, first, both]):
        words = ["--out", str(out), "--runs", str(tmp_path / f"runs{number}")]
        assert main("toy", {"": study}, words=words) == 0
        rows.append((out / "seeds.csv").read_text())
    assert rows[0] == rows[1] and rows[2].startswith(rows[0])
    assert trained == [part.folder for part in parts(both)]
    assert not (out / "parts").exists()
