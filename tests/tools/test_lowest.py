"""The oldest versions that are tested are the oldest that may be installed."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
BOUND = re.compile(r"([\w-]+)(?:\[\w+\])?>=([\w.]+)")


def test_the_lowest_versions_are_pyprojects_bounds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["train"], *extras["report"]]
    lines = (ROOT / "tools" / "lowest.txt").read_text().splitlines()
    tested = dict(line.split("==") for line in lines if not line.startswith("#"))
    found = [BOUND.match(one) for one in wanted]
    assert all(found), "every dependency has a lower bound"
    assert {bound.groups() for bound in found if bound} == set(tested.items())
