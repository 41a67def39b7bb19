"""scikit-learn, loaded when a metric first needs it: sampling trajectories must not require it."""

from importlib import import_module
from typing import Any


def scikit_learn(module: str) -> Any:
    """A module of scikit-learn, such as `neighbors`; a missing one names its extra."""
    try:
        return import_module(f"sklearn.{module}")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"this metric needs the package {error.name!r}: pip install 'autotelic[report]'",
            name=error.name,
        ) from error
