"""`autotelic train CartPole-v1` just works, and so does all that follows; the wrong agent is refused."""

from pathlib import Path

import pytest
from running import TINY

from autotelic.agents import DiscreteSac
from autotelic.cli import main
from autotelic.runs.run import load

POLE = ["train", "CartPole-v1", *TINY, "--environment-options", "max_episode_steps=15"]


@pytest.mark.thorough
def test_discrete_actions_need_no_flag_and_a_run_is_resumed_and_evaluated(tmp_path: Path, capsys):
    whole, parts = str(tmp_path / "whole"), str(tmp_path / "parts")
    assert main([*POLE, "--epochs", "3", "--discount", "0.9", "--out", whole]) == 0
    assert main([*POLE, "--epochs", "2", "--discount", "0.9", "--out", parts]) == 0
    assert load(parts).setting.agent == DiscreteSac(tune_entropy=True, discount=0.9)
    assert main(["train", "--resume", "--epochs", "3", "--out", parts]) == 0
    histories = [Path(folder, "history.csv").read_bytes() for folder in (whole, parts)]
    assert histories[0] == histories[1]
    capsys.readouterr()
    assert main(["evaluate", whole, "--per-goal", "4", "--steps", "10"]) == 0
    assert "accuracy, one state" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["CartPole-v1", "--agent", "sac"],
            "CartPole-v1 has discrete actions, and the agent Sac takes continuous ones; leave the agent "
            "out, or choose DiscreteSac (--agent discrete-sac)",
        ),
        (
            ["navigation2d", "--agent", "discrete-sac"],
            "navigation2d has continuous actions, and the agent DiscreteSac takes discrete ones; leave "
            "the agent out, or choose Sac (--agent sac)",
        ),
        (["CartPole-v1", "--target-entropy", "-1"], "target_entropy -1.0 is an option of Sac"),
        (
            ["CartPole-v1", "--target-entropy-share", "0.3"],
            "--target-entropy-share is no option of the agent auto",
        ),
    ],
)
def test_an_agent_that_does_not_fit_is_refused_before_a_folder_is_made(
    words: list[str], said: str, tmp_path: Path, capsys
):
    assert main(["train", *words, "--out", str(tmp_path / "run")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
