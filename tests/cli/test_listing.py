"""`autotelic objectives` and `autotelic selectors`: what there is, in its own words."""

import subprocess
import sys
from dataclasses import dataclass
from typing import ClassVar

import pytest

from autotelic.cli import main
from autotelic.commands.listing import WIDTH, entry
from autotelic.objectives import OBJECTIVES
from autotelic.selectors.spelling import NAMES


@pytest.mark.parametrize(("command", "kinds"), [("selectors", NAMES), ("objectives", OBJECTIVES)])
def test_everything_is_listed_within_80_columns(command: str, kinds: dict[str, type], capsys):
    assert main([command]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= WIDTH
    for name, kind in kinds.items():
        (line,) = [line for line in lines if line.split(" ")[0] == name]
        assert line.split()[1] == f"{kind.__name__}."
    assert main([command, "--help"]) == 0
    assert f"usage: autotelic {command}" in capsys.readouterr().out
    assert main([command, "--all"]) == 2
    assert f"autotelic {command} takes no options, got '--all'" in capsys.readouterr().err


def test_references_are_those_of_the_docstrings(capsys):
    assert main(["selectors"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "DIAYN's selector. Eysenbach et al. (2019), Diversity is All You Need" in text
    assert "Lintunen, Ady and Guckelsberger (2024), Diversity Progress for Goal Selection" in text
    assert "within_epoch" not in text  # an option of Diversity Progress that is called reference


class Cited:
    """Smith 2020: rewards what is
    new.

    More of it.
    """


class Declared:
    """Prefers the new."""

    reference: ClassVar[str] = "Smith (2020), New Things."


@dataclass
class Optional:
    """As METRA, but slower.

    References: Smith (2020), New; Jones
    (2021).
    """

    reference: str = "an option"


def test_a_class_is_described_by_its_docstring_or_what_it_declares():
    assert entry("a", Cited) == ("a", "Cited", "Rewards what is new.", "Smith 2020")
    assert entry("b", Declared)[2:] == ("Prefers the new.", "Smith (2020), New Things")
    assert entry("c", Optional)[2:] == ("As METRA, but slower.", "Smith (2020), New; Jones (2021)")
    assert entry("d", type("Silent", (), {})) == ("d", "Silent", "", "")


def test_selectors_are_listed_with_numpy_alone():
    code = "import sys\nfrom autotelic.cli import main\nmain(['selectors'])\nprint(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = set(result.stdout.splitlines()[-1].split())
    assert "autotelic.commands.selectors" in loaded
    assert not loaded & {"jax", "tyro", "rich", "pandas", "scipy"}
