"""log q(g | ...) of each objective in NumPy: what a state, or a step, gives away of its goal.

The equations are in `objectives/`; here is what a skill file needs of them. A judge is given observations
as the learner saw them: normalised where it normalised.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from autotelic.skills import header as entry
from autotelic.skills.header import Sizes
from autotelic.skills.networks import Network, Shapes, network, network_shapes

STATE, START, STEP = "state", "start", "step"
"""What is judged: a state alone; a state and where its pursuit began; a state and the next."""
LARGEST_LOG_DEVIATION = 5.0
WIDTH = 64
MOST_MEMBERS = 100
Arrays = Mapping[str, np.ndarray]


class Judge(ABC):
    """What recognises goals, made from a checked header.

    Args:
        header: of a skill file, whose `objective` has the options.
        sizes: the header's.
    """

    judged: ClassVar[str] = STATE

    def __init__(self, header: Mapping[str, Any], sizes: Sizes):
        self.sizes: Sizes = sizes

    @abstractmethod
    def shapes(self) -> Shapes:
        """The arrays that it needs beside the goals."""

    @abstractmethod
    def log_posteriors(self, arrays: Arrays, here: np.ndarray, other: Any) -> np.ndarray:
        """log q(.): [..., observation] -> [..., goals]; other: the start, or the next observation."""


class Classifier(Judge):
    """DIAYN: a network of the state."""

    def __init__(self, header: Mapping[str, Any], sizes: Sizes):
        super().__init__(header, sizes)
        self.features: tuple[int, ...] | None = entry.entries(
            header, "objective.features", sizes.observation
        )
        self.inputs: list[int] = [len(self.features) if self.features else sizes.observation]

    def shapes(self) -> Shapes:
        """One network."""
        return network_shapes("judge", self.inputs, self.sizes.hidden, self.sizes.goals)

    def log_posteriors(self, arrays: Arrays, here: np.ndarray, other: Any) -> np.ndarray:
        """log q(. | s)."""
        del other
        return log_softmax(network("judge", arrays)(self.seen(here)))

    def seen(self, observation: np.ndarray) -> np.ndarray:
        """The entries that count."""
        return observation if self.features is None else observation[..., list(self.features)]


class RelativeClassifier(Classifier):
    """VIC, and RVIC's relative classifier: a network of the start and the state."""

    judged: ClassVar[str] = START

    def __init__(self, header: Mapping[str, Any], sizes: Sizes):
        super().__init__(header, sizes)
        self.inputs: list[int] = 2 * self.inputs

    def log_posteriors(self, arrays: Arrays, here: np.ndarray, other: Any) -> np.ndarray:
        """log q(. | s_0, s)."""
        return log_softmax(network("judge", arrays)(self.seen(other), self.seen(here)))


class Ensemble(Classifier):
    """DISDAIN: the mean probability of several networks."""

    def __init__(self, header: Mapping[str, Any], sizes: Sizes):
        super().__init__(header, sizes)
        self.members: int = entry.whole(header, "objective.members")
        if self.members > MOST_MEMBERS:
            raise entry.SkillFileError(f"its header's objective.members is above {MOST_MEMBERS}")

    def shapes(self) -> Shapes:
        """One network for each member."""
        one = super().shapes()
        return {
            f"{name.replace('judge', f'judge.{member}')}": shape
            for member in range(self.members)
            for name, shape in one.items()
        }

    def log_posteriors(self, arrays: Arrays, here: np.ndarray, other: Any) -> np.ndarray:
        """log qbar(. | s)."""
        members = [network(f"judge.{member}", arrays) for member in range(self.members)]
        mean = sum(np.exp(log_softmax(one(self.seen(here)))) for one in members) / self.members
        return np.log(np.maximum(mean, np.finfo(np.float32).tiny))


class Direction(Judge):
    """VISR: how near the state's direction is to each goal's."""

    def __init__(self, header: Mapping[str, Any], sizes: Sizes):
        super().__init__(header, sizes)
        self.concentration: float = entry.positive(header, "objective.concentration")

    def shapes(self) -> Shapes:
        """The map phi."""
        return _phi_shapes(self.sizes)

    def log_posteriors(self, arrays: Arrays, here: np.ndarray, other: Any) -> np.ndarray:
        """log softmax_m(concentration phi(s)^T z_m)."""
        del other
        likeness = unit(network("phi", arrays)(here)) @ unit(arrays["goals"]).T
        return log_softmax(self.concentration * likeness)


