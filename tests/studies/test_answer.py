"""The page of results says what the committed files say."""

import io
import json
import re
from pathlib import Path

import pandas
import pytest

from studies import answer, attribution, balance
from studies import results as study_results
from studies.analysis import compare, summarise
from studies.quoted import Change, Count, Difference, Height, Level, Median, Source
from studies.study import Study
from studies.tables import FILES, read

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"

SUMMARY = """condition,arm,metric,seeds,estimate,low,high
,uniform,area,5,0.5,0.4,0.6
,DP,covered_cells,5,30.25,20,40
"""
COMPARISONS = """condition,arm,baseline,metric,seeds,difference,difference_low,difference_high
,DP,uniform,area,5,0.25,0.1,0.4
,uniform,DP,area,4,-0.25,-0.4,0.1
b,DP,uniform,area,5,-0.2,-0.3,-0.1
b,DP,uniform,success,5,0.2,-0.3,0.7
"""
SEEDS = """condition,arm,seed,area,epochs_to_80_success
,before,0,0.25,10
,before,1,0.5,
,before,2,0.5,
,after,0,0.5,10
,after,1,0.75,20
,after,2,0.75,
b,after,7,0.75,
"""
CURVES = "condition,arm,seed,epoch\n,before,0,0\n,before,0,30\n"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "toy"
    folder.mkdir()
    tables = {"summary": SUMMARY, "comparisons": COMPARISONS, "seeds": SEEDS, "curves": CURVES}
    for name, text in tables.items():
        pandas.read_csv(io.StringIO(text)).to_csv(folder / FILES[name], index=False)
    return tmp_path


@pytest.mark.parametrize(
    ("source", "quoted"),
    [
        # An interval without zero is bold.
        (
            Difference(study="toy", arm="DP", baseline="uniform", metric="area"),
            ("**+0.250 [+0.100, +0.400]**", 5),
        ),
        (
            Difference(study="toy", arm="uniform", baseline="DP", metric="area"),
            ("-0.250 [-0.400, +0.100]", 4),
        ),
        (Level(study="toy", arm="uniform", metric="area"), ("0.500 [0.400, 0.600]", 5)),
        (Level(study="toy", arm="DP", metric="covered_cells"), ("30.2 [20.0, 40.0]", 5)),
        # 0.25 with every seed.
        (
            Change(study="toy", before=("", "before"), after=("", "after"), metric="area"),
            ("**+0.250 [+0.250, +0.250]**", 3),
        ),
        # Two of three did not get there within 30 epochs.
        (Median(study="toy", arm="before", metric="epochs_to_80_success"), ("more than 30", 3)),
        (Median(study="toy", arm="after", metric="epochs_to_80_success"), ("20", 3)),
        (
            Count(
                study="toy",
                arms=("DP",),
                baseline="uniform",
                metrics=("area",),
                conditions=("", "b"),
            ),
            ("of 2 intervals 1 above zero, 1 below", 5),
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Source) else "",
)
def test_a_number_is_read_from_the_files(
    results: Path, source: Source, quoted: tuple[str, int]
) -> None:
    assert source.read(results) == quoted


def test_a_curves_height_is_compared_in_pairs(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    rows = [
        f"{arm},{seed},{steps},{steps / 100 * slope + level}"
        for arm, slope, level in (("skills", 2, 1), ("scratch", 0, 0.5))
        for seed in (0, 1)
        for steps in (0, 100)
    ]
    text = "arm,seed,steps,return\n" + "\n".join(rows)
    (tmp_path / "tasks" / "curves.csv").write_text(text)
    found = Height(study="tasks", arm="skills", baseline="scratch").read(tmp_path)
    assert found == ("**+1.50 [+1.50, +1.50]**", 2)  # 2 on average, and 0.5


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (Difference(study="toy", arm="VIC", baseline="uniform", metric="area"), "VIC"),
        (Level(study="toy", arm="VIC", metric="area"), "VIC"),
        (Median(study="toy", arm="VIC", metric="area"), "VIC"),
        (
            Change(study="toy", before=("", "after"), after=("b", "after"), metric="area"),
            "other seeds",
        ),
        (Count(study="toy", arms=("DP", "VIC"), baseline="uniform", metrics=("area",)), "1 of 2"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Source) else "",
)
def test_what_a_study_does_not_have_is_refused(results: Path, source: Source, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        source.read(results)


def test_claims_are_filled_in_their_place_and_wait_for_what_is_not_computed(
    results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Difference(study="toy", arm="DP", baseline="uniform", metric="area")
    unknown = Difference(study="later", arm="DP", baseline="uniform", metric="area")
    claims = [
        answer.Claim("DP is ahead", "toy --part first", {"of uniform": known}),
        answer.Claim("and again", "later", {"here": unknown, "there": unknown}),
    ]
    monkeypatch.setattr(answer, "CLAIMS", {"some": claims})
    page = "before\n<!-- claims some -->\nold\n<!-- end -->\nafter\n"
    filled = answer.filled(page, results)
    assert filled.startswith("before\n") and filled.endswith("after\n") and "old" not in filled
    number = "of uniform **+0.250 [+0.100, +0.400]**"
    assert f"| DP is ahead | {number} | 5 | [`toy --part first`](toy) |" in filled
    assert "| and again | here PENDING<br>there PENDING |  | `later` |" in filled
    assert answer.filled(filled, results) == filled


def test_the_committed_page_is_what_the_committed_files_give() -> None:
    text = (RESULTS / "README.md").read_text()
    assert answer.PLACE.findall(text)
    assert answer.filled(text, RESULTS) == text
    assert {found[1] for found in answer.PLACE.findall(text)} == set(answer.CLAIMS)


def test_every_folder_is_named_on_the_page_and_there_are_few() -> None:
    folders = {path.name for path in RESULTS.iterdir() if path.is_dir()}
    named = set(re.findall(r"\w+", (RESULTS / "README.md").read_text()))
    assert folders <= named
    assert len(folders) <= 30


def test_the_settings_of_the_finalists_are_those_of_the_study() -> None:
    described = json.loads((RESULTS / answer.FINAL / "study.json").read_text())
    conditions = dict.fromkeys(arm["condition"] for arm in described["arms"])
    assert list(answer.SETTINGS.values()) == list(conditions)


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
