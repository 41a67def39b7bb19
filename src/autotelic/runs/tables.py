"""Tables in CSV files, read to the last bit by every version of pandas."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def read_table(source: Any) -> "pandas.DataFrame":
    """`pandas.read_csv` of a path or an open file, with numbers as they were written.

    Before 3.1 pandas misreads last bits unless it is told not to; from then on it warns if it is.
    """
    import pandas

    version = tuple(int(part) for part in pandas.__version__.split(".")[:2])
    options: dict[str, Any] = {} if version >= (3, 1) else {"float_precision": "round_trip"}
    return pandas.read_csv(source, **options)
