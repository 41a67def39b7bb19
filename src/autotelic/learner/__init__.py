"""One learner: its settings, its plan, what it carries and what it does with a goal. Pure functions."""
