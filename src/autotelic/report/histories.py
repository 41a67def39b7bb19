"""What the page draws of a run's history: learning curves and each learner's goal selection."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from autotelic._spaced import spaced
from autotelic.evaluation.catalogue import METRICS
from autotelic.evaluation.evaluate import trained_epochs
from autotelic.evaluation.statistics import (
    FEWEST_RUNS,
    interquartile_mean,
    interquartile_mean_band,
)
from autotelic.report.markup import raised
from autotelic.runs.history import History

if TYPE_CHECKING:
    from autotelic.runs.run import Runs

LARGEST_DYNAMICS = 600_000
"""Probabilities in a page; of longer runs every second, third, ... epoch is shown."""

MOST_POINTS = 200
"""Epochs of a curve that are drawn at most: each has an interval to be found."""

LOSSES = {"q": "Q loss", "v": "V loss"}
"""Names of losses that are not words."""


def trained_history(runs: "Runs") -> History:
    """The epochs of a run up to its latest checkpoint, learner by learner: what its skills know."""
    if trained_epochs(runs) == 0:
        raise ValueError(
            f"{runs.folder} has too few epochs for a report: none is in a checkpoint yet; train it "
            "further with --resume"
        )
    # In the order of time.
    return History(runs.history.sort_values("member", kind="stable", ignore_index=True))


def compact(values: Any) -> Any:
    """Numbers as nested lists with four digits; None where one is missing.

    >>> compact(np.array([[1 / 3, np.nan], [2.0, 123456.0]]))
    [[0.3333, None], [2.0, 123500.0]]
    """
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, list):
        return [compact(value) for value in values]
    return float(f"{values:.4g}") if math.isfinite(values) else None


def learning_curves(runs: "Runs", history: History) -> list[dict[str, Any]]:
    """What was measured while the run trained, if anything, then the quantities of every epoch:
    where it has several visits to goals, their means over these.

    Each has its words, epochs, `reference`: a line to compare with, or None, `smoothing`: over how many
    epochs to begin with, and `smoothed`: the curves for every such number, see `smoothed_curves`.
    Learners that diverged have no values, or means over seeds would jump where they end.
    """
    lost = [one.member for one in runs.diverged]
    num_goals = runs.setting.num_goals
    table, visits = history.table, history.visits_per_epoch
    shape = (len(runs.methods), len(runs.seeds), -1)
    chance = {"value": 1.0 / num_goals, "label": f"chance, 1/{num_goals}"}
    curves = [
        _curve(
            raised(METRICS[name].label),
            f"{raised(METRICS[name].meaning)}. Measured while training, on trajectories of its own.",
            epochs,
            values.reshape(shape),
            chance if name.endswith("accuracy") else None,
        )
        for name, (epochs, values) in measured_curves(
            runs, table["epoch"].to_numpy().max() + 1
        ).items()
    ]

    def quantity(found: Any, label: str, note: str, *more: Any, smoothing: int = 1) -> None:
        values = np.asarray(found, np.float64).reshape(len(runs.members), -1, visits)
        values = values.mean(axis=-1)
        values[lost] = np.nan
        values = values.reshape(shape)
        epochs = range(1, values.shape[-1] + 1)
        curves.append(_curve(label, note, epochs, values, *more, smoothing=smoothing, long=long))

    # What depends on the goals just pursued jumps from epoch to epoch: a round shows the trend.
    epochs = len(table) // len(runs.members) // visits
    a_round = max(1, min(math.ceil(num_goals / visits), epochs // 3))
    long = epochs // 10

    if "success" in table.columns:
        note = "Success of the goals pursued in the epoch, those out of reach among them."
        label = "Success in practice"
        quantity(table["success"], label, note, smoothing=a_round)
    note = "Mean certainty of the goal pursued in the epoch; goals differ from epoch to epoch."
    if visits > 1:
        note = f"Mean certainty of the {visits} goals pursued in the epoch, each its own."
    quantity(table["certainty"], "Certainty q(g|s)", note, chance, smoothing=a_round)
    note = (
        "exp(entropy) of p(g); in the first round, of the probabilities of the goals left to try."
    )
    every = {"value": num_goals, "label": f"all {num_goals} skills"}
    quantity(history.effective_numbers, "Effective number of skills", note, every)
    for column in table.columns:
        if column.startswith("loss_"):
            name = column.removeprefix("loss_")
            label = LOSSES.get(name, f"{name.replace('_', ' ').capitalize()} loss")
            quantity(table[column], label, "Mean over the epoch's updates.", smoothing=a_round)
    return curves


def measured_curves(runs: "Runs", done: int) -> dict[str, tuple[list[int], np.ndarray]]:
    """By metric the epochs up to `done` after which skills were measured, and values [members, n], NaN
    for learners that diverged.
    """
    frame: Any = runs.learning_curve
    if frame is None:
        return {}
    lost = [one.member for one in runs.diverged]
    found = {}
    for name in (column for column in frame.columns if column in METRICS):
        wide = frame.pivot(index="member", columns="epoch", values=name)
        sound = wide.drop(index=lost, errors="ignore")
        whole = sound.dropna(axis=1).loc[:, lambda kept: kept.columns <= done]
        if whole.shape[1] and len(whole) == len(runs.sound_members):
            values = whole.reindex(range(len(runs.members))).to_numpy()
            found[name] = ([int(epoch) for epoch in whole.columns], values)
    return found


def _curve(
    label: str,
    note: str,
    epochs: Iterable[int],
    values: np.ndarray,
    reference: dict[str, Any] | None = None,
    smoothing: int = 1,
    long: int = 1,
) -> dict[str, Any]:
    epochs = np.array(list(epochs))
    chosen = spaced(len(epochs), MOST_POINTS)
    widths = sorted({1, smoothing, max(long, smoothing)})
    return {
        "label": label,
        "note": note,
        "epochs": epochs[chosen].tolist(),
        "reference": reference,
        "smoothing": smoothing,
        "smoothed": [
            {"width": width, **smoothed_curves(trailing_means(values, width)[..., chosen])}
            for width in widths
        ],
    }


def trailing_means(values: np.ndarray, width: int) -> np.ndarray:
    """The mean over those of the last `width` epochs that have a value, [..., epochs].

    >>> trailing_means(np.array([1.0, np.nan, 3.0, 5.0]), width=2)
    array([1., 1., 3., 4.])
    """
    known = np.isfinite(values)
    total, count = (
        np.cumsum(part, axis=-1) - np.cumsum(_later(part, width), axis=-1)
        for part in (np.where(known, values, 0.0), known.astype(int))
    )
    if width == 1:
        return np.where(known, values, np.nan)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _later(values: np.ndarray, epochs: int) -> np.ndarray:
    """The values so many epochs later; 0 before."""
    later = np.zeros_like(values)
    later[..., epochs:] = values[..., :-epochs]
    return later


def smoothed_curves(values: np.ndarray) -> dict[str, Any]:
    """Of values [methods, seeds, points] the `seeds`, their interquartile means, `middle` [methods,
    points], and the 95 % intervals of these, `low` and `high`; missing where fewer than five seeds have
    a value.
    """
    shape = (len(values), values.shape[-1])
    middle, low, high = (np.full(shape, np.nan) for _ in range(3))
    for method, own in enumerate(values):
        known = np.isfinite(own)
        # Points that the same seeds have; nearly always there is one such group.
        for there in np.unique(known.T, axis=0):
            points = (there == known.T).all(axis=1)
            seeds = own[there][:, points]
            if len(seeds) >= FEWEST_RUNS:
                found = interquartile_mean_band(seeds, np.random.default_rng(0))
                middle[method, points], low[method, points], high[method, points] = found
            elif len(seeds):
                middle[method, points] = [interquartile_mean(scores) for scores in seeds.T]
    numbers = {"seeds": values, "middle": middle, "low": low, "high": high}
    return {name: compact(found) for name, found in numbers.items()}


def dynamics(runs: "Runs", history: History) -> dict[str, Any]:
    """Each learner's goals, selection probabilities and signal.

    unit: what a selection lasts, "epoch", or "visit" where an epoch has several; epochs: those
    shown, numbered from 1; members: in the order of the population, `goals` of all epochs, None once
    the learner has diverged, the others [epochs shown, goals]; start: the method to show first, one
    that chooses.
    """
    table = history.table
    unit = "epoch" if history.visits_per_epoch == 1 else "visit"
    members, num_goals = len(runs.members), runs.setting.num_goals
    goals = table["goal"].to_numpy(int).reshape(members, -1)
    selection = history.vector("selection").reshape(members, -1, num_goals)
    nothing_drawn = np.asarray(np.isnan(selection).all(axis=-1))
    signal = history.vector("signal").reshape(members, -1, num_goals)
    prior = history.vector("prior").reshape(len(runs.methods), -1)
    certainty = table["certainty"].to_numpy().reshape(members, -1)
    epochs = goals.shape[1]
    stride = math.ceil(selection.size / LARGEST_DYNAMICS)
    shown = np.arange(epochs)[::-1][::stride][::-1]  # the last epoch is always among them
    choosing = [i for i, own in enumerate(prior) if not np.allclose(own, 1.0 / num_goals)]
    note = (
        f"Probabilities are those that the {unit}'s goal was drawn from; the signal is the "
        f"selector's value of each goal after the {unit}, empty where a goal was not yet tried."
    )
    first_round = history.warm_up_visits + num_goals
    if epochs > first_round:
        note += f" Colours end at the largest probability after the first {first_round} {unit}s."
    if stride > 1:
        note += f" One {unit} in {stride} is shown."
    if unit == "visit":
        note += f" An epoch has {history.visits_per_epoch} visits to goals."
    return {
        "unit": unit,
        "first_round": first_round,
        "epochs": (shown + 1).tolist(),
        "signal": "selector's signal",
        "start": choosing[0] if choosing else 0,
        "note": note,
        "members": [
            {
                "goals": [
                    None if gone else goal
                    for goal, gone in zip(
                        goals[member].tolist(), nothing_drawn[member], strict=True
                    )
                ],
                "selection": compact(selection[member, shown]),
                "signal": compact(signal[member, shown]),
                "certainty": compact(certainty[member, shown]),
            }
            for member in range(members)
        ],
    }
