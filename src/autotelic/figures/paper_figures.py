"""The paper's figures from what their seeds left behind (`paper_data`); needs neither JAX nor a run."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from autotelic.evaluation.statistics import (
    FEWEST_RUNS,
    interquartile_mean,
    interquartile_mean_interval,
)
from autotelic.evaluation.trajectories import Trajectories
from autotelic.figures.effective_skills import effective_skills, effective_skills_panels
from autotelic.figures.goal_dynamics import dynamics_of
from autotelic.figures.paper_data import SeedData, scaled_down
from autotelic.figures.saving import footnote
from autotelic.figures.skill_embedding import EmbeddingPanel, skill_embedding
from autotelic.figures.skill_trajectories import skill_trajectories

PANELS = {"fig1a": "(a)", "fig1b": "(b)", "fig1c": "(c)"}
"""Of Figure 1."""
ENVIRONMENTS = {
    "navigation2d": "2D navigation",
    "HalfCheetah-v5": "Half-Cheetah",
    "Ant-v5": "Ant",
}
"""As the paper calls them."""
DASH = "\N{EN DASH}"


def draw(data: Sequence[SeedData]) -> Figure:
    """One figure of its seeds, the first of which is shown where only one can be."""
    name = data[0].figure
    figure = DRAW[name](data)
    caption = CAPTIONS[name](data) if name in CAPTIONS else ""
    note = " ".join([*([caption] * bool(caption)), *_size(data), *_reading(data)])
    if note:
        footnote(figure, note)
    return figure


def draw_panels(panels: Sequence[Sequence[SeedData]]) -> Figure:
    """Figure 1 of the panels that are there."""
    titles = [f"{PANELS[data[0].figure]} {environment_of(data)}" for data in panels]
    curves = [curves_of(data) for data in panels]
    figure = effective_skills_panels(dict(zip(titles, curves, strict=True)))
    less = [f"{PANELS[data[0].figure]} {said}" for data in panels for said in _size(data)]
    missing = [panel for name, panel in PANELS.items() if all(d[0].figure != name for d in panels)]
    less += [f"No data of {', '.join(missing)}."] * bool(missing)
    note = " ".join([*less, *_reading(panels[0])])
    if note:
        footnote(figure, note)
    return figure


def _size(data: Sequence[SeedData]) -> list[str]:
    said = scaled_down(data)
    return [said] if said else []


def _reading(data: Sequence[SeedData]) -> list[str]:
    """Which reading of Appendix C.4 was trained, if DP was."""
    reading = data[0].head["reading"]
    return [] if reading is None else [f"Reading of Appendix C.4: {reading}."]


def environment_of(data: Sequence[SeedData]) -> str:
    """The environment's name in the paper."""
    name: str = data[0].head["setting"]["environment"]
    return ENVIRONMENTS.get(name, name)


def curves_of(data: Sequence[SeedData]) -> dict[str, np.ndarray]:
    """For each method the effective number of skills, [seeds, epochs]; NaN where a seed has no more."""
    longest = max(one.epochs for one in data)
    ends = [np.full((len(one.methods), longest - one.epochs), np.nan) for one in data]
    numbers = [np.hstack([d.effective_numbers, end]) for d, end in zip(data, ends, strict=True)]
    return dict(zip(data[0].methods, np.swapaxes(np.stack(numbers), 0, 1), strict=True))


def _effective_skills(data: Sequence[SeedData]) -> Figure:
    return effective_skills(curves_of(data), title=environment_of(data), inset=True)


def _goal_dynamics(data: Sequence[SeedData]) -> Figure:
    method = data[0].methods[0]
    own, *others = [one.learner(method) for one in data]
    return dynamics_of(own, others, title=f"{environment_of(data)}, {method}, seed {data[0].seed}")


def _skill_embedding(data: Sequence[SeedData]) -> Figure:
    data = having(data, "places")
    first = data[0]
    names = ["Untrained", *(f"{method}, {first.epochs} epochs" for method in first.methods)]
    panels = [
        EmbeddingPanel(
            name,
            first.arrays["places"][panel].astype(np.float64),
            "\n".join(
                [
                    _number("KNN-F1", [one.arrays["knn_f1"][panel] for one in data]),
                    _number("accuracy", [one.arrays["held_out_accuracy"][panel] for one in data]),
                ]
            ),
        )
        for panel, name in enumerate(names)
    ]
    return skill_embedding(panels, environment_of(data))


def _about_embedding(data: Sequence[SeedData]) -> str:
    data = having(data, "places")
    seeds = f"Points: seed {data[0].seed}. "
    if len(data) > 1:
        narrow = f", too narrow with fewer than {FEWEST_RUNS}" if len(data) < FEWEST_RUNS else ""
        seeds += f"Numbers: interquartile mean of {len(data)} seeds and its 95 % interval{narrow}. "
    return (
        f"{seeds}KNN-F1: of naming a trajectory's skill by its neighbours; accuracy: by one state, on "
        f"held-out trajectories. Chance is {1 / data[0].arrays['places'].shape[1]:.2f} for both."
    )


def _about_dynamics(data: Sequence[SeedData]) -> str:
    behind = f" Grey: the goals of {len(data) - 1} other seeds." if len(data) > 1 else ""
    return (
        "Shaded: the first round, in which each goal is tried once. Right: the widths of lines differ, "
        f"so that equal counts can be seen.{behind}"
    )


def having(data: Sequence[SeedData], name: str) -> list[SeedData]:
    """The seeds that have this array; learners that diverged have left none."""
    found = [one for one in data if name in one.arrays]
    if not found:
        raise ValueError(
            f"{data[0].figure}: in every seed of the data a learner diverged, so there are no skills to "
            "show; train another seed"
        )
    return found


def _number(name: str, values: Sequence[float]) -> str:
    seeds = np.asarray(values, dtype=np.float64)
    middle = f"{name} {interquartile_mean(seeds):.2f}"
    if len(seeds) < 2:
        return middle
    found = interquartile_mean_interval(seeds, np.random.default_rng(0))
    return f"{middle} [{found.low:.2f}, {found.high:.2f}]"


def _skill_trajectories(data: Sequence[SeedData]) -> Figure:
    first = having(data, "paths")[0]
    method = first.methods[0]
    before, after = (_trajectories(first, method, paths) for paths in first.arrays["paths"])
    where = environment_of(data)
    titles = (f"{where}, untrained", f"{where}, {method}, {first.epochs} epochs")
    return skill_trajectories(before, after, titles=titles)


def _trajectories(data: SeedData, method: str, paths: np.ndarray) -> Trajectories:
    """Of positions [goals, per_goal, steps + 1, 2]."""
    lengths = np.isfinite(paths).all(axis=-1).sum(axis=-1) - 1
    return Trajectories(((method, data.seed),), paths[None], lengths[None], paths[None])


DRAW: Mapping[str, Callable[[Sequence[SeedData]], Figure]] = {
    "fig1a": _effective_skills,
    "fig1b": _effective_skills,
    "fig1c": _effective_skills,
    "fig2": _goal_dynamics,
    "fig3": _skill_embedding,
    "fig4": _skill_trajectories,
}
"""By the figure's name."""
CAPTIONS: Mapping[str, Callable[[Sequence[SeedData]], str]] = {
    "fig2": _about_dynamics,
    "fig3": _about_embedding,
}
"""What has to be said below a figure."""
