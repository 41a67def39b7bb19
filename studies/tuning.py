"""Which settings of the agent learn fastest? One factor at a time, and the best together; 20 000 steps.

    python -m studies.tuning --environment navigation2d
    python -m studies.tuning --environment half_cheetah

Around a modern SAC with the reward on the next state and goals held for 100 steps, in rounds. By the
seeds for design: what is chosen here is shown on others by `studies.recommended`.
"""

import sys
from collections.abc import Mapping
from dataclasses import replace

from autotelic import paper
from autotelic.agents import Sac
from autotelic.learner.setting import Setting
from autotelic.objectives import Diayn
from autotelic.selectors import RoundRobin
from studies.command import main
from studies.study import Arm, Study

FIXED, TUNED = Sac(tune_entropy=False), Sac(tune_entropy=True)
CENTRE = replace(paper.NAVIGATION_2D, steps_per_goal=100, agent=FIXED, objective=Diayn())
SETTINGS: Mapping[str, Setting] = {
    "centre": CENTRE,
    "learning rate 1e-3": replace(CENTRE, learning_rate=1e-3),
    "learning rate 3e-3": replace(CENTRE, learning_rate=3e-3),
    "batches of 256": replace(CENTRE, batch_size=256),
    "64 hidden units": replace(CENTRE, hidden_units=64),
    "128 hidden units": replace(CENTRE, hidden_units=128),
    "entropy scale 0.01": replace(CENTRE, agent=replace(FIXED, entropy_scale=0.01)),
    "entropy scale tuned": replace(CENTRE, agent=TUNED),
    "discount 0.95": replace(CENTRE, agent=replace(FIXED, discount=0.95)),
    "goals held for 50 steps": replace(CENTRE, steps_per_goal=50),
    "learning rate 1e-3, entropy scale tuned": replace(CENTRE, learning_rate=1e-3, agent=TUNED),
    "learning rate 3e-3, entropy scale tuned": replace(CENTRE, learning_rate=3e-3, agent=TUNED),
}

HALF_CHEETAH = replace(CENTRE, environment="HalfCheetah-v5", hidden_units=300)
HALF_CHEETAH_SETTINGS: Mapping[str, Setting] = {
    "centre": HALF_CHEETAH,
    "learning rate 1e-3": replace(HALF_CHEETAH, learning_rate=1e-3),
    "entropy scale 0.01": replace(HALF_CHEETAH, agent=replace(FIXED, entropy_scale=0.01)),
    "goals held for 200 steps": replace(HALF_CHEETAH, steps_per_goal=200),
    "learning rate 1e-3, entropy scale tuned": replace(
        HALF_CHEETAH, learning_rate=1e-3, agent=TUNED
    ),
    "learning rate 1e-3, entropy scale tuned, 50 steps": replace(
        HALF_CHEETAH, learning_rate=1e-3, agent=TUNED, steps_per_goal=50
    ),
    "learning rate 1e-3, entropy scale 0.01": replace(
        HALF_CHEETAH, learning_rate=1e-3, agent=replace(FIXED, entropy_scale=0.01)
    ),
}


def study(name: str, settings: Mapping[str, Setting], seeds: int, evaluate_every: int) -> Study:
    """The same question in one of the environments."""
    environment = settings["centre"].environment
    return Study(
        name=f"tuning_{name}",
        question=f"Which settings of the agent learn fastest within 20 000 steps of {environment}?",
        arms=tuple(Arm(name, setting, RoundRobin()) for name, setting in settings.items()),
        seeds=tuple(range(seeds)),
        epochs=20,
        baselines=("centre",),
        evaluate_every=evaluate_every,
    )


STUDIES = {
    "navigation2d": study("navigation2d", SETTINGS, seeds=5, evaluate_every=5),
    "half_cheetah": study("half_cheetah", HALF_CHEETAH_SETTINGS, seeds=2, evaluate_every=10),
}

if __name__ == "__main__":
    sys.exit(main("tuning", STUDIES, flag="environment"))
