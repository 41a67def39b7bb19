"""Which files faults are put into, and which tests are to find them."""

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path("src/autotelic")

# Quick ones first: a mutant is done with at the first test that fails.
_SELECTORS = tuple(
    f"tests/selectors/test_{name}.py"
    for name in ("rules", "signals", "catalogue", "distributions", "state")
)
_CONTRACT = ("tests/selectors/test_draws.py", "tests/selectors/test_contract.py")
_LOOP = (
    "tests/training/test_loop_faults.py",
    "tests/training/test_train.py",
    "tests/training/test_visits.py",
    "tests/training/test_resume.py",
)

# Tests further to a file's doctests and to the test file of its name.
FURTHER: dict[str, tuple[str, ...]] = {
    "progress.py": (),
    "curriculum.py": (),
    "selectors/distributions.py": _SELECTORS,
    "selectors/signals/progress.py": _SELECTORS,
    "selectors/signals/log_certainty.py": _SELECTORS,
    "selectors/signals/competence.py": _SELECTORS,
    "selectors/rules/values.py": _SELECTORS,
    "selectors/rules/hold.py": _SELECTORS,
    "selectors/rules/reinforce.py": _SELECTORS,
    "selectors/rules/exponential_weights.py": _SELECTORS,
    "selectors/rules/thompson.py": _SELECTORS,
    "selectors/draws.py": (),
    "selectors/base.py": ("tests/test_curriculum.py", *_SELECTORS, *_CONTRACT),
    "selectors/state.py": ("tests/test_curriculum.py", *_CONTRACT),
    "selectors/composition.py": ("tests/test_curriculum.py", *_SELECTORS, *_CONTRACT),
    "selectors/catalogue/diversity_progress.py": (*_SELECTORS, *_CONTRACT),
    "selectors/catalogue/absolute_learning_progress.py": (*_SELECTORS, *_CONTRACT),
    "selectors/catalogue/remaining_error.py": (*_SELECTORS, *_CONTRACT),
    "selectors/catalogue/teacher_student.py": (*_SELECTORS, *_CONTRACT),
    "selectors/check.py": _CONTRACT,
    "evaluation/metrics.py": (),
    "evaluation/selection.py": (),
    "evaluation/diversity.py": (),
    "evaluation/distances.py": (),
    "evaluation/statistics.py": (),
    "evaluation/survival.py": (),
    "evaluation/classifier.py": (),
    "evaluation/softmax_regression.py": ("tests/evaluation/test_classifier.py",),
    "objectives/base.py": ("tests/objectives/test_diayn.py",),
    "objectives/diayn.py": (),
    "agents/gmm_sac.py": ("tests/agents/test_agent_contract.py",),
    "agents/sac.py": ("tests/agents/test_agent_contract.py",),
    "agents/gmm_policy.py": (),
    "agents/replay.py": ("tests/agents/test_replay_ring.py",),
    "agents/adam.py": (),
    "networks.py": (),
    "training/probes.py": ("tests/training/test_loop_faults.py",),
    "learner/visit.py": _LOOP,
    "learner/learner.py": _LOOP,
    "training/crew.py": _LOOP,
    "training/divergence.py": ("tests/training/test_diverged.py",),
    "training/learners.py": _LOOP,
    "training/program.py": _LOOP,
    "training/checkpoints.py": _LOOP,
    "training/recording.py": _LOOP,
    "training/run_state.py": _LOOP,
    "training/schedule.py": _LOOP,
}

LEFT_OUT = ("tests/evaluation/test_statistics.py::test_point_estimates_equal_those_of_rliable",)
"""Tests that start other programs: these would not see the fault, and take their time."""


class Target(NamedTuple):
    """path: the source file, from the root; tests: the files that are to kill its mutants."""

    path: Path
    tests: tuple[str, ...]

    @property
    def uses_jax(self) -> bool:
        """Whether its tests compute with JAX."""
        return (
            self.path.parent.name in ("objectives", "agents", "learner", "training")
            or self.path.name == "networks.py"
        )


def targets() -> list[Target]:
    """All of them, in the order of the table."""
    return [_target(name) for name in FURTHER]


def _target(name: str) -> Target:
    path = PACKAGE / name
    mirrored = Path("tests", name).with_name(f"test_{path.name}")
    own = [str(mirrored)] if (ROOT / mirrored).exists() else []
    further = [test for test in FURTHER[name] if test not in own and (ROOT / test).exists()]
    return Target(path, (str(path), *own, *further))
