"""The DIAYN in one file learns skills that can be told apart, with any selector."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

EXAMPLES = Path(__file__).parents[1] / "examples"
SMALL = ["--num-skills", "4", "--hidden", "64", "--batch-size", "64", "--learning-rate", "1e-3"]


@pytest.fixture
def main(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import cleanrl_diayn

    return cleanrl_diayn.main


def test_skills_become_recognisable(main, capsys: pytest.CaptureFixture[str]):
    certainties = main([*SMALL, "--total-timesteps", "2000", "--learning-starts", "300"])
    assert len(certainties) == 20 and np.mean(certainties[:3]) < 0.35
    assert np.mean(certainties[-5:]) > 0.45  # chance is 0.25
    assert "step 2000: certainty" in capsys.readouterr().out


def test_other_selectors_choose_and_a_short_visit_is_refused(main):
    words = ["--total-timesteps", "150", "--learning-starts", "50", "--steps-per-skill", "25"]
    assert len(main([*SMALL, *words, "--selector", "curious"])) == 6
    with pytest.raises(ValueError, match="steps"):
        main([*SMALL, *words, "--selector", "dp:offset=750,smoothing=250"])


def test_it_is_short():
    assert len((EXAMPLES / "cleanrl_diayn.py").read_text().splitlines()) < 250
