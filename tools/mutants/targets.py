"""Which files faults are put into, and which tests are to find them."""

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path("src/autotelic")

_SELECTORS = "tests/selectors/test_"
_SIGNALS = (f"{_SELECTORS}signals.py", f"{_SELECTORS}catalogue.py")
_PLACES = (f"{_SELECTORS}places.py", f"{_SELECTORS}goals_that_differ.py")
_RULES = (f"{_SELECTORS}rules.py", f"{_SELECTORS}catalogue.py")
_REPLACED = f"{_SELECTORS}replaced_goals.py"
_FAULTS = (
    "tests/selectors/test_contract.py::test_every_fault_is_caught",
    "tests/selectors/test_contract.py::test_a_plain_selector_without_faults_passes",
)
_KNOWN_STEPS = ("tests/objectives/test_metra.py", "tests/objectives/test_csf.py")
_LOOP = (
    "tests/training/test_loop_faults.py",
    "tests/training/test_visits.py",
)

# Tests further to a file's doctests and to the test file of its name; few, or a survivor takes long.
FURTHER: dict[str, tuple[str, ...]] = {
    "progress.py": (),
    "curriculum.py": (),
    "selectors/base.py": (*_SIGNALS, "tests/test_curriculum.py", *_PLACES),
    "selectors/composition.py": (*_SIGNALS, *_RULES, "tests/test_curriculum.py", _REPLACED),
    "selectors/distributions.py": _RULES,
    "selectors/draws.py": (),
    "selectors/state.py": ("tests/test_curriculum.py",),
    "selectors/check.py": _FAULTS,
    "selectors/places.py": (),
    "selectors/gaussian_mixture.py": (),
    "selectors/memory.py": (*_SIGNALS, *_RULES),
    "selectors/signals/progress.py": (*_SIGNALS, _REPLACED),
    "selectors/signals/log_certainty.py": (*_SIGNALS, _REPLACED),
    "selectors/signals/competence.py": (*_SIGNALS, _REPLACED),
    "selectors/signals/mixture_progress.py": (*_PLACES, _REPLACED),
    "selectors/signals/neighbour_success.py": (*_PLACES, _REPLACED),
    "selectors/signals/open_frontier.py": (*_PLACES, _REPLACED),
    "selectors/signals/open_question.py": (*_PLACES, _REPLACED),
    "selectors/signals/rarity.py": (*_PLACES, _REPLACED),
    "selectors/signals/value_regret.py": (*_SIGNALS, *_PLACES),
    "selectors/rules/values.py": _RULES,
    "selectors/rules/hold.py": _RULES,
    "selectors/rules/band.py": (*_RULES, *_PLACES),
    "selectors/rules/reinforce.py": _RULES,
    "selectors/rules/exponential_weights.py": (*_RULES, _REPLACED),
    "selectors/rules/thompson.py": (*_RULES, _REPLACED),
    "selectors/catalogue/diversity_progress.py": _SIGNALS,
    "selectors/catalogue/teacher_student.py": _SIGNALS,
    "selectors/catalogue/exp3s.py": _SIGNALS,
    "selectors/catalogue/frontier.py": (f"{_SELECTORS}catalogue.py", *_PLACES),
    "selectors/catalogue/skew_fit.py": (f"{_SELECTORS}catalogue.py", *_PLACES),
    "selectors/catalogue/intermediate_difficulty.py": (f"{_SELECTORS}catalogue.py", *_PLACES),
    "evaluation/metrics.py": (),
    "evaluation/selection.py": (),
    "evaluation/diversity.py": (),
    "evaluation/distances.py": (),
    "evaluation/statistics.py": (),
    "evaluation/survival.py": (),
    "evaluation/classifier.py": (),
    "evaluation/softmax_regression.py": ("tests/evaluation/test_classifier.py",),
    "evaluation/success.py": (),
    "evaluation/coverage.py": (),
    "evaluation/zero_shot.py": (),
    "objectives/base.py": ("tests/objectives/test_diayn.py",),
    "objectives/prior.py": ("tests/objectives/test_diayn.py", "tests/objectives/test_vic.py"),
    "objectives/classifier.py": ("tests/objectives/test_diayn.py", "tests/objectives/test_vic.py"),
    "objectives/pursuit.py": ("tests/objectives/test_vic.py", "tests/objectives/test_rvic.py"),
    "objectives/diayn.py": (),
    "objectives/vic.py": (),
    "objectives/rvic.py": (),
    "objectives/disdain.py": (),
    "objectives/visr.py": (),
    "objectives/cic.py": (),
    "objectives/dads.py": (),
    "objectives/codebook.py": (),
    "objectives/displacement.py": _KNOWN_STEPS,
    "objectives/metra.py": (),
    "objectives/csf.py": (),
    "objectives/goal_sets.py": ("tests/objectives/test_reach.py",),
    "objectives/reach.py": (),
    "agents/gmm_policy.py": (),
    "agents/gmm_sac.py": (),
    "agents/actor_critic.py": ("tests/agents/test_gmm_sac.py", "tests/agents/test_sac.py"),
    "agents/sac.py": (),
    "agents/discrete_sac.py": (),
    "agents/replay.py": ("tests/agents/test_replay_ring.py", "tests/agents/test_hindsight.py"),
    "agents/adam.py": (),
    "networks.py": (),
    "learner/normalizer.py": (),
    "learner/visit.py": _LOOP,
    "learner/learner.py": _LOOP,
    "training/probes.py": ("tests/training/test_loop_faults.py",),
    "training/warm_up.py": (),
    "training/divergence.py": ("tests/training/test_diverged.py",),
    "training/statistics.py": (),
    "training/crew.py": _LOOP,
    "training/learners.py": _LOOP,
    "training/program.py": _LOOP,
    "training/recording.py": _LOOP,
    "training/schedule.py": _LOOP,
    "training/train.py": ("tests/training/test_train_entry.py", *_LOOP),
}

