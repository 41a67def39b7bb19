"""States kept of each goal's last visit, scored before and after the next: `probe` evidence."""

import numpy as np

from autotelic._spaced import spaced
from autotelic.objectives import Context
from autotelic.training.learners import Learners

STATES = 64
"""States kept of a goal: enough for a mean certainty to within a few hundredths."""


class Probes:
    """The kept transitions of learners: [members, goals, states, observation] each."""

    def __init__(self, learners: Learners):
        functions = learners.program.functions
        steps = functions.setting.steps_per_visit
        self.indices: np.ndarray = spaced(steps, STATES)
        goals, members = functions.setting.num_goals, len(learners.members)
        shape = (members, goals, len(self.indices), functions.observation_size)
        needs_start = functions.setting.objective.needs_start
        self.contexts: Context = Context(
            np.zeros(shape, np.float32) if needs_start else None,
            np.zeros(shape, np.float32),
            np.zeros(shape, np.float32),
        )
        self.known: np.ndarray = np.zeros((members, goals), bool)

    def score(self, learners: Learners) -> np.ndarray:
        """Mean certainty on every goal's kept states, [members, goals]; NaN where none are kept."""
        return learners.certainty_on(self.contexts, self.known)

    def keep(self, learners: Learners, visit: int, goals: np.ndarray) -> None:
        """Replace the pursued goals' states by evenly spread ones of the visit just run."""
        members = np.arange(len(goals))
        for kept, visited in zip(
            self.contexts, learners.recent_contexts(visit, self.indices), strict=True
        ):
            if kept is not None:
                kept[members, goals] = visited
        self.known[members, goals] = True

    def arrays(self) -> dict[str, np.ndarray]:
        """All of it by name, for a checkpoint; the leading axis is the crew's members."""
        named = {
            f"probes.{name}": x for name, x in self.contexts._asdict().items() if x is not None
        }
        return {**named, "probes.known": self.known}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Continue from what `arrays` gave."""
        self.contexts = Context(
            arrays.get("probes.start"),
            arrays["probes.observation"].copy(),
            arrays["probes.next_observation"].copy(),
        )
        self.known = arrays["probes.known"].copy()
