"""Every study is whole, keeps its promises about seeds, and runs from end to end at toy size."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autotelic._version import NUMBERS
from studies import (
    agents,
    attribution,
    balance,
    command,
    downstream,
    durations,
    objectives,
    places,
    selectors,
)
from studies.command import main
from studies.study import Study
from studies.tables import FILES, MEASURES, METRICS, TIMES

RESULTS = Path(__file__).parents[2] / "docs" / "results"
STUDIES = {
    study.name: study
    for study in (
        attribution.STUDY,
        *balance.STUDIES.values(),
        *durations.STUDIES.values(),
        selectors.STUDY,
        *agents.STUDIES.values(),
        *objectives.STUDIES.values(),
        *downstream.STUDIES.values(),
        *places.STUDIES.values(),
    )
}
FRESH = (
    "selectors_finalists",
    "objectives_half",
    "objectives_directions",
    "downstream",
    "objectives_ant",
    "places",
)
"""Beginnings of the names of studies whose seeds nothing was chosen by."""


def files_of(study: Study) -> set[str]:
    pictures = {MEASURES[name].picture for name in study.measures} - {""} | {"curves"}
    return {"README.md", "study.json", *FILES.values(), *(f"{name}.png" for name in pictures)}


def test_final_comparisons_have_seeds_of_their_own() -> None:
    design = set(range(10))
    for name, study in STUDIES.items():
        own = name.startswith(FRESH)
        assert design.isdisjoint(study.seeds) if own else design.issuperset(study.seeds)


@pytest.mark.parametrize("name", STUDIES)
def test_baselines_are_in_every_condition_where_something_is_learned(name: str) -> None:
    study = STUDIES[name]
    for condition in study.conditions:
        own = [arm for arm in study.arms if arm.condition == condition]
        named = {arm.name for arm in own} >= set(study.baselines)
        frozen = (arm.setting.frozen or arm.setting.freeze_after is not None for arm in own)
        assert named or all(frozen)


@pytest.mark.parametrize(
    "name", [name for name in STUDIES if not name.endswith(("cheetah", "ant"))]
)
def test_every_environment_can_be_made(name: str) -> None:
    if name.endswith("point_maze"):
        pytest.importorskip("gymnasium_robotics")
    for condition in STUDIES[name].conditions:
        own = [arm.setting for arm in STUDIES[name].arms if arm.condition == condition]
        own[0].make_environment()


@pytest.mark.parametrize(
    ("study", "arms", "conditions"),
    [
        pytest.param(attribution.STUDY, 2, 2, marks=pytest.mark.thorough),
        pytest.param(agents.STUDIES["navigation2d"], 3, 1, marks=pytest.mark.thorough),
        (places.STUDIES["maze"], 2, 1),
    ],
    ids=lambda value: value.name if isinstance(value, Study) else "",
)
def test_a_study_runs_from_end_to_end_and_the_same_command_writes_the_same_again(
    study: Study, arms: int, conditions: int, toy: Callable[..., Study], tmp_path: Path
) -> None:
    small = toy(study, arms, conditions)
    words = ["--out", str(tmp_path / "out"), "--runs", str(tmp_path / "runs")]
    assert main("toy", {"": small}, words=words) == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == files_of(small)
    with open(tmp_path / "out" / "seeds.csv") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["condition", "arm", "seed", *METRICS, *TIMES]
    found = [(row["condition"], row["arm"], int(row["seed"])) for row in rows]
    assert found == [(a.condition, a.name, seed) for a in small.arms for seed in small.seeds]
    assert all(0.0 <= float(row[name]) <= 1.0 for row in rows for name in small.measures)
    described = json.loads((tmp_path / "out" / "study.json").read_text())
    assert [arm["name"] for arm in described["arms"]] == [arm.name for arm in small.arms]
    assert set(described["machine"]) == {"processor", "cores"}
    assert "too narrow with fewer than 5 seeds" in (tmp_path / "out" / "README.md").read_text()
    words[1] = str(tmp_path / "again")
    assert main("toy", {"": small}, words=words) == 0
    for name in files_of(small):
        first, again = (tmp_path / out / name for out in ("out", "again"))
        assert first.read_bytes() == again.read_bytes(), name


def test_committed_results_are_of_this_code_and_of_studies_that_there_are() -> None:
    for path in RESULTS.glob("*/study.json"):
        described = json.loads(path.read_text())
        assert described["versions"].get("numbers") == NUMBERS, path
        study = STUDIES[path.parent.name]
        arms = [(arm["condition"], arm["name"]) for arm in described["arms"]]
        assert arms == [(arm.condition, arm.name) for arm in study.arms], path
        assert set(FILES.values()) <= {file.name for file in path.parent.iterdir()}


def test_committed_pages_say_where_seeds_are_too_few_for_a_bootstrap() -> None:
    said = {}
    for path in RESULTS.glob("*/study.json"):
        page = (path.parent / "README.md").read_text()
        said[path.parent.name] = "too narrow with fewer than 5 seeds" in page
    few = {name for name, study in STUDIES.items() if len(study.seeds) < 5}
    assert {name for name, warned in said.items() if warned} == few & set(said)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--seeds", "1", "--out", "x"], "--seeds must lie in [2, 10], got 1"),
        (["--epochs", "7", "--out", "x"], "epochs must be a multiple of 5"),
        (["--epochs", "0", "--out", "x"], "epochs must be at least 1"),
        (["--epochs", "10"], "name a folder with --out"),
        (["--sedes", "3"], "unrecognized arguments: --sedes"),
    ],
)
def test_wrong_flags_are_refused_in_a_sentence(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refusal:
        main("attribution", {"": attribution.STUDY}, words=words)
    assert refusal.value.code == 2
    assert sentence in capsys.readouterr().err


def test_a_failure_is_a_sentence_and_ctrl_c_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    errors: list[BaseException] = [OSError("the disk is full"), KeyboardInterrupt()]

    def fail(*_: object, **__: object) -> None:
        raise errors.pop(0)

    monkeypatch.setattr(command, "run", fail)
    words = ["--out", str(tmp_path), "--epochs", "10"]
    assert main("attribution", {"": attribution.STUDY}, words=words) == 1
    assert capsys.readouterr().err == "studies.attribution: the disk is full\n"
    assert main("attribution", {"": attribution.STUDY}, words=words) == 130
    assert f"python -m studies.attribution --out {tmp_path} --epochs 10" in capsys.readouterr().err


def test_a_study_is_a_command_of_its_own() -> None:
    root = Path(__file__).parents[2]
    words = [sys.executable, "-m", "studies.balance", "--part", "loose"]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "choose from" in done.stderr and "trained" in done.stderr
