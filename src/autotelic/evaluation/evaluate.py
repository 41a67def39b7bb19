"""Everything that can be said of a run's skills, and the same of the skills it began with.

Learner by learner fresh trajectories are sampled and what needs no other learner is measured; what
compares distances follows when all are sampled, on one scale for all.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autotelic import _streams, _validate
from autotelic._helping import Helpers
from autotelic._spaced import spaced
from autotelic._types import Array
from autotelic.environments import bounds_of
from autotelic.evaluation import distances, metrics
from autotelic.evaluation._threads import one_thread
from autotelic.evaluation.budget import Size, episode_of, expected_seconds
from autotelic.evaluation.catalogue import measured
from autotelic.evaluation.coverage import covered_ground
from autotelic.evaluation.evidence import ChoiceEvidence, DistanceEvidence, Scales, SkillEvidence
from autotelic.evaluation.health import history_alarms
from autotelic.evaluation.results import COLUMNS, Evaluation, EvaluationSetting
from autotelic.evaluation.rollouts import (
    check_room,
    judgements_of,
    members_at_once,
    sample_trajectories,
    skills_of_members,
)
from autotelic.evaluation.success import successes_of
from autotelic.evaluation.zero_shot import attempt, entries_to_set
from autotelic.learner.setting import Setting
from autotelic.runs.history import History
from autotelic.runs.run import Runs, load
from autotelic.runs.skills import SKILLS_FILE

Member = tuple[str, int]

WORTH_A_HELPER = 10.0
"""Seconds of work: a helper has to load everything before it can begin."""
STATES = 200
"""States of each goal that distances compare."""


class Sample(NamedTuple):
    """What is kept of a learner's trajectories.

    values: metrics that need no common scale; features: [goals, trajectories, observation], the
    trajectories' mean observations; states: [goals, trajectories, steps, observation].
    """

    values: dict[str, float]
    features: Array
    states: Array


@one_thread()
def evaluate(
    runs: Runs,
    per_goal: int = 20,
    seed: int = 0,
    *,
    steps: int | None = None,
    seconds: float | None = None,
    processes: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """All metrics of every member's skills, and of the untrained skills as their null.

    Members with the same seed began with the same skills, so the null is sampled once a seed. Members
    that diverged have no skills, and no metrics but those of their untrained ones.

    Args:
        runs: a run, finished or with a checkpoint.
        per_goal: fresh trajectories of each goal, half of which the classifier is fitted to.
        seed: of everything random in the evaluation.
        steps: a trajectory's length, unless its episode ends before; by default an episode, or an
            epoch where there is no limit.
        seconds: after which no other seed is begun; the evaluation is then of the seeds that are done,
            at least one. `budget.affordable` says which sizes fit. By default all seeds are evaluated.
        processes: that share the learners of a finished run, where that is worth it; the numbers are the
            same.
        progress: told how many of how many learners are done.
    """
    _validate.integer("per_goal", per_goal, minimum=2)
    _validate.seed("seed", seed)
    if runs.setting.num_goals < 2:
        raise ValueError(
            "an evaluation compares skills: a run with 1 goal has nothing to evaluate; the return of a "
            "task is in its history, and in its learning curve (--evaluate-every)"
        )
    episode = episode_of(runs)
    steps = episode if steps is None else steps
    _validate.integer("steps", steps, minimum=1)
    if seconds is not None:
        _validate.number("seconds", seconds, above=0)
    if runs.description["sizes"]["episode_length"] and steps > episode:
        raise ValueError(
            f"steps {steps} exceeds an episode, with which a trajectory ends: it has {episode}"
        )
    _validate.integer("processes", processes, minimum=1)
    of_learner = runs.setting.num_goals * per_goal
    check_room(of_learner, steps, runs.description["sizes"]["observation_size"])
    samples: dict[tuple[bool, Member], Sample] = {}
    begun = time.monotonic()
    total = len(runs.sound_members) + len(runs.seeds)
    sampling = Sampling(runs, per_goal, seed, steps)
    num_helpers = 0
    # A run that goes on may have other skills by the time that a helper opens it.
    if processes > 1 and runs.finished:
        expected = expected_seconds(runs, Size(per_goal, steps), total)
        num_helpers = processes - 1 if expected >= WORTH_A_HELPER else 0
    groups = [runs.seeds] if seconds is None else [[number] for number in runs.seeds]
    seeds: list[int] = []
    with Helpers(num_helpers) as helpers:
        for group in groups:
            chunks = sampling.chunks(_wanted(runs, group), shared=num_helpers > 0)
            for chunk, found in helpers.share(sampling, chunks):
                for member, sample in zip(chunk.members, found, strict=True):
                    samples[chunk.trained, member] = sample
                    if progress is not None:
                        progress(len(samples), total)
            seeds += group
            if seconds is not None and time.monotonic() - begun >= seconds:
                break
    members = [member for member in runs.members if member[1] in seeds]
    wanted = _wanted(runs, seeds)  # in one order, whatever the groups
    scaled = _on_one_scale([samples[key] for key in wanted], seed)
    values_of = dict(zip(wanted, scaled, strict=True))
    done = trained_epochs(runs)
    history = History(runs)
    chosen = {own.member: measured(ChoiceEvidence(own)) for own in history.learners()}
    values = {
        (True, member): {**values_of[True, member], **chosen.get(member, {})}
        for member in runs.sound_members
        if member in members
    }
    values.update({(False, m): values_of[False, (runs.methods[0], m[1])] for m in members})
    setting = EvaluationSetting(done, per_goal, steps, seed)
    table = _table(runs.members, values)
    diverged = [one for one in runs.diverged if one.seed in seeds]
    return Evaluation(setting, table, history_alarms(history), diverged)


def _wanted(runs: Runs, seeds: Sequence[int]) -> list[tuple[bool, Member]]:
    """The learners of these seeds, trained, and one of each seed before training."""
    trained = [(True, member) for member in runs.sound_members if member[1] in seeds]
    return trained + [(False, (runs.methods[0], number)) for number in seeds]


def trained_epochs(runs: Runs) -> int:
    """After how many epochs the skills of a run are: all, or those in its latest checkpoint."""
    return runs.epochs if (runs.folder / SKILLS_FILE).exists() else runs.epochs_done


class Chunk(NamedTuple):
    """Learners that are sampled together, after their training or before."""

    trained: bool
    members: tuple[Member, ...]


class Sampling:
    """What is kept of learners of a run: a part of an evaluation that any process can do."""

    def __init__(self, runs: Runs, per_goal: int, seed: int, steps: int):
        self.runs = runs
        self.per_goal = per_goal
        self.seed = seed
        self.steps = steps
        self.entries: Any = entries_to_set(runs.setting.objective, runs.environment)

    def __reduce__(self) -> Any:
        """Another process opens the run itself."""
        own = (self.runs.folder.absolute(), self.runs.setting)
        return _open_sampling, (*own, self.per_goal, self.seed, self.steps)

    def chunks(self, wanted: Sequence[tuple[bool, Member]], *, shared: bool) -> list[Chunk]:
        """The learners in parts: many together where they are small, or one by one to be shared out."""
        observation_size = self.runs.description["sizes"]["observation_size"]
        size = members_at_once(self.runs.setting, self.per_goal, self.steps, observation_size)
        size = 1 if shared else size
        found = []
        for trained in (True, False):
            members = [member for kind, member in wanted if kind == trained]
            found += [
                Chunk(trained, tuple(members[first : first + size]))
                for first in range(0, len(members), size)
            ]
        return found

    @one_thread()
    def __call__(self, chunk: Chunk) -> list[Sample]:
        """What is kept of each of these learners."""
        runs, part, seed, untrained = self.runs, chunk.members, self.seed, not chunk.trained
        sampled = sample_trajectories(
            runs, self.per_goal, seed, steps=self.steps, untrained=untrained, members=part
        )
        skills = skills_of_members(runs, part, untrained=untrained)
        covered = covered_ground(runs.setting, skills, sampled, seed, environment=runs.environment)
        reached: Sequence[Any] = [None] * len(part)
        if self.entries:
            reached = attempt(
                runs.setting, skills, part, self.entries, seed=seed, environment=runs.environment
            ).reached()
        judgements = judgements_of(runs.setting.objective, skills, sampled)
        successes = successes_of(runs.setting.objective, skills, sampled)
        found = []
        for index, (judged, succeeded) in enumerate(zip(judgements, successes, strict=True)):
            own = sampled.of(index)
            generator = _streams.generator("sampled states", seed)
            states = distances.sample_states(
                own.observations[0], own.lengths[0], max(STATES, self.per_goal), generator
            )
            features = metrics.mean_observations(own.observations[0], own.lengths[0])
            evidence = SkillEvidence(
                *(runs.setting, own, judged, bounds_of(runs.environment), seed),
                *(covered[index], reached[index], succeeded),
            )
            found.append(Sample(measured(evidence), features, states))
        return found


def _open_sampling(
    folder: Path, setting: Setting, per_goal: int, seed: int, steps: int
) -> Sampling:
    return Sampling(load(folder, setting), per_goal, seed, steps)


def _on_one_scale(samples: Sequence[Sample], seed: int) -> list[dict[str, float]]:
    """All metrics of every sample, those of distances standardised over all of them."""
    features = metrics.standardised(np.stack([sample.features for sample in samples]))
    # Learners whose episodes all end very early have fewer states: compare as many of the others.
    fewest = min(sample.states.shape[2] for sample in samples)
    states = metrics.standardised(np.stack([_thinned(sample.states, fewest) for sample in samples]))
    generator = _streams.generator("scales", seed)
    scales = Scales(
        distances.median_distance(features, generator), distances.median_distance(states, generator)
    )
    # The same directions and halves for all that is compared.
    return [
        {
            **sample.values,
            **measured(DistanceEvidence(means, own, scales, _streams.generator("distances", seed))),
        }
        for sample, means, own in zip(samples, features, states, strict=True)
    ]


def _thinned(states: Array, count: int) -> Array:
    """So many of each trajectory's states, evenly spread over it."""
    chosen = spaced(states.shape[2], count)
    return states[:, :, chosen]


def _table(members: Sequence[Member], values: dict[tuple[bool, Member], dict[str, float]]) -> Any:
    import pandas

    rows = [
        (number, *member, trained, metric, value)
        for trained in (True, False)
        for number, member in enumerate(members)
        for metric, value in values.get((trained, member), {}).items()
    ]
    return pandas.DataFrame(rows, columns=pandas.Index(COLUMNS))
