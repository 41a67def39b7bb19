"""The runs of these tests differ in what surrounds the same small program: it is compiled once."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def _programs_are_kept(programs_are_kept: None) -> None:
    """For all tests here."""
