import math
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from autotelic._documents import DamagedFile
from autotelic.runs import atomic
from autotelic.runs.atomic import Written
from autotelic.runs.history import (
    History,
    HistoryWriter,
    history_columns,
    read_history,
    vector,
    vector_columns,
)

COLUMNS = ["epoch", "member", "method", "goal", "certainty", *vector_columns("prior", 2)]


def rows(epoch: int) -> list[dict]:
    """What two members, one of whose methods has a comma in its name, did in an epoch."""
    return [
        {
            "epoch": epoch,
            "member": member,
            "method": method,
            "goal": np.int64(epoch % 2),
            "certainty": 0.1 + 0.2 * epoch,
            "prior": np.array([0.1, 0.9]) / (1 + member),
        }
        for member, method in enumerate(["DIAYN", 'DP, "T" = 0.1'])
    ]


def write(path: Path, epochs: int) -> HistoryWriter:
    writer = HistoryWriter(path, COLUMNS)
    for epoch in range(epochs):
        writer.append(rows(epoch))
    return writer


def test_the_file_to_the_letter(tmp_path: Path):
    write(tmp_path / "history.csv", 1)
    assert (tmp_path / "history.csv").read_text() == (
        "epoch,member,method,goal,certainty,prior_0,prior_1\n"
        "0,0,DIAYN,0,0.1,0.1,0.9\n"
        '0,1,"DP, ""T"" = 0.1",0,0.1,0.05,0.45\n'
    )


def test_every_bit_is_read_back(tmp_path: Path):
    path = tmp_path / "history.csv"
    write(path, 12)
    frame = read_history(path)
    assert list(frame.columns) == COLUMNS
    assert frame["goal"].dtype == np.int64
    assert frame["method"].tolist() == ["DIAYN", 'DP, "T" = 0.1'] * 12
    assert frame["certainty"].tolist() == [0.1 + 0.2 * e for e in range(12) for _ in range(2)]
    np.testing.assert_array_equal(
        vector(frame, "prior"), np.tile([[0.1, 0.9], [0.1 / 2, 0.9 / 2]], (12, 1)), strict=True
    )


def test_how_values_are_written(tmp_path: Path):
    path = tmp_path / "history.csv"
    names = ["nan", "inf", "single", "tiny", "none", "flag", "text"]
    values = [math.nan, -math.inf, np.float32(0.1), 5e-324, None, np.True_, "süß"]
    HistoryWriter(path, ["epoch", *names]).append([dict(zip(names, values, strict=True), epoch=0)])
    assert path.read_text().splitlines()[1] == "0,nan,-inf,0.1,5e-324,,True,süß"
    row = pd.read_csv(path).iloc[0]
    assert math.isnan(row["nan"]) and math.isnan(row["none"]) and row["inf"] == -math.inf
    assert np.float32(row["single"]) == np.float32(0.1) and row["flag"] and row["tiny"] == 5e-324


def test_vectors_of_more_than_ten_come_back_in_order():
    frame = pd.DataFrame([range(12)], columns=vector_columns("dp", 12)[::-1])
    assert vector(frame, "dp").tolist() == [list(range(12))[::-1]]
    with pytest.raises(ValueError, match="unknown vector field 'd'; choose from dp"):
        vector(frame, "d")


def test_a_kill_at_any_byte_resumes_to_the_same_file(tmp_path: Path):
    whole = tmp_path / "whole.csv"
    write(whole, 11)
    data = whole.read_bytes()
    ten_epochs = sum(len(line) for line in data.splitlines(keepends=True)[:21])
    kept = Written().plus(data[:ten_epochs])  # as the checkpoint of epoch 10 has it
    for size in range(ten_epochs, len(data) + 1):
        path = tmp_path / f"{size}.csv"
        path.write_bytes(data[:size])
        writer = HistoryWriter(path, COLUMNS, kept)
        assert path.read_bytes() == data[:ten_epochs]
        writer.append(rows(10))
        assert path.read_bytes() == data and writer.written == Written().plus(data)


def test_a_torn_file_is_read_up_to_its_last_whole_epoch(tmp_path: Path):
    path = tmp_path / "history.csv"
    write(path, 3)
    data = path.read_bytes()
    two_epochs = sum(len(line) for line in data.splitlines(keepends=True)[:5])
    whole = read_history(path)
    assert len(whole) == 6
    for size in range(two_epochs, len(data)):
        path.write_bytes(data[:size])
        pd.testing.assert_frame_equal(read_history(path), whole[:4])


def test_without_a_checkpoint_a_history_begins_anew(tmp_path: Path):
    path = tmp_path / "history.csv"
    write(path, 2)
    HistoryWriter(path, COLUMNS).append(rows(0))
    write(tmp_path / "expected.csv", 1)
    assert path.read_bytes() == (tmp_path / "expected.csv").read_bytes()


def test_kept_rows_that_are_not_as_written_are_refused_and_left(tmp_path: Path):
    path = tmp_path / "history.csv"
    kept = write(path, 3).written
    data = path.read_bytes()
    for damaged, problem in [
        (data.replace(b"0.1", b"0.2", 1), r"history\.csv: it has changed since it was written"),
        (data[:-1], f"history.csv: it has {len(data) - 1} bytes, but {len(data)} were written"),
    ]:
        path.write_bytes(damaged)
        with pytest.raises(DamagedFile, match=problem):
            HistoryWriter(path, COLUMNS, kept)
        assert path.read_bytes() == damaged
    path.unlink()
    with pytest.raises(DamagedFile, match=r"history\.csv: it is missing"):
        HistoryWriter(path, COLUMNS, kept)


