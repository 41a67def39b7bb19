"""`autotelic figures`: what fits the run is drawn, what does not is said."""

from pathlib import Path

import pandas
import pytest
from running import train_words

from autotelic.cli import main
from autotelic.commands import figures as command
from autotelic.evaluation import embedding
from autotelic.evaluation.results import COLUMNS, Evaluation, EvaluationSetting
from autotelic.runs.run import load


@pytest.mark.thorough
def test_all_figures_that_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setattr(embedding, "ITERATIONS", 250)
    folder = tmp_path / "run"
    words = train_words(folder, 4, "--evaluate-every", "2")
    assert main(words) == 0
    capsys.readouterr()
    assert main(["figures", str(folder)]) == 0
    output = capsys.readouterr().out
    assert "comparison is left out" in output and "not evaluated yet" in output
    drawn = {path.stem for path in (folder / "figures").glob("*.pdf")}
    methods = ["0_diayn", "1_dp_offset_5_smoothing_5"]
    expected = {"effective_skills", "learning_curves", "skill_embedding"}
    expected |= {f"goal_dynamics_{method}" for method in methods}
    expected |= {f"skill_trajectories_{method}" for method in methods}
    assert drawn == {path.stem for path in (folder / "figures").glob("*.png")} == expected

    rows = [(0, "diayn", 0, trained, "knn_f1", 0.5) for trained in (True, False)]
    table = pandas.DataFrame(rows, columns=pandas.Index(COLUMNS))
    Evaluation(EvaluationSetting(4, 4, 5, 0), table, []).save(folder)
    names = {name: draw for name, draw in command.drawings(load(folder))}
    assert names.keys() == expected | {"comparison"}
    titles = [axes.get_title("left") for axes in names["comparison"]().axes]
    assert titles == ["KNN-F1"]
    Evaluation(EvaluationSetting(3, 4, 5, 0), table, []).save(folder)
    with pytest.raises(ValueError, match="evaluated after 3 epochs, and is trained for 4 now"):
        names["comparison"]()

    monkeypatch.setattr(command, "EMBEDDED_PER_SKILL", 9)
    with pytest.raises(ValueError, match="3 goals x 9 = 27"):
        names["skill_embedding"]()


def test_no_run_is_refused_and_nothing_made(tmp_path: Path, capsys):
    assert main(["figures", str(tmp_path)]) == 2
    assert "holds no run" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
