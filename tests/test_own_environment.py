"""The example of an environment of one's own trains from the shell's words, as its docstring says."""

import shlex
from pathlib import Path

import pandas as pd

from autotelic.cli import main

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_environment_is_trained_in_by_its_name(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    words = (
        "train own_environment:Greenhouse-v0 --seeds 1 --epochs 2 --num-goals 3 --hidden-units 4"
    )
    words += " --steps-per-epoch 300 --batch-size 8 --methods round-robin"
    main([*words.split(), "--out", str(tmp_path / "run")])
    history = pd.read_csv(tmp_path / "run" / "history.csv")
    assert len(history) == 2 * 3  # goals are held for 100 of an epoch's 300 steps
    assert history["loss_q"].notna().all()
    evaluate = ["evaluate", str(tmp_path / "run"), "--per-goal", "2", "--steps", "20"]
    assert main(evaluate) == 2
    typed = shlex.split(capsys.readouterr().err.partition(" name it: ")[2])
    assert typed[1:] == [*evaluate, "--environment", "own_environment:Greenhouse-v0"]
    assert main(typed[1:]) == 0


def test_actions_within_the_bounds_move_the_air_and_extremes_end_the_episode(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from own_environment import HIGH, LOW, Greenhouse

    greenhouse = Greenhouse()
    assert (LOW != -HIGH).all()
    for action, expected in ((LOW, False), (HIGH * [1, 0], True)):
        greenhouse.reset(seed=0)
        begin = greenhouse.air[0]
        ends = [greenhouse.step(action)[2] for _ in range(100)]
        assert any(ends) == expected
        assert (greenhouse.air[0] > begin) == expected
