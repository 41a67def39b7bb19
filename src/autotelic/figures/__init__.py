"""Show it: each file one figure, a function that returns a matplotlib Figure and saves nothing."""

from autotelic.figures.effective_skills import effective_skills as effective_skills
