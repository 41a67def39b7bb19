"""`import autotelic` needs NumPy alone; the rest loads on first use, or names its extra."""

import subprocess
import sys

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


def test_lazy_names_are_listed():
    assert {"train", "figures", "Curriculum"} <= set(dir(autotelic))
