"""Runs of the same shape on every machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def same_crews() -> Iterator[None]:
    """See `tiny_runs.prepare`."""
    from tiny_runs import prepare

    with pytest.MonkeyPatch.context() as patch:
        prepare(patch)
        yield


@pytest.fixture(scope="session")
def _finished_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs") / "finished"


@pytest.fixture
def finished(same_crews: None, _finished_folder: Path) -> Path:
    """The folder of the standard run, never interrupted. Copy it before you change it."""
    from tiny_runs import run

    if not _finished_folder.exists():
        run(_finished_folder)
    return _finished_folder
