"""The history of a run: one CSV row for each member and visit to a goal; `pandas.read_csv` opens it.

An epoch has one visit unless the setting has `steps_per_goal`.
"""

import csv
import io
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from autotelic._validate import integer, unknown
from autotelic.runs import atomic
from autotelic.selectors import effective_number_of_skills

if TYPE_CHECKING:
    import pandas

HISTORY_FILE = "history.csv"
CURVE_FILE = "learning_curve.csv"


def read_history(path: str | Path) -> "pandas.DataFrame":
    """The table in a file, without a last line or epoch that is not whole."""
    import pandas

    data = Path(path).read_bytes()
    frame = pandas.read_csv(io.BytesIO(data[: data.rfind(b"\n") + 1]))
    epochs = frame["epoch"].to_numpy()
    if len(epochs) and (epochs == epochs[-1]).sum() < (epochs == epochs[0]).sum():
        return frame.head(int((epochs < epochs[-1]).sum()))
    return frame


def vector_columns(name: str, size: int) -> list[str]:
    """The columns that hold a vector field.

    >>> vector_columns("prior", 3)
    ['prior_0', 'prior_1', 'prior_2']
    """
    return [f"{name}_{index}" for index in range(size)]


def history_columns(num_goals: int, losses: Iterable[str]) -> list[str]:
    """The columns of history.csv: who and when, what was chosen and by which probabilities, what it showed.

    selection: the distribution that the goal was drawn from; effective_skills: its exp(entropy).
    prior: p(g) for the reward; signal: what the selector knows of each goal after the visit.
    """
    return [
        *("member", "method", "seed", "epoch", "visit"),
        *("warm_up", "goal", "effective_skills", "certainty"),
        *(f"loss_{name}" for name in losses),
        *vector_columns("prior", num_goals),
        *vector_columns("selection", num_goals),
        *vector_columns("signal", num_goals),
    ]


def _vectors(columns: Iterable[str]) -> list[str]:
    return [name.removesuffix("_0") for name in columns if name.endswith("_0")]


def vector(frame: "pandas.DataFrame", name: str) -> np.ndarray:
    """A vector field of a history as one array `[rows, size]`."""
    columns = set(frame.columns)
    size = next(index for index in range(len(columns) + 1) if f"{name}_{index}" not in columns)
    if size == 0:
        raise ValueError(unknown("vector field", name, _vectors(frame.columns)))
    return frame[vector_columns(name, size)].to_numpy()


def visits_per_epoch(frame: "pandas.DataFrame") -> int:
    """How many rows a member has for an epoch; histories without visits have one."""
    return int(frame["visit"].to_numpy().max()) + 1 if "visit" in frame.columns else 1


def warm_up_visits(frame: "pandas.DataFrame") -> int:
    """How many visits of every learner came before its selector was asked; none in older histories."""
    if "warm_up" not in frame.columns:
        return 0
    learners = len(frame[["method", "seed"]].drop_duplicates())
    return int(frame["warm_up"].to_numpy().sum()) // max(1, learners)


def effective_numbers(frame: "pandas.DataFrame") -> np.ndarray:
    """The effective number of skills at every row of a history, [rows].

    While a selector tries every goal once it is that of the selection, which falls from |G| to 1 as in the
    paper's Figure 1; from then on that of p(g), so that later rounds without replacement do not look
    like one collapse after the other; also in the warm-up before it. Histories without p(g) have the
    selection's. NaN where a learner has diverged: nothing is selected any more.
    """
    selected = frame["effective_skills"].to_numpy()
    if "prior_0" not in frame.columns:
        return selected
    prior = vector(frame, "prior")
    visit = frame.groupby(["method", "seed"]).cumcount().to_numpy() - warm_up_visits(frame)
    first = (visit >= 0) & (visit < prior.shape[1])
    numbers = np.where(first, selected, effective_number_of_skills(prior))
    return np.where(np.isnan(selected), np.nan, numbers)


