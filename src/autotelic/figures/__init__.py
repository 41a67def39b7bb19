"""Show it: each file one figure, a function that returns a matplotlib Figure and saves nothing."""

from autotelic.figures.comparison import comparison as comparison
from autotelic.figures.effective_skills import effective_skills as effective_skills
from autotelic.figures.effective_skills import (
    effective_skills_panels as effective_skills_panels,
)
from autotelic.figures.goal_dynamics import goal_dynamics as goal_dynamics
from autotelic.figures.goal_map import goal_map as goal_map
from autotelic.figures.ground_traces import ground_traces as ground_traces
from autotelic.figures.learning_curves import Curve as Curve
from autotelic.figures.learning_curves import learning_curves as learning_curves
from autotelic.figures.skill_embedding import EmbeddingPanel as EmbeddingPanel
from autotelic.figures.skill_embedding import skill_embedding as skill_embedding
from autotelic.figures.skill_trajectories import skill_trajectories as skill_trajectories
from autotelic.figures.task_curves import task_curves as task_curves