LEFT_OUT = (
    "tests/evaluation/test_statistics.py::test_point_estimates_equal_those_of_rliable",
    "tests/selectors/test_draws.py::test_contract",
    "tests/selectors/test_draws.py::test_every_selector_of_the_catalogue_has_the_draw",
    "tests/selectors/test_draws.py::test_an_adversary_who_sees_the_deficits_does_not_leave_the_bounds",
)
"""Tests that start other programs, which would not see the fault, or that take long."""


class Target(NamedTuple):
    """path: the source file, from the root; tests: files, or tests of files, to kill its mutants."""

    path: Path
    tests: tuple[str, ...]

    @property
    def uses_jax(self) -> bool:
        """Whether its tests compute with JAX."""
        return self.path.parent.name in (
            "objectives",
            "agents",
            "learner",
            "training",
        ) or self.path.name in ("networks.py", "success.py", "coverage.py", "zero_shot.py")

    @property
    def group(self) -> str:
        """Files that are done together: their tests are collected once."""
        folder = self.path.parts[2] if len(self.path.parts) > 3 else "agents"
        loop, alone = ("learner", "training"), ("progress.py", "curriculum.py")
        folder = "selectors" if self.path.name in alone else folder
        return ("loop" if folder in loop else folder) + " with JAX" * self.uses_jax

    @property
    def seconds(self) -> float:
        """How long tests, as they take without a fault, may look for one."""
        if self.group.startswith("loop"):
            return 25.0
        return 10.0 if self.uses_jax else 1.5


def targets() -> list[Target]:
    """All of them, in the order of the table."""
    return [_target(name) for name in FURTHER]


def _target(name: str) -> Target:
    path = PACKAGE / name
    mirrored = Path("tests", name).with_name(f"test_{path.name}")
    own = [str(mirrored)] if (ROOT / mirrored).exists() else []
    further = dict.fromkeys(test for test in FURTHER[name] if test not in own)
    return Target(path, (str(path), *own, *further))
