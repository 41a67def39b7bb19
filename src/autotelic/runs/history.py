"""The history of a run: one CSV row for each member and visit to a goal; `pandas.read_csv` opens it.

An epoch has one visit unless the setting has `steps_per_goal`.
"""

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from autotelic._documents import open_to_read
from autotelic._types import Array
from autotelic._validate import choice, unknown
from autotelic.runs import atomic
from autotelic.runs.atomic import Written
from autotelic.runs.tables import read_table
from autotelic.selectors import effective_number_of_skills

if TYPE_CHECKING:
    import pandas


HISTORY_FILE: Final = "history.csv"
CURVE_FILE: Final = "learning_curve.csv"
GROWING = Literal["history.csv", "learning_curve.csv"]
"""Tables that get rows as long as a run goes on; a checkpoint knows how far they were."""
RETURN = "return"
"""What the environment paid in an episode, of a task."""
SUCCESS_OF_GOAL = "success_of_goal"
"""Of a learning curve: success of each goal, a vector field, of goals that have success."""


def read_history(path: str | Path) -> "pandas.DataFrame":
    """The table in a file, without a last line or epoch that is not whole."""
    frame = read_curve(path)
    epochs = frame["epoch"].to_numpy()
    if len(epochs) and (epochs == epochs[-1]).sum() < (epochs == epochs[0]).sum():
        return frame.head(int((epochs < epochs[-1]).sum()))
    return frame


def read_curve(path: str | Path, size: int | None = None) -> "pandas.DataFrame":
    """The table in a file, such as a learning curve's, without a last line that a kill has torn.

    size: bytes of it to read; by default all.
    """
    with open(open_to_read(Path(path)), "rb") as file:
        data = file.read(-1 if size is None else size)
    return read_table(io.BytesIO(data[: data.rfind(b"\n") + 1]), path)


def columns_of(path: Path) -> list[str]:
    """The names in the first line of a file."""
    with open(open_to_read(path), newline="") as file:
        return next(csv.reader([file.readline()]), [])


def vector_columns(name: str, size: int) -> list[str]:
    """The columns that hold a vector field.

    >>> vector_columns("prior", 3)
    ['prior_0', 'prior_1', 'prior_2']
    """
    return [f"{name}_{index}" for index in range(size)]


