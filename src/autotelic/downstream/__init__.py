"""What skills are good for afterwards: tasks whose reward was no part of their training."""

from autotelic.downstream.skill_actions import SkillActions as SkillActions
