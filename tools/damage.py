"""Damaged files: what the readers of the library and the shell make of them.

    python -m tools.damage --damages 3000

It makes one of everything that is read (runs, a skill file, a sweep, states of curricula), damages it over
and over, opens it as the shell does, and counts:

    refused    one sentence and exit code 2
    harmless   the result is that of the undamaged file: spaces, or bytes of an archive that mean nothing
    taken      another result, where nothing can tell: a file that a user types, or one whose checksum was
               forged, holds another value of the right kind
    silent     another result, without a word: a fault
    traceback  an error that the shell does not turn into a sentence, or that comes later: a fault
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import shutil
import sys
import tempfile
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import autotelic as at
from autotelic import cli
from autotelic._documents import checked, sealed
from autotelic.commands.exit_codes import REFUSED, exit_code
from autotelic.evaluation.results import Evaluation, EvaluationSetting, load_evaluation
from autotelic.flags.own_parts import OwnFlags, open_run
from autotelic.learner.setting import Setting
from autotelic.runs.atomic import write_document
from autotelic.runs.diverged import DIVERGED_FILE, Diverged, write_diverged
from autotelic.runs.run import FORMAT, Runs
from autotelic.runs.skills import named_arrays
from autotelic.runs.store import CheckpointStore
from autotelic.selectors import GoalSelector, from_description
from autotelic.selectors.spelling import NAMES
from autotelic.sweeps.checking import Checked
from autotelic.sweeps.file import read_sweep_file
from autotelic.sweeps.folder import Plan, write_plan
from autotelic.sweeps.grid import cells_of
from autotelic.sweeps.naming import words_of
from autotelic.training.checkpoints import Meta
from autotelic.training.train import train

Damage = Callable[[bytes, np.random.Generator], bytes]
HOSTILE: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2**31, 2**63, 10**39, 10**400, 1e308, -0.5, float("nan"), float("inf")),
    *(
        "",
        "eval",
        "../../etc/passwd",
        "__reduce__",
        "\x1b[2J",
        "\ud800",
        "inf",
        "-inf",
        "nan",
        "a" * 10_000,
    ),
    *([], {}, [1], [-1], {"a": 1}, "NaN", [[[]]], "sac", "gmm-sac", "discrete-sac", "cic", "dads"),
)
DEEP = 200_000


# --- damage to bytes


def flip(data: bytes, rng: np.random.Generator) -> bytes:
    """One to eight bits are others."""
    changed = bytearray(data)
    for place in rng.integers(len(data), size=rng.integers(1, 9)):
        changed[place] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def digit(data: bytes, rng: np.random.Generator) -> bytes:
    """One digit is another."""
    places = [place for place, byte in enumerate(data) if 48 <= byte < 58]
    if not places:
        return flip(data, rng)
    changed, place = bytearray(data), places[rng.integers(len(places))]
    changed[place] = 48 + (changed[place] - 48 + int(rng.integers(1, 10))) % 10
    return bytes(changed)


def overwrite(data: bytes, rng: np.random.Generator) -> bytes:
    """A span holds noise, or zeros."""
    begin, end = _span(data, rng)
    noise = rng.bytes(end - begin) if rng.random() < 0.5 else bytes(end - begin)
    return data[:begin] + noise + data[end:]


def cut(data: bytes, rng: np.random.Generator) -> bytes:
    """The end is missing."""
    return data[: int(rng.integers(len(data)))]


def remove(data: bytes, rng: np.random.Generator) -> bytes:
    """A span is missing."""
    begin, end = _span(data, rng)
    return data[:begin] + data[end:]


def insert(data: bytes, rng: np.random.Generator) -> bytes:
    """Bytes were put in, at the end too."""
    place = (0, len(data), int(rng.integers(len(data))))[rng.integers(3)]
    return data[:place] + rng.bytes(int(rng.integers(1, 100))) + data[place:]


def move(data: bytes, rng: np.random.Generator) -> bytes:
    """Two neighbouring spans changed places."""
    a, b, c = sorted(rng.integers(len(data) + 1, size=3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def line(data: bytes, rng: np.random.Generator) -> bytes:
    """A line is there twice, or not at all."""
    lines = data.splitlines(keepends=True)
    chosen = int(rng.integers(len(lines)))
    return b"".join(lines[:chosen] + lines[chosen:][rng.integers(2) :][: len(lines)]) + (
        lines[chosen] if rng.random() < 0.5 else b""
    )


def deep(data: bytes, rng: np.random.Generator) -> bytes:
    """A value is a list in a list in a list."""
    places = [place for place, byte in enumerate(data) if byte in b"[{:=,"]
    place = places[rng.integers(len(places))] + 1 if places else 0
    return data[:place] + b"[" * DEEP + b"]" * DEEP + data[place:]


BYTES: tuple[Damage, ...] = (flip, digit, overwrite, cut, remove, insert, move, line, deep)


# --- damage to JSON


def changed(data: bytes, rng: np.random.Generator) -> bytes:
    """A value is another, of any kind, or is missing; the checksum is that of before."""
    content = json.loads(data)
    _change(content, rng)
    return _text(content)


def forged(data: bytes, rng: np.random.Generator) -> bytes:
    """The same, and a checksum that fits."""
    content = json.loads(data)
    _change(content, rng)
    if "crc32" in content:
        del content["crc32"]
        content = sealed(content, content.pop("format", 0))
    return _text(content)


def _text(content: Any) -> bytes:
    return json.dumps(content, indent=1).encode()


def _change(inner: Any, rng: np.random.Generator) -> None:
    while True:
        names = list(inner) if isinstance(inner, dict) else range(len(inner))
        key = names[rng.integers(len(names))]
        if not isinstance(inner[key], dict | list) or not inner[key] or rng.random() < 0.2:
            break
        inner = inner[key]
    if rng.random() < 0.15:
        del inner[key]
    elif type(inner[key]) in (int, float) and rng.random() < 0.2:
        inner[key] = type(inner[key])(inner[key] + int(rng.integers(-3, 4)))
    else:
        inner[key] = HOSTILE[int(rng.integers(len(HOSTILE)))]


# --- damage to archives


def directory(data: bytes, rng: np.random.Generator) -> bytes:
    """Bytes of the archive's directory, at its end, are others: names, sizes, places."""
    begin = data.rindex(b"PK\x01\x02")
    found = bytearray(data)
    for place in rng.integers(begin, len(data), size=rng.integers(1, 5)):
        found[place] = int(rng.integers(256))
    return bytes(found)


