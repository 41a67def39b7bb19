"""Everything that can be said of a run's skills, and the same of the skills it began with.

Learner by learner fresh trajectories are sampled and what needs no other learner is measured; what
compares distances follows when all are sampled, on one scale for all.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic.environments.navigation2d import Navigation2D
from autotelic.evaluation import distances, diversity, metrics, selection
from autotelic.evaluation.catalogue import VENDI_ORDERS
from autotelic.evaluation.classifier import held_out_judgements
from autotelic.evaluation.health import LearnerHistory, history_alarms, learner_histories
from autotelic.evaluation.metrics import Judgements
from autotelic.evaluation.results import COLUMNS, Evaluation, EvaluationSetting
from autotelic.evaluation.rollouts import discriminator_judgements, sample_trajectories
from autotelic.evaluation.trajectories import Trajectories
from autotelic.training.runs import SKILLS_FILE, Runs

if TYPE_CHECKING:
    import pandas

Array = npt.NDArray[np.float64]
Member = tuple[str, int]

NEIGHBOURS = 5
STATES = 200
"""States of each goal that distances compare."""
DIRECTIONS = 100
"""Of the sliced Wasserstein distance."""
CELLS = 20
"""Of the unit box's grid, in each direction."""
LARGEST_CHUNK = 2**26
"""Numbers in the observations of the learners that are sampled together: a quarter of a gigabyte."""


class Sample(NamedTuple):
    """What is kept of a learner's trajectories.

    values: metrics that need no common scale; features: [goals, trajectories, observation], the
    trajectories' mean observations; states: [goals, trajectories, steps, observation].
    """

    values: dict[str, float]
    features: Array
    states: Array


