"""MoPPS: posterior sampling of goals of middling difficulty."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors import distributions, rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts, SelectorState
from autotelic.selectors.signals.beta_posterior import chances_of_nearest


@dataclass(frozen=True)
class Mopps(ComposedSelector):
    """Draws a success rate for every goal from what is believed of it, and takes the goals whose rates are
    nearest to one half (MoPPS).

    The belief is a Beta distribution with forgetting: a <- kept a + (1 - kept) + s after s successes in n
    episodes, and b with the n - s failures; a = b = 1 at first. So a goal never tried comes as often as one
    whose rate may be anything.

    Made for the prompts of language models: tens of thousands of goals, each with a group of answers
    (`counts`). p(g) is the chance to be the nearest; of several goals drawn at once the next nearest follow.

    Args:
        kept: of what was counted before; 1 forgets nothing.
        candidates: how many goals, drawn evenly, are looked at for a batch; all of them if None.
        floor: the share of p(g) that is spread evenly, ours; 0 is the reference's.

    Reference: Qu et al. (2025), Can Prompt Difficulty be Online Predicted for Accelerating RL Finetuning of
    Reasoning Models? (arXiv 2507.04632).

    >>> from autotelic import Curriculum
    >>> curriculum = Curriculum(Mopps(), num_goals=4, seed=0)
    >>> goals = curriculum.select(4)
    >>> curriculum.update([0, 1, 2], success=[1.0, 0.0, 0.5], counts=16)
    >>> curriculum.selection_probabilities.round(2)  # mastered, hopeless, half, never told of
    array([0.  , 0.  , 0.81, 0.19])
    """

    shell_name = "mopps"

    kept: float = 0.5
    candidates: int | None = None
    floor: float = 0.0

    def __post_init__(self) -> None:
        _validate.number("floor", self.floor, minimum=0.0, maximum=1.0)
        if self.candidates is not None:
            _validate.integer("candidates", self.candidates, minimum=1)
        super().__post_init__()

    @property
    def even_share(self) -> float:
        """The floor."""
        return self.floor

    def parts(self) -> Parts:
        """The belief; the rule is this selector's."""
        return Parts(signals.BetaPosterior(self.kept), rules.Even())

    def selection_probabilities(self, state: SelectorState) -> Array:
        """The chance of each goal to be the nearest, of all goals, mixed with uniform."""
        return distributions.mixed_with_uniform(chances_of_nearest(state.signal), self.floor)

    def prior(self, state: SelectorState) -> Array:
        """The same, positive everywhere."""
        return distributions.positive(self.selection_probabilities(state))

    def select(self, state: SelectorState, generator: np.random.Generator) -> int:
        """The nearest, or any with the chance `floor`."""
        if self.low_variance:
            return super().select(state, generator)
        nothing = np.zeros(len(state.counts), dtype=np.int64)
        return int(self.drawn(state, 1, nothing, nothing == 0, generator)[0][0])

    def drawn(
        self,
        state: SelectorState,
        k: int,
        under_way: npt.NDArray[np.int64],
        open_: npt.NDArray[np.bool_],
        generator: np.random.Generator,
        repeats: bool = False,
    ) -> tuple[npt.NDArray[np.int64], SelectorState]:
        """The nearest, and any others for the share `floor`."""
        if self.low_variance:
            return super().drawn(state, k, under_way, open_, generator, repeats)
        goals = np.flatnonzero(open_)
        if k > len(goals) or (repeats and 4 * k > len(goals) and k > 1):
            some = [self.drawn(state, 1, under_way, open_, generator)[0] for _ in range(k)]
            return np.concatenate(some), state
        any_ = int(k * self.floor + generator.random())
        chosen = self._nearest(state, goals, k - any_, generator)
        left = np.setdiff1d(goals, chosen, assume_unique=True)
        others = generator.choice(left, any_, replace=False)
        return generator.permutation(np.append(chosen, others)), state

    def _nearest(
        self,
        state: SelectorState,
        goals: npt.NDArray[np.int64],
        k: int,
        generator: np.random.Generator,
    ) -> npt.NDArray[np.int64]:
        if self.candidates is not None and self.candidates < len(goals):
            goals = generator.choice(goals, max(self.candidates, k), replace=False)
        belief = state.signal
        rates = generator.beta(belief.successes[goals], belief.failures[goals])
        return goals[np.argpartition(np.abs(rates - 0.5), max(k - 1, 0))[:k]]