def rearranged(data: bytes, rng: np.random.Generator) -> bytes:
    """A sound archive whose entries are others: missing, renamed, doubled, compressed, changed."""
    entries = archive_entries(data)
    name = str(rng.choice(list(entries)))
    kind = int(rng.integers(8))
    body = bytearray(entries.pop(name))
    compression = zipfile.ZIP_DEFLATED if kind == 1 else zipfile.ZIP_STORED
    if kind == 2:
        names = ["../../x.npy", "/etc/x.npy", "x", "policy\0.npy", "a" * 9000 + ".npy"]
        name = str(rng.choice(names))
    if kind == 3:
        body[int(rng.integers(len(body)))] ^= 255
    if kind == 4:
        body = bytearray(_pickled())
    if kind == 5:
        entries["extra.npy"] = bytes(body)
    if kind == 6:
        body = body + body
    if kind == 7:  # a shape that no memory holds
        size = b"%d" % 10 ** int(rng.integers(9, 31))
        body = body.replace(b"(", b"(" + size + b", ", 1)
    if kind:
        entries[name] = bytes(body)
    return archive(entries, compression)


def forged_skills(data: bytes, rng: np.random.Generator) -> bytes:
    """An entry of a skill file's header is another, and all checksums fit it."""
    entries = archive_entries(data)
    header = json.loads(npy_body(entries["header.npy"]))
    _change(header, rng)
    text = json.dumps(header).encode()
    entries["header.npy"] = _npy(np.frombuffer(text, np.uint8))
    entries["checksum.npy"] = _npy(np.frombuffer(hashlib.sha256(text).digest(), np.uint8))
    return archive(entries)


ARCHIVE: tuple[Damage, ...] = (directory, rearranged)
FORGED = (forged, forged_skills)


# --- damage to files


def pipe(path: Path) -> None:
    """A pipe is in its place."""
    path.unlink()
    os.mkfifo(path)


def folder(path: Path) -> None:
    """A folder is in its place."""
    path.unlink()
    path.mkdir()


def device(path: Path) -> None:
    """A link to a device without an end is in its place."""
    path.unlink()
    path.symlink_to("/dev/zero")


FILES: tuple[Callable[[Path], None], ...] = (pipe, folder, device)


# --- what is damaged


