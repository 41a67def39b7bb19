"""Processes of sweeps find `fake_run`."""

import os
from collections.abc import Iterator

import pytest
from fakes import HERE


@pytest.fixture(scope="session", autouse=True)
def _fake_run_is_found() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", HERE, prepend=os.pathsep)
        yield
