"""The page as a file: safe, self-contained, and written only where nothing is lost."""

import base64
import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest
from small_run import EPOCHS, GOALS, NASTY

from autotelic import cli
from autotelic.report.page import check_free, filled, lightened
from autotelic.runs.run import Runs


def data_of(page: str) -> dict:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def scripts_of(page: str) -> list[str]:
    return re.findall(r"<script>(.*?)</script>", page, re.DOTALL)


def test_names_from_a_run_are_only_names(page: str):
    assert "alert(1)" in page
    assert "<script>alert(1)" not in page
    assert data_of(page)["methods"] == [NASTY, "DIAYN"]
    assert len(scripts_of(page)) == 1


def test_a_name_that_looks_like_a_placeholder_stays_a_name():
    parts = {"title": "{{data}}", "data": "secret"}
    assert filled("{{title}} {{data}}", parts) == "{{data}} secret"


def test_the_policy_allows_the_one_script_and_nothing_from_elsewhere(page: str):
    (script,) = scripts_of(page)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
        in page
    )
    addresses = set(re.findall(r"https?://[^\"'\s]*", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, which nobody fetches
    assert not re.search(r"<(link|img|iframe|object|embed)\b|\ssrc=|@import", page)


def test_the_data_cover_every_learner_and_epoch(page: str):
    data = data_of(page)
    assert data["seeds"] == [0, 1]
    assert [len(one["goals"]) for one in data["dynamics"]["members"]] == [EPOCHS] * 4
    for member in data["dynamics"]["members"]:
        for probabilities in member["selection"]:
            assert len(probabilities) == GOALS
            assert sum(probabilities) == pytest.approx(1.0, abs=1e-3)
    assert [(one["method"], one["seed"]) for one in data["skills"]["members"]] == [
        *((NASTY, 0), (NASTY, 1), ("DIAYN", 0), ("DIAYN", 1)),
    ]
    assert [one["seed"] for one in data["skills"]["untrained"]] == [0, 1]


def test_the_command_writes_the_same_page_each_time(runs: Runs, page: str, tmp_path: Path, capsys):
    path = tmp_path / "page.html"
    assert cli.main(["report", str(runs.folder), "--out", str(path)]) == 0
    assert path.read_text() == page
    assert str(path) in capsys.readouterr().out
    assert not (runs.folder / "report.html").exists()
    check_free(path)  # an earlier report may be replaced


def test_a_foreign_file_is_left_alone(runs: Runs, tmp_path: Path, capsys):
    path = tmp_path / "report.html"
    path.write_text("<p>my own</p>")
    assert cli.main(["report", str(runs.folder), "--out", str(path)]) == cli.REFUSED
    assert path.read_text() == "<p>my own</p>"
    assert "not a report of autotelic" in capsys.readouterr().err


def test_a_page_needs_a_folder_and_a_file(tmp_path: Path):
    with pytest.raises(ValueError, match="in a folder that exists"):
        check_free(tmp_path / "nowhere" / "report.html")
    with pytest.raises(ValueError, match="name of a file"):
        check_free(tmp_path)


def without_skills(folder: Path) -> None:
    """A run that was stopped before its first checkpoint."""
    shutil.rmtree(folder / "checkpoints")
    (folder / "skills.npz").unlink()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "run.json").unlink(), "holds no run"),
        (lambda folder: (folder / "run.json").write_text('{"format": 99}'), "format 99"),
        (without_skills, "too few epochs"),
        (lambda folder: (folder / "history.csv").unlink(), "history.csv: it is missing"),
    ],
)
def test_what_is_no_readable_run_is_refused(runs: Runs, tmp_path: Path, capsys, spoil, said):
    folder = Path(shutil.copytree(runs.folder, tmp_path / "run"))
    spoil(folder)
    assert cli.main(["report", str(folder)]) == cli.REFUSED
    assert said in capsys.readouterr().err
    assert not (folder / "report.html").exists()


def test_dark_colours_stand_out_from_black():
    for colour in ("#000000", "#0072B2", "#753400"):
        channels = [int(lightened(colour)[at : at + 2], 16) for at in (1, 3, 5)]
        red, green, blue = ((value / 255) ** 2.2 for value in channels)
        luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
        assert (luminance + 0.05) / 0.06 > 3  # against #1c2025: WCAG's ratio for graphics
