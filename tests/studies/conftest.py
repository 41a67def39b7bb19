"""Studies are imported from the checkout; at toy size they share few programs, compiled once."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from autotelic.learner.setting import Setting
from studies.study import Arm, Study

EPOCHS, EVERY, ARMS = 4, 2, 3


def tiny(setting: Setting) -> Setting:
    """The same kind of setting at the smallest size, in 2D navigation or the maze."""
    options = dict(setting.environment_options) | {"episode_length": 10}
    return replace(
        setting,
        environment="maze2d" if setting.environment == "maze2d" else "navigation2d",
        environment_options=options,
        num_goals=2,
        steps_per_epoch=20,
        steps_per_goal=10 if setting.steps_per_goal else None,
        hidden_units=4,
        batch_size=4,
        first_update=4,
    )


def fits(arm: Arm) -> bool:
    """Whether the selector can work in so few steps: windows of given length may not."""
    try:
        arm.selector.check(arm.setting.num_goals, arm.setting.steps_per_visit)
    except ValueError:
        return False
    return True


@pytest.fixture
def toy() -> Callable[..., Study]:
    """Makes a study small: two seeds, a few epochs, and a few arms of its first conditions."""

    def make(study: Study, arms: int = ARMS, conditions: int = 1) -> Study:
        found: list[Arm] = []
        for condition in study.conditions[:conditions]:
            own = [
                replace(a, setting=tiny(a.setting)) for a in study.arms if a.condition == condition
            ]
            found += [arm for arm in own if fits(arm)][:arms]
        names = [arm.name for arm in found]
        return replace(
            study,
            arms=tuple(found),
            seeds=study.seeds[:2],
            epochs=EPOCHS,
            evaluate_every=EVERY,
            baselines=tuple(name for name in study.baselines if name in names),
        )

    return make