def evaluate(
    runs: Runs,
    per_goal: int = 20,
    seed: int = 0,
    *,
    steps: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """All metrics of every member's skills, and of the untrained skills as their null.

    Members with the same seed began with the same skills, so the null is sampled once a seed.

    Args:
        runs: a run, finished or with a checkpoint.
        per_goal: fresh trajectories of each goal, half of which the classifier is fitted to.
        seed: of everything random in the evaluation.
        steps: a trajectory's length; by default an episode, or an epoch where there is no limit.
        progress: told how many of how many learners are done.
    """
    _validate.integer("per_goal", per_goal, minimum=2)
    _validate.integer("seed", seed, minimum=0)
    if runs.setting.num_goals < 2:
        raise ValueError("skills are told apart: a run with 1 goal has nothing to evaluate")
    episode: int = runs.description["sizes"]["episode_length"] or runs.setting.steps_per_epoch
    steps = episode if steps is None else steps
    _validate.integer("steps", steps, minimum=1)
    wanted = [(True, member) for member in runs.members]
    wanted += [(False, (runs.methods[0], number)) for number in runs.seeds]
    samples: dict[tuple[bool, Member], Sample] = {}
    for key, sample in _samples(runs, wanted, per_goal, seed, steps):
        samples[key] = sample
        if progress is not None:
            progress(len(samples), len(wanted))
    scaled = _on_one_scale(list(samples.values()), seed)
    found = dict(zip(samples, scaled, strict=True))
    done = trained_epochs(runs)
    # Of a run in progress the history is ahead of the skills, which are the checkpoint's.
    history = runs.history.query("epoch < @done")
    chosen = _choices(history)
    values = {
        (True, member): {**found[True, member], **chosen.get(member, {})} for member in runs.members
    }
    values.update({(False, m): found[False, (runs.methods[0], m[1])] for m in runs.members})
    setting = EvaluationSetting(done, per_goal, steps, seed)
    return Evaluation(setting, _table(runs.members, values), history_alarms(history))


def trained_epochs(runs: Runs) -> int:
    """After how many epochs the skills of a run are: all, or those in its latest checkpoint."""
    return runs.epochs if (runs.folder / SKILLS_FILE).exists() else runs.epochs_done


def skill_metrics(
    trajectories: Trajectories, judged: Judgements, in_unit_box: bool, seed: int
) -> dict[str, float]:
    """What one learner's trajectories show without a scale shared with others.

    Args:
        trajectories: of one member.
        judged: its own discriminator's judgements of them.
        in_unit_box: whether positions are those of 2D navigation.
        seed: of the split into fitted and held-out trajectories.
    """
    held_out = held_out_judgements(trajectories.observations[0], trajectories.lengths[0], seed)
    whole = metrics.per_trajectory(held_out)
    values = {
        "held_out_accuracy": metrics.accuracy(held_out),
        "held_out_f1": metrics.macro_f1(held_out),
        "held_out_nll": metrics.negative_log_likelihood(held_out),
        "mutual_information": metrics.mutual_information_bound(held_out),
        "trajectory_accuracy": metrics.accuracy(whole),
        "trajectory_f1": metrics.macro_f1(whole),
        "trajectory_nll": metrics.negative_log_likelihood(whole),
        "discriminator_accuracy": metrics.accuracy(judged),
        "discriminator_nll": metrics.negative_log_likelihood(judged),
        "certainty": metrics.mean_certainty(judged),
        "calibration_error": selection.calibration_error(judged),
    }
    if trajectories.positions is not None:
        if in_unit_box:
            name = "grid_coverage"
            covered = diversity.grid_coverage(trajectories.positions[0], 0.0, 1.0, CELLS)
        else:
            name = "cells_visited"
            covered = diversity.cells_visited(trajectories.positions[0], 1.0)
        values[name] = covered.pooled
        values[f"{name}_per_skill"] = float(covered.per_skill.mean())
    return values


class Scales(NamedTuple):
    """Of the Gaussian kernels: the median distance of two trajectories' features, and of two states."""

    features: float
    states: float


def distance_metrics(
    features: Array, states: Array, scales: Scales, generator: np.random.Generator
) -> dict[str, float]:
    """What depends on how far apart things lie: standardised features and states of one learner.

    Args:
        features: [goals, trajectories, observation].
        states: [goals, trajectories, steps, observation].
        scales: shared by all that is compared.
        generator: draws directions and halves.
    """
    trajectories = features.shape[1]
    values = {
        "knn_f1": metrics.knn_f1(features, min(NEIGHBOURS, features[..., 0].size - 1)),
        "silhouette": diversity.silhouette(features),
        "spread_density": diversity.spread_density(features, min(NEIGHBOURS, trajectories - 1)),
        "particle_entropy": diversity.particle_entropy(states),
    }
    directions = distances.random_directions(states.shape[-1], DIRECTIONS, generator)
    measured: dict[str, Callable[[Array], Array]] = {
        "energy_distance": distances.energy_distances,
        "squared_mmd": partial(distances.squared_mmd, scale=scales.states),
        "wasserstein": partial(distances.sliced_wasserstein, directions=directions),
    }
    apart = {}
    for name, distance in measured.items():
        apart[name] = distances.separation(states, distance, generator)
        values[name] = apart[name].mean
        values[f"{name}_minimum"] = apart[name].minimum
        values[f"{name}_floor"] = apart[name].floor
    kernels = {
        "trajectories": diversity.trajectory_kernel(features, scales.features),
        # Skills as far apart as two states are in the median count as rather different.
        "skills": diversity.gaussian_kernel(apart["wasserstein"].distances ** 2, scales.states),
    }
    for kind, kernel in kernels.items():
        scores: Any = diversity.vendi_score(kernel, list(VENDI_ORDERS.values()))
        values |= {
            f"vendi_{kind}_{order}": float(score)
            for order, score in zip(VENDI_ORDERS, scores, strict=True)
        }
    return values


def selection_metrics(history: LearnerHistory) -> dict[str, float]:
    """What a learner's selector did with its choices, over the whole run."""
    num_goals = history.prior.shape[1]
    counts = selection.selection_counts(history.goals, num_goals)[-1]
    values = {
        "effective_selections": float(
            metrics.effective_number_of_skills(counts / counts.sum(dtype=np.float64))
        ),
        "selection_gini": selection.selection_gini(counts),
    }
    visits = selection.successive_visits(history.goals, history.signal, history.certainty)
    varied = len(visits.goal) > 0 and np.ptp(visits.signal) > 0 and np.ptp(visits.improvement) > 0
    if varied and len(np.unique(visits.goal)) > 1:
        # The interval over visits is not asked for here: seeds give one.
        found = selection.predictiveness([visits], np.random.default_rng(0), resamples=1)
        values["signal_correlation"] = found.correlation
    return values


def _choices(frame: "pandas.DataFrame") -> dict[Member, dict[str, float]]:
    """The selection metrics of every member, from the run's history."""
    last: Any = frame.sort_values("epoch").groupby(["method", "seed"])["effective_skills"].last()
    return {
        history.member: {
            "effective_skills": float(last[history.member]),
            **selection_metrics(history),
        }
        for history in learner_histories(frame)
    }


def _samples(
    runs: Runs, wanted: Sequence[tuple[bool, Member]], per_goal: int, seed: int, steps: int
) -> Iterator[tuple[tuple[bool, Member], Sample]]:
    """What is kept of each learner, trained or not; many are sampled together where they are small."""
    in_unit_box = isinstance(runs.setting.make_environment(), Navigation2D)
    size = runs.setting.num_goals * per_goal * (steps + 1)
    chunk = max(1, LARGEST_CHUNK // (size * runs.description["sizes"]["observation_size"]))
    for trained in (True, False):
        members = [member for kind, member in wanted if kind == trained]
        for first in range(0, len(members), chunk):
            part = members[first : first + chunk]
            sampled = sample_trajectories(
                runs, per_goal, seed, steps=steps, untrained=not trained, members=part
            )
            judgements = discriminator_judgements(runs, sampled, untrained=not trained)
            for index, (member, judged) in enumerate(zip(part, judgements, strict=True)):
                own = _only(sampled, index)
                generator = np.random.default_rng(seed)
                states = distances.sample_states(
                    own.observations[0], own.lengths[0], max(STATES, per_goal), generator
                )
                features = metrics.mean_observations(own.observations[0], own.lengths[0])
                values = skill_metrics(own, judged, in_unit_box, seed)
                yield (trained, member), Sample(values, features, states)


def _only(trajectories: Trajectories, index: int) -> Trajectories:
    """The trajectories of one member."""
    one = slice(index, index + 1)
    positions = trajectories.positions
    return Trajectories(
        trajectories.members[one],
        trajectories.observations[one],
        trajectories.lengths[one],
        None if positions is None else positions[one],
    )


def _on_one_scale(samples: Sequence[Sample], seed: int) -> list[dict[str, float]]:
    """All metrics of every sample, those of distances standardised over all of them."""
    features = metrics.standardised(np.stack([sample.features for sample in samples]))
    # Learners whose episodes all end very early have fewer states: compare as many of the others.
    fewest = min(sample.states.shape[2] for sample in samples)
    states = metrics.standardised(np.stack([_thinned(sample.states, fewest) for sample in samples]))
    generator = np.random.default_rng(seed)
    scales = Scales(
        distances.median_distance(features, generator), distances.median_distance(states, generator)
    )
    return [
        {**sample.values, **distance_metrics(means, own, scales, np.random.default_rng(seed))}
        for sample, means, own in zip(samples, features, states, strict=True)
    ]


def _thinned(states: Array, count: int) -> Array:
    """So many of each trajectory's states, evenly spread over it."""
    chosen = np.linspace(0, states.shape[2] - 1, count).round().astype(np.intp)
    return states[:, :, chosen]


def _table(members: Sequence[Member], values: dict[tuple[bool, Member], dict[str, float]]) -> Any:
    import pandas

    rows = [
        (number, *member, trained, metric, value)
        for trained in (True, False)
        for number, member in enumerate(members)
        for metric, value in values[trained, member].items()
    ]
    return pandas.DataFrame(rows, columns=pandas.Index(COLUMNS))
