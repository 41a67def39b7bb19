"""The tutorials run as they are written, cell by cell, and show what their text says."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from notebooks import code_of, page_of

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)  # files go there

    def names_after(name: str) -> dict[str, Any]:
        """The names that a tutorial leaves behind."""
        path = FOLDER / f"{name}.ipynb"
        names: dict[str, Any] = {"__name__": "__main__"}
        for code in code_of(path.read_text()):
            exec(compile(code, str(path), "exec"), names)
        return names

    return names_after


def test_an_agent_of_your_own_learns_to_be_recognised(run, capsys):
    certainty = run("own_agent")["certainty"]
    assert np.mean(certainty[-60:]) > np.mean(certainty[:60]) + 0.2
    restored, continued = capsys.readouterr().out.splitlines()[-1].split(" = ")
    assert restored == continued


def test_an_agent_of_your_own_in_pytorch_learns_to_be_recognised(run):
    pytest.importorskip("torch")
    certainty = run("own_pytorch_agent")["certainty"]
    assert np.mean(certainty[-60:]) > np.mean(certainty[:60]) + 0.2


def test_an_environment_of_your_own_is_trained_in(run):
    history = run("own_environment")["runs"].history
    assert history["epoch"].nunique() == 3 and set(history["goal"]) == {0, 1, 2}


def test_an_objective_of_your_own_is_checked_and_trained_with(run):
    names = run("own_objective")
    assert "needs_start" in names["said"]
    assert names["runs"].history["certainty"].between(0, 1).all()


def test_a_report_is_made_and_its_numbers_are_there(run):
    names = run("reading_a_report")
    assert "<title>" in names["page"].read_text()
    assert names["practised"].loc["round-robin"].sum() == len(
        names["runs"].history.query("method == 'round-robin'")
    )
    assert (names["runs"].folder / "evaluation.csv").exists()


def test_skills_are_used_in_a_task(run):
    names = run("skills_to_a_task")
    best = names["found"]
    # The task has one start, so the wrapper's return is that of the same skill's episodes.
    assert names["total"] == pytest.approx(best.returns[best.goal, 0], rel=1e-4)


@pytest.mark.slow
def test_a_sweep_trains_its_runs(run):
    names = run("a_sweep")
    assert names["exit_code"] == 0
    assert names["folders"] == ["batch-size=16", "batch-size=8"]


def test_pages_hold_texts_and_code_without_outputs():
    cells = [
        '{"cell_type": "markdown", "source": ["# A\\n", "b"]}',
        '{"cell_type": "code", "source": ["x = 1\\n", "x"], "outputs": [{"text": "1"}]}',
    ]
    notebook = '{"cells": [' + ", ".join(cells) + "]}"
    assert page_of(notebook) == "# A\nb\n\n```python\nx = 1\nx\n```\n"
    assert code_of(notebook) == ["x = 1\nx"]


def test_notebooks_are_kept_without_outputs():
    paths = sorted(FOLDER.glob("*.ipynb"))
    assert len(paths) == 7
    assert not [path.name for path in paths if '"outputs": []' not in path.read_text()]
    assert not [path.name for path in paths if '"output_type"' in path.read_text()]
