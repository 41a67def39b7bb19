"""The example that ranks selectors runs, and prints both families."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "examples" / "rank_selectors.py"


def test_a_ranking_is_printed_for_both_families(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    chosen = ["round-robin", "uniform", "auto", "frontier"]
    monkeypatch.setattr(
        "sys.argv",
        ["rank_selectors.py", "--goals", "10", "--seeds", "1", "--selectors", *chosen],
    )
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    blocks = capsys.readouterr().out.strip().split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == [
        "exchangeable: 10 goals, 1 seeds",
        "maze, 50% impossible: 10 goals, 1 seeds",
    ]
    for block in blocks:
        rows = [line.split() for line in block.splitlines()[2:]]
        assert {row[0] for row in rows} == set(chosen)
        areas = [float(row[1]) for row in rows]
        assert areas == sorted(areas, reverse=True) and areas[0] > 0.3