def history_columns(
    num_goals: int, losses: Iterable[str], *, success: bool = False, returns: bool = False
) -> list[str]:
    """The columns of history.csv: who and when, what was chosen and by which probabilities, what it showed.

    selection: the distribution that the goal was drawn from, and effective_selection its exp(entropy);
    prior: p(g) for the reward, and effective_prior; signal: what the selector knows of each goal after
    the visit. success: of the visit, of goals that can be reached. return: of a task, the mean over the
    episodes that ended in the visit, NaN if none did.
    """
    return [
        *("member", "method", "seed", "epoch", "visit"),
        *("warm_up", "goal", "effective_selection", "effective_prior", "certainty"),
        *(("success",) if success else ()),
        *((RETURN,) if returns else ()),
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


class LearnerHistory(NamedTuple):
    """One learner's visits to goals from the first on.

    member: (method, seed); goals: [visits] pursued; certainty: [visits] mean q(g|s) of that goal;
    prior: [visits, goals] p(g); signal: [visits, goals] the selector's values after the visit, NaN where
    untried; visits_per_epoch: how many of these visits make an epoch; selection: [visits, goals] the
    distribution that each goal was drawn from; warm_up: how many visits came before the selector was
    asked; success: [visits], of goals that can be reached.
    """

    member: tuple[str, int]
    goals: npt.NDArray[np.int64]
    certainty: Array
    prior: Array
    signal: Array
    visits_per_epoch: int = 1
    selection: Array | None = None
    warm_up: int = 0
    success: Array | None = None


def visit_times(visits: int, visits_per_epoch: int) -> np.ndarray:
    """When each of so many visits began, [visits], in epochs; the run's first epoch begins at 1.

    >>> visit_times(4, visits_per_epoch=2)
    array([1. , 1.5, 2. , 2.5])
    """
    return 1.0 + np.arange(visits) / visits_per_epoch


def effective_number(
    selection: npt.ArrayLike, prior: npt.ArrayLike, visit: npt.ArrayLike, num_goals: int
) -> np.ndarray:
    """The effective number of skills as every display, curve and figure shows it.

    In a selector's first round, while it tries every goal once, it is that of the selection, which
    falls from |G| to 1 as in the paper's Figure 1. Before (in the warm-up) and after, it is that of
    p(g), so that later rounds without replacement do not look like one collapse after the other.

    Args:
        selection: exp(entropy) of the distribution that the goal was drawn from, [visits]; NaN once a
            learner has diverged, and so is the result.
        prior: exp(entropy) of p(g), [visits].
        visit: how many visits came before, [visits], counted from the end of the warm-up.
        num_goals: |G|.

    >>> effective_number([1.0, 3.0, 1.0, 2.0], [2.5] * 4, visit=[-1, 0, 2, 3], num_goals=3)
    array([2.5, 3. , 1. , 2.5])
    """
    selection, visit = np.asarray(selection, np.float64), np.asarray(visit)
    numbers = np.where((visit >= 0) & (visit < num_goals), selection, prior)
    return np.where(np.isnan(selection), np.nan, numbers)


class History:
    """The history of a run, read: what figures, reports, alarms and studies know of it.

    Args:
        source: a run (`autotelic.load`), or its table (`pandas.read_csv` of history.csv).
    """

    def __init__(self, source: Any):
        table = getattr(source, "history", source)
        if not {"method", "seed", "epoch"} <= set(getattr(table, "columns", ())):
            raise TypeError(
                "a run (autotelic.load) or its history table (pandas.read_csv of history.csv) is "
                f"needed, got {type(source).__name__}"
            )
        if len(table) == 0:
            raise ValueError("the history has no epoch yet; train the run further")
        self.table: Any = completed(table)
        names = set(table.columns)
        self.visits_per_epoch: int = int(table["visit"].max()) + 1 if "visit" in names else 1
        # None in histories of version 0.1.
        warm_up = int(table["warm_up"].sum()) if "warm_up" in names else 0
        self.warm_up_visits: int = warm_up // max(
            1, len(table[["method", "seed"]].drop_duplicates())
        )

    def vector(self, name: str) -> np.ndarray:
        """A vector field of all rows, see `vector`."""
        return vector(self.table, name)

    @cached_property
    def num_goals(self) -> int:
        """|G|."""
        return self.vector("prior").shape[1]

    @cached_property
    def effective_numbers(self) -> np.ndarray:
        """`effective_number` at every row, [rows]."""
        selected = self.table["effective_selection"].to_numpy()
        if "effective_prior" not in self.table.columns:  # a table of one's own, without p(g)
            return selected
        visit = self.table.groupby(["method", "seed"]).cumcount().to_numpy() - self.warm_up_visits
        prior = self.table["effective_prior"].to_numpy()
        return effective_number(selected, prior, visit, self.num_goals)

    def effective_curves(self) -> dict[str, np.ndarray]:
        """For each method `effective_numbers`, [seeds, visits], in the order of the run."""
        times = [name for name in ("epoch", "visit") if name in self.table.columns]
        # A column is not added to the whole table: pandas warns of that where goals are many.
        table = self.table[["method", "seed", *times]].assign(number=self.effective_numbers)
        return {
            str(method): rows.pivot(index="seed", columns=times, values="number").to_numpy()
            for method, rows in table.groupby("method", sort=False)
        }

    def learners(self) -> list[LearnerHistory]:
        """Learner by learner."""
        times = [name for name in ("epoch", "visit") if name in self.table.columns]
        ordered = self.table.sort_values(times, kind="stable")
        keys = "member" if "member" in ordered.columns else ["method", "seed"]
        return [self._learner(rows) for _, rows in ordered.groupby(keys, sort=keys == "member")]

    def learner(self, method: str, seed: int) -> LearnerHistory:
        """One method's learner with one seed; if it diverged, until then."""
        choice("method", method, self.table["method"].unique())
        rows: Any = self.table.query("method == @method and seed == @seed")
        if len(rows) == 0:
            seeds = sorted(int(value) for value in self.table["seed"].unique())
            raise ValueError(f"no history of {method!r} with seed {seed}; there are seeds {seeds}")
        return self._learner(rows[rows["effective_selection"].notna()])

    def _learner(self, rows: Any) -> LearnerHistory:
        return LearnerHistory(
            (str(rows["method"].iloc[0]), int(rows["seed"].iloc[0])),
            rows["goal"].to_numpy(),
            rows["certainty"].to_numpy(),
            vector(rows, "prior"),
            vector(rows, "signal"),
            self.visits_per_epoch,
            vector(rows, "selection"),
            min(self.warm_up_visits, len(rows)),
            rows["success"].to_numpy() if "success" in rows.columns else None,
        )


def completed(table: "pandas.DataFrame") -> "pandas.DataFrame":
    """The table with the columns of now: version 0.1 had `effective_skills`, of the selection alone."""
    if "effective_selection" not in table.columns and "effective_skills" in table.columns:
        table = table.rename(columns={"effective_skills": "effective_selection"})
    if "effective_prior" not in table.columns and "prior_0" in table.columns:
        numbers = effective_number_of_skills(vector(table, "prior"))
        table = table.assign(effective_prior=numbers)
    return table


class HistoryWriter:
    """Appends the rows of an epoch to a CSV file whose columns, `epoch` among them, never change.

    Rows are on the disk when `append` returns; a kill leaves at most a torn end, which the next writer
    cuts off. Floats have as many digits as bring back every bit of their own precision.

    Args:
        path: of the file.
        columns: its names.
        kept: what to continue after, as the latest checkpoint has it: all after these bytes, rows whole or
            torn, is cut off. None begins the file anew.

    `written` is the length and the checksum of all rows so far.
    """

    def __init__(self, path: str | Path, columns: Sequence[str], kept: Written | None = None):
        self.path: Path = Path(path)
        self.columns: list[str] = list(columns)
        if "epoch" not in columns or len(set(columns)) < len(columns):
            raise ValueError(f"columns must differ and include 'epoch', got {self.columns}")
        if kept is None:
            self.written: Written = atomic.write_bytes(self.path, self._lines([self.columns]))
            return
        atomic.check_beginning(self.path, kept)
        self._check_columns()
        self.written = kept
        with atomic.open_to_write(self.path, 0) as file:
            file.truncate(kept.size)
            os.fsync(file.fileno())

    def append(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write the rows of one epoch; a field that is a 1-d array fills its `vector_columns`."""
        data = self._lines([self._cells(row) for row in rows])
        with atomic.naming(self.path), atomic.open_to_write(self.path, os.O_APPEND) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        self.written = self.written.plus(data)

    def _check_columns(self) -> None:
        """Refuse a file that other settings, or another version, have begun."""
        found = columns_of(self.path)
        if found != self.columns:
            raise ValueError(
                f"{self.path} is the history of another run: {_difference(self.columns, found)}; "
                f"resume it with its own settings"
            )

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
