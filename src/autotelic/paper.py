"""The paper's experiments as data: Table 1 and what its figures compare.

Lintunen, Ady and Guckelsberger (2024), Diversity Progress for Goal Selection in
Discriminability-Motivated RL (arXiv 2411.01521). What the paper leaves to the DIAYN code (reward on
the state acted in, with the selector's current p(g); batches of 128, learning rate 3e-4) is that
code's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from autotelic import _validate
from autotelic.agents import GmmSac
from autotelic.learner.setting import Setting
from autotelic.objectives import Diayn
from autotelic.progress import READINGS
from autotelic.selectors import DiversityProgress, GoalSelector, Uniform, VariationalControl

READING = "relative"
"""The reading of the figures unless another is asked for."""

NAVIGATION_2D = Setting(
    environment="navigation2d",
    num_goals=20,
    steps_per_epoch=1000,
    steps_per_goal=None,
    agent=GmmSac(components=4, entropy_scale=0.1),
    objective=Diayn(reward_state="obs", reward_prior="current"),
    hidden_units=32,
    learning_rate=3e-4,
    warm_up=False,
)
HALF_CHEETAH = replace(NAVIGATION_2D, environment="HalfCheetah-v5", hidden_units=300)
ANT = replace(HALF_CHEETAH, environment="Ant-v5")
"""Ant with its 105 observations: the v1 that the paper used had 6 more, which were always zero."""

SETTINGS: Mapping[str, Setting] = {
    setting.environment: setting for setting in (NAVIGATION_2D, HALF_CHEETAH, ANT)
}
"""The settings by the name of their environment."""


@dataclass(frozen=True)
class Figure:
    """What one figure trains.

    setting: what all learners share.
    methods: the goal selectors it compares, by their names in the figure.
    num_seeds: seeds 0, 1, ... of every method.
    epochs: the paper's where it says how many, otherwise enough to see what the figure shows.
    """

    setting: Setting
    methods: Mapping[str, GoalSelector]
    num_seeds: int
    epochs: int

    @property
    def progress(self) -> DiversityProgress | None:
        """The first of its methods that selects by DP: its row of Table 1."""
        found = (one for one in self.methods.values() if isinstance(one, DiversityProgress))
        return next(found, None)

    def read_as(self, reading: str) -> "Figure":
        """The same figure with another normalisation of DP."""
        _validate.choice("reading", reading, READINGS)
        methods = {
            name: replace(one, normalization=reading) if isinstance(one, DiversityProgress) else one
            for name, one in self.methods.items()
        }
        return replace(self, methods=methods)


def _progress(offset: int, smoothing: int, temperature: float) -> DiversityProgress:
    return DiversityProgress(
        offset=offset, smoothing=smoothing, temperature=temperature, normalization=READING
    )


def _effective_skills(offset: int, smoothing: int) -> dict[str, GoalSelector]:
    """The four methods of a panel of Figure 1."""
    greedy = _progress(offset, smoothing, 0.1)
    return {
        "VIC": VariationalControl(),
        "DIAYN": Uniform(),
        "DP, T = 0.1": greedy,
        "DP, T = 0.3": replace(greedy, temperature=0.3),
    }


FIGURES: Mapping[str, Figure] = {
    "fig1a": Figure(NAVIGATION_2D, _effective_skills(250, 250), num_seeds=5, epochs=200),
    "fig1b": Figure(HALF_CHEETAH, _effective_skills(250, 250), num_seeds=5, epochs=200),
    "fig1c": Figure(ANT, _effective_skills(750, 250), num_seeds=5, epochs=200),
    "fig2": Figure(
        replace(HALF_CHEETAH, num_goals=5),
        {"DP, T = 0.1": _progress(750, 250, 0.1)},
        num_seeds=5,
        epochs=500,
    ),
    "fig3": Figure(
        HALF_CHEETAH,
        {
            "DIAYN": Uniform(),
            "DIAYN+DP": _progress(900, 100, 0.75),
        },
        num_seeds=10,
        epochs=100,
    ),
    "fig4": Figure(
        replace(NAVIGATION_2D, num_goals=8), {"DIAYN": Uniform()}, num_seeds=1, epochs=200
    ),
}
"""Figure 1(a) to Figure 4. Table 1 does not list Figure 4, whose caption says eight skills."""
