"""What a study measured, as two tidy tables: a row for each learner, and a row for each measurement."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
import pandas

from autotelic.evaluation.catalogue import measured
from autotelic.evaluation.evidence import ChoiceEvidence
from autotelic.evaluation.statistics import normalised_area
from autotelic.evaluation.survival import epochs_to_threshold
from autotelic.runs.diverged import read_diverged
from autotelic.runs.history import History, LearnerHistory
from autotelic.runs.run import Runs, load
from autotelic.selectors import effective_number_of_skills
from studies.study import Part, Study, parts

Table = Any
"""A `pandas.DataFrame`: type checkers cannot tell what indexing one gives."""

FILES = {
    "seeds": "seeds.csv",
    "curves": "curves.csv.gz",  # most of a study's size, and read by programs
    "summary": "summary.csv",
    "comparisons": "comparisons.csv",
}
"""What a study's tables are called in its folder."""

DIGITS = 6
"""After the decimal point, in every table: files stay small, and analyses start from what is in them."""


class Measure(NamedTuple):
    """An area under a curve.

    curve: what it is of; title: of a picture; words: that stand over a table; picture: of all arms, its
    file, or "".
    """

    curve: str
    title: str
    words: str
    picture: str = ""


MEASURES: Mapping[str, Measure] = {
    "area": Measure(
        "trajectory_accuracy",
        "area, trajectory accuracy",
        "From whole trajectories, held out:",
        "comparison",
    ),
    "area_per_step": Measure(
        "held_out_accuracy",
        "area, accuracy from one state",
        "From single states, held out:",
        "comparison_per_step",
    ),
    "area_discriminator": Measure(
        "discriminator_accuracy",
        "area, own discriminator",
        "By the learner's own discriminator, which also depends on how evenly and how recently goals were "
        "practised:",
    ),
    "area_success": Measure(
        "success",
        "area, success",
        "Success at the goals that can be reached, each of the same weight:",
        "comparison_success",
    ),
}
"""By the areas' names. Success is of goals that can be reached; elsewhere it is empty."""

PRIMARY = ("area", "area_per_step")
"""Measures of skills alone: held-out accuracy from whole trajectories and from single states. The first
was named before there were results; the second is slower to rise, and so more telling."""

CURVES = tuple(measure.curve for measure in MEASURES.values())
FINAL = (*CURVES, "knn_f1", "mutual_information", "distinct_skills")
METRICS = (
    *MEASURES,
    *FINAL,
    *("coverage", "covered_cells", "covered_cells_untrained"),
    *("effective_number", "effective_number_lowest", "effective_number_deviation"),
    *("effective_selections", "signal_correlation", "signal_late"),
)
"""What a learner is described by."""

TIMES: Mapping[str, tuple[str, float]] = {
    "epochs_to_50": ("trajectory_accuracy", 0.5),
    "epochs_to_90": ("trajectory_accuracy", 0.9),
    "epochs_to_50_per_step": ("held_out_accuracy", 0.5),
    "epochs_to_90_per_step": ("held_out_accuracy", 0.9),
    "epochs_to_50_success": ("success", 0.5),
    "epochs_to_80_success": ("success", 0.8),
}
"""The first measured epoch at a threshold; empty for a learner that did not get there in the study."""

KEYS = ["condition", "arm", "seed"]


class Tables(NamedTuple):
    """seeds: a row for each arm and seed; curves: a row for each of its measurements."""

    seeds: Table
    curves: Table


COLUMNS = Tables([*KEYS, *METRICS, *TIMES], [*KEYS, "epoch", *CURVES])
"""Of both tables; a study may add its own to the first."""


def collect(study: Study, folder: Path) -> Tables:
    """The tables of a study whose runs are finished; learners that diverged have no numbers."""
    found = [(part, load(folder / part.folder)) for part in parts(study)]
    return joined(study, [part_tables(study, part, runs) for part, runs in found])


