"""`import autotelic` needs NumPy alone; the rest loads on first use, or names its extra."""

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

import autotelic

HEAVY = [
    "jax",
    "equinox",
    "optax",
    "gymnasium",
    "mujoco",
    "pandas",
    "matplotlib",
    "sklearn",
    "scipy",
    "rich",
    "tyro",
]


def run(code: str):
    """The output of a fresh interpreter."""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def test_importing_and_using_a_selector_loads_numpy_alone():
    loaded = run(
        "import sys, autotelic as at\n"
        "curriculum = at.Curriculum(at.RoundRobin(), num_goals=2)\n"
        "curriculum.select(); curriculum.update([[0.5, 0.5]] * 2); curriculum.state_dict()\n"
        "print(*sys.modules)"
    )
    assert "numpy" in loaded
    assert not set(HEAVY) & set(loaded)


def test_the_command_that_trains_waits_for_no_package_of_evaluation():
    loaded = run("import sys, autotelic.commands.train; print(*sys.modules)")
    assert "jax" in loaded
    parts = {"scipy.stats", "scipy.optimize", "scipy.spatial", "scipy.special", "scipy.integrate"}
    assert not (parts | {"sklearn", "matplotlib"}) & set(loaded)


def test_figures_name_their_extra_when_matplotlib_is_missing():
    # None in sys.modules makes the import fail as a missing package does.
    output = run(
        "import sys; sys.modules['matplotlib'] = None\n"
        "import autotelic\n"
        "try: autotelic.figures\n"
        "except ImportError as error: print(error)"
    )
    assert "'autotelic[report]'" in output


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'DiversityProgres'"):
        autotelic.DiversityProgres  # noqa: B018


def test_public_names_are_listed_and_there():
    assert {"train", "figures", "Curriculum"} <= set(dir(autotelic)) == set(autotelic.__all__)
    assert all(hasattr(autotelic, name) for name in autotelic.__all__)
    modules = {n for n, value in vars(autotelic).items() if isinstance(value, types.ModuleType)}
    accidental = {n for n in vars(autotelic) if not n.startswith("_")} - set(autotelic.__all__)
    assert accidental <= modules  # packages that were imported, and nothing like at.Any


@pytest.mark.parametrize(
    ("old", "new"),
    [("EpochOutcome", "VisitOutcome"), ("bandits", "rules"), ("competence", "signals")],
)
def test_what_was_renamed_works_and_says_its_new_name(old: str, new: str):
    with pytest.warns(DeprecationWarning, match=f"autotelic.{old} is autotelic.{new} since"):
        assert getattr(autotelic, old) is getattr(autotelic, new)


def test_type_checkers_know_all_that_is_public(tmp_path: Path):
    # Pyright looks for packages where the first Python on the path has them, and not in a project.
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    pyright = str(Path(sys.executable).with_name("pyright"))
    words = [pyright, "--verifytypes", "autotelic", "--ignoreexternal", "--outputjson"]
    run = subprocess.run(
        words, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PATH": path}
    )
    checked = json.loads(run.stdout)["typeCompleteness"]
    unknown = [
        one["name"] for one in checked["symbols"] if one["isExported"] and not one["isTypeKnown"]
    ]
    assert len(checked["symbols"]) > 1000 and unknown == []