class Subject(NamedTuple):
    """Something that is read: its files, and a function that opens it and returns all that it says.

    typed: a user's own words, which no checksum guards.
    """

    name: str
    files: tuple[Path, ...]
    read: Callable[[], str]
    typed: bool = False


def subjects(root: Path) -> list[Subject]:
    """One of everything, in a folder."""
    run, kept, cut_off = root / "run", root / "kept", root / "unfinished"
    runs = _run(run)
    _evaluated(runs)
    shutil.copytree(run, kept, ignore=shutil.ignore_patterns("checkpoints", "replay"))
    shutil.copytree(run, cut_off, ignore=shutil.ignore_patterns("skills.npz", "evaluation.*"))
    planned = {name: value for name, value in runs.description.items() if name != "grown"}
    write_document(cut_off / "run.json", {**planned, "epochs": 9}, FORMAT)
    lost = Diverged(1, "dp", 0, epoch=1, step=2, goal=0, sentence="its weights are NaN")
    write_diverged(kept, [lost])
    begun = root / "begun"
    skills = root / "skills.file"
    runs.export("dp", 0, skills)
    policy = at.Skills.load(skills).policy_of(0)
    _run(begun, goals=1, policies={("dp", 0): policy})
    latest = max((run / "checkpoints").glob("*.json"))
    parts = [latest, latest.with_suffix(".npz"), *(run / "replay").glob("*.npy")]
    names = ("run.json", "history.csv", "learning_curve.csv", "skills.npz")
    file = root / "sweep.toml"
    file.write_text(SWEEP)
    sweep = root / "sweep"
    cells = [Checked(f"n={n}", {"n": n}, words_of({"n": n}, bool), 3, 2) for n in (1, 2)]
    write_plan(sweep, Plan(cells, 1), file)
    return [
        Subject("run", tuple(run / name for name in (*names, *EVALUATED)), lambda: read_run(run)),
        Subject("checkpoint", tuple(parts), lambda: read_run(run)),
        Subject(
            "run alone",
            tuple(kept / name for name in (*names, DIVERGED_FILE)),
            lambda: read_run(kept),
        ),
        Subject(
            "unfinished", tuple(cut_off / name for name in names[:3]), lambda: read_run(cut_off)
        ),
        Subject("start", (begun / "start.npz", begun / "run.json"), lambda: read_run(begun)),
        Subject("skill file", (skills,), lambda: read_skills(skills)),
        Subject("sweep file", (file,), lambda: repr(cells_of(read_sweep_file(file))), typed=True),
        Subject("sweep", (sweep / "sweep.json",), lambda: shell("sweep", "status", str(sweep))),
        *(_state(root, name, make()) for name, make in NAMES.items()),
    ]


EVALUATED = ("evaluation.json", "evaluation.csv")
SWEEP = """
environment = "navigation2d"
methods = ["diayn", "dp:offset=5,smoothing=5"]
seeds = 2
epochs = 3
cores = 1
environment-options = { noise = 0.01, episode_length = 15 }

[grid]
num-goals = [2, 3]
hidden-units = [8, 16]

[[cells]]
num-goals = 5
learning-rate = 0.001
"""


def _run(place: Path, goals: int = 3, **more: Any) -> Runs:
    """A run of a few dozen steps."""
    setting = Setting(
        environment_options={"episode_length": 15},
        num_goals=goals,
        steps_per_epoch=20,
        hidden_units=8,
        batch_size=16,
        first_update=10,
        replay_capacity=60,
    )
    methods = {"diayn": at.Uniform(), "dp": at.LearnedPrior()}
    more |= {"evaluate_every": 2} if goals > 1 else {}
    return train(setting, methods, [0], 3, place, checkpoint_every=1, **more)


def _evaluated(runs: Runs) -> None:
    import pandas

    rows = [(n, *member, True, "knn_f1", 0.5 + n) for n, member in enumerate(runs.members)]
    columns = pandas.Index(["member", "method", "seed", "trained", "metric", "value"])
    table = pandas.DataFrame(rows, columns=columns)
    Evaluation(EvaluationSetting(runs.epochs, 2, 5, 0), table, []).save(runs.folder)


