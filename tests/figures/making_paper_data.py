"""Data of the paper's figures as `autotelic paper` keeps it, made up and tiny."""

from typing import Any

import numpy as np

from autotelic.figures.paper_data import FORMAT, SeedData

GOALS, EPOCHS = 4, 12
METHODS: dict[str, Any] = {
    "DIAYN": {"name": "diayn", "settings": {}},
    "DP": {"name": "dp", "settings": {"normalization": "l2"}},
}
ENVIRONMENTS = {"fig1a": "navigation2d", "fig1c": "Ant-v5", "fig4": "navigation2d"}


def made_up(figure: str, seed: int = 0, epochs: int = EPOCHS, reading: str = "l2") -> SeedData:
    """One seed, with what its figure shows."""
    random = np.random.default_rng(seed)
    names = {"fig2": ["DP"], "fig4": ["DIAYN"]}.get(figure, list(METHODS))
    size = (len(names), epochs)
    selection = random.dirichlet(np.ones(GOALS), size).astype(np.float32)
    goal = np.concatenate([np.arange(GOALS), random.integers(0, GOALS, epochs)])[:epochs]
    arrays = {
        "goal": np.stack([goal] * len(names)).astype(np.int16),
        "certainty": random.random(size).astype(np.float32),
        "selection": selection,
        "signal": random.normal(size=(*size, GOALS)).astype(np.float32),
    }
    if figure == "fig3":
        arrays["places"] = random.normal(size=(3, GOALS, 5, 2)).astype(np.float16)
        arrays["knn_f1"] = np.array([0.05, 0.5, 0.6 + seed / 10], np.float32)
        arrays["held_out_accuracy"] = np.array([0.05, 0.25, 0.3], np.float32)
    if figure == "fig4":
        arrays["paths"] = random.random((2, GOALS, 3, 6, 2)).astype(np.float32)
    environment = ENVIRONMENTS.get(figure, "HalfCheetah-v5")
    head = {
        "format": FORMAT,
        "figure": figure,
        "reading": None if figure == "fig4" else reading,
        "setting": {"environment": environment, "num_goals": GOALS},
        "methods": {name: METHODS[name] for name in names},
        "seed": seed,
        "epochs": epochs,
        "whole": {"seeds": 3, "epochs": EPOCHS},
        "version": "0",
        "command": f"autotelic paper {figure}",
    }
    return SeedData(head, arrays)
