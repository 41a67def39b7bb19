"""The demonstration on a simulated learner draws its picture and shows the paper's Figure 1."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "examples" / "simulated_curriculum.py"


@pytest.mark.thorough
def test_the_picture_is_drawn_and_the_shapes_are_the_papers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    picture = tmp_path / "picture.png"
    monkeypatch.setattr("sys.argv", ["simulated_curriculum.py", str(picture)])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert picture.read_bytes().startswith(b"\x89PNG")
    lines = capsys.readouterr().out.splitlines()
    end = {line[:20].strip(): float(line[20:].split()[0]) for line in lines[:-1]}
    assert end["DIAYN"] == 20.0
    assert max(end["VIC (REINFORCE)"], end["VIC (learned prior)"]) < 10
    assert min(end["DP, T = 0.1"], end["DP, T = 0.3"]) > 10
