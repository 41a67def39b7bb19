"""Show it: each file one figure, a function that returns a matplotlib Figure and saves nothing."""

from autotelic.figures.effective_skills import effective_skills as effective_skills
from autotelic.figures.goal_dynamics import goal_dynamics as goal_dynamics
from autotelic.figures.skill_trajectories import skill_trajectories as skill_trajectories
