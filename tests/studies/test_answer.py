"""The page of results says what the committed files say."""

import json
from pathlib import Path

import pandas
import pytest

from autotelic._version import NUMBERS
from studies import answer, attribution, balance
from studies import results as study_results
from studies.analysis import compare, summarise
from studies.study import Study
from studies.tables import read

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"

SUMMARY = """condition,arm,metric,seeds,estimate,low,high
,uniform,area,5,0.5,0.4,0.6
,DP,area,5,0.75,0.7,0.8
"""
COMPARISONS = """condition,arm,baseline,metric,seeds,difference,difference_low,difference_high
,DP,uniform,area,5,0.25,0.1,0.4
,uniform,DP,area,5,-0.25,-0.4,0.1
"""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / "summary.csv").write_text(SUMMARY)
    (folder / "comparisons.csv").write_text(COMPARISONS)
    return tmp_path


def test_a_table_is_made_from_the_files_in_its_place(results: Path) -> None:
    place = json.dumps({"study": "toy", "against": "uniform", "measures": ["area"]})
    page = f"before\n<!-- table {place} -->\nold\n<!-- end -->\nafter\n"
    filled = answer.filled(page, results)
    assert "| uniform | 0.500 [0.400, 0.600] |  |" in filled
    # An interval without zero is bold.
    assert "| DP | 0.750 [0.700, 0.800] | **+0.250 [+0.100, +0.400]** |  | 0.150 |" in filled
    assert "| less uniform | effective number | half-width |" in filled
    assert filled.startswith("before\n") and filled.endswith("after\n") and "old" not in filled
    assert answer.filled(filled, results) == filled


@pytest.mark.parametrize(
    "place",
    [
        'table {"study": "toy", "against": "uniform", "measures": ["area"]}',
        'across {"rows": {"2D": ["toy", ""]}, "arms": {"DP": "DP"}, "against": "uniform", "measure": "area"}',
    ],
)
def test_a_table_names_the_version_of_studies_whose_numbers_are_not_those_of_now(
    results: Path, place: str
) -> None:
    page = f"<!-- {place} -->\n<!-- end -->\n"
    described = results / "toy" / "study.json"
    described.write_text(json.dumps({"versions": {"autotelic": "0.1.0"}}))  # knew no `numbers`
    assert "\n\n*Computed with other random streams: toy by version 0.1.0.*\n" in answer.filled(
        page, results
    )
    described.write_text(json.dumps({"versions": {"autotelic": "0.2.0", "numbers": NUMBERS}}))
    assert "*" not in answer.filled(page, results).replace("**", "")


def test_an_interval_around_zero_is_not_bold(results: Path) -> None:
    table = answer.made(results, "toy", "DP", arms=["uniform"], measures=["area"])
    assert table.splitlines()[-1] == "| uniform | 0.500 [0.400, 0.600] | -0.250 [-0.400, +0.100] |"


def test_a_table_across_studies_has_the_baselines_level_and_differences(results: Path) -> None:
    table = answer.across(
        results, {"2D": ("toy", "")}, {"DP": "DP"}, against="uniform", measure="area"
    )
    assert table.splitlines()[0] == "|  | uniform | DP, difference |"
    assert table.splitlines()[-1] == "| 2D | 0.500 [0.400, 0.600] | **+0.250 [+0.100, +0.400]** |"


@pytest.mark.parametrize("name", answer.PAGE_NAMES)
def test_a_committed_page_is_what_the_committed_files_give(name: str) -> None:
    text = (RESULTS / name).read_text()
    assert len(answer.PLACE.findall(text)) > 0
    assert answer.filled(text, RESULTS) == text


@pytest.mark.parametrize(
    ("study", "command"),
    [
        (attribution.STUDY, "python -m studies.attribution"),
        (balance.STUDIES["fixed"], "python -m studies.balance --part fixed"),
        (balance.STUDIES["trained"], "python -m studies.balance --part trained"),
    ],
)
def test_the_committed_page_of_a_study_is_what_its_files_give(study: Study, command: str) -> None:
    folder = RESULTS / study.name
    summary, compared = (read(folder / f"{name}.csv") for name in ("summary", "comparisons"))
    page = study_results.page(study, summary, compared, command, more={})
    assert page == (folder / "README.md").read_text()


def test_committed_estimates_are_those_of_the_committed_seeds() -> None:
    folder = RESULTS / attribution.STUDY.name
    seeds = read(folder / "seeds.csv")
    arms = ["uniform", "round-robin", "DP"]
    seeds = seeds[seeds["arm"].isin(arms)]
    for name, made in (
        ("summary", summarise(seeds, attribution.STUDY.epochs)),
        ("comparisons", compare(seeds, attribution.STUDY.baselines)),
    ):
        committed = read(folder / f"{name}.csv")
        committed = committed[committed["arm"].isin(arms)].reset_index(drop=True)
        pandas.testing.assert_frame_equal(made, committed, atol=1e-6, check_dtype=False)


def test_the_figures_lines_are_arms_that_were_measured() -> None:
    for lines in answer.PANELS.values():
        for line in lines:
            described = json.loads((RESULTS / line.study / "study.json").read_text())
            arms = [(arm["condition"], arm["name"]) for arm in described["arms"]]
            assert (line.condition, line.arm) in arms
