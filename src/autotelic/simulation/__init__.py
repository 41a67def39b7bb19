"""Simulated learners: what selectors see of a real one, in NumPy and in seconds."""

from autotelic.simulation.exchanged import ExchangedGoals
from autotelic.simulation.maze import SimulatedMaze
from autotelic.simulation.ranking import (
    BY_SUCCESS,
    FAMILIES,
    Score,
    rank_agreement,
    rank_selectors,
    ranking_table,
    success_curve,
)
from autotelic.simulation.skills import (
    DEMONSTRATION,
    LearnerState,
    SimulatedLearner,
    effective_skills_curves,
)

__all__ = [
    "BY_SUCCESS",
    "DEMONSTRATION",
    "FAMILIES",
    "ExchangedGoals",
    "LearnerState",
    "Score",
    "SimulatedLearner",
    "SimulatedMaze",
    "effective_skills_curves",
    "rank_agreement",
    "rank_selectors",
    "ranking_table",
    "success_curve",
]
