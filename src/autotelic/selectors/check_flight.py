"""What `check_selector` asks of a selector with many goals in flight: the laws, one function each."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from autotelic import _streams
from autotelic._types import Array
from autotelic.resume import check_resume, fingerprint
from autotelic.selectors import in_flight
from autotelic.selectors.base import OPTIONAL, GoalSelector
from autotelic.selectors.draws import AccountingSelector, bounds
from autotelic.selectors.in_flight import Flight, Goals, Told
from autotelic.selectors.state import state_from_json, state_to_json

GOALS = 7
ROUNDS = 6
SLACK = 1e-9


def by_success(selector: GoalSelector) -> bool:
    """Whether it can be told of success alone."""
    return not (selector.evidence - OPTIONAL - {"success"} or selector.needs_posteriors)


def check_flight(selector: GoalSelector) -> None:
    """Raises with the law that a selector breaks; one that cannot go by success alone is asked only how it
    draws.
    """
    laws: list[Callable[[GoalSelector], str]] = [distinct, counted, alike]
    if by_success(selector):
        laws += [in_any_order, floor_kept, restored]
    laws.append(abandoned)
    for law in laws:
        # A copy, which knows of nothing that another law has shown.
        if fault := law(copy.deepcopy(selector)):
            raise ValueError(
                f"{type(selector).__name__} breaks the contract of a goal selector: {fault}"
            )


def results(goals: Goals, generator: np.random.Generator) -> Told:
    """Of eight episodes each; the first goals fail, the last ones succeed."""
    counts = np.full(len(goals), 8)
    success = generator.binomial(8, goals / (GOALS - 1)) / 8
    return Told(goals, success, success, counts)


def practised(
    selector: GoalSelector, generator: np.random.Generator, rounds: int = ROUNDS
) -> Flight:
    """After some batches, if it can be told of them."""
    flight = in_flight.launched(selector, GOALS)
    for _ in range(rounds if by_success(selector) else 0):
        flight, goals = in_flight.drawn(selector, flight, 4, generator)
        flight = in_flight.told(flight, results(goals, generator))
    return in_flight.learned(selector, flight)


def distinct(selector: GoalSelector) -> str:
    """A batch has no goal twice unless it is of more goals than p(g) holds, and none that is retired."""
    generator = _streams.generator("goals", 0)
    for rounds in range(ROUNDS):
        flight = practised(selector, generator, rounds)
        for gone in ([], [0, 3]):
            flight = in_flight.retired(flight, np.array(gone, dtype=np.int64))
            held = np.count_nonzero(in_flight.selection_probabilities(selector, flight))
            for k in range(1, held + 1):
                _, goals = in_flight.drawn(selector, flight, k, generator)
                if len(goals) != k or len(set(goals.tolist())) < k:
                    return f"a batch of {k} goals has some twice, though p(g) holds {held}: {goals}"
                if not set(gone).isdisjoint(goals.tolist()):
                    return f"a goal that is retired was drawn: {goals}"
    return ""


def counted(selector: GoalSelector) -> str:
    """What is in flight counts as visited: low-variance draws keep to their bounds, rounds leave it out."""
    generator = _streams.generator("goals", 1)
    flight = in_flight.launched(selector, GOALS)
    if selector.first_round:
        for k in (1, 2, GOALS - 3):
            flight, _ = in_flight.drawn(selector, flight, k, generator)
        if flight.under_way.max() > 1:
            return f"what is in flight is drawn again in its first round: {flight.under_way}"
    if not (isinstance(selector, AccountingSelector) and selector.low_variance):
        return ""
    flight = practised(selector, generator)
    low, high = bounds(GOALS)
    before, owed = np.zeros(GOALS), np.zeros(GOALS)
    for _ in range(3 * GOALS):
        ahead = selector.ahead(flight.state, flight.under_way, ~flight.retired)
        owed += selector.shares(ahead)
        flight, goals = in_flight.drawn(selector, flight, 1, generator)
        owed[goals] -= 1.0
        before = np.maximum(before, np.abs(owed))
    if before.max() > high - low + SLACK:
        return (
            "what is in flight does not count as visited: low-variance draws owe up to "
            f"{before.max():.3g} visits, and {high - low:.3g} is the most"
        )
    return ""


def abandoned(selector: GoalSelector) -> str:
    """Results that are lost change nothing."""
    generator = _streams.generator("goals", 2)
    before = practised(selector, generator)
    drawn, goals = in_flight.drawn(selector, before, 4, generator)
    pairs = [(before, in_flight.abandoned(selector, drawn, goals))]
    if by_success(selector):
        some = in_flight.told(drawn, results(goals[:2], generator))
        pairs.append((some, in_flight.abandoned(selector, some, goals[2:])))
    for without, lost in pairs:
        if lost.under_way.any():
            return f"goals given up are still in flight: {lost.under_way}"
        if fingerprint(_known(selector, without)) != fingerprint(_known(selector, lost)):
            return "results that are lost change p(g) or the values"
    return ""


def _known(selector: GoalSelector, flight: Flight) -> list[Array]:
    state = in_flight.learned(selector, flight).state
    return [selector.selection_probabilities(state), selector.values(state)]


def in_any_order(selector: GoalSelector) -> str:
    """The state is a function of what was told, and not of its order, nor of how it is divided among calls,
    nor of who looks at it in between.
    """
    generator = _streams.generator("goals", 3)
    flight, goals = in_flight.drawn(selector, practised(selector, generator), 5, generator)
    told = results(goals, generator)
    together = in_flight.learned(selector, in_flight.told(flight, told)).state
    for order in (np.arange(5)[::-1], generator.permutation(5)):
        divided = flight
        for one in order:
            alone: Any = [values[[one]] for values in told]
            divided = in_flight.told(divided, Told(*alone))
            in_flight.selection_probabilities(selector, divided)  # as somebody may who watches
        state = in_flight.learned(selector, divided).state
        if fingerprint(state) != fingerprint(together):
            return (
                "the state depends on the order of results, or on how they are divided among calls"
            )
    return ""


def floor_kept(selector: GoalSelector) -> str:
    """A floor is a share of p(g), whatever the counts, and however many environments told of them."""
    floor, generator = selector.even_share, _streams.generator("goals", 4)
    for counts in (1, 10**6):
        flight = in_flight.launched(selector, GOALS)
        for _ in range(30):
            flight, goals = in_flight.drawn(selector, flight, 2 * GOALS, generator, repeats=True)
            success = (goals > 0).astype(np.float64)  # all failures are the first goal's
            told = Told(goals, success, success, np.full(len(goals), counts))
            flight = in_flight.told(flight, told)
        p = selector.selection_probabilities(in_flight.learned(selector, flight).state)
        rounds = selector.first_round and flight.seen.visits.min() < 2
        if not rounds and p.min() < floor / GOALS - SLACK:
            return (
                f"its floor is {floor:g} of p(g), so each of {GOALS} goals has {floor / GOALS:.4g} at least; "
                f"after results of {counts} episodes one has {p.min():.4g}"
            )
    return ""


def alike(selector: GoalSelector) -> str:
    """Two that are told the same choose the same."""
    chosen = []
    for own in (copy.deepcopy(selector), copy.deepcopy(selector)):
        np.random.default_rng().random()
        generator = _streams.generator("goals", 5)
        flight = practised(own, generator)
        drawn = [in_flight.drawn(own, flight, k, generator)[1] for k in (1, 3, GOALS)]
        chosen.append([flight.under_way, *drawn])
    same = fingerprint(chosen[0]) == fingerprint(chosen[1])
    return "" if same else "two that were told the same choose other goals"


class _Restorable:
    """A selector in flight, which is saved as JSON."""

    def __init__(self, selector: GoalSelector):
        self.selector = copy.deepcopy(selector)
        self.flight = in_flight.launched(self.selector, GOALS)
        self.generator = _streams.generator("goals", 6)

    def state_dict(self) -> dict[str, Any]:
        flight = self.flight
        return {
            "state": state_to_json(self.selector, flight.state),
            "under_way": flight.under_way.tolist(),
            "told": [values.tolist() for values in flight.told],
            "generator": self.generator.bit_generator.state,
        }

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        pairs = zip(saved["told"], self.flight.told, strict=True)
        told: Any = [np.array(values, like.dtype) for values, like in pairs]
        self.flight = self.flight._replace(
            state=state_from_json(self.selector, saved["state"], GOALS),
            under_way=np.array(saved["under_way"]),
            told=Told(*told),
        )
        self.generator.bit_generator.state = saved["generator"]

    def step(self, time: int) -> Any:
        """Draws, or hears of one goal of those under way."""
        if time % 2 == 0:
            drawn = in_flight.drawn(self.selector, self.flight, 3, self.generator)
            self.flight, goals = drawn
            return goals
        goals = np.flatnonzero(self.flight.under_way)[:2]
        self.flight = in_flight.told(
            self.flight, results(goals, _streams.generator("results", 0, time))
        )
        return in_flight.selection_probabilities(self.selector, self.flight)


def restored(selector: GoalSelector) -> str:
    """A state restored at every step gives the same rest."""

    def step(one: _Restorable, time: int) -> tuple[_Restorable, Any]:
        return one, one.step(time)

    try:
        check_resume(lambda: _Restorable(selector), step, steps=12)
    except ValueError as error:
        return str(error)
    return ""