def read_run(place: Path) -> str:
    """All that a command knows of a run."""
    runs = open_run(str(place), OwnFlags(), ["autotelic"])
    said = [json.dumps(runs.description, default=str), runs.history.to_csv(), repr(runs.diverged)]
    said += [] if runs.learning_curve is None else [runs.learning_curve.to_csv()]
    arrays = named_arrays(runs.skills)
    checkpoint = CheckpointStore(place).load_latest()
    if checkpoint is not None:
        arrays |= checkpoint.arrays
        assert checkpoint.replay is not None
        arrays["replay"] = checkpoint.replay.rings[0]
        said.append(json.dumps(checkpoint.meta))
        meta = checked(place, checkpoint.meta, Meta, "meta")
        for member, state in zip(runs.members, meta["curricula"], strict=False):
            selector = from_description(runs.description["methods"][member[0]])
            at.Curriculum(selector, runs.setting.num_goals).load_state_dict(state)
    if runs.start is not None:
        arrays |= named_arrays(runs.untrained)
    if (place / EVALUATED[0]).exists():
        found = load_evaluation(place)
        said += [repr(found.setting), found.table.to_csv(), repr(found.summary())]
    said += [
        f"{name} {array.dtype} {array.shape} {array.tobytes()!r}" for name, array in arrays.items()
    ]
    return "\n".join(said)


def read_skills(path: Path) -> str:
    """What a skill file says and does."""
    skills = at.Skills.load(path)
    action = skills.act(np.zeros(skills.observation_size), 0, np.random.default_rng(0))
    assert np.isfinite(action).all()
    return f"{skills!r} {dict(skills.info)} {action} {skills.checksum()}"


def shell(*words: str) -> str:
    """What a command prints; its refusal is an error again."""
    said, refusal = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(refusal):
        code = cli.main(words)
    if code == REFUSED:
        raise Refusal(refusal.getvalue())
    assert code == 0, f"exit code {code}"
    return said.getvalue()


class Refusal(Exception):
    """A sentence of the shell with exit code 2."""


def _state(root: Path, name: str, selector: GoalSelector) -> Subject:
    """A curriculum's state in a file of the user's own, after some visits."""
    curriculum = at.Curriculum(selector, 4)
    for visit in range(12):
        _visit(curriculum, visit)
    path = root / f"{name}.state.json"
    path.write_bytes(_text(curriculum.state_dict()))

    def read() -> str:
        try:
            saved = json.loads(path.read_bytes())
        except (ValueError, RecursionError) as error:  # the user's own reader, not the library
            raise Refusal("it is no JSON") from error
        loaded = at.Curriculum(selector, 4)
        before = json.dumps(loaded.state_dict())
        try:
            loaded.load_state_dict(saved)
        except ValueError:
            assert json.dumps(loaded.state_dict()) == before, "a refusal changed the curriculum"
            raise
        said = json.dumps(loaded.state_dict())
        for visit in range(6):
            _visit(loaded, visit)
            assert np.isfinite(loaded.prior).all() and abs(loaded.prior.sum() - 1) < 1e-6
        return said

    return Subject(f"state {name}", (path,), read, typed=True)


def _visit(curriculum: at.Curriculum, visit: int) -> None:
    """A visit with every kind of evidence that the selector takes."""
    rng = np.random.default_rng(visit)
    curriculum.select()
    goals = curriculum.num_goals
    names = ("probe_before", "probe_after", "value_spread", "values_before", "values_after")
    evidence: dict[str, Any] = {name: rng.random(goals) for name in names}
    evidence |= {"success": float(rng.integers(2)), "reached": rng.random(goals) < 0.5}
    evidence |= {"achieved": rng.random((3, 2)), "places": np.arange(2.0 * goals).reshape(goals, 2)}
    curriculum.update(rng.dirichlet(np.ones(goals), 60), **evidence)


# --- the verdict


class Finding(NamedTuple):
    """What became of one damage; `why` of a fault."""

    subject: str
    damage: str
    result: str
    why: str = ""


def damages_of(path: Path) -> list[Any]:
    """What can befall a file, by its kind."""
    if path.name.endswith(".state.json"):  # the user opens it, and hands on what it holds
        return [digit, line, *[changed] * 4]
    if path.suffix == ".json":
        return [*BYTES, changed, forged, forged, *FILES]
    if path.suffix == ".npz":
        return [*BYTES, *ARCHIVE, *ARCHIVE, *FILES]
    if path.suffix == ".file":
        return [*BYTES, *ARCHIVE, forged_skills, forged_skills, *FILES]
    return [*BYTES, *FILES]


