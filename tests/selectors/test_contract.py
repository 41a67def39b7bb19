"""Every selector through one suite, and a fault for each law that the suite must catch."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autotelic as at
from autotelic.progress import NORMALIZATIONS
from autotelic.selectors import VisitOutcome
from autotelic.selectors.spelling import NAMES

SELECTORS = [
    *(kind() for kind in NAMES.values()),
    *(at.DiversityProgress(normalization=name) for name in (*NORMALIZATIONS, "running")),
    at.DiversityProgress(absolute=True, window="half_open"),
    at.DiversityProgress(attribution="own_goal", normalization="none"),
    at.DiversityProgress(reference="previous_visit", absolute=True),
    at.DiversityProgress(reference="previous_visit", normalization="running"),
    at.DiversityProgress(reference="probe"),
    at.DiversityProgress(temperature=1e-300),
    at.Curious(competence="success", window=2),
    at.AbsoluteLearningProgress(estimator="halves"),
    at.TeacherStudent(variant="naive", window=3),
    at.TeacherStudent(variant="window", temperature=4e-4),
    at.TeacherStudent(variant="sampling", window=3, absolute=True),
    at.Exp3S(step_size=10.0, bias=0.1),
    at.VariationalControl(learning_rate=100.0),
    at.LearnedPrior(memory=7),
    at.ValueRegret(temperature=1e-3, value_weight=0.0, draw="low_variance"),
    *(
        kind(competence="success", draw="low_variance")
        for kind in (
            at.AbsoluteLearningProgress,
            at.CompetenceProgress,
            at.Curious,
            at.Learnability,
            at.TeacherStudent,
        )
    ),
    at.RemainingError(competence="success", fresh=False),
    *(
        kind(competence="success", reached=True)
        for kind in (
            at.AbsoluteLearningProgress,
            at.AlpGmm,
            at.CompetenceProgress,
            at.Curious,
            at.IntermediateDifficulty,
            at.Learnability,
            at.TeacherStudent,
        )
    ),
    at.RemainingError(competence="success", fresh=False, reached=True),
    *(
        at.TeacherStudent(variant=variant, competence="success", reached=True)
        for variant in ("naive", "window", "sampling")
    ),
    at.Frontier(within="value", cutoff=0.0, sharpness=100.0, draw="low_variance"),
    at.Frontier(within="value_quantile", cutoff=0.9, bandwidth=5.0),
    at.SkewFit(alpha=-0.1),
    at.AlpGmm(refit=3, largest=2, competence="certainty", draw="low_variance"),
    at.IntermediateDifficulty(neighbours=1, window=1, epsilon=0.0, competence="certainty"),
    at.AutoSelector(memory=0.1, draw="independent"),
    at.Selector(at.signals.Progress(5, 3), at.rules.Thompson(window=2)),
    at.Selector(at.signals.Competence(), at.rules.Even(), warm_up=3),
    at.Selector(at.signals.LogCertainty(), at.rules.Softmax(step_size=0.3), warm_up=math.inf),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_contract(selector: at.GoalSelector):
    at.check_selector(selector, steps=500)


@dataclass(frozen=True)
class Broken(at.GoalSelector):
    """A uniform selector with one fault."""

    fault: str = ""

    @property
    def first_round(self):
        return self.fault == "first round"

    def init(self, num_goals: int):
        return (np.zeros(num_goals), 0)

    def update(self, state: Any, outcome: VisitOutcome):
        counts, epoch = state
        if self.fault != "in place":
            counts = counts.copy()
        counts[outcome.goal] += 1
        if self.fault == "json":
            return [counts, epoch]
        return (counts, epoch + 1)

    def selection_probabilities(self, state: Any) -> Any:
        num_goals = len(state[0])
        p = np.full(num_goals, 1 / num_goals)
        if self.fault == "sum":
            p = p * 1.001
        if self.fault == "nan" and state[0].any():
            p = p * np.nan
        if self.fault == "dtype":
            p = p.astype(np.float32)
        return p

    def prior(self, state: Any):
        p = super().prior(state)
        return np.eye(len(p))[0] if self.fault == "prior" else p

    def select(self, state: Any, generator: np.random.Generator):
        if self.fault == "seed":
            return int(np.random.default_rng().integers(len(state[0])))
        goal = super().select(state, generator)
        return len(state[0]) if self.fault == "range" else goal


def test_a_plain_selector_without_faults_passes():
    at.check_selector(Broken(), steps=5)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("first round", "first round must visit each goal once"),
        ("in place", "leave the state it was given untouched"),
        ("json", "may hold numbers, words, arrays and tuples"),
        ("sum", "selection_probabilities must sum to 1"),
        ("nan", "selection_probabilities must be finite"),
        ("dtype", "float64"),
        ("prior", "prior must be positive everywhere"),
        ("seed", "same seed must give the same goals"),
        ("range", "select must return an int"),
    ],
)
def test_every_fault_is_caught(fault: str, message: str):
    with pytest.raises((ValueError, TypeError), match=message):
        at.check_selector(Broken(fault), steps=5)


def test_a_class_in_place_of_a_selector_is_refused():
    with pytest.raises(TypeError, match=r"make one: Uniform\(\)"):
        at.check_selector(at.Uniform)  # pyright: ignore[reportArgumentType]
