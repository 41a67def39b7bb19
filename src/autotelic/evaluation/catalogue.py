"""The metrics of an evaluation by name: what each says, in words for tables and figures."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

VENDI_ORDERS = {"0.1": 0.1, "1": 1.0, "inf": float("inf")}
"""Orders of the Vendi score by their names in metrics."""


class Metric(NamedTuple):
    """What a metric is called and what it says.

    label: a few words for a table; meaning: a sentence with its range and null value; better: which
    direction is; headline: whether it belongs in a short table.
    """

    label: str
    meaning: str
    better: Literal["high", "low", ""] = "high"
    headline: bool = False


def _vendi(name: str, of: str, note: str = "") -> dict[str, Metric]:
    return {
        f"vendi_{name}_{order}": Metric(
            f"Vendi score of {of}, order {order}",
            f"effective number of different {of}, from 1 up to as many as there are{note}",
        )
        for order in VENDI_ORDERS
    }


def _distance(
    name: str,
    label: str,
    note: str = "",
    floor: str = "the same for two skills that are one",
    headline: bool = False,
) -> dict[str, Metric]:
    return {
        name: Metric(
            f"{label}, mean",
            f"distance between the states of two skills{note}; compare with its floor",
            headline=headline,
        ),
        f"{name}_minimum": Metric(
            f"{label}, nearest two", "the same for the two skills that are most alike"
        ),
        f"{name}_floor": Metric(f"{label}, noise floor", floor, ""),
    }


METRICS: Mapping[str, Metric] = {
    "held_out_accuracy": Metric(
        "told apart, one state",
        "accuracy of a classifier that training never saw, from single states; chance 1/|G|",
        headline=True,
    ),
    "trajectory_accuracy": Metric(
        "told apart, whole trajectory",
        "the same classifier's, from whole trajectories; chance 1/|G|",
        headline=True,
    ),
    "mutual_information": Metric(
        "mutual information, nats",
        "lower bound of I(g; s) by that classifier, from 0 to log |G|",
        headline=True,
    ),
    "held_out_f1": Metric("macro F1, one state", "mean over goals of the classifier's F1"),
    "held_out_nll": Metric(
        "negative log-likelihood, one state", "of that classifier, in nats; null log |G|", "low"
    ),
    "trajectory_f1": Metric("macro F1, whole trajectory", "the same from whole trajectories"),
    "trajectory_nll": Metric(
        "negative log-likelihood, whole trajectory", "the same from whole trajectories", "low"
    ),
    "knn_f1": Metric(
        "KNN-F1",
        "macro F1 of naming a trajectory's goal by its 5 nearest in mean observation; chance 1/|G|",
        headline=True,
    ),
    "refitted_accuracy": Metric(
        "refitted discriminator's accuracy",
        "of a fresh discriminator fitted to balanced fresh trajectories, on others; chance 1/|G|",
        headline=True,
    ),
    "discriminator_accuracy": Metric(
        "own discriminator's accuracy",
        "of the discriminator trained with the skills, on fresh trajectories: it also depends on how "
        "evenly and how recently goals were practised; chance 1/|G|",
        headline=True,
    ),
    "discriminator_nll": Metric(
        "discriminator's negative log-likelihood", "in nats; null log |G|", "low"
    ),
    "certainty": Metric(
        "certainty of all skills", "mean q(g|s) of the goal pursued, uniform over goals; 1/|G|"
    ),
    "calibration_error": Metric(
        "discriminator's calibration error", "how far q is from being right as often as sure", "low"
    ),
    "effective_skills": Metric(
        "effective number of skills",
        "exp(entropy) of the last p(g), from 1 to |G|",
        headline=True,
    ),
    "effective_selections": Metric(
        "effective number of goals practised", "exp(entropy) of how often each goal was chosen"
    ),
    "selection_gini": Metric(
        "Gini of selection counts", "0 if all goals were practised alike, near 1 if only one", ""
    ),
    "signal_correlation": Metric(
        "signal and later improvement",
        "rank correlation of the selector's value with the gain until the next visit; null 0 for a "
        "rise within the epoch or on probes, under 0 for values that hold the certainty itself",
    ),
    "distinct_skills": Metric(
        "distinct skills",
        "effective number of skills that differ by more than their own width, from 1 to |G|",
        headline=True,
    ),
    **_vendi("skills", "skills"),
    **_vendi("trajectories", "trajectories", ", 500 at most"),
    "silhouette": Metric(
        "silhouette", "is a trajectory nearer to its own skill than to others? -1 to 1; null 0"
    ),
    "spread_density": Metric(
        "spread density", "far apart and compact (our definition), from 0 to 1000"
    ),
    "grid_coverage": Metric(
        "coverage of the box", "share of a 20 x 20 grid that all skills together enter"
    ),
    "grid_coverage_per_skill": Metric("coverage of one skill", "mean over skills of the same", ""),
    "cells_visited": Metric("cells visited", "cells of 1 m that all skills together enter"),
    "cells_visited_per_skill": Metric("cells visited by one skill", "mean over skills", ""),
    "particle_entropy": Metric(
        "entropy of states, nats", "differential entropy of all skills' states, standardised"
    ),
    **_distance("energy_distance", "energy distance", headline=True),
    **_distance(
        "squared_mmd",
        "squared MMD",
        floor="the same for two skills that are one: 0, because the estimate is unbiased",
    ),
    **_distance("wasserstein", "sliced Wasserstein distance", ", in halves of their trajectories"),
}
"""All metrics, those for a short table first among their kind."""
