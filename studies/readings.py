"""How is the paper to be read? One factor at a time around its preset, on 2D navigation.

    python -m studies.readings --part figure1
    python -m studies.readings --part selectors
    python -m studies.readings --part settings

The centre is Figure 1(a)'s: windows of 250 and 250 steps, temperature 0.1, `relative` normalisation,
the reward with the selector's current p(g) on the state acted in. Figure 1 shows lower and more variable
effective numbers at temperature 0.1 than at 0.3, and no collapse: readings whose p(g) departs from
uniform at 0.1 are trained at 0.3 too (`figure1`). What each other choice changes is of the other parts.
"""

import sys
from dataclasses import replace

from autotelic import paper
from autotelic.objectives import Diayn
from autotelic.selectors import DiversityProgress, Uniform
from studies.command import main
from studies.study import Arm, Study

SETTING = paper.NAVIGATION_2D
DP = DiversityProgress(temperature=0.1)  # windows of a quarter of the 1000 steps

SELECTORS = {
    "normalization l2": replace(DP, normalization="l2"),
    "normalization l1": replace(DP, normalization="l1"),
    "normalization max": replace(DP, normalization="max"),
    "normalization total": replace(DP, normalization="total"),
    "normalization none": replace(DP, normalization="none"),
    "normalization minmax": replace(DP, normalization="minmax"),
    "temperature 0.3": replace(DP, temperature=0.3),
    "windows 750 / 250": replace(DP, offset=750),
    "windows 900 / 100": replace(DP, offset=900, smoothing=100),
    "windows half open": replace(DP, window="half_open"),
    "reference previous visit": replace(DP, reference="previous_visit"),
    "reference probe": replace(DP, reference="probe"),
    "absolute": replace(DP, absolute=True),
    "own goal": replace(DP, attribution="own_goal"),
}
DEPARTING = (
    *("normalization l2", "normalization max", "normalization total"),
    *("windows 750 / 250", "windows 900 / 100", "reference previous visit", "own goal"),
)
WARMER = {f"{name}, T = 0.3": replace(SELECTORS[name], temperature=0.3) for name in DEPARTING}
SETTINGS = {
    "judged after the update": replace(SETTING, judged="after_update"),
    "new episode with every goal": replace(SETTING, reset_on_goal_switch=True),
    "goal-balanced replay": replace(SETTING, replay="goal_balanced"),
}
OBJECTIVES = {
    "reward prior at collection": Diayn(reward_state="obs", reward_prior="at_collection"),
    "reward prior uniform": Diayn(reward_state="obs", reward_prior="uniform"),
    "reward on next state": Diayn(reward_state="next_obs", reward_prior="current"),
}
NEXT_STATE = replace(SETTING, objective=OBJECTIVES["reward on next state"])

UNIFORM, CENTRE = Arm("uniform", SETTING, Uniform()), Arm("DP", SETTING, DP)
AT_BOTH = {
    "temperature 0.3": SELECTORS["temperature 0.3"],
    **{name: SELECTORS[name] for name in DEPARTING},
    **WARMER,
}
OTHERS = {name: own for name, own in SELECTORS.items() if name not in AT_BOTH}


def study(name: str, question: str, arms: tuple[Arm, ...], evaluate_every: int = 5) -> Study:
    """The centre and its variants, on the seeds for design."""
    return Study(
        name=name,
        question=question,
        arms=arms,
        seeds=tuple(range(5)),
        epochs=100,
        baselines=tuple(arm.name for arm in (UNIFORM, CENTRE) if arm in arms),
        evaluate_every=evaluate_every,
    )


STUDIES = {
    "figure1": study(
        "readings_figure1",
        "Which readings of Diversity Progress give the paper's Figure 1 at its two temperatures?",
        (CENTRE, *(Arm(name, SETTING, selector) for name, selector in AT_BOTH.items())),
        evaluate_every=20,  # the question is of p(g)
    ),
    "selectors": study(
        "readings_selectors",
        "What do the other readings of Diversity Progress change?",
        (UNIFORM, CENTRE, *(Arm(name, SETTING, selector) for name, selector in OTHERS.items())),
    ),
    "settings": study(
        "readings_settings",
        "What do readings of the reward and of the loop change?",
        (
            *(UNIFORM, CENTRE),
            *(Arm(name, setting, DP) for name, setting in SETTINGS.items()),
            *(Arm(n, replace(SETTING, objective=o), DP) for n, o in OBJECTIVES.items()),
            # Uniform selection has one prior, and so no reading of it; the state is another matter.
            Arm("uniform, reward on next state", NEXT_STATE, Uniform()),
        ),
    ),
}

if __name__ == "__main__":
    sys.exit(main("readings", STUDIES, flag="part"))
