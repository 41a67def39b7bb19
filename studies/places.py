"""Where does choosing goals pay? Goals that differ: near, far behind one another, and impossible.

    python -m studies.places --family maze
    python -m studies.places --family auto_maze
    python -m studies.places --family auto_maze_shares
    python -m studies.places --family afterwards
    python -m studies.places --family held_velocities
    python -m studies.places --family auto_point_maze
    python -m studies.places --family skills

A maze of five corridors with 50 goals, of which none, a quarter, half or three quarters lie in closed rooms;
forward velocities of Half-Cheetah, some beyond what it can run; a ball in a maze of MuJoCo; and, for
comparison, twenty skills of DIAYN, which differ in nothing. The learner of places is that of
`presets.reaching`, whose settings were chosen with seeds 0 to 2 and other selectors. Success is
competence for every selector where goals are places, certainty where they are skills. Goals come by
low-variance draws for all. All selectors are tried in the maze with half of its goals impossible; without
impossible goals are the two baselines, success alone, and the best of the others there, Skew-Fit, which was
chosen before that was computed. Skills have no places, so there it is `learnability`.

What is called success alone is `auto` that knows nothing of places. `AutoSelector` as it is was designed on
simulated learners and on seeds 0 to 2, after the maze was computed. So it has seeds of its own, from 600 on,
with round-robin beside it.

What a learner does after it has reached its goal may explain a part of the difference: by default it
explores, which it only does once a goal is reached, so a visit to an impossible goal costs exploration too.
`afterwards` has the maze with half of its goals impossible under both, `explore` and `stay`, on fresh
seeds; its primary number is `auto` minus round-robin under each.

Half-Cheetah passes many velocities within a stride: learners that know nothing "reach" 0.38 of fifteen. So
velocities have to be held for a second.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autotelic import presets
from autotelic.learner.setting import Setting
from autotelic.objectives import Reach
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
    Selector,
    SkewFit,
    Uniform,
    ValueDisagreement,
    rules,
    signals,
)
from studies.command import main
from studies.results import Further
from studies.selectors import DEFAULTS
from studies.study import ACCURACIES, Arm, Study
from studies.tables import Tables

CHOOSERS: Mapping[str, ComposedSelector] = {
    "success alone": Selector(
        signals.OpenQuestion(), rules.EpsilonProportional(epsilon=0.0), warm_up=1
    ),
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
BY_CERTAINTY: Mapping[str, GoalSelector] = {
    "uniform": Uniform(),
    "round-robin": RoundRobin(),
    "auto": AutoSelector(),
    "learnability": Learnability(draw="low_variance"),
}
"""What can choose among skills, which have no places and no success."""
AGAIN: Mapping[str, GoalSelector] = {"round-robin": RoundRobin(), "auto": AutoSelector()}
BY_PLACES = {**AGAIN, "Skew-Fit": SELECTORS["Skew-Fit"]}
FEWER = ("uniform", "round-robin", "success alone", "Skew-Fit")
MAZES = {"half impossible": (0.5, tuple(SELECTORS)), "none impossible": (0.0, FEWER)}
# An update every second step: with one a step twenty learners would take hours on two cores.
VELOCITIES = replace(presets.reaching("autotelic/HalfCheetahVelocity-v0"), updates_per_step=1 / 2)
# Of fifty goals a measurement alone would take eight minutes.
POINT_MAZE = replace(presets.reaching("PointMaze_UMaze-v3"), num_goals=12)
MAZES_AGAIN = {words: (share, tuple(AGAIN)) for words, (share, _) in MAZES.items()}
SHARES = {
    "a quarter impossible": (0.25, tuple(AGAIN)),
    "three quarters impossible": (0.75, tuple(AGAIN)),
}
WORDS = {"epochs_to_50_success": "epochs to 0.5", "epochs_to_80_success": "epochs to 0.8"}


def family(
    name: str,
    question: str,
    settings: Mapping[str, tuple[Setting, Sequence[str]]],
    seeds: range,
    epochs: int,
    evaluate_every: int,
    catalogue: Mapping[str, GoalSelector] = SELECTORS,
    measures: tuple[str, ...] = ("area_success",),
) -> Study:
    """Selectors in settings: under each condition a setting and the selectors to be tried in it."""
    tried = {selector for _, selectors in settings.values() for selector in selectors}
    return Study(
        name=f"places_{name}",
        question=question,
        arms=tuple(
            Arm(selector, setting, catalogue[selector], condition)
            for condition, (setting, selectors) in settings.items()
            for selector in selectors
        ),
        seeds=tuple(seeds),
        epochs=epochs,
        baselines=tuple(name for name in ("round-robin", "uniform") if name in tried),
        evaluate_every=evaluate_every,
        measures=measures,
    )


def with_times(study: Study, folder: Path, tables: Tables) -> Further:
    """The epochs to half and to four fifths of the goals are shown too."""
    del folder
    return Further(tables, WORDS if "area_success" in study.measures else {})


def maze(
    name: str,
    shares: Mapping[str, tuple[float, Sequence[str]]],
    seeds: range,
    catalogue: Mapping[str, GoalSelector] = SELECTORS,
) -> Study:
    """A maze with shares of impossible goals, and the selectors to be tried with each."""
    return family(
        name,
        "Which selector learns to reach the goals of a maze fastest, of which some are impossible?",
        {
            words: (
                replace(
                    presets.reaching("maze2d"), environment_options={"share_impossible": share}
                ),
                selectors,
            )
            for words, (share, selectors) in shares.items()
        },
        seeds,
        150,
        15,
        catalogue,
    )


def afterwards() -> Study:
    """Half of the maze impossible; the condition is what follows on a goal that was reached."""
    usual = presets.reaching("maze2d")
    half = replace(usual, environment_options={"share_impossible": 0.5})
    return family(
        "afterwards",
        "How much of what choosing gives is due to exploring after a goal was reached?",
        {
            word: (replace(half, objective=Reach(afterwards=word)), tuple(AGAIN))
            for word in ("explore", "stay")
        },
        range(700, 710),
        100,
        10,
        AGAIN,
    )


STUDIES = {
    "maze": maze("maze", MAZES, range(400, 410)),
    "auto_maze": maze("auto_maze", MAZES_AGAIN, range(600, 610), AGAIN),
    "auto_maze_shares": maze("auto_maze_shares", SHARES, range(600, 605), AGAIN),
    "afterwards": afterwards(),
    "held_velocities": family(
        "held_velocities",
        "Which selector learns to run at many velocities fastest, of which some are beyond reach?",
        {"": (VELOCITIES, tuple(BY_PLACES))},
        range(600, 610),
        60,
        12,
        BY_PLACES,
    ),
    "auto_point_maze": family(
        "auto_point_maze",
        "Which selector learns fastest to push a ball to the places of a small maze?",
        {"": (POINT_MAZE, tuple(AGAIN))},
        range(600, 610),
        24,
        4,
        AGAIN,
    ),
    "skills": family(
        "skills",
        "Does choosing pay among skills that do not differ?",
        {"": (DEFAULTS, tuple(BY_CERTAINTY))},
        range(400, 410),
        100,
        10,
        BY_CERTAINTY,
        ACCURACIES,
    ),
}

if __name__ == "__main__":
    sys.exit(main("places", STUDIES, flag="family", extend=with_times))
