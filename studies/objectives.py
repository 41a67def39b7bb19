"""Every objective under a few selectors: what covers most, and does the choice of goals matter?

    python -m studies.objectives --environment navigation2d
    python -m studies.objectives --environment ant
    python -m studies.objectives --environment half_cheetah

In 2D navigation all ten, with the library's defaults and sixteen goals. In Ant and Half-Cheetah METRA
and DIAYN in METRA's loop (`--preset metra-cpu`, with 128 units and an update every four steps, because
steps are few here): the same agent, episodes, ratio of updates and observations, so that the objective is
what differs. The numbers of the loop were chosen by METRA's coverage with seed 0.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from autotelic import presets
from autotelic.evaluation.coverage import GroundTraces, coverage_trajectories
from autotelic.figures.ground_traces import ground_traces
from autotelic.learner.setting import Setting
from autotelic.objectives import OBJECTIVES, Diayn, Metra
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
ON_GROUND = {
    "METRA": Metra(jitter=0.2),
    "DIAYN": Diayn(),
}
COVERED = {"covered_cells": "cells of 1 m", "covered_cells_untrained": "the same, untrained"}


def on_ground(environment: str, name: str, seeds: range, epochs: int) -> Study:
    """METRA and DIAYN in METRA's loop, each with goals in rounds."""
    loop = replace(presets.metra_cpu(environment), hidden_units=128, updates_per_step=1 / 4)
    return Study(
        name=f"objectives_{name}",
        question=f"What do METRA and DIAYN cover in {environment}?",
        arms=tuple(
            Arm(objective, replace(loop, objective=own), RoundRobin())
            for objective, own in ON_GROUND.items()
        ),
        seeds=tuple(seeds),
        epochs=epochs,
        baselines=("DIAYN",),
        evaluate_every=epochs,
    )


def with_ground(study: Study, folder: Path, tables: Tables) -> Further:
    """The ground that was covered in the end is shown too, and the traces on it, where there is any."""
    if tables.seeds["covered_cells"].isna().all():
        return Further(tables, {})
    words = "Traces of 48 deterministic trajectories of 200 steps, three of each skill, a colour a skill."
    return Further(tables, COVERED, {"traces": (words, traces(study, folder))})


def traces(study: Study, folder: Path) -> Figure | None:
    """A panel for each learner, all on one scale; None where runs are not at hand."""
    found = [folder / part.folder for part in parts(study)]
    if not all((run / "skills.npz").exists() for run in found):
        return None
    ground = [coverage_trajectories(load(run)) for run in found]
    first = ground[0]
    together = GroundTraces(
        tuple(member for one in ground for member in one.members),
        first.goals,
        np.eye(len(first.skills)),  # not directions: DIAYN's skills are none
        np.concatenate([one.positions for one in ground]),
    )
    return ground_traces(together)


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
    "ant": on_ground("Ant-v5", "ant", range(300, 303), 40),
    "half_cheetah": on_ground("HalfCheetah-v5", "half_cheetah", range(300, 303), 40),
}

if __name__ == "__main__":
    sys.exit(main("objectives", STUDIES, flag="environment", extend=with_ground))
