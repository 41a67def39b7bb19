"""Fresh trajectories of every skill as arrays, and their file on disk."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autotelic import _documents as documents
from autotelic._documents import parse
from autotelic.runs.arrays import read_arrays, write_arrays


@dataclass(frozen=True)
class Trajectories:
    """What each member's skills did: the same number of trajectories of every goal.

    A trajectory that its environment ended early has NaN from there on; `lengths` says where.

    Args:
        members: (method, seed) of each member.
        observations: [members, goals, per_goal, steps + 1, observation] float32, the start first.
        lengths: [members, goals, per_goal] steps made, at most `steps`.
        positions: [members, goals, per_goal, steps + 1, 2] x and y, NaN where the environment gives
            only one of them; None where it gives neither.
    """

    members: tuple[tuple[str, int], ...]
    observations: np.ndarray
    lengths: np.ndarray
    positions: np.ndarray | None

    def __post_init__(self) -> None:
        shape = self.observations.shape
        if len(shape) != 5 or shape[0] != len(self.members):
            raise ValueError(
                "observations must have the shape [members, goals, per_goal, steps + 1, "
                f"observation] with {len(self.members)} members, got {list(shape)}"
            )
        if self.lengths.shape != shape[:3]:
            raise ValueError(
                f"lengths must have the shape {list(shape[:3])}, got {list(self.lengths.shape)}"
            )
        if self.positions is not None and self.positions.shape != (*shape[:4], 2):
            raise ValueError(
                f"positions must have the shape {[*shape[:4], 2]}, got {list(self.positions.shape)}"
            )

    @property
    def num_goals(self) -> int:
        """|G|."""
        return self.observations.shape[1]

    @property
    def steps(self) -> int:
        """The steps of a trajectory that was not ended early."""
        return self.observations.shape[3] - 1

    def index(self, method: str, seed: int) -> int:
        """Which member is this method's learner with this seed."""
        if (method, seed) not in self.members:
            known = ", ".join(f"({m!r}, {s})" for m, s in self.members)
            raise ValueError(f"no trajectories of ({method!r}, {seed}); there are those of {known}")
        return self.members.index((method, seed))

    def of(self, index: int) -> "Trajectories":
        """Those of one member alone."""
        one = slice(index, index + 1)
        return Trajectories(
            self.members[one],
            self.observations[one],
            self.lengths[one],
            None if self.positions is None else self.positions[one],
        )

    def save(self, path: str | Path) -> None:
        """Write one npz file that `numpy.load` opens; the members are in it as JSON bytes."""
        arrays = {
            "observations": self.observations,
            "lengths": self.lengths,
            "members_json": np.frombuffer(json.dumps(self.members).encode(), np.uint8),
        }
        if self.positions is not None:
            arrays["positions"] = self.positions
        write_arrays(Path(path), arrays)


def load_trajectories(path: str | Path) -> Trajectories:
    """What `Trajectories.save` wrote."""
    arrays = read_arrays(Path(path))
    missing = {"observations", "lengths", "members_json"} - arrays.keys()
    if missing:
        raise ValueError(
            f"{path} holds no trajectories: it lacks {', '.join(sorted(missing))}; give a file "
            "written by Trajectories.save"
        )
    members = parse(bytes(arrays["members_json"]))
    members = documents.checked(Path(path), members, list[tuple[str, int]], "members")
    return Trajectories(
        tuple(members), arrays["observations"], arrays["lengths"], arrays.get("positions")
    )
