import os
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autotelic.runs.arrays import check_arrays, read_arrays, write_arrays
from autotelic.runs.atomic import DamagedFile, Written

DTYPES = ["bool", "int8", "uint32", "int32", "int64", "float16", "float32", "float64", "complex64"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_arrays_come_back_bit_for_bit(tmp_path: Path, dtype: str, shape: tuple[int, ...]):
    array = np.frombuffer(bytes(range(1, 129)), dtype)[: int(np.prod(shape))].reshape(shape)
    if dtype == "bool":
        array = array.view("uint8") % 2 == 1
    path = tmp_path / "a.npz"
    written = write_arrays(path, {"a": array})
    assert written == Written(path.stat().st_size, zlib.crc32(path.read_bytes()))
    (back,) = read_arrays(path).values()
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, shape, array.tobytes())
    with np.load(path, allow_pickle=False) as archive:  # the file is an npz like any other
        assert archive["a"].tobytes() == array.tobytes()


@settings(max_examples=20)  # the disk may be slow
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)))
def test_any_name_comes_back(tmp_path_factory: pytest.TempPathFactory, names: list[str]):
    names += [".agent.params[0]", "file", "allow_pickle", "a", "a.npy", "a/b", "../c"]
    arrays = {name: np.array(index) for index, name in enumerate(names)}
    path = tmp_path_factory.getbasetemp() / "names.npz"
    write_arrays(path, arrays)
    assert list(read_arrays(path).items()) == list(arrays.items())


def test_what_needs_pickle_is_refused_before_anything_is_written(tmp_path: Path):
    for array in [np.array([None]), np.array([{}, 1]), np.array(["text"]), np.zeros(1, "M8[s]")]:
        with pytest.raises(TypeError, match=r"'bad' has dtype .* without pickle"):
            write_arrays(tmp_path / "a.npz", {"good": np.zeros(1), "bad": array})
    with pytest.raises(TypeError, match="'bad' must be a NumPy array, got list"):
        check_arrays({"bad": [1, 2]})  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="name must be a non-empty text without NUL, got ''"):
        check_arrays({"": np.zeros(1)})
    assert os.listdir(tmp_path) == []


def test_dtypes_that_npz_would_turn_into_raw_bytes_are_refused():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e5m2):
        with pytest.raises(TypeError, match="has dtype"):
            check_arrays({"a": np.zeros(2, dtype)})


class Bomb:
    def __reduce__(self):
        return (os.mkdir, ("exploded",))


def test_a_strangers_pickle_is_refused_and_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    np.savez("bomb.npz", a=np.array([Bomb()], dtype=object))
    with pytest.raises(DamagedFile, match=r"bomb\.npz: it holds no readable array .*object\[1\]"):
        read_arrays(tmp_path / "bomb.npz")
    assert os.listdir(tmp_path) == ["bomb.npz"]


def test_an_npz_cut_anywhere_is_refused(tmp_path: Path):
    path = tmp_path / "a.npz"
    write_arrays(path, {"a": np.arange(3), "b": np.arange(4)})
    whole = path.read_bytes()
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        with pytest.raises(DamagedFile, match=r"a\.npz: it is no readable npz file"):
            read_arrays(path)
    path.unlink()
    with pytest.raises(DamagedFile, match="is missing"):
        read_arrays(path)
