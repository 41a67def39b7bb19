"""A selector is a signal, a rule and a warm-up: the machinery behind every named selector, and
yours.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic import _validate
from autotelic._types import Array
from autotelic.selectors import distributions, draws, draws_many
from autotelic.selectors.base import Results, VisitOutcome, check_columns, check_evidence
from autotelic.selectors.rules import Rule
from autotelic.selectors.signals import Signal

LAST = np.iinfo(np.int64).max
"""More visits than there ever are."""
PIECES, MOST_PIECES = 16, 64
"""Of as many visits as there are goals, and of all: how many are drawn together if goals may repeat."""


class Parts(NamedTuple):
    """What a selector is made of; `warm_up` counts the rounds drawn without replacement before the
    rule takes over.
    """

    signal: Signal
    rule: Rule
    warm_up: float = 0


class SelectorState(NamedTuple):
    """All that a composed selector knows.

    Attributes:
        counts: visits spent on each goal, int64 [goals].
        values: the signal's last value for each goal, [goals]; NaN before the first.
        signal: the signal's state.
        rule: the rule's state.
        deficits: what low-variance draws owe each goal, [goals]; 0 with independent ones.
    """

    counts: npt.NDArray[np.int64]
    values: Array
    signal: Any
    rule: Any
    deficits: Array


def _check_parts(parts: Parts) -> Parts:
    """Refuse parts of the wrong kind."""
    if not isinstance(parts.signal, Signal):
        raise TypeError(f"signal must be a Signal such as signals.Progress(), got {parts.signal!r}")
    if not isinstance(parts.rule, Rule):
        raise TypeError(f"rule must be a Rule such as rules.Softmax(), got {parts.rule!r}")
    if parts.warm_up != math.inf:
        _validate.integer("warm_up", parts.warm_up, minimum=0)
    return parts


@dataclass(frozen=True, kw_only=True)
class ComposedSelector(draws.AccountingSelector):
    """A goal selector made of `parts`. In its warm-up rounds every goal comes once a round, in
    random order.

    Args:
        draw: how goals are drawn from p(g): "independent", or "low_variance", where each goal comes
            as often as its probabilities add up to, see `autotelic.selectors.draws`.
    """

    version = 2
    shell_name: ClassVar[str] = ""
    """What the shell calls it, for one of the catalogue."""
    draw: str = "independent"

    @abstractmethod
    def parts(self) -> Parts:
        """The signal, the rule and the warm-up that the settings stand for."""

    @cached_property
    def _parts(self) -> Parts:
        return _check_parts(self.parts())

    def __post_init__(self) -> None:
        _validate.choice("draw", self.draw, draws.DRAWS)
        # The parts check their own settings: building them refuses a bad one at once.
        _ = self._parts

    @property
    def evidence(self) -> frozenset[str]:
        """What the signal needs."""
        return self._parts.signal.evidence

    @property
    def needs_posteriors(self) -> bool:
        """Whether the signal does."""
        return self._parts.signal.needs_posteriors

    @property
    def even_share(self) -> float:
        """The rule's."""
        return self._parts.rule.even_share

    @property
    def first_round(self) -> bool:
        """Whether there is a warm-up round."""
        return self._parts.warm_up >= 1

    @property
    def low_variance(self) -> bool:
        """Whether that is how goals are drawn."""
        return self.draw == "low_variance"

    def check(self, num_goals: int, steps: int) -> None:
        """Refuse a visit too short for the signal."""
        super().check(num_goals, steps)
        self._parts.signal.check(steps)

    def caution(self, steps: int, episode_length: int) -> str:
        """The signal's."""
        return self._parts.signal.caution(steps, episode_length)

    def init(self, num_goals: int) -> SelectorState:
        """Nothing tried."""
        _validate.integer("num_goals", num_goals, minimum=1)
        signal, rule, _ = self._parts
        return SelectorState(
            counts=np.zeros(num_goals, dtype=np.int64),
            values=np.full(num_goals, np.nan),
            signal=signal.init(num_goals),
            rule=rule.init(num_goals, float(signal.untried(num_goals))),
            deficits=np.zeros(num_goals),
        )

    def update(self, state: SelectorState, outcome: VisitOutcome) -> SelectorState:
        """The signal judges the visit, the rule hears its value, and what it says of other goals.

        What was known of goals that were exchanged is forgotten before; what the visit itself says of
        them, if the goal pursued is one of them, is left out.
        """
        check_columns(outcome.posteriors.shape, len(state.counts))
        check_evidence(self, outcome)
        signal, rule, _ = self._parts
        signal.check(len(outcome.posteriors))
        deficits = self.owed(state, outcome.goal)
        if outcome.replaced is not None:
            state = self._forgotten(state, outcome.replaced)
        signal_state, found = signal.update(state.signal, outcome)
        counts, values, rule_state = state.counts.copy(), state.values.copy(), state.rule
        own = np.arange(len(counts)) == outcome.goal
        value = np.asarray(found, dtype=np.float64)
        if value.ndim == 0:
            value = np.where(own & (not outcome.void), value, np.nan)
            signal_state = signal.forget(signal_state, own) if outcome.void else signal_state
        counts[outcome.goal] += not outcome.void
        values = np.where(np.isnan(value), values, value)
        if not np.isnan(value[outcome.goal]):
            rule_state = rule.update(rule_state, outcome.goal, float(value[outcome.goal]))
        rule_state = rule.revise(rule_state, np.where(own, np.nan, value))
        return SelectorState(counts, values, signal_state, rule_state, deficits)

    def learn(self, state: SelectorState, results: Results) -> SelectorState:
        """The signal judges all of the results at once, and the rule hears what it found. The account was
        settled when the goals were drawn.
        """
        signal, rule, _ = self._parts
        signal_state, found = signal.learn(state.signal, results)
        counts = state.counts.copy()
        counts[results.goals] += results.visits
        return SelectorState(
            counts,
            np.where(np.isnan(found), state.values, found),
            signal_state,
            rule.learn(state.rule, results.goals, found),
            state.deficits,
        )

    def ahead(
        self,
        state: SelectorState,
        under_way: npt.NDArray[np.int64],
        open_: npt.NDArray[np.bool_],
    ) -> SelectorState:
        """With the visits under way counted as made: rounds leave them out, and the signal may say that they
        are enough. No round waits for a goal that is not open.
        """
        signal, rule, _ = self._parts
        counts = state.counts + under_way
        if under_way.any():
            values = signal.ahead(state.signal, state.values, under_way)
            if values is not state.values:
                state = state._replace(rule=rule.revise(state.rule, values))
        if not open_.all():
            counts = np.where(open_, counts, counts[open_].min(initial=LAST))
        return state._replace(counts=counts)

    def drawn(
        self,
        state: SelectorState,
        k: int,
        under_way: npt.NDArray[np.int64],
        open_: npt.NDArray[np.bool_],
        generator: np.random.Generator,
        repeats: bool = False,
    ) -> tuple[npt.NDArray[np.int64], SelectorState]:
        """In rounds without replacement the goals that are left come first, then those of the next round.
        What may come several times is drawn in pieces, each of which knows of those before it.
        """
        piece = max(len(under_way) // PIECES, k // MOST_PIECES, 1) if repeats else k
        parts = []
        for some in [piece] * (k // piece) + [k % piece] * (k % piece > 0):
            goals, state = self._drawn_together(state, some, under_way, open_, generator, repeats)
            under_way = under_way + np.bincount(goals, minlength=len(under_way))
            parts.append(goals)
        return np.concatenate(parts), state

    def _drawn_together(
        self,
        state: SelectorState,
        k: int,
        under_way: npt.NDArray[np.int64],
        open_: npt.NDArray[np.bool_],
        generator: np.random.Generator,
        repeats: bool,
    ) -> tuple[npt.NDArray[np.int64], SelectorState]:
        if self.low_variance or k == 1:
            return super().drawn(state, k, under_way, open_, generator, repeats)
        chosen, left, rest = [], k, open_.copy()
        while left:
            rest = rest if rest.any() else open_.copy()
            ahead = self.ahead(state, under_way, open_)
            p = distributions.restricted(self.selection_probabilities(ahead), rest)
            some = min(left, int(np.count_nonzero(p))) if self._warming_up(ahead) else left
            chosen.append(draws_many.independent(p, some, generator, repeats))
            under_way = under_way + np.bincount(chosen[-1], minlength=len(under_way))
            rest[chosen[-1]] = False
            left -= some
        return np.concatenate(chosen), state

    def grown(self, state: SelectorState, num_goals: int) -> SelectorState:
        """New goals join as goals that were exchanged do."""
        signal, rule, warm_up = self._parts
        after, known = super().grown(state, num_goals), len(state.counts)
        new = np.arange(num_goals) >= known
        counts = np.where(new, state.counts.min() if warm_up == math.inf else 0, after.counts)
        rule_state = rule.forget(after.rule, new, float(signal.untried(num_goals)))
        return after._replace(counts=counts, rule=rule_state)

    def _forgotten(self, state: SelectorState, goals: npt.NDArray[np.bool_]) -> SelectorState:
        """These goals, [goals], as untried. In rounds without end they join the present one, so that
        they do not catch up with all earlier rounds. What is owed is owed to the place in the list.
        """
        signal, rule, warm_up = self._parts
        visits = state.counts.min() if warm_up == math.inf else 0
        return SelectorState(
            np.where(goals, visits, state.counts),
            np.where(goals, np.nan, state.values),
            signal.forget(state.signal, goals),
            rule.forget(state.rule, goals, float(signal.untried(len(goals)))),
            state.deficits,
        )

    def _warming_up(self, state: SelectorState) -> bool:
        return int(state.counts.min()) < self._parts.warm_up

    def _in_first_rounds(self, state: SelectorState) -> bool:
        """Whether all goals are being warmed up, and not a few that were exchanged later."""
        return self._warming_up(state) and int(state.counts.max()) <= self._parts.warm_up

    def selection_probabilities(self, state: SelectorState) -> Array:
        """Uniform over the goals left in a warm-up round (Algorithm 1, lines 6-8); the rule's p(g)
        after it.
        """
        if self._warming_up(state):
            return distributions.uniform_over(state.counts == state.counts.min())
        return self._parts.rule.probabilities(state.rule)

    def shares(self, state: SelectorState) -> Array:
        """1/|G| in the warm-up rounds, so that nothing is owed after them; p(g) then."""
        if self._in_first_rounds(state):
            return distributions.uniform(len(state.counts))
        return self.selection_probabilities(state)

    def prior(self, state: SelectorState) -> Array:
        """Uniform in the warm-up rounds: a goal already tried must not be paid -log 0. The rule's
        prior after them.
        """
        if self._in_first_rounds(state):
            return distributions.uniform(len(state.counts))
        return self._parts.rule.prior(state.rule)

    def values(self, state: SelectorState) -> Array:
        """The signal's last value for each goal."""
        return state.values.copy()


@dataclass(frozen=True)
class Selector(ComposedSelector):
    """Your own selector: any signal with any rule.

    Args:
        signal: what did practising a goal yield? See `autotelic.signals`.
        rule: from those numbers to p(g). See `autotelic.rules`.
        warm_up: rounds in which every goal comes once, in random order, before the rule takes over;
            `math.inf` for ever.

    Absolute progress since a goal's previous visit, softmax of its moving average, after one round:

    >>> from autotelic import rules, signals
    >>> selector = Selector(
    ...     signals.Progress(reference="previous_visit", absolute=True),
    ...     rules.Softmax(temperature=0.05, step_size=0.5),
    ...     warm_up=1,
    ... )
    >>> selector.selection_probabilities(selector.init(num_goals=4))
    array([0.25, 0.25, 0.25, 0.25])
    """

    signal: Signal
    rule: Rule
    warm_up: float = 0

    def parts(self) -> Parts:
        """As given."""
        return Parts(self.signal, self.rule, self.warm_up)
