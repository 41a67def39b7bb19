"""What the compiled visit of a crew consists of: a measure of work that no noise of the machine moves.

    python benchmarks/compiled_work.py

Two versions whose programs have the same operations, FLOPs and bytes compute at the same speed; how fast
that is `autotelic bench` measures.
"""

import json
import re
from typing import Any

from autotelic import paper
from autotelic.benchmark import engine
from autotelic.benchmark.engine import Size
from autotelic.learner.setting import Setting
from autotelic.training.learners import Learners

POPULATIONS = {
    "navigation2d, 20 learners": (paper.NAVIGATION_2D, 20),
    "HalfCheetah-v5, 5 learners": (paper.HALF_CHEETAH, 5),
}


def compiled_work(setting: Setting, members: int) -> dict[str, int]:
    """Operations of one crew's compiled visit of 100 steps, and the compiler's count of FLOPs and bytes."""
    _, program = engine._program(setting, members, Size(100, 1, 1))
    groups = engine._groups(program, members, Learners)
    try:
        program.compile(groups[0].state)
    finally:
        for own in groups:
            own.close()
    compiled: Any = program._compiled
    operations = re.findall(r" = \S+ ([a-z-]+)\(", compiled.as_text())
    cost = compiled.cost_analysis()
    return {
        "operations": len(operations),
        "products": operations.count("dot"),
        "fusions": operations.count("fusion"),
        "flops": round(cost["flops"]),
        "bytes": round(cost["bytes accessed"]),
    }


if __name__ == "__main__":
    found = {name: compiled_work(*population) for name, population in POPULATIONS.items()}
    print(json.dumps(found, indent=2))
