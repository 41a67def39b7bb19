# pyright: reportMissingImports=false
"""A curriculum term in mjlab's own manager, and its own sampler beside ours."""

import ast
import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autotelic as at
from autotelic.bridges.simulators import GoalTerm

BINS = 5


class World:
    """As much of an environment as a term sees: bins below 2 succeed, the others fail."""

    def __init__(self, num_envs: int):
        self.num_envs, self.device = num_envs, "cpu"
        self.bins = np.full(num_envs, -1)


def term(selector: at.GoalSelector) -> GoalTerm:
    def apply(env: World, ids: Any, goals: Any) -> None:
        env.bins[ids] = goals

    return GoalTerm(at.Curriculum(selector, BINS), lambda env, ids: env.bins[ids] < 2, apply)


@pytest.mark.parametrize("num_envs", [16, 1024])
def test_environments_that_end_get_goals_as_p_of_g_has_them(num_envs: int):
    own, env, generator = term(at.AutoSelector()), World(num_envs), np.random.default_rng(0)
    found = own(env, None)
    assert np.bincount(env.bins, minlength=BINS).min() >= num_envs // BINS
    for _ in range(30):
        ids = generator.permutation(num_envs)[: num_envs // 4]
        found = own(env, ids)
        assert found["in_flight"] == num_envs
    np.testing.assert_array_equal(own.goals, env.bins)
    assert found["told"] == 30 * (num_envs // 4)
    # All is known of each bin, so none is worth more than another: no bin takes all practice.
    assert own.curriculum.selection_probabilities.max() < 0.5
    assert own(env, np.empty(0, dtype=int)) == found


def test_mjlabs_own_manager_calls_it():
    torch = pytest.importorskip("torch")
    if importlib.util.find_spec("mjlab") is None:
        pytest.skip("mjlab is not there")
    pytest.importorskip("mjlab.managers.curriculum_manager", exc_type=ImportError)
    from mjlab.managers.curriculum_manager import CurriculumManager, CurriculumTermCfg

    own, env = term(at.RoundRobin()), World(8)
    manager = CurriculumManager({"goals": CurriculumTermCfg(func=own)}, env)  # type: ignore
    manager.compute()
    manager.compute(torch.tensor([0, 3, 5]))
    assert own.curriculum.metrics()["told"] == 3
    assert manager.reset(torch.tensor([0]))["Curriculum/goals/in_flight"] == 8.0
    assert sorted(np.bincount(env.bins, minlength=BINS)) == [1, 1, 2, 2, 2]


def mjlabs_sampler() -> Any:
    """The function of mjlab's own file, which cannot be imported without a simulator."""
    torch = pytest.importorskip("torch")
    found = importlib.util.find_spec("mjlab")
    if found is None or not found.submodule_search_locations:
        pytest.skip("mjlab is not there")
    path = Path(found.submodule_search_locations[0]) / "tasks/tracking/mdp/commands.py"
    tree = ast.parse(path.read_text())
    [method] = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == "_adaptive_sampling"
    ]
    scope: dict[str, Any] = {"torch": torch, "math": __import__("math")}
    scope["sample_uniform"] = lambda low, high, shape, device: torch.zeros(shape)
    exec(compile(ast.Module([method], []), str(path), "exec"), scope)
    return scope["_adaptive_sampling"]


def test_failure_counts_are_what_mjlab_does():
    """Its counts, its kernel and its p(g), after the same failures."""
    sample = mjlabs_sampler()
    import torch

    selector = at.FailureCounts(rate=0.2, ratio=0.1, kept=0.8, width=3)
    curriculum, generator = at.Curriculum(selector, BINS), np.random.default_rng(0)
    num_envs, drawn = 12, {}
    stub = SimpleNamespace(
        _env=SimpleNamespace(termination_manager=SimpleNamespace()),
        bin_count=BINS,
        device="cpu",
        cfg=SimpleNamespace(adaptive_uniform_ratio=0.1, adaptive_kernel_size=3),
        motion=SimpleNamespace(time_step_total=1000),
        kernel=torch.tensor([1.0, 0.8, 0.64]) / 2.44,
        bin_failed_count=torch.zeros(BINS),
        _current_bin_failed=torch.zeros(BINS),
        time_steps=torch.zeros(num_envs, dtype=torch.long),
        metrics={
            name: torch.zeros(1)
            for name in ("sampling_entropy", "sampling_top1_prob", "sampling_top1_bin")
        },
    )
    multinomial = torch.multinomial
    for _ in range(6):
        goals = generator.integers(0, BINS, num_envs)
        failed = generator.random(num_envs) < goals / BINS
        stub.time_steps = torch.as_tensor(goals * 1000 // BINS + 1)
        stub._env.termination_manager.terminated = torch.as_tensor(failed)

        # Its update at the end of a step, which comes before the next is sampled from.
        def keep(p: Any, *rest: Any, **more: Any) -> Any:
            drawn["p"] = p.numpy()
            return multinomial(p, *rest, **more)

        torch.multinomial = keep
        try:
            sample(stub, torch.arange(num_envs))
            stub.bin_failed_count = 0.2 * stub._current_bin_failed + 0.8 * stub.bin_failed_count
            stub._current_bin_failed.zero_()
            stub._env.termination_manager.terminated = torch.zeros(num_envs, dtype=torch.bool)
            sample(stub, torch.arange(num_envs))
        finally:
            torch.multinomial = multinomial
        curriculum.abandon(curriculum.in_flight)
        curriculum._become(curriculum._now._replace(under_way=np.bincount(goals, minlength=BINS)))
        curriculum.update(goals, success=1.0 - failed)
        np.testing.assert_allclose(curriculum.selection_probabilities, drawn["p"], rtol=1e-5)