def part_tables(study: Study, part: Part, runs: Runs) -> Tables:
    """The rows of the arms that were trained as one population."""
    rows, curves = [], []
    curve: Table = runs.learning_curve
    histories = {history.member: history for history in History(runs).learners()}
    # Not `runs.diverged`: of a run of which nobody is left the last checkpoint knows less.
    lost = {(one.method, one.seed) for one in read_diverged(runs.folder)}
    for arm in part.arms:
        for seed in study.seeds:
            own = curve[(curve["method"] == arm.label) & (curve["seed"] == seed)]
            named = dict(zip(KEYS, (arm.condition, arm.name, seed), strict=True))
            curves.append(own.reindex(columns=["epoch", *CURVES]).assign(**named))
            if (arm.label, seed) in lost:
                rows.append({**named, **dict.fromkeys((*METRICS, *TIMES), np.nan)})
                curves[-1][list(CURVES)] = np.nan
            else:
                rows.append({**named, **learner_row(own, histories[arm.label, seed])})
    frame: Table = pandas.DataFrame(rows)
    together: Table = pandas.concat(curves, ignore_index=True)
    return Tables(frame[COLUMNS.seeds].round(DIGITS), together[COLUMNS.curves].round(DIGITS))


def joined(study: Study, found: Sequence[Tables]) -> Tables:
    """The parts' tables as the study's, in the order of its arms."""
    order = {(arm.condition, arm.name): number for number, arm in enumerate(study.arms)}

    def in_order(tables: Sequence[Table]) -> Table:
        together: Table = pandas.concat(list(tables), ignore_index=True)
        ranks = [order[key] for key in zip(together["condition"], together["arm"], strict=True)]
        # Seeds and epochs of an arm are in order already: a stable sort keeps them so.
        return together.iloc[np.argsort(ranks, kind="stable")].reset_index(drop=True)

    return Tables(in_order([one.seeds for one in found]), in_order([one.curves for one in found]))


def text_of(table: Table) -> bytes:
    """A table as the bytes of a CSV file."""
    return table.round(DIGITS).to_csv(index=False, lineterminator="\n").encode()


def read(path: Path | TextIO) -> Table:
    """A table that was written to a file; a study of one condition has none to name."""
    return pandas.read_csv(path, dtype={"condition": str}).fillna({"condition": ""})


def learner_row(curve: Table, history: LearnerHistory) -> dict[str, float]:
    """One learner's numbers from its rows of the learning curve and from its history."""
    epochs = curve["epoch"].to_numpy()
    last = curve.iloc[-1]
    measures = {name: own for name, own in MEASURES.items() if own.curve in curve}
    row: dict[str, Any] = {
        **dict.fromkeys(MEASURES, np.nan),
        **{n: normalised_area(epochs, curve[own.curve].to_numpy()) for n, own in measures.items()},
        **{name: last.get(name, np.nan) for name in FINAL},
        # One of the two is empty: a box is covered in part, and the ground has no end.
        "coverage": last[["grid_coverage", "cells_visited"]].astype(float).max(),
        **effective_after_first_round(history.prior),
        # On open ground alone, by the published protocol; older curves have no such column.
        "covered_cells": float(last.get("covered_cells", np.nan)),
        "covered_cells_untrained": float(curve.iloc[0].get("covered_cells", np.nan)),
        "signal_correlation": np.nan,
        "signal_late": late_signal(history),
        **measured(ChoiceEvidence(history)),
    }
    for name, (metric, threshold) in TIMES.items():
        row[name] = np.nan
        if metric not in curve:
            continue
        times = epochs_to_threshold(epochs, curve[metric].to_numpy()[None], threshold)
        row[name] = times.epochs[0] if times.reached[0] else np.nan
    return row


def late_signal(history: LearnerHistory) -> float:
    """The mean over the run's second half of the selector's value of the goal just pursued."""
    values = history.signal[np.arange(len(history.goals)), history.goals]
    known = values[len(values) // 2 :]
    known = known[~np.isnan(known)]
    return float(known.mean()) if len(known) else np.nan


def effective_after_first_round(prior: np.ndarray) -> dict[str, float]:
    """exp(entropy of p(g)) after the first |G| visits: mean, lowest, and standard deviation over visits;
    of the prior [visits, goals].

    Of the prior and not of the selection probabilities, which in every round without replacement
    fall to one goal.
    """
    later = prior[prior.shape[1] :]
    numbers = effective_number_of_skills(later) if len(later) else np.array([np.nan])
    return {
        "effective_number": float(np.mean(numbers)),
        "effective_number_lowest": float(np.min(numbers)),
        "effective_number_deviation": float(np.std(numbers)),
    }
