"""Learning curves: the skills are measured while a run trains, with randomness of their own.

Loaded only by runs that ask for it: training alone does not need scikit-learn.
"""

from collections.abc import Sequence
from pathlib import Path

from autotelic import _validate
from autotelic.evaluation import metrics
from autotelic.evaluation._scikit_learn import scikit_learn
from autotelic.evaluation.classifier import held_out_judgements
from autotelic.evaluation.rollouts import judgements_of, roll_out
from autotelic.training.history import HistoryWriter
from autotelic.training.runs import Skills
from autotelic.training.setting import Setting

CURVE_FILE = "learning_curve.csv"
CURVES = (
    "held_out_accuracy",
    "trajectory_accuracy",
    "mutual_information",
    "discriminator_accuracy",
)
"""What is measured, by the names of `autotelic.evaluation.catalogue`."""

PER_GOAL = 10
"""Trajectories of each skill: enough for a curve, and quick beside an epoch."""


def check(setting: Setting, every: int) -> None:
    """Refuse what could not be measured, before anything is trained."""
    _validate.integer("evaluate_every", every, minimum=1)
    if setting.num_goals < 2:
        raise ValueError("evaluate_every tells skills apart, and num_goals is 1; leave it out")
    scikit_learn("linear_model")


class LearningCurve:
    """Measures every member's skills after 0, `every`, 2 `every`, ... epochs into learning_curve.csv.

    A row says how many epochs the member had trained. All measurements share their starts and
    acting noise, so that a curve moves because skills do.

    Args:
        folder: of the run.
        setting: of the run.
        members: (method, seed) of the population.
        every: epochs between measurements.
        done: epochs in the checkpoint that the run continues from; later rows are cut off.

    `due` is the epoch of the next measurement.
    """

    def __init__(
        self,
        folder: Path,
        setting: Setting,
        members: Sequence[tuple[str, int]],
        every: int,
        done: int,
    ):
        self.setting = setting
        self.members = list(members)
        self.every = every
        self.due = (done // every + 1) * every if done else 0
        columns = ["member", "method", "seed", "epoch", *CURVES]
        # The measurement at a checkpoint's own epoch was made before it.
        kept = done + 1 if done else 0
        self.writer = HistoryWriter.resume(folder / CURVE_FILE, columns, kept, every=every)

    def measure(self, epoch: int, skills: Skills) -> None:
        """Measure the skills after so many epochs and write their rows."""
        trajectories = roll_out(self.setting, skills.policy, self.members, PER_GOAL)
        judgements = judgements_of(self.setting.objective, skills.discriminator, trajectories)
        rows = []
        for number, judged in enumerate(judgements):
            held_out = held_out_judgements(
                trajectories.observations[number], trajectories.lengths[number]
            )
            method, seed = self.members[number]
            values = (
                metrics.accuracy(held_out),
                metrics.accuracy(metrics.per_trajectory(held_out)),
                metrics.mutual_information_bound(held_out),
                metrics.accuracy(judged),
            )
            row = {"member": number, "method": method, "seed": seed, "epoch": epoch}
            rows.append({**row, **dict(zip(CURVES, values, strict=True))})
        self.writer.append(rows)
        self.due = epoch + self.every
