"""Every objective under a few selectors: what covers most, and does the choice of goals matter?

    python -m studies.objectives --environment navigation2d
    python -m studies.objectives --environment directions
    python -m studies.objectives --environment ant
    python -m studies.objectives --environment half_cheetah

In 2D navigation all ten, with the library's defaults and sixteen goals; `directions` asks again, on fresh
seeds, what the first of these showed and nobody expected. In Ant and Half-Cheetah METRA,
CSF and DIAYN in METRA's loop (`--preset metra-cpu`, with 128 units and an update every four steps, because
steps are few here): the same agent, episodes, ratio of updates and observations, so that the objective is
what differs. Goals come in rounds there. The numbers of the loop were chosen by METRA's coverage in Ant with
seed 0.
"""

import sys
from dataclasses import replace
from pathlib import Path

from matplotlib.figure import Figure

from autotelic import presets
from autotelic.evaluation.coverage import coverage_trajectories
from autotelic.figures.ground_traces import ground_traces
from autotelic.learner.setting import Setting
from autotelic.objectives import OBJECTIVES, Csf, Diayn
from autotelic.runs.run import load
from autotelic.selectors import Curious, RoundRobin, Uniform, ValueRegret
from studies.command import main
from studies.results import Further
from studies.study import Arm, Study, parts
from studies.tables import Tables

SELECTORS = {
    "uniform": Uniform(),
    "round-robin": RoundRobin(),
    "CURIOUS": Curious(),
    "value regret": ValueRegret(),
}
IN_2D = Setting(environment="navigation2d", num_goals=16, hidden_units=32, steps_per_goal=100)
COVERED = {"covered_cells": "cells of 1 m", "covered_cells_untrained": "the same, untrained"}


def loop(environment: str) -> Setting:
    """METRA's loop with fewer units and more updates, METRA's objective in it."""
    return replace(presets.metra_cpu(environment), hidden_units=128, updates_per_step=1 / 4)


def on_ground(environment: str) -> dict[str, Setting]:
    """The objectives in METRA's loop."""
    own = loop(environment)
    kinds = {"METRA": own.objective, "DIAYN": Diayn(), "CSF": Csf(jitter=0.2)}
    return {name: replace(own, objective=kind) for name, kind in kinds.items()}


def with_ground(study: Study, folder: Path, tables: Tables) -> Further:
    """The ground that was covered in the end is shown too, and the traces on it, where there is any."""
    if tables.seeds["covered_cells"].isna().all():
        return Further(tables, {})
    words = "48 deterministic trajectories of 200 steps, three of each skill, a colour a skill"
    pictures = {
        f"traces_{part.folder.rsplit('-', 1)[0]}": (
            f"{', '.join(arm.label for arm in part.arms)}: {words}.",
            traces(folder / part.folder),
        )
        for part in parts(study)
    }
    # METRA and DIAYN in Ant were drawn together when they were trained, before CSF was an arm.
    together = {"traces": (f"METRA and DIAYN: {words}.", None)}
    return Further(tables, COVERED, together | pictures)


def traces(run: Path) -> Figure | None:
    """A panel for each learner of a run, all on one scale; None where the run is not at hand."""
    if not (run / "skills.npz").exists():
        return None
    return ground_traces(coverage_trajectories(load(run)))


STUDIES = {
    "navigation2d": Study(
        name="objectives_navigation2d",
        question="What does each objective learn in 2D navigation, and does selection change it?",
        arms=tuple(
            Arm(selector, replace(IN_2D, objective=kind()), choose, condition=word)
            for word, kind in OBJECTIVES.items()
            # Not places, which are `studies.places`, nor a task.
            if not kind.has_places and not kind.needs_reward
            for selector, choose in SELECTORS.items()
        ),
        seeds=tuple(range(10)),
        epochs=20,
        baselines=("round-robin",),
    ),
    "directions": Study(
        name="objectives_directions",
        question="Is CURIOUS ahead of round-robin where skills are directions, on fresh seeds?",
        arms=tuple(
            Arm(selector, replace(IN_2D, objective=OBJECTIVES[word]()), SELECTORS[selector], word)
            for word in ("lsd", "metra", "csf")
            for selector in ("round-robin", "CURIOUS")
        ),
        seeds=tuple(range(500, 510)),
        epochs=20,
        baselines=("round-robin",),
    ),
    "ant": Study(
        name="objectives_ant",
        question="What do METRA, CSF and DIAYN cover in Ant-v5?",
        arms=tuple(Arm(name, own, RoundRobin()) for name, own in on_ground("Ant-v5").items()),
        seeds=(300, 301, 302),
        epochs=40,
        baselines=("DIAYN",),
        evaluate_every=40,
    ),
    "half_cheetah": Study(
        name="objectives_half_cheetah",
        question="What do METRA, CSF and DIAYN cover in HalfCheetah-v5?",
        arms=tuple(
            Arm(name, own, RoundRobin()) for name, own in on_ground("HalfCheetah-v5").items()
        ),
        seeds=(300, 301, 302),
        epochs=20,
        baselines=("DIAYN",),
        evaluate_every=20,
    ),
}

if __name__ == "__main__":
    sys.exit(main("objectives", STUDIES, flag="environment", extend=with_ground))