def test_other_columns_than_before_are_refused_and_named(tmp_path: Path):
    path = tmp_path / "history.csv"
    kept = write(path, 2).written
    before = path.read_bytes()
    for columns, match in [
        ([*COLUMNS, "prior_2"], "another run: lacks prior_2;"),
        (COLUMNS[:-1], "another run: has the unknown prior_1;"),
        (["epoch", *COLUMNS[:0:-1]], "another run: has its columns in another order;"),
    ]:
        with pytest.raises(ValueError, match=match):
            HistoryWriter(path, columns, kept)
    assert path.read_bytes() == before


def test_a_table_that_is_a_pipe_is_refused_and_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "history.csv")
    with pytest.raises(DamagedFile, match="it is no regular file"):
        read_history(tmp_path / "history.csv")


def test_rows_are_never_written_through_a_link(tmp_path: Path):
    precious = tmp_path / "precious"
    kept = write(precious, 2).written
    before = precious.read_bytes()
    (tmp_path / "history.csv").symlink_to(precious)
    with pytest.raises(DamagedFile, match="it is a link or no regular file"):
        HistoryWriter(tmp_path / "history.csv", COLUMNS, kept)
    HistoryWriter(tmp_path / "history.csv", COLUMNS).append(rows(0))  # the link is replaced
    assert precious.read_bytes() == before


def test_a_bad_row_is_refused_and_none_of_its_epoch_written(tmp_path: Path):
    writer = write(tmp_path / "history.csv", 1)
    before = writer.path.read_bytes()
    good, row = rows(1)
    for change, error, match in [
        ({"prior": np.ones(3)}, ValueError, "has the unknown prior_2"),
        ({"prior": np.ones(1)}, ValueError, "lacks prior_1"),
        ({"loss": 1.0}, ValueError, "has the unknown loss"),
        ({"method": "two\nlines"}, ValueError, r"method must be text on one line, got 'two\\n"),
        ({"certainty": np.ones((1, 1))}, TypeError, "certainty must be a number.* got ndarray"),
    ]:
        with pytest.raises(error, match=match):
            writer.append([good, {**row, **change}])
    assert writer.path.read_bytes() == before


def test_columns_must_differ_and_include_the_epoch(tmp_path: Path):
    for columns in (["member"], ["epoch", "member", "member"]):
        with pytest.raises(ValueError, match="columns must differ and include 'epoch'"):
            HistoryWriter(tmp_path / "history.csv", columns)
    assert not (tmp_path / "history.csv").exists()


def table(**columns: list) -> pd.DataFrame:
    """Of one learner with two goals."""
    rows = len(columns["epoch"])
    fields = {"selection_0": [0.5, 1.0] * (rows // 2), "selection_1": [0.5, 0.0] * (rows // 2)}
    named = {"member": 0, "method": "DP", "seed": 3, "goal": 0, "certainty": 0.5}
    signal = {"signal_0": 0.0, "signal_1": 0.0}
    return pd.DataFrame({**columns, **fields}).assign(**named, **signal)


def test_the_visits_of_an_epoch_are_counted():
    assert History(table(epoch=[0, 0, 1, 1], visit=[0, 1, 0, 1])).visits_per_epoch == 2
    assert History(table(epoch=[0, 1], visit=[0, 0])).visits_per_epoch == 1
    assert History(table(epoch=[0, 1])).visits_per_epoch == 1


def test_a_history_of_version_0_1_has_the_columns_of_now():
    old = table(epoch=[0, 1, 2, 3]).assign(
        effective_skills=[2.0, 1.0, 2.0, 1.0],
        prior_0=[0.5, 0.5, 0.5, 1.0],
        prior_1=[0.5, 0.5, 0.5, 0.0],
    )
    found = History(old)
    assert found.table["effective_selection"].tolist() == [2.0, 1.0, 2.0, 1.0]
    assert found.table["effective_prior"].tolist() == pytest.approx([2.0, 2.0, 2.0, 1.0])
    # Of the selection in the first round of two goals, of p(g) after it.
    assert found.effective_numbers.tolist() == pytest.approx([2.0, 1.0, 2.0, 1.0])
    assert found.effective_curves()["DP"].shape == (1, 4)
    own = found.learner("DP", 3)
    assert own.member == ("DP", 3) and own.selection is not None and own.selection.shape == (4, 2)


def test_a_history_is_of_a_run_or_a_table_and_has_an_epoch():
    with pytest.raises(TypeError, match=r"a run .* or its history table .* is needed, got list"):
        History([])
    with pytest.raises(ValueError, match="no epoch yet"):
        History(table(epoch=[0, 1]).head(0))
    with pytest.raises(ValueError, match="there are seeds"):
        History(table(epoch=[0, 1])).learner("DP", 4)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no disk that is full")
def test_an_epoch_that_a_full_disk_does_not_take_is_told_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    writer = HistoryWriter(tmp_path / "history.csv", COLUMNS)
    writer.path = Path("/dev/full")
    monkeypatch.setattr(atomic, "open_to_write", lambda path, flags: path.open("wb"))
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        writer.append(rows(0))


def test_curves_of_many_goals_come_without_a_warning_of_pandas(tmp_path: Path):
    columns = history_columns(50, [])
    line = ["0", "DP", "0", "0", "0", "0", "0", "50.0", "50.0", "0.5", *["0.02"] * 150]
    path = tmp_path / "history.csv"
    path.write_text("\n".join(",".join(words) for words in (columns, line)) + "\n")
    # pandas warns of a table with as many columns to which one is added; warnings fail tests.
    (curve,) = History(read_history(path)).effective_curves().values()
    assert curve.tolist() == [[50.0]]
