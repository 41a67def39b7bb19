"""The example for users with a loop of their own runs and tells the truth."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "examples" / "own_loop.py"


def test_the_example_runs(capsys: pytest.CaptureFixture[str]):
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    output = capsys.readouterr().out
    restored, continued = output.split("the next goal is ")[1].split("\n")[0].split(" = ")
    assert restored == continued
    assert "My own selector, p(g): [" in output