@contextlib.contextmanager
def put_back(path: Path) -> Iterator[bytes]:
    """The file's bytes; whatever is in its place afterwards, they are there again."""
    data = path.read_bytes()
    try:
        yield data
    finally:
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)
        path.write_bytes(data)


def try_once(subject: Subject, expected: str, rng: np.random.Generator) -> Finding:
    """Damage one file of a subject once, and open it."""
    path = subject.files[rng.integers(len(subject.files))]
    known = damages_of(path)
    damage = known[rng.integers(len(known))]
    with put_back(path) as data:
        if damage in FILES:
            damage(path)
        else:
            path.write_bytes(damage(data, rng))
        what = (subject.name, damage.__name__)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = subject.read()
        except Refusal as error:
            return Finding(*what, *_judged(str(error)))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if isinstance(error, Exception) and exit_code(error) == REFUSED:
                return Finding(*what, *_judged(str(error)))
            last = traceback.format_exc().strip().splitlines()[-4:]
            return Finding(*what, "traceback", f"{path.name}: " + " | ".join(last))
    if found == expected:
        return Finding(*what, "harmless")
    free = subject.typed or damage in FORGED
    return Finding(*what, "taken" if free else "silent", "" if free else path.name)


def _judged(sentence: str) -> tuple[str, str]:
    """A refusal is one sentence in characters that no terminal obeys."""
    lines = sentence.strip().splitlines()
    fine = lines and len(lines) < 10 and all(one.isprintable() and len(one) < 2000 for one in lines)
    return ("refused", "") if fine else ("traceback", f"no sentence: {sentence[:300]!r}")


def run(count: int, seed: int = 0, only: str = "") -> list[Finding]:
    """Damage everything in turn; `only` names subjects."""
    rng = np.random.default_rng(seed)
    found = []
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = [one for one in subjects(Path(place)) if only in one.name]
        expected = [one.read() for one in chosen]
        states = [one for one in chosen if one.name.startswith("state")]
        turns = [one for one in chosen if one not in states] * 2 + states
        for number in range(count):
            subject = turns[number % len(turns)]
            found.append(try_once(subject, expected[chosen.index(subject)], rng))
    return found


RESULTS = ("refused", "harmless", "taken", "silent", "traceback")


def table(found: list[Finding]) -> str:
    """How often each subject had which result."""
    counts = Counter((_kind(one.subject), one.result) for one in found)
    names = list(dict.fromkeys(_kind(one.subject) for one in found))
    rows = [[name, *(counts[name, result] for result in RESULTS)] for name in names]
    rows.append(["all", *(sum(row[1 + at] for row in rows) for at in range(len(RESULTS)))])
    head = f"{'':12}" + "".join(f"{result:>11}" for result in RESULTS)
    return "\n".join(
        [head, *(f"{row[0]:12}" + "".join(f"{n:11}" for n in row[1:]) for row in rows)]
    )


def _kind(name: str) -> str:
    return name.partition(" ")[0] if name.startswith("state") else name


def faults(found: list[Finding]) -> list[Finding]:
    """What must not be."""
    return [one for one in found if one.result in ("silent", "traceback")]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--damages", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="subjects whose name has this in it")
    words = parser.parse_args()
    found = run(words.damages, words.seed, words.only)
    print(table(found))
    for one in faults(found):
        print(f"{one.result}: {one.subject}, {one.damage}: {one.why}")
    return bool(faults(found))


def _span(data: bytes, rng: np.random.Generator) -> tuple[int, int]:
    begin = int(rng.integers(len(data)))
    return begin, min(len(data), begin + int(rng.geometric(0.01)))


def archive_entries(data: bytes) -> dict[str, bytes]:
    """The bytes of every entry of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


def archive(entries: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """An archive of these entries."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as file:
        for name, body in entries.items():
            file.writestr(name, body)
    return data.getvalue()


def _npy(array: np.ndarray) -> bytes:
    data = io.BytesIO()
    np.save(data, array)
    return data.getvalue()


def npy_body(entry: bytes) -> bytes:
    """What follows the header of a .npy file."""
    return entry[10 + int.from_bytes(entry[8:10], "little") :]


def _pickled() -> bytes:
    """An array whose unpickling would raise, and cannot be told from worse."""
    data = io.BytesIO()
    np.save(data, np.array([Unpicklable()], object), allow_pickle=True)
    return data.getvalue()


class Unpicklable:
    """Ends whoever unpickles it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return SystemExit, ("a file was unpickled",)


if __name__ == "__main__":
    sys.exit(main())
