"""Where does choosing goals pay? Goals that differ: near, far behind one another, and impossible.

    python -m studies.places --family maze
    python -m studies.places --family velocities

A maze of five corridors with 50 goals, of which none, half or three quarters lie in closed rooms; and
forward velocities of Half-Cheetah, some beyond what it can run. The learner is that of
`presets.reaching`, whose settings were chosen with seeds 0 to 2 and other selectors. Success is
competence for every selector, and goals come by low-variance draws for all. All selectors are tried
where half of the goals are impossible, a few of them elsewhere.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autotelic import presets
from autotelic.learner.setting import Setting
from autotelic.selectors import (
    AbsoluteLearningProgress,
    AlpGmm,
    AutoSelector,
    ComposedSelector,
    Curious,
    DiversityProgress,
    Frontier,
    GoalSelector,
    IntermediateDifficulty,
    Learnability,
    RemainingError,
    RoundRobin,
    SkewFit,
    Uniform,
    ValueDisagreement,
)
from studies.command import main
from studies.results import Further
from studies.study import Arm, Study
from studies.tables import Tables

CHOOSERS: Mapping[str, ComposedSelector] = {
    "auto": AutoSelector(),
    "learnability": Learnability(competence="success"),
    "CURIOUS": Curious(competence="success"),
    "ALP": AbsoluteLearningProgress(competence="success"),
    "ALP-GMM": AlpGmm(),
    "intermediate difficulty": IntermediateDifficulty(),
    "frontier": Frontier(),
    "Skew-Fit": SkewFit(),
    "value disagreement": ValueDisagreement(),
    "remaining error": RemainingError(competence="success", fresh=False),
    "DP": DiversityProgress(temperature=0.1),
}
SELECTORS: Mapping[str, GoalSelector] = {
    "uniform": Uniform(),
    "round-robin": RoundRobin(),
    **{name: replace(selector, draw="low_variance") for name, selector in CHOOSERS.items()},
}
MAZES = {"none impossible": 0.0, "half impossible": 0.5, "three quarters impossible": 0.75}
FEWER = ("uniform", "round-robin", "auto", "learnability", "frontier")
WORDS = {"epochs_to_50_success": "epochs to 0.5", "epochs_to_80_success": "epochs to 0.8"}


def family(
    name: str,
    question: str,
    settings: Mapping[str, tuple[Setting, Sequence[str]]],
    seeds: range,
    epochs: int,
    evaluate_every: int,
) -> Study:
    """Selectors in settings: under each condition a setting and the selectors to be tried in it."""
    return Study(
        name=f"places_{name}",
        question=question,
        arms=tuple(
            Arm(selector, setting, SELECTORS[selector], condition)
            for condition, (setting, selectors) in settings.items()
            for selector in selectors
        ),
        seeds=tuple(seeds),
        epochs=epochs,
        baselines=("round-robin", "uniform"),
        evaluate_every=evaluate_every,
        measures=("area_success",),
    )


def with_times(study: Study, folder: Path, tables: Tables) -> Further:
    """The epochs to half and to four fifths of the goals are shown too."""
    del study, folder
    return Further(tables, WORDS)


MAZE = presets.reaching("maze2d")
STUDIES = {
    "maze": family(
        "maze",
        "Which selector learns to reach the goals of a maze fastest, of which some are impossible?",
        {
            words: (
                replace(MAZE, environment_options={"share_impossible": share}),
                tuple(SELECTORS) if share == 0.5 else FEWER,
            )
            for words, share in MAZES.items()
        },
        range(400, 410),
        150,
        15,
    ),
    "velocities": family(
        "velocities",
        "Which selector learns to run at many velocities fastest, of which some are beyond reach?",
        {"": (presets.reaching("HalfCheetah-v5"), FEWER)},
        range(400, 405),
        100,
        20,
    ),
}

if __name__ == "__main__":
    sys.exit(main("places", STUDIES, flag="family", extend=with_times))
