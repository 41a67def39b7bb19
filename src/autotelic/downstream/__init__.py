"""What skills are good for afterwards: tasks whose reward was no part of their training."""

from autotelic.downstream.best_skill import BestSkill as BestSkill
from autotelic.downstream.best_skill import best_skill as best_skill
from autotelic.downstream.fine_tuning import fine_tune as fine_tune
from autotelic.downstream.imitation import Imitation as Imitation
from autotelic.downstream.imitation import imitate as imitate
from autotelic.downstream.learning import compare_arms as compare_arms
from autotelic.downstream.learning import returns_over_steps as returns_over_steps
from autotelic.downstream.meta_control import MetaControl as MetaControl
from autotelic.downstream.meta_control import load_meta_control as load_meta_control
from autotelic.downstream.meta_control import meta_control as meta_control
from autotelic.downstream.skill_actions import SkillActions as SkillActions
from autotelic.downstream.tasks import TaskFor as TaskFor
from autotelic.downstream.zero_shot_goals import zero_shot_goals as zero_shot_goals
