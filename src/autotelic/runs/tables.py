"""Tables in CSV files, read to the last bit by every version of pandas."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from autotelic._documents import DamagedFile

if TYPE_CHECKING:
    import pandas


def read_table(source: Any, path: str | Path) -> "pandas.DataFrame":
    """`pandas.read_csv` of an open file, with numbers as they were written; `path` names it in a refusal.

    Before 3.1 pandas misreads last bits unless it is told not to; from then on it warns if it is.
    """
    import pandas

    version = tuple(int(part) for part in pandas.__version__.split(".")[:2])
    options: dict[str, Any] = {} if version >= (3, 1) else {"float_precision": "round_trip"}
    try:
        return pandas.read_csv(source, **options)
    except ValueError as error:
        raise DamagedFile(path, f"it is no table ({error})") from error
