"""The metrics of an evaluation by name: how each is measured, and what it says in tables and figures.

A metric of your own is one more entry: `METRICS["mine"] = Metric(...)`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from autotelic._types import Array
from autotelic.evaluation import diversity, metrics, selection
from autotelic.evaluation.coverage import STEPS, TRAJECTORIES, cells_covered
from autotelic.evaluation.evidence import (
    VENDI_ORDERS,
    ChoiceEvidence,
    DistanceEvidence,
    SkillEvidence,
    TaskEvidence,
)

NEIGHBOURS = 5
Evidence = SkillEvidence | DistanceEvidence | ChoiceEvidence | TaskEvidence


class Metric(NamedTuple):
    """What a metric is.

    label: a few words for a table; meaning: a sentence with its range and null value; of: the evidence
    it is made from; measure: what it makes of it, None where there is nothing to measure; better: which
    direction is; headline: whether it belongs in a short table; in_curves: whether it is measured while
    a run trains; of_success: whether it is of goals that can be reached alone.
    """

    label: str
    meaning: str
    of: type[Evidence]
    measure: Callable[[Any], float | None]
    better: Literal["high", "low", ""] = "high"
    headline: bool = False
    in_curves: bool = False
    of_success: bool = False

    def words(self) -> dict[str, Any]:
        """What a file or a page says of it."""
        names = ("label", "meaning", "better", "headline")
        return {name: getattr(self, name) for name in names}


def curve_metrics(success: bool = False, task: bool = False) -> dict[str, Metric]:
    """The metrics that are measured while a run trains: they are quick, and need no other learner.

    success: whether goals of the run can be reached; task: whether its environment pays a reward, and there
    is one goal.
    """
    return {
        name: metric
        for name, metric in METRICS.items()
        if metric.in_curves
        and (metric.of is TaskEvidence) == task
        and (success or not metric.of_success)
    }


def measured(evidence: Evidence, chosen: Mapping[str, Metric] | None = None) -> dict[str, float]:
    """Metrics by name: those chosen, or all of the catalogue that are made from such evidence."""
    if chosen is None:
        chosen = {name: metric for name, metric in METRICS.items() if metric.of is type(evidence)}
    found = {name: metric.measure(evidence) for name, metric in chosen.items()}
    return {name: value for name, value in found.items() if value is not None}


def _neighbours(features: Array) -> int:
    # More neighbours than a skill has other trajectories would outvote them.
    return min(NEIGHBOURS, features.shape[1] - 1)


def _coverage(name: str, label: str, meaning: str, one: str, where: str) -> dict[str, Metric]:
    def pooled(evidence: SkillEvidence) -> float | None:
        covered = getattr(evidence, where)
        return None if covered is None else covered.pooled

    def per_skill(evidence: SkillEvidence) -> float | None:
        covered = getattr(evidence, where)
        return None if covered is None else float(covered.per_skill.mean())

    return {
        name: Metric(label, meaning, SkillEvidence, pooled, in_curves=True),
        f"{name}_per_skill": Metric(
            one, "mean over skills of the same", SkillEvidence, per_skill, "", in_curves=True
        ),
    }


def _cells_covered(evidence: SkillEvidence) -> float | None:
    return None if evidence.covered is None else float(cells_covered(evidence.covered))


def _zero_shot(kind: str, label: str, meaning: str, headline: bool = False) -> dict[str, Metric]:
    def within(radius: str) -> Callable[[SkillEvidence], float | None]:
        def found(evidence: SkillEvidence) -> float | None:
            both = evidence.reached
            return None if both is None else getattr(getattr(both, radius), kind)

        return found

    return {
        f"zero_shot_{kind}": Metric(
            f"zero-shot goals {label}",
            f"{meaning}; within 3 m, or 3 % of the width of a box; 0 to 1",
            SkillEvidence,
            within("wide"),
            headline=headline,
        ),
        f"zero_shot_{kind}_closely": Metric(
            f"zero-shot goals {label}, closely",
            "the same within 1 m, or 1 %",
            SkillEvidence,
            within("narrow"),
        ),
    }


def _vendi(name: str, of: str, note: str = "") -> dict[str, Metric]:
    return {
        f"vendi_{name}_{order}": Metric(
            f"Vendi score of {of}, order {order}",
            f"effective number of different {of}, from 1 up to as many as there are{note}",
            DistanceEvidence,
            lambda evidence, order=order: getattr(evidence, f"vendi_of_{name}")[order],
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
            DistanceEvidence,
            lambda evidence: evidence.separations[name].mean,
            headline=headline,
        ),
        f"{name}_minimum": Metric(
            f"{label}, nearest two",
            "the same for the two skills that are most alike",
            DistanceEvidence,
            lambda evidence: evidence.separations[name].minimum,
        ),
        f"{name}_floor": Metric(
            f"{label}, noise floor",
            floor,
            DistanceEvidence,
            lambda evidence: evidence.separations[name].floor,
            "",
        ),
    }


METRICS: dict[str, Metric] = {
    "return": Metric(
        "return",
        "mean over fresh episodes, with the policy's most probable actions, of what the environment pays",
        TaskEvidence,
        lambda own: float(own.returns.mean(dtype="float64")),
        headline=True,
        in_curves=True,
    ),
    "success": Metric(
        "success",
        "share of fresh trajectories from the start that reach their goal, a mean over the goals that can "
        "be reached, each of the same weight; 0 to 1",
        SkillEvidence,
        lambda own: own.success,
        headline=True,
        in_curves=True,
        of_success=True,
    ),
    "held_out_accuracy": Metric(
        "accuracy, one state",
        "accuracy of a classifier that training never saw, from single states; chance 1/|G|",
        SkillEvidence,
        lambda own: metrics.accuracy(own.held_out),
        headline=True,
        in_curves=True,
    ),
    "trajectory_accuracy": Metric(
        "accuracy, whole trajectory",
        "the same classifier's, from whole trajectories; chance 1/|G|",
        SkillEvidence,
        lambda own: metrics.accuracy(own.held_out_whole),
        headline=True,
        in_curves=True,
    ),
    "mutual_information": Metric(
        "mutual information, nats",
        "lower bound of I(g; s) by that classifier, from 0 to log |G|",
        SkillEvidence,
        lambda own: metrics.mutual_information_bound(own.held_out),
        headline=True,
        in_curves=True,
    ),
    "held_out_f1": Metric(
        "macro F1, one state",
        "mean over goals of the classifier's F1",
        SkillEvidence,
        lambda own: metrics.macro_f1(own.held_out),
    ),
    "held_out_nll": Metric(
        "negative log-likelihood, one state",
        "of that classifier, in nats; null log |G|",
        SkillEvidence,
        lambda own: metrics.negative_log_likelihood(own.held_out),
        "low",
    ),
    "trajectory_f1": Metric(
        "macro F1, whole trajectory",
        "the same from whole trajectories",
        SkillEvidence,
        lambda own: metrics.macro_f1(own.held_out_whole),
    ),
    "trajectory_nll": Metric(
        "negative log-likelihood, whole trajectory",
        "the same from whole trajectories",
        SkillEvidence,
        lambda own: metrics.negative_log_likelihood(own.held_out_whole),
        "low",
    ),
    "knn_f1": Metric(
        "KNN-F1",
        "macro F1 of naming a trajectory's goal by its 5 nearest in mean observation; chance 1/|G|",
        DistanceEvidence,
        lambda own: metrics.knn_f1(own.features, _neighbours(own.features)),
        headline=True,
        in_curves=True,
    ),
    "refitted_accuracy": Metric(
        "refitted discriminator's accuracy",
        "of a fresh discriminator fitted to balanced fresh trajectories, on others, all standardised; "
        "chance 1/|G|",
        SkillEvidence,
        lambda own: metrics.accuracy(own.refitted),
        headline=True,
        in_curves=True,
    ),
    "discriminator_accuracy": Metric(
        "own discriminator's accuracy",
        "of the discriminator trained with the skills, on fresh trajectories: it also depends on how "
        "evenly and how recently goals were practised; chance 1/|G|",
        SkillEvidence,
        lambda own: metrics.accuracy(own.judged),
        headline=True,
        in_curves=True,
    ),
    "discriminator_nll": Metric(
        "discriminator's negative log-likelihood",
        "in nats; null log |G|",
        SkillEvidence,
        lambda own: metrics.negative_log_likelihood(own.judged),
        "low",
    ),
    "certainty": Metric(
        "certainty of all skills",
        "mean q(g|s) of the goal pursued, uniform over goals; 1/|G|",
        SkillEvidence,
        lambda own: metrics.mean_certainty(own.judged),
    ),
    "calibration_error": Metric(
        "discriminator's calibration error",
        "how far q is from being right as often as sure",
        SkillEvidence,
        lambda own: selection.calibration_error(own.judged),
        "low",
    ),
    "effective_skills": Metric(
        "effective number of skills",
        "exp(entropy) of the last p(g), from 1 to |G|",
        ChoiceEvidence,
        lambda own: float(metrics.effective_number_of_skills(own.history.prior[-1])),
        headline=True,
    ),
    "effective_selections": Metric(
        "effective number of goals practised",
        "exp(entropy) of how often each goal was chosen",
        ChoiceEvidence,
        lambda own: selection.effective_number_of_selections(own.counts),
    ),
    "selection_gini": Metric(
        "Gini of selection counts",
        "0 if all goals were practised alike, near 1 if only one",
        ChoiceEvidence,
        lambda own: selection.selection_gini(own.counts),
        "",
    ),
    "signal_correlation": Metric(
        "signal and later improvement",
        "rank correlation of the selector's value with the gain until the next visit; null 0 for a "
        "rise within the epoch or on probes, under 0 for values that hold the certainty itself",
        ChoiceEvidence,
        lambda own: own.signal_correlation,
    ),
    "distinct_skills": Metric(
        "distinct skills",
        "effective number of skills that differ by more than their own width, from 1 to |G|",
        SkillEvidence,
        lambda own: own.distinct_skills,
        headline=True,
        in_curves=True,
    ),
    **_vendi("skills", "skills"),
    **_vendi("trajectories", "trajectories", ", 500 at most"),
    "silhouette": Metric(
        "silhouette",
        "is a trajectory nearer to its own skill than to others? -1 to 1; null 0",
        DistanceEvidence,
        lambda own: diversity.silhouette(own.features),
    ),
    "spread_density": Metric(
        "spread density",
        "far apart and compact (our definition), from 0 to 1000",
        DistanceEvidence,
        lambda own: diversity.spread_density(own.features, _neighbours(own.features)),
    ),
    **_coverage(
        "grid_coverage",
        "coverage of the box",
        "share of a 20 x 20 grid that all skills together enter",
        "coverage of one skill",
        "grid",
    ),
    **_coverage(
        "cells_visited",
        "cells visited",
        "cells of 1 m that all skills together enter",
        "cells visited by one skill",
        "ground",
    ),
    "covered_cells": Metric(
        "cells of 1 m",
        f"distinct cells of 1 m that {TRAJECTORIES} deterministic trajectories of up to {STEPS} steps "
        "enter, spread evenly over the goals (the protocol of METRA and CSF); 1 for a body at rest",
        SkillEvidence,
        _cells_covered,
        headline=True,
        in_curves=True,
    ),
    **_zero_shot(
        "hit",
        "hit",
        "share of 50 places that deterministic skills ever come to, led by phi alone (the protocol of "
        "METRA and CSF)",
        headline=True,
    ),
    **_zero_shot("end", "ended at", "share of these places where the trajectory ends"),
    **_zero_shot(
        "stay", "stayed at", "share of all steps that is spent at these places", headline=True
    ),
    "particle_entropy": Metric(
        "entropy of states, nats",
        "differential entropy of all skills' states, standardised",
        DistanceEvidence,
        lambda own: diversity.particle_entropy(own.states),
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
