"""The paper's three claims in numbers, from what is committed: `python -m studies.claims`.

1. A learner with DP learns a distribution over goals whose probability mass does not collapse, and the
   softmax temperature controls the effective number of skills: their number at each selection after the
   first round.
2. DP motivates selection by observed progress, easiest goals first, hard ones avoided until later: over the
   seeds of Figure 2, by how sure the discriminator was of each goal in the first round. These measures were
   defined before any of that data was there.
3. A diverse set of skills takes less training with DP than with uniform selection: differences from DIAYN,
   of the study `attribution` in 2D navigation and of the seeds of Figures 1(b), 1(c) and 3.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from autotelic.evaluation.statistics import mean_interval, paired_difference
from autotelic.figures.paper_data import SeedData, read_data
from autotelic.figures.paper_figures import PANELS, environment_of
from autotelic.runs.history import LearnerHistory
from studies.answer import RESULTS
from studies.tables import FILES, read

EARLY = 4
"""Times as many epochs after the first round as there are goals: until then selection is early."""
COMPARED = "attribution"
"""The study that holds plain DP and DIAYN (uniform) at the paper's settings, in 2D navigation."""
CURVES = ("fig1b", "fig1c")
"""Figures whose seeds are compared by how certain the learner's discriminator is of the goal pursued."""
MEASURED = {
    "area_per_step": "area under the curve of accuracy from one state",
    "area_discriminator": "the same of the learner's discriminator",
    "held_out_accuracy": "accuracy from one state at the end",
}


class Level(NamedTuple):
    """Of one learner's effective number of skills after the first round: its mean and standard deviation
    over epochs, the lowest, and that of the last epoch.
    """

    mean: float
    deviation: float
    lowest: float
    last: float


def level(numbers: np.ndarray, goals: int) -> Level:
    """`numbers`: at every selection, [epochs]; the first `goals` of them are left out.

    >>> level(np.array([2.0, 1.0, 1.5, 2.0]), goals=2)
    Level(mean=1.75, deviation=0.25, lowest=1.5, last=2.0)
    """
    later = numbers[goals:][np.isfinite(numbers[goals:])]  # of a learner that diverged until then
    return Level(*(float(found) for found in (later.mean(), later.std(), later.min(), later[-1])))


def waits(goals: np.ndarray, num_goals: int) -> np.ndarray:
    """After how many epochs from the first round's end each goal comes again, [goals]; `goals`: [epochs].

    That of a goal that never does is the epochs that there are, and one more.

    >>> waits(np.array([2, 0, 1, 1, 1, 0]), num_goals=3).tolist()
    [3, 1, 4]
    """
    later = goals[num_goals:]
    chosen = later == np.arange(num_goals)[:, None]
    return np.where(chosen.any(axis=1), chosen.argmax(axis=1) + 1, len(later) + 1)


def first_visits(learner: LearnerHistory) -> tuple[np.ndarray, np.ndarray]:
    """Of the first round, for each goal: certainty in its visit, and the selector's value after it."""
    num_goals = learner.signal.shape[1]
    order = learner.goals[:num_goals]
    if sorted(order) != list(range(num_goals)):
        raise ValueError(
            f"{learner.member} has no first round: it begins with the goals {list(order)}"
        )
    certainty, value = np.empty(num_goals), np.empty(num_goals)
    certainty[order] = learner.certainty[:num_goals]
    value[order] = learner.signal[np.arange(num_goals), order]
    return certainty, value


