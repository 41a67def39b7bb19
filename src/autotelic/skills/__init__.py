"""Trained skills as one file, and what acts by it: NumPy alone."""

from autotelic.skills.file import SkillFileError as SkillFileError
from autotelic.skills.skills import Skills as Skills
