"""Returns: what the environment pays in fresh episodes of learners of a task."""

from collections.abc import Sequence

import numpy as np

from autotelic import _validate
from autotelic.environments import HostEnvironment, JaxEnvironment
from autotelic.evaluation.acting import Rows, act_out, sources, waves
from autotelic.evaluation.rollouts import LARGEST_POOL, actor_in
from autotelic.learner.setting import Setting
from autotelic.runs.skills import SkillArrays


def returns_of(
    setting: Setting,
    skills: SkillArrays,
    members: Sequence[tuple[str, int]],
    episodes: int = 10,
    seed: int = 0,
    *,
    steps: int | None = None,
    deterministic: bool = True,
    environment: JaxEnvironment | HostEnvironment | None = None,
) -> np.ndarray:
    """The return of fresh episodes of every member, [members, episodes]; all from the same starts.

    Args:
        setting: of a run whose objective is `Task`.
        skills: what was learned, with a leading axis of the members.
        members: (method, seed) of each.
        episodes: how many of each member.
        seed: of starts, actions and environments.
        steps: an episode's length, unless it ends before; by default the environment's limit, or an
            epoch where there is none.
        deterministic: take the policy's most probable action in place of a sample.
        environment: the setting's, where it was made before.
    """
    _validate.integer("episodes", episodes, minimum=1)
    _validate.seed("seed", seed)
    environment = setting.make_environment() if environment is None else environment
    actor = actor_in(environment, setting, steps, deterministic)
    rows = Rows(
        np.zeros(episodes, int),
        sources("returns", seed, episodes),
        waves(episodes, LARGEST_POOL),
        [f"episode {index}" for index in range(episodes)],
    )
    acting = skills._replace(discriminator=())
    sampled = act_out(environment, actor, acting, members, rows, rewarded=True)
    assert sampled.rewards is not None
    return sampled.rewards.sum(axis=-1, dtype=np.float64)
