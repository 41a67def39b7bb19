"""With fixed skills a schedule moves the learner's own discriminator, and no measure of skills."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas
import pytest

from studies import balance
from studies.command import main
from studies.study import Study
from studies.tables import FILES, read

SKILLS = ("trajectory_accuracy", "held_out_accuracy")


@pytest.mark.thorough
def test_fixed_skills_are_measured_alike_under_every_schedule(
    toy: Callable[..., Study], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = toy(balance.STUDIES["fixed"], 2, 2)
    quick = tuple(replace(a, setting=replace(a.setting, learning_rate=0.1)) for a in study.arms)
    study = replace(study, arms=quick)
    learned = toy(balance.STUDIES["trained"]).arms[0].setting
    monkeypatch.setattr(balance, "LEARNED", learned)
    monkeypatch.setattr(balance, "LEARNED_EPOCHS", 3)
    monkeypatch.setattr(balance, "SEEDS", (0, 1))
    words = ["--out", str(tmp_path / "out"), "--runs", str(tmp_path / "runs")]
    assert main("toy", {"": study}, words=words, prepare=balance.with_learned_skills) == 0
    measured = defaultdict(set)
    for row in read(tmp_path / "out" / FILES["curves"]).itertuples():
        measured[row.seed].add(tuple(getattr(row, name) for name in SKILLS))
    # Over epochs, schedules and replays: the same skills, the same numbers.
    assert all(len(found) == 1 for found in measured.values())
    # The discriminators alone have learned, each from its own schedule and replay.
    certain = [
        pandas.read_csv(path).query("epoch == 3")["certainty"].iloc[-1]
        for path in tmp_path.glob("runs/*replay*/history.csv")
    ]
    assert len(certain) == 2 and len({0.5, *certain}) == 3
