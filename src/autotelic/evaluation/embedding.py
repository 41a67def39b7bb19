"""t-SNE as in the paper's Figure 3 (Appendix D.3): a picture of trajectories, not a metric."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic.evaluation._scikit_learn import scikit_learn
from autotelic.evaluation._threads import one_thread
from autotelic.evaluation.classifier import held_out_accuracy
from autotelic.evaluation.metrics import knn_f1, mean_observations, standardised
from autotelic.evaluation.rollouts import sample_trajectories
from autotelic.runs.run import Runs

PERPLEXITY = 30.0
LEARNING_RATE = 10.0
ITERATIONS = 5000


@one_thread()
def t_sne(
    features: npt.ArrayLike, *, perplexity: float = PERPLEXITY, seed: int = 0
) -> npt.NDArray[np.float64]:
    """Trajectories in the plane, near each other if their features are.

    With the paper's parameters: perplexity 30, learning rate 10, at most 5000 iterations; begun at
    random places, as it says nothing else. Features are taken as they are, unscaled.

    Args:
        features: [goals, trajectories, size], the mean observation of each trajectory.
        perplexity: about how many neighbours count; fewer than there are trajectories.
        seed: of the places it begins with.

    Returns:
        [goals, trajectories, 2].
    """
    features = np.asarray(features, dtype=np.float64)
    if features.ndim != 3 or not np.isfinite(features).all():
        raise ValueError(
            "features must have the shape [goals, trajectories, size] without NaN, got "
            f"{list(features.shape)}"
        )
    goals, trajectories, size = features.shape
    check_perplexity(perplexity, goals, trajectories)
    _validate.seed("seed", seed)
    model = scikit_learn("manifold").TSNE(
        n_components=2,
        perplexity=perplexity,
        learning_rate=LEARNING_RATE,
        max_iter=ITERATIONS,
        init="random",
        random_state=seed,
    )
    places = model.fit_transform(features.reshape(-1, size))
    return places.reshape(goals, trajectories, 2).astype(np.float64)


def check_perplexity(perplexity: float, goals: int, trajectories: int) -> None:
    """Refuse a perplexity that so many trajectories do not allow."""
    _validate.number("perplexity", perplexity, above=0.0)
    if perplexity >= goals * trajectories:
        raise ValueError(
            f"perplexity {perplexity:g} needs more than {perplexity:g} trajectories, and there are "
            f"{goals} goals x {trajectories} = {goals * trajectories}; sample more of each goal, or "
            "lower the perplexity"
        )


class SkillSource(NamedTuple):
    """Whose skills: (method, seed) of a learner, after training or before its first step."""

    member: tuple[str, int]
    trained: bool


class EmbeddedSkills(NamedTuple):
    """A learner's trajectories in the plane, and numbers that need no plane.

    places: [goals, trajectories, 2]; knn_f1: of the mean observations, standardised over all that
    is embedded together; held_out_accuracy: from single states.
    """

    places: npt.NDArray[np.float64]
    knn_f1: float
    held_out_accuracy: float


@one_thread()
def embed_skills(
    runs: Runs,
    sources: Sequence[SkillSource],
    per_goal: int = 100,
    *,
    perplexity: float = PERPLEXITY,
    seed: int = 0,
    progress: Callable[[str], None] = lambda message: None,
) -> list[EmbeddedSkills]:
    """Fresh trajectories of learners, each embedded by itself with the same seeds.

    Args:
        runs: the run of all of them.
        sources: the learners.
        per_goal: trajectories of each skill.
        perplexity: see `t_sne`.
        seed: of sampling, classifier and embedding, the same for all.
        progress: told what is being done.
    """
    check_perplexity(perplexity, runs.setting.num_goals, per_goal)
    features, accuracies = [], []
    for member, trained in sources:
        progress(f"sampling {per_goal} trajectories of each skill of {_name(member, trained)}")
        found = sample_trajectories(
            runs, per_goal, seed, untrained=not trained, members=[member]
        )  # one learner at a time: 100 episodes of 20 skills fill memory
        features.append(mean_observations(found.observations[0], found.lengths[0]))
        accuracies.append(float(held_out_accuracy(found, seed).per_step[0]))
    scores = [knn_f1(scaled) for scaled in standardised(np.stack(features))]
    embedded = []
    for (member, trained), own, score, accuracy in zip(
        sources, features, scores, accuracies, strict=True
    ):
        progress(f"embedding {_name(member, trained)}")
        places = t_sne(own, perplexity=perplexity, seed=seed)
        embedded.append(EmbeddedSkills(places, score, accuracy))
    return embedded


def _name(member: tuple[str, int], trained: bool) -> str:
    method, seed = member
    return f"{method} (seed {seed})" if trained else f"seed {seed} untrained"