class HistoryWriter:
    """Appends the rows of an epoch to a CSV file whose columns, `epoch` among them, never change.

    Rows are on the disk when `append` returns; a kill leaves at most a torn end, which `resume`
    cuts off. Floats have as many digits as bring back every bit of their own precision.
    """

    def __init__(
        self,
        path: str | Path,
        columns: Sequence[str],
        *,
        epochs_kept: int | None = None,
        every: int = 1,
    ):
        self.path, self.columns, self.every = Path(path), list(columns), every
        if "epoch" not in columns or len(set(columns)) < len(columns):
            raise ValueError(f"columns must differ and include 'epoch', got {self.columns}")
        if epochs_kept is not None:
            integer("epochs_kept", epochs_kept, minimum=0)
        if not self.path.exists() and not epochs_kept:
            atomic.write_bytes(self.path, self._lines([self.columns]))
        elif epochs_kept is not None:
            self._cut(self._length_of(epochs_kept))
        else:
            raise ValueError(f"{self.path} already exists; resume it, or choose another folder")

    @classmethod
    def resume(
        cls, path: str | Path, columns: Sequence[str], epochs_kept: int, every: int = 1
    ) -> "HistoryWriter":
        """Continue after the first `epochs_kept` epochs; later rows, whole or torn, are cut off.

        `every`: the epochs that have rows are its multiples, from 0.
        """
        return cls(path, columns, epochs_kept=epochs_kept, every=every)

    def append(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write the rows of one epoch; a field that is a 1-d array fills its `vector_columns`."""
        data = self._lines([self._cells(row) for row in rows])
        with open(self.path, "ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def _cut(self, length: int) -> None:
        with open(self.path, "r+b") as file:
            file.truncate(length)
            os.fsync(file.fileno())

    def _length_of(self, epochs: int) -> int:
        """How many bytes the header and the rows of the first epochs take."""
        if not self.path.exists():
            raise ValueError(f"{self.path} is missing, but {epochs} epochs of it are to be kept")
        header, *lines = self.path.read_bytes().splitlines(keepends=True) or [b""]
        if header != self._lines([self.columns]):
            found = next(csv.reader([header.decode(errors="replace")]), [])
            raise ValueError(
                f"{self.path} is the history of another run: {_difference(self.columns, found)}; "
                f"resume it with its own settings"
            )
        length, rows, index = len(header), Counter[int](), self.columns.index("epoch")
        for line in lines:
            epoch = _epoch(line, index, len(self.columns))
            if epoch is None or epoch >= epochs:
                break
            rows[epoch] += 1
            length += len(line)
        if sorted(rows) != list(range(0, epochs, self.every)) or len(set(rows.values())) > 1:
            raise ValueError(
                f"{self.path} does not hold all rows of the {epochs} epochs to be kept (found "
                f"{rows.total()} rows of {len(rows)} epochs); restore it, or start in a new folder"
            )
        return length

    def _cells(self, row: Mapping[str, Any]) -> list[str]:
        """The texts of one row, in the order of the columns."""
        fields: dict[str, Any] = {}
        for name, value in row.items():
            if isinstance(value, np.ndarray) and value.ndim == 1:
                fields.update(zip(vector_columns(name, len(value)), value, strict=True))
            else:
                fields[name] = value
        if fields.keys() != set(self.columns):
            raise ValueError(f"a row does not fit: {_difference(self.columns, fields)}")
        return [_text(name, fields[name]) for name in self.columns]

    @staticmethod
    def _lines(rows: Iterable[Sequence[str]]) -> bytes:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        return text.getvalue().encode()


def _difference(columns: Sequence[str], found: Iterable[str]) -> str:
    """How the names found differ from the columns wanted."""
    missing = [name for name in columns if name not in set(found)]
    extra = [name for name in found if name not in set(columns)]
    said = [f"lacks {', '.join(missing)}"] * bool(missing)
    said += [f"has the unknown {', '.join(extra)}"] * bool(extra)
    return " and ".join(said) or "has its columns in another order"


def _epoch(line: bytes, index: int, columns: int) -> int | None:
    """The epoch in column `index` of a line, or None if the line is torn or no row of so many columns."""
    if not line.endswith(b"\n"):
        return None
    try:
        cells = next(csv.reader([line.decode()]))
        return int(cells[index]) if len(cells) == columns else None
    except (ValueError, IndexError):
        return None


def _text(name: str, value: Any) -> str:
    """How a value is written: the shortest digits that round-trip, `nan`, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, str):
        if "\n" in value or "\r" in value:
            raise ValueError(f"{name} must be text on one line, got {value!r}")
        return value
    if isinstance(value, bool | int | float | np.bool_ | np.number):
        return str(value)
    raise TypeError(f"{name} must be a number, a text or None, got {type(value).__name__}")
