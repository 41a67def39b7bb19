"""What is damaged is refused or harmless: a sample of what `make damage` tries."""

import json

import numpy as np
import pytest

from tools import damage


def test_a_few_hundred_damages_are_refused_in_a_sentence_or_harmless():
    found = damage.run(200, seed=2)
    assert damage.faults(found) == []
    results = {one.result for one in found if one.subject in ("run", "checkpoint", "run alone")}
    assert results <= {"refused", "harmless"} and "refused" in results


def test_what_a_reader_does_not_notice_is_a_fault(tmp_path, monkeypatch):
    monkeypatch.setattr(damage, "FILES", ())  # a pipe would be waited for
    path = tmp_path / "numbers.csv"
    path.write_text("1234567890" * 50)
    subject = damage.Subject("numbers", (path,), path.read_text)
    found = [
        damage.try_once(subject, path.read_text(), np.random.default_rng(n)) for n in range(60)
    ]
    assert {"silent", "traceback"} <= {one.result for one in found}  # noise that is no text, too
    assert len(damage.faults(found)) > 30
    assert path.read_text() == "1234567890" * 50
    typed = subject._replace(typed=True)
    found = [damage.try_once(typed, path.read_text(), np.random.default_rng(n)) for n in range(60)]
    assert "silent" not in {one.result for one in found}


@pytest.mark.parametrize("change", [damage.changed, damage.forged])
def test_damaged_json_is_json_of_another_value(change):
    data = b'{"a": [1, 2, {"b": "c"}], "d": 0.5}'
    rng = np.random.default_rng(0)
    values = [json.loads(change(data, rng)) for _ in range(50)]
    assert sum(value != json.loads(data) for value in values) > 40