def rank_correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Spearman's; NaN where one of them is the same everywhere.

    >>> rank_correlation(np.array([1.0, 2.0, 9.0]), np.array([5.0, 6.0, 7.0]))
    1.0
    """
    ranks = [rankdata(values) - (len(values) + 1) / 2 for values in (one, other)]
    scale = float(np.sqrt((ranks[0] ** 2).sum() * (ranks[1] ** 2).sum()))
    return float((ranks[0] * ranks[1]).sum() / scale) if scale else float("nan")


def hard_goals(certainty: np.ndarray) -> np.ndarray:
    """The half of the goals, rounded down, whose first visits were least certain.

    >>> hard_goals(np.array([0.9, 0.1, 0.5, 0.3, 0.7])).tolist()
    [1, 3]
    """
    return np.argsort(certainty, kind="stable")[: len(certainty) // 2]


class Order(NamedTuple):
    """Of one learner.

    by_certainty, by_progress: rank correlation of a goal's certainty, or DP, in the first round with how
        soon it comes again; 1 is easiest first.
    early, late: the share of hard goals in the epochs just after the first round, and in the last half of
        the run.
    """

    by_certainty: float
    by_progress: float
    early: float
    late: float


def order(learner: LearnerHistory) -> Order:
    """Whether easy goals came first, and hard ones later."""
    num_goals = learner.signal.shape[1]
    certainty, value = first_visits(learner)
    soon = -waits(learner.goals, num_goals)
    is_hard = np.isin(learner.goals, hard_goals(certainty))
    early = is_hard[num_goals : num_goals * (1 + EARLY)]
    return Order(
        rank_correlation(certainty, soon),
        rank_correlation(value, soon),
        float(early.mean()),
        float(is_hard[len(is_hard) // 2 :].mean()),
    )


def claim_1(panels: Sequence[Sequence[SeedData]]) -> list[str]:
    """A row for each panel and method: means over seeds, the lowest of all, and the range of the ends."""
    rows = [
        "| panel | reading | method | seeds | epochs | effective number | its s.d. over epochs | lowest "
        "| at the end |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for data in panels:
        goals = data[0].head["setting"]["num_goals"]
        for row, method in enumerate(data[0].methods):
            levels = [level(one.effective_numbers[row], goals) for one in data]
            ends = [found.last for found in levels]
            epochs = min(one.epochs for one in data)
            rows.append(
                f"| {PANELS[data[0].figure]} {environment_of(data)} | {data[0].head['reading']} | {method} "
                f"| {len(data)} | {epochs} | {np.mean([found.mean for found in levels]):.2f} "
                f"| {np.mean([found.deviation for found in levels]):.2f} "
                f"| {min(found.lowest for found in levels):.2f} | {min(ends):.1f} to {max(ends):.1f} |"
            )
    return rows


def claim_2(data: Sequence[SeedData]) -> list[str]:
    """A row for each measure, over the seeds of Figure 2."""
    found = [order(one.learner(one.methods[0])) for one in data]
    num_goals = data[0].head["setting"]["num_goals"]
    even = f"{num_goals // 2 / num_goals:.2f}"
    meanings = {
        "by_certainty": ("certainty at first, with how soon again (rank correlation)", "0"),
        "by_progress": ("DP at first, with how soon again (rank correlation)", "0"),
        "early": (
            f"share of hard goals in the {EARLY * num_goals} epochs after the first round",
            even,
        ),
        "late": ("share of hard goals in the last half", even),
    }
    rows = [
        f"| {len(data)} seeds, reading {data[0].head['reading']} | mean | even |",
        "| --- | --- | --- |",
    ]
    for name, (meaning, even) in meanings.items():
        rows.append(f"| {meaning} | {_mean([getattr(one, name) for one in found])} | {even} |")
    later = [one.late - one.early for one in found]
    return [*rows, f"| late less early share | {_mean(later)} | 0 |"]


def claim_3(
    results: Path, curves: Sequence[Sequence[SeedData]], embedded: Sequence[SeedData]
) -> list[str]:
    """A row for each environment and measure: DP minus DIAYN.

    Args:
        results: where the study is.
        curves: the seeds of panels (b) and (c) of Figure 1, a reading each.
        embedded: the seeds of Figure 3.
    """
    rows = [
        "| environment | where | measure | seeds | DP minus DIAYN |",
        "| --- | --- | --- | --- | --- |",
    ]
    table = read(results / COMPARED / FILES["comparisons"])
    plain = table[(table["arm"] == "DP") & (table["baseline"] == "uniform")]
    plain = plain[plain["condition"] == ""]
    for metric, meaning in MEASURED.items():
        for row in plain[plain["metric"] == metric].itertuples():
            change = _signed(row.difference, row.difference_low, row.difference_high)
            rows.append(f"| 2D navigation | {COMPARED} | {meaning} | {row.seeds} | {change} |")
    for data in curves:
        where = f"Figure 1{PANELS[data[0].figure]}, {data[0].head['reading']}"
        for method in data[0].methods:
            if method.startswith("DP") and len(data) > 1:
                pairs = [[_certainty(one, name) for name in (method, "DIAYN")] for one in data]
                change = _signed(*paired_difference(*np.array(pairs).T))
                rows.append(
                    f"| {environment_of(data)} | {where}, {method} | certainty of the goal pursued, mean "
                    f"over epochs | {len(data)} | {change} |"
                )
    kept = [one for one in embedded if "knn_f1" in one.arrays]
    if len(kept) > 1:
        for name, meaning in (
            ("knn_f1", "KNN-F1"),
            ("held_out_accuracy", MEASURED["held_out_accuracy"]),
        ):
            diayn, progress = (
                np.array([one.arrays[name][panel] for one in kept]) for panel in (1, 2)
            )
            change = _signed(*paired_difference(progress, diayn))
            reading = kept[0].head["reading"]
            rows.append(
                f"| Half-Cheetah | Figure 3, {reading} | {meaning} | {len(kept)} | {change} |"
            )
    return rows


def _certainty(data: SeedData, method: str) -> float:
    """The mean over epochs of q(goal | s) of the goal pursued."""
    return float(data.learner(method).certainty.mean())


def _mean(values: Sequence[float]) -> str:
    known = [value for value in values if np.isfinite(value)]
    if len(known) < 2:
        return f"{known[0]:.2f}" if known else "-"
    return "{:.2f} [{:.2f}, {:.2f}]".format(*mean_interval(known))


def _signed(middle: float, low: float, high: float) -> str:
    return f"{middle:+.3f} [{low:+.3f}, {high:+.3f}]"


def grouped(data: Sequence[SeedData], figure: str) -> list[list[SeedData]]:
    """A figure's seeds, apart by their readings."""
    own = sorted((one for one in data if one.figure == figure), key=lambda one: one.seed)
    readings = dict.fromkeys(one.head["reading"] for one in own)
    return [[one for one in own if one.head["reading"] == reading] for reading in readings]


def main(words: Sequence[str] | None = None) -> int:
    """Print the tables of what is there."""
    parser = argparse.ArgumentParser(prog="python -m studies.claims", description=__doc__)
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="where studies and figures are kept"
    )
    results = parser.parse_args(words).results
    data = read_data([results / "paper"])
    panels = [seeds for figure in PANELS for seeds in grouped(data, figure)]
    print("Claim 1\n", *claim_1(panels), sep="\n")
    for seeds in grouped(data, "fig2"):
        print("\nClaim 2\n", *claim_2(seeds), sep="\n")
    for seeds in grouped(data, "fig3") or [[]]:
        curves = [own for figure in CURVES for own in grouped(data, figure)]
        print("\nClaim 3\n", *claim_3(results, curves, seeds), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
