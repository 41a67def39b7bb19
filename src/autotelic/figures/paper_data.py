"""What a figure of the paper is drawn from: one small file for each seed, read without JAX.

`fig1b_seed3.npz` holds everything that Figure 1(b) shows of seed 3, so seeds can be trained apart, kept
one after the other, and drawn together.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

import numpy as np

from autotelic._documents import Count, DamagedFile, Within, fit, parse
from autotelic._version import __version__
from autotelic.runs.arrays import read_arrays, write_arrays
from autotelic.runs.history import History, LearnerHistory
from autotelic.selectors import effective_number_of_skills

if TYPE_CHECKING:
    from autotelic.runs.run import Runs

FORMAT = 1
LARGEST = 2**26
"""Bytes that a file unpacks to."""
OF_EPOCHS = ("goal", "certainty", "selection", "signal")
"""Arrays that begin with [methods, epochs]."""
ABANDONED = -1
"""The goal of an epoch after a learner has diverged."""
PATTERN = "fig*_seed*.npz"


class Head(TypedDict):
    """What is said of the arrays."""

    format: Literal[1]
    figure: str
    reading: str | None
    setting: dict[str, Any]
    methods: dict[str, dict[str, Any]]
    seed: Count
    epochs: Annotated[int, Within(1)]
    whole: dict[str, int]
    version: str
    command: str


@dataclass(frozen=True)
class SeedData:
    """One seed of a figure.

    head: as JSON: figure; reading (of Appendix C.4, None without DP); setting and methods as run.json
        has them; seed; epochs; whole (the figure's own seeds and epochs); version; command.
    arrays: goal and certainty, [methods, epochs]; selection (the probabilities that the goal was drawn
        from) and signal (the selector's values after the visit), [methods, epochs, goals]; and what
        Figures 3 and 4 show besides.
    source: the file it was read from.
    """

    head: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]
    source: str = ""

    @property
    def figure(self) -> str:
        """Such as "fig1b"."""
        return self.head["figure"]

    @property
    def seed(self) -> int:
        """Of all its learners."""
        return self.head["seed"]

    @property
    def epochs(self) -> int:
        """That it has."""
        return self.arrays["goal"].shape[1]

    @property
    def methods(self) -> list[str]:
        """The labels, in the order of the arrays."""
        return list(self.head["methods"])

    @cached_property
    def effective_numbers(self) -> np.ndarray:
        """exp(entropy) of the selection probabilities, [methods, epochs]; NaN where a learner diverged."""
        return np.stack([_effective(own) for own in self.arrays["selection"].astype(np.float64)])

    def learner(self, method: str) -> LearnerHistory:
        """One method's learner, until it diverged."""
        row = self.methods.index(method)
        own = {name: self.arrays[name][row] for name in OF_EPOCHS}
        done = own["goal"] != ABANDONED
        return LearnerHistory(
            (method, self.seed),
            own["goal"][done].astype(np.int64),
            own["certainty"][done].astype(np.float64),
            own["selection"][done].astype(np.float64),
            own["signal"][done].astype(np.float64),
            selection=own["selection"][done].astype(np.float64),
        )

    def until(self, epochs: int) -> "SeedData":
        """Its first epochs alone."""
        cut = {name: self.arrays[name][:, :epochs] for name in OF_EPOCHS}
        return replace(self, arrays={**self.arrays, **cut})

    def save(self, folder: Path) -> Path:
        """Write FOLDER/FIGURE_seedN.npz; returns its path."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / file_name(self.figure, self.seed)
        head = np.frombuffer(json.dumps(self.head).encode(), np.uint8)
        write_arrays(path, {"head_json": head, **self.arrays}, compressed=True)
        return path


def file_name(figure: str, seed: int) -> str:
    """Of one seed's data.

    >>> file_name("fig1b", 3)
    'fig1b_seed3.npz'
    """
    return f"{figure}_seed{seed}.npz"


def _effective(selection: np.ndarray) -> np.ndarray:
    """[epochs, goals] -> [epochs]."""
    done = np.isfinite(selection).all(axis=1)
    numbers = np.full(len(selection), np.nan)
    numbers[done] = effective_number_of_skills(selection[done])
    return numbers


def data_of(
    runs: "Runs",
    seed: int,
    figure: str,
    whole: Mapping[str, int],
    command: str,
    shown: Mapping[str, np.ndarray] | None = None,
) -> SeedData:
    """One seed of a run as its file is to hold it; `shown`: what Figures 3 and 4 show besides."""
    history, epochs = History(runs), runs.epochs
    learners = [history.learner(method, seed) for method in runs.methods]
    arrays = {
        "goal": np.stack([_filled(own.goals, epochs, ABANDONED) for own in learners]),
        "certainty": np.stack([_filled(own.certainty, epochs) for own in learners]),
        "selection": np.stack([_filled(own.selection, epochs) for own in learners]),
        "signal": np.stack([_filled(own.signal, epochs) for own in learners]),
    }
    kinds = {"goal": np.int16}
    head = {
        "format": FORMAT,
        "figure": figure,
        "reading": reading_of(runs.description["methods"]),
        "setting": runs.description["setting"],
        "methods": runs.description["methods"],
        "seed": seed,
        "epochs": epochs,
        "whole": dict(whole),
        "version": __version__,
        "command": command,
    }
    small = {name: array.astype(kinds.get(name, np.float32)) for name, array in arrays.items()}
    return SeedData(head, {**small, **(shown or {})})


def _filled(array: Any, epochs: int, value: float = np.nan) -> np.ndarray:
    """With this value in the epochs after a divergence."""
    missing = [(0, epochs - len(array)), *[(0, 0)] * (np.ndim(array) - 1)]
    return np.pad(np.asarray(array), missing, constant_values=value)


def reading_of(methods: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The normalisation of DP in the methods of a run.json, None without DP."""
    found = (one["settings"]["normalization"] for one in methods.values() if one["name"] == "dp")
    return next(found, None)


def load_data(path: Path) -> SeedData:
    """What `SeedData.save` wrote."""
    arrays = read_arrays(path, unpacked=LARGEST)
    for name in ("head_json", *OF_EPOCHS):
        if name not in arrays:
            raise DamagedFile(path, f"it holds no data of a figure of the paper: it lacks {name}")
    try:
        head = fit(parse(bytes(arrays.pop("head_json"))), Head)
    except ValueError as error:
        raise DamagedFile(path, f"its head cannot be read: {error}") from error
    shape = (len(head["methods"]), head["epochs"])
    if any(arrays[name].shape[:2] != shape for name in OF_EPOCHS):
        raise DamagedFile(path, "its arrays have other shapes than its head says")
    return SeedData(head, arrays, str(path))


def read_data(places: Sequence[str | Path]) -> list[SeedData]:
    """All data in files and folders, of whatever figure."""
    files = [path for place in places for path in _files(Path(place))]
    return [load_data(path) for path in dict.fromkeys(files)]


def find_data(places: Sequence[str | Path], figure: str, *, reading: str = "") -> list[SeedData]:
    """The seeds of a figure in files and folders (and all that is in these), in the order of the seeds.

    Refuses places without any, seeds that are there twice, and seeds that were trained otherwise than the
    others. `reading`: which is wanted, where several are there.
    """
    where = ", ".join(map(str, places))
    found = read_data(places)
    ours = [data for data in found if data.figure == figure]
    if not ours:
        others = ", ".join(sorted({data.figure for data in found}))
        holds = f"the data of {others}, not of {figure}" if others else f"no data of {figure}"
        raise ValueError(
            f"{where}: here is {holds}; name a folder that `autotelic paper {figure}` has written to"
        )
    if ours[0].head["reading"] is not None:
        ours = _of_reading(ours, reading, where)
    ours.sort(key=lambda data: data.seed)
    first = ours[0]
    for one, other in pairwise(ours):
        if one.seed == other.seed:
            raise ValueError(
                f"{one.source} and {other.source} both hold seed {one.seed} of {figure}; name one of them"
            )
    for data in ours:
        if any(data.head[part] != first.head[part] for part in ("setting", "methods")):
            raise ValueError(
                f"{first.source} and {data.source} were trained with different settings, so no figure "
                "can hold both; name one of them"
            )
    return ours


def _of_reading(data: list[SeedData], reading: str, where: str) -> list[SeedData]:
    readings = list(dict.fromkeys(str(one.head["reading"]) for one in data))
    if not reading and len(readings) > 1:
        raise ValueError(
            f"{where}: here is data of the readings {', '.join(readings)}; choose one with --reading"
        )
    if reading and reading not in readings:
        raise ValueError(
            f"{where}: here is no data of the reading {reading}, only of {', '.join(readings)}; train "
            f"it with `autotelic paper {data[0].figure} --reading {reading}`"
        )
    return [one for one in data if one.head["reading"] == (reading or readings[0])]


def _files(place: Path) -> list[Path]:
    if place.is_dir():
        return sorted(place.rglob(PATTERN))
    if not place.is_file():
        raise ValueError(
            f"{place} is no file or folder; name one that `autotelic paper` has written to"
        )
    return [place]


def chosen_data(
    data: Sequence[SeedData], seeds: Sequence[int] | None, epochs: int | None
) -> list[SeedData]:
    """Of these seeds (by default all) the first epochs (by default all); refuses what is not there."""
    there = [one.seed for one in data]
    missing = sorted(set(seeds or ()) - set(there))
    figure = data[0].figure
    if missing:
        remedy = f"train it with `autotelic paper {figure} --seed {missing[0]}`"
        raise ValueError(
            f"{figure}: the data has the seeds {_listed(there)}, not seed {_listed(missing)}; {remedy}"
        )
    kept = [one for one in data if seeds is None or one.seed in seeds]
    shortest = min(kept, key=lambda one: one.epochs)
    if epochs is not None and epochs > shortest.epochs:
        raise ValueError(
            f"{figure}: {epochs} epochs are asked for, and the data of seed {shortest.seed} has "
            f"{shortest.epochs}; ask for fewer, or train with `autotelic paper {figure} --epochs {epochs}`"
        )
    if (
        epochs is not None
        and epochs < shortest.epochs
        and {"places", "paths"} & shortest.arrays.keys()
    ):
        raise ValueError(
            f"{figure} shows skills after {shortest.epochs} epochs, and the data has none of {epochs}; leave "
            f"--epochs out, or train with `autotelic paper {figure} --epochs {epochs}`"
        )
    return kept if epochs is None else [one.until(epochs) for one in kept]


def _listed(seeds: Sequence[int]) -> str:
    return ", ".join(map(str, seeds))


def scaled_down(data: Sequence[SeedData]) -> str:
    """What is less than the figure's own size, as a sentence; empty if nothing is.

    Seeds beyond the figure's own count as well as those of its own.
    """
    whole, epochs = data[0].head["whole"], min(one.epochs for one in data)
    parts = [f"{len(data)} of {whole['seeds']} seeds"] * (len(data) < whole["seeds"])
    parts += [f"{epochs} of {whole['epochs']} epochs"] * (epochs < whole["epochs"])
    return f"Scaled down: {', '.join(parts)}." if parts else ""
