"""Whatever a file holds, it is refused by one error or read as it was written."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_skills import content, written

from autotelic.skills import SkillFileError, Skills
from autotelic.skills import file as module
from autotelic.skills.file import decode, encode
from autotelic.skills.header import sizes_of
from autotelic.skills.judges import judge_of
from autotelic.skills.networks import network_shapes
from autotelic.skills.policies import head_of
from tools import damage


def npy(array: Any, **options: Any) -> bytes:
    data = io.BytesIO()
    np.save(data, array, **options)
    return data.getvalue()


@pytest.fixture
def data() -> bytes:
    return encode(*content())


def test_a_folder_says_how_a_file_is_made_of_a_run(tmp_path: Path):
    with pytest.raises(SkillFileError, match=f"autotelic export {tmp_path} --out FILE"):
        Skills.load(tmp_path)


def test_the_same_skills_give_the_same_bytes(data: bytes):
    assert encode(*content()) == data


def test_what_was_encoded_is_decoded(data: bytes):
    header, arrays = content()
    found, found_arrays = decode(data)
    listed = found.pop("arrays")
    assert found == {"format": "autotelic skills", "version": 1, **header}
    assert list(listed) == list(found_arrays) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found_arrays[name], array, strict=True)


def test_bits_of_a_file_are_never_changed_without_being_noticed(data: bytes):
    expected, arrays = decode(data)
    rng, refused = np.random.default_rng(1), 0
    for _ in range(100):
        for change in (damage.flip, damage.cut, damage.directory, damage.rearranged):
            try:
                found, others = decode(change(data, rng))
            except SkillFileError:
                refused += 1
                continue
            assert found == expected
            assert all(np.array_equal(others[name], array) for name, array in arrays.items())
    assert refused > 300


OBJECTIVES = {
    "diayn": {"features": [1, 0]},
    "vic": {"features": None},
    "disdain": {"features": None, "members": 2},
    "visr": {"concentration": 40.0},
    "cic": {"temperature": 0.5},
    "dads": {"features": [2]},
    "metra": {},
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_forged_files_of_every_kind(name: str):
    header, arrays = content(
        objective={"name": name, **OBJECTIVES[name]}, agent={"name": "gmm-sac", "components": 2}
    )
    sizes = sizes_of(header)
    judge = judge_of(header, sizes)
    assert judge is not None
    policy = network_shapes("policy", [8], sizes.hidden, head_of(header).outputs(sizes.action))
    shapes = {"goals": arrays["goals"].shape, **policy, **judge.shapes()}
    made = {key: np.ones(shape, np.float32) for key, shape in shapes.items()}
    original = encode(header, made)
    skills = Skills(*decode(original))
    other = {"start": "start", "step": "next_observation"}.get(skills.judged_by)
    given = {} if other is None else {other: np.zeros(3)}
    assert skills.posterior(np.zeros(3), **given).shape == (5,)
    rng = np.random.default_rng(0)
    for _ in range(150):
        try:
            forged = Skills(*decode(damage.forged_skills(original, rng)))
        except SkillFileError:
            continue
        assert np.isfinite(forged.act(np.zeros(forged.observation_size), 0, rng)).all()
        assert forged.info and repr(forged)


def test_every_single_byte_of_a_small_array_is_guarded(data: bytes):
    begin = data.index(content()[1]["policy.output_bias"].tobytes())
    for place in range(begin, begin + 16):
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pytest.raises(SkillFileError, match="damaged"):
            decode(changed)


def test_an_array_that_another_one_replaces_is_noticed_by_its_checksum(data: bytes):
    entries = damage.archive_entries(data)
    entries["goals.npy"] = npy(np.zeros((5, 5), np.float32))  # sound for the archive itself
    with pytest.raises(SkillFileError, match="goals is not the array that was written"):
        decode(damage.archive(entries))


def test_a_changed_header_is_noticed_by_its_checksum(data: bytes):
    entries = damage.archive_entries(data)
    entries["header.npy"] = entries["header.npy"].replace(b"Walk-v0", b"Work-v0")
    with pytest.raises(SkillFileError, match="the header is not the one that was written"):
        decode(damage.archive(entries))


def test_another_version_is_refused_with_the_one_that_wrote_it(monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patch:
        patch.setattr(module, "VERSION", 2)
        newer = encode(*content(library="0.9"))
    with pytest.raises(SkillFileError, match=r"version 2, and this .* reads 1; .*autotelic '0.9'"):
        decode(newer)


def test_the_skills_of_a_run_are_told_from_a_skill_file(tmp_path: Path):
    path = tmp_path / "skills.npz"
    np.savez(path, x=np.zeros(3))
    with pytest.raises(SkillFileError, match=rf"{path}.*autotelic export RUN --out FILE"):
        Skills.load(path)
    path.write_bytes(damage.archive({".policy.inputs[0].npy": b""}))  # as a run names its arrays
    with pytest.raises(SkillFileError, match="is no skill file"):
        Skills.load(path)


def test_a_missing_file_is_no_skill_file_error(tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        Skills.load(tmp_path / "none.npz")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (npy(np.array([damage.Unpicklable()], object), allow_pickle=True), "no plain array"),
        (npy(np.zeros((5, 5))), "no plain array of float32"),
        (npy(np.zeros((5, 5), "S4")), "no plain array"),
        (npy(np.asfortranarray(np.ones((5, 5), np.float32))), "no plain array"),
        (npy(np.zeros((5, 5), np.float32)) + b"more", "104 bytes, and its shape .* needs 100"),
        (npy(np.zeros((5, 5), np.float32))[:-8], "92 bytes, and its shape .* needs 100"),
        (npy(np.zeros((5, 5), np.float32)).replace(b"(5, 5)", b"(9**9)"), "no plain array"),
        (
            npy(np.zeros((5, 5), np.float32)).replace(b"(5, 5)", b"(9999999999, 9999999999)"),
            "no plain array|needs 39999999999",
        ),
        (npy(np.zeros((5, 5), np.float32)).replace(b"(5, 5)", b"(5 5,)"), "no plain array"),
        (b"", "no plain array"),
        (b"PK", "no plain array"),
    ],
)
def test_what_is_no_plain_array_is_refused(data: bytes, entry: bytes, words: str):
    entries = damage.archive_entries(data)
    entries["goals.npy"] = entry
    with pytest.raises(SkillFileError, match=words):
        decode(damage.archive(entries))


@pytest.mark.parametrize("name", ["../up.npy", "/root.npy", "a b.npy", "A.npy", "goals", "a..npy"])
def test_hostile_names_are_refused(data: bytes, name: str):
    with pytest.raises(SkillFileError, match="is no array's name"):
        decode(damage.archive({**damage.archive_entries(data), name: npy(np.zeros(1, np.float32))}))


def test_a_bomb_is_refused_before_it_is_read(data: bytes, monkeypatch: pytest.MonkeyPatch):
    bomb = damage.archive(
        {**damage.archive_entries(data), "bomb.npy": bytes(50_000_000)},
        compression=zipfile.ZIP_DEFLATED,
    )
    assert len(bomb) < 1_000_000
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("it was read"))
    with pytest.raises(SkillFileError, match="is compressed or encrypted"):
        decode(bomb)


def test_declared_sizes_must_fit_in_the_file(data: bytes, monkeypatch: pytest.MonkeyPatch):
    # The size of the first entry in the archive's directory: 24 bytes into its record.
    place = data.index(b"PK\x01\x02") + 24
    lying = data[:place] + (10**9).to_bytes(4, "little") + data[place + 4 :]
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("it was read"))
    with pytest.raises(SkillFileError, match=r"says to hold 10\d+ bytes, and has only"):
        decode(lying)


def test_too_many_arrays_and_bytes_are_refused(data: bytes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_ARRAYS", 3)
    with pytest.raises(SkillFileError, match="at most 3"):
        decode(data)
    monkeypatch.setattr(module, "LARGEST_FILE", 100)
    with pytest.raises(SkillFileError, match="at most 100"):
        decode(data)


def test_missing_and_extra_arrays_are_named():
    header, arrays = content()
    missing = {name: array for name, array in arrays.items() if name != "goals"}
    with pytest.raises(
        SkillFileError, match="array goals does not fit its header: it is not there"
    ):
        Skills(header, missing)
    with pytest.raises(SkillFileError, match=r"array extra .* shape \[2\], and none is expected"):
        Skills(header, {**arrays, "extra": np.zeros(2, np.float32)})
    with pytest.raises(SkillFileError, match=r"goals .* \[5, 4\], and the shape \[5, 5\] is"):
        Skills(header, {**arrays, "goals": np.zeros((5, 4), np.float32)})


def test_numbers_that_are_none_are_refused(tmp_path: Path):
    for value in (np.nan, np.inf):
        header, arrays = content()
        arrays["policy.hidden_bias"][2] = value
        with pytest.raises(SkillFileError, match=r"policy\.hidden_bias holds NaN or infinity"):
            decode(encode(header, arrays))


def test_normalisation_needs_deviations_above_zero():
    header, arrays = content(observation={"size": 3, "normalization": "running"})
    arrays |= {f"observation_{name}": np.ones(3, np.float32) for name in ("mean", "deviation")}
    Skills(header, arrays)
    arrays["observation_deviation"][1] = 0.0
    with pytest.raises(SkillFileError, match="above 0"):
        Skills(header, arrays)


@pytest.mark.parametrize(
    "text",
    [b"[]", b"{", b"{}", b"\xff", b"[" * 100_000, b'{"format": NaN}', b'{"a": 1e999' + b"}"],
)
def test_headers_that_are_none_are_refused(data: bytes, text: bytes):
    entries = damage.archive_entries(data)
    digest = module.hashlib.sha256(text).digest()
    entries["header.npy"] = npy(np.frombuffer(text, np.uint8))
    entries["checksum.npy"] = npy(np.frombuffer(digest, np.uint8))
    with pytest.raises(SkillFileError):
        decode(damage.archive(entries))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b'"version": 1,', b'"version": 1, "version": 1,', "a name is there twice"),
        (b'"name": "Walk-v0"', b'"name": "Other-v0", "name": "Walk-v0"', "a name is there twice"),
        (b'"measured": null', b'"measured": 1e999', "1e999 is too large a number"),
        (
            b'"arrays": {',
            b'"arrays": {"\\u001b[2J' + b"x" * 9000 + b'": 1, ',
            r"would steer the terminal it is shown on, '\\x1b\[2Jx+'",
        ),
    ],
)
def test_headers_that_say_two_things_or_what_no_terminal_should_see(
    data: bytes, old: bytes, new: bytes, words: str
):
    entries = damage.archive_entries(data)
    text = damage.npy_body(entries["header.npy"])
    assert old in text
    text = text.replace(old, new)
    entries["header.npy"] = npy(np.frombuffer(text, np.uint8))
    digest = module.hashlib.sha256(text).digest()
    entries["checksum.npy"] = npy(np.frombuffer(digest, np.uint8))
    with pytest.raises(SkillFileError, match=words) as refused:
        decode(damage.archive(entries))
    assert str(refused.value).isprintable() and len(str(refused.value)) < 300


def test_the_name_of_an_environment_is_safe_to_print():
    header, arrays = content()
    header["environment"] = {**header["environment"], "name": "\x1b[2J" + "x" * 10**6}
    skills = Skills(header, arrays)
    assert repr(skills).isprintable() and len(repr(skills)) < 400
    assert skills.info["environment"]["name"].endswith("xxx")


def test_a_header_without_its_list_of_arrays_is_refused():
    text = json.dumps({"format": "autotelic skills", "version": 1, "arrays": None}).encode()
    digest = module.hashlib.sha256(text).digest()
    entries = {
        "header.npy": npy(np.frombuffer(text, np.uint8)),
        "checksum.npy": npy(np.frombuffer(digest, np.uint8)),
    }
    with pytest.raises(SkillFileError, match="lists no arrays"):
        decode(damage.archive(entries))


def test_the_error_says_which_file(tmp_path: Path):
    path = written(tmp_path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(SkillFileError, match=rf"{path}: it is no npz"):
        Skills.load(path)