class Displacement(Judge):
    """LSD, METRA and CSF: the way from the start in the learned map, along each goal's direction."""

    judged: ClassVar[str] = START

    def shapes(self) -> Shapes:
        """The map phi and the posteriors' inverse temperature."""
        return _phi_shapes(self.sizes) | {"log_beta": ()}

    def log_posteriors(self, arrays: Arrays, here: np.ndarray, other: Any) -> np.ndarray:
        """log softmax_m(beta (phi(s) - phi(s_0))^T z_m)."""
        phi = network("phi", arrays)
        travelled = phi(here) - phi(other)
        return log_softmax(np.exp(arrays["log_beta"]) * (travelled @ arrays["goals"].T))


class Contrast(Judge):
    """CIC: the cosine of a step's embedding with each goal's."""

    judged: ClassVar[str] = STEP

    def __init__(self, header: Mapping[str, Any], sizes: Sizes):
        super().__init__(header, sizes)
        self.temperature: float = entry.positive(header, "objective.temperature")

    def shapes(self) -> Shapes:
        """The networks of states and steps, and every goal's embedding."""
        hidden = self.sizes.hidden
        return (
            network_shapes("state", [self.sizes.observation], hidden, WIDTH)
            | network_shapes("prediction", [WIDTH, WIDTH], hidden, WIDTH)
            | {"goal_embeddings": (self.sizes.goals, WIDTH)}
        )

    def log_posteriors(self, arrays: Arrays, here: np.ndarray, other: Any) -> np.ndarray:
        """log softmax_m of the cosines over the temperature."""
        state = network("state", arrays)
        step = unit(network("prediction", arrays)(state(here), state(other)))
        return log_softmax(step @ unit(arrays["goal_embeddings"]).T / self.temperature)


class Dynamics(Judge):
    """DADS: how likely the step is by each goal's model of it."""

    judged: ClassVar[str] = STEP

    def __init__(self, header: Mapping[str, Any], sizes: Sizes):
        super().__init__(header, sizes)
        self.features: tuple[int, ...] | None = entry.entries(
            header, "objective.features", sizes.observation
        )
        self.outputs: int = len(self.features) if self.features else sizes.observation

    def shapes(self) -> Shapes:
        """The mean's network and the deviations."""
        inputs = [self.sizes.observation, self.sizes.skill]
        return network_shapes("mean", inputs, self.sizes.hidden, self.outputs) | {
            "spread": (self.outputs,)
        }

    def log_posteriors(self, arrays: Arrays, here: np.ndarray, other: Any) -> np.ndarray:
        """log q(z_m | s, s') by Bayes' rule; what all goals share drops out."""
        step = other - here
        if self.features is not None:
            step = step[..., list(self.features)]
        mean: Network = network("mean", arrays)
        predicted = mean(here[..., None, :], arrays["goals"])
        deviation = np.exp(LARGEST_LOG_DEVIATION * np.tanh(arrays["spread"]))
        distance = (step[..., None, :] - predicted) / deviation
        return log_softmax(-0.5 * np.sum(distance**2, axis=-1))


JUDGES: dict[str, type[Judge]] = {
    "diayn": Classifier,
    "vic": RelativeClassifier,
    "rvic": RelativeClassifier,
    "disdain": Ensemble,
    "visr": Direction,
    "cic": Contrast,
    "dads": Dynamics,
    "lsd": Displacement,
    "metra": Displacement,
    "csf": Displacement,
}
"""By the objectives' names; others, such as the user's own, have none."""


def judge_of(header: Mapping[str, Any], sizes: Sizes) -> Judge | None:
    """What recognises the goals; None where the file has only a policy."""
    if entry.at(header, "objective.name") is None:
        return None
    return JUDGES[entry.text(header, "objective.name", tuple(JUDGES))](header, sizes)


def _phi_shapes(sizes: Sizes) -> Shapes:
    return network_shapes("phi", [sizes.observation], sizes.hidden, sizes.skill)


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """log of the softmax over the last axis."""
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def unit(x: np.ndarray) -> np.ndarray:
    """Vectors brought to length 1; zeros stay zeros."""
    return x / np.sqrt(np.maximum(np.sum(x * x, axis=-1, keepdims=True), 1e-12))
