"""Teacher-student curriculum learning (TSCL)."""

from dataclasses import dataclass

from autotelic import _validate
from autotelic.selectors import rules, signals
from autotelic.selectors.composition import ComposedSelector, Parts

TEACHERS = ("online", "naive", "window", "sampling")


@dataclass(frozen=True)
class TeacherStudent(ComposedSelector):
    """Teacher-student curriculum learning (TSCL): the goal whose competence rises fastest.

    * `online`: Q_g <- Q_g + step_size (c - c at the previous visit - Q_g), from c = 0.
    * `naive`: holds a goal for `window` visits in a row, then Q_g <- Q_g + step_size (slope of
      those visits - Q_g).
    * `window`: slope over the goal's last `window` visits; 1, optimistic, until there are two.
    * `sampling`: Thompson sampling from the goal's last `window` gains; 1, optimistic, until there
      is one.

    The policy on Q (or |Q| if `absolute`) is epsilon-greedy, or a softmax if a `temperature` is
    given (TSCL uses 4e-4). With `reached` goals reached on the way count as visited, and successful.

    Reference: Matiisen et al. (2017), Teacher-Student Curriculum Learning.

    >>> selector = TeacherStudent(variant="sampling")
    >>> selector.selection_probabilities(selector.init(num_goals=2))
    array([0.5, 0.5])
    """

    shell_name = "teacher-student"

    variant: str = "online"
    step_size: float = 0.1
    epsilon: float = 0.1
    window: int = 10
    absolute: bool = False
    temperature: float | None = None
    competence: str = "certainty"
    reached: bool = False

    def parts(self) -> Parts:
        """The variant's signal, and its rule."""
        _validate.choice("variant", self.variant, TEACHERS)
        if self.variant == "sampling":
            if self.temperature is not None:
                raise ValueError(
                    'variant="sampling" draws by Thompson sampling and takes no temperature, '
                    f"got {self.temperature}"
                )
            signal = signals.Gain(self.competence, start=0.0, optimism=1.0, reached=self.reached)
            return Parts(signal, rules.Thompson(self.window, self.epsilon, self.absolute))
        if self.variant == "online":
            signal = signals.Gain(self.competence, start=0.0, reached=self.reached)
            return Parts(signal, self._policy(self.step_size))
        if self.variant == "naive":
            signal = signals.Slope(
                self.competence, window=self.window, optimism=0.0, reached=self.reached
            )
            return Parts(signal, rules.Hold(self._policy(self.step_size), times=self.window))
        signal = signals.Slope(self.competence, window=self.window, reached=self.reached)
        return Parts(signal, self._policy(step_size=1.0))

    def _policy(self, step_size: float) -> rules.Rule:
        if self.temperature is None:
            return rules.EpsilonGreedy(self.epsilon, step_size=step_size, absolute=self.absolute)
        return rules.Softmax(self.temperature, step_size=step_size, absolute=self.absolute)
