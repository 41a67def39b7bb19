"""TensorBoard and Weights & Biases, played by doubles that write down what they are told."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autotelic.cli import main
from autotelic.observers.base import RunStart
from autotelic.observers.sinks import TensorBoard, WeightsAndBiases

START = RunStart(Path("runs/nav"), [("diayn", 3), ("diayn", 4), ("a/b", 3)], 5, 10, 1000)


def rows() -> list[dict[str, Any]]:
    return [
        {
            "member": index,
            "method": method,
            "seed": seed,
            "epoch": 5,
            "visit": 0,
            "goal": 2,
            "effective_selection": 1.0,  # of the selection, whose later rounds are no curve to look at
            "effective_prior": index + 1.0,
            "certainty": 0.5,
            "loss_q": float(index),
            # Even over 1, 2 and 3 goals of three, which is how many there are in effect.
            "prior": (np.arange(3) <= index) / (index + 1),
        }
        for index, (method, seed) in enumerate(START.members)
    ]


class Writer:
    def __init__(self, folder: str, purge_step: int):
        self.told = [(folder, purge_step)]

    def add_scalar(self, *point: Any) -> None:
        self.told.append(point)

    def close(self) -> None:
        self.told.append(("closed", 0))


def test_tensorboard_gets_the_curves_of_each_member(monkeypatch):
    writers: list[Writer] = []

    def make(*arguments: Any, **options: Any) -> Writer:
        writers.append(Writer(*arguments, **options))
        return writers[-1]

    monkeypatch.setitem(sys.modules, "tensorboardX", SimpleNamespace(SummaryWriter=make))
    sink = TensorBoard()
    sink.started(START)
    sink.epoch_done(5, rows())
    sink.ended()
    names = ["diayn-seed3", "diayn-seed4", "a_b-seed3"]
    for index, (writer, name) in enumerate(zip(writers, names, strict=True)):
        assert writer.told == [
            (f"runs/nav/tensorboard/{name}", 5),
            ("effective_skills", pytest.approx(1.0 + index), 5),
            ("goal", 2.0, 5),
            ("certainty", 0.5, 5),
            ("loss_q", float(index), 5),
            ("closed", 0),
        ]


def test_tensorboard_gets_a_point_for_every_visit(monkeypatch):
    writer = Writer("", 0)
    package = SimpleNamespace(SummaryWriter=lambda folder, purge_step: writer)
    monkeypatch.setitem(sys.modules, "tensorboardX", package)
    sink = TensorBoard()
    sink.started(START._replace(members=START.members[:1], visits_per_epoch=4))
    sink.epoch_done(5, [{**rows()[0], "visit": visit, "goal": visit} for visit in range(4)])
    goals = [point for point in writer.told if point[0] == "goal"]
    assert goals == [("goal", float(visit), 20 + visit) for visit in range(4)]


def test_weights_and_biases_gets_means_over_seeds(monkeypatch):
    told: list[Any] = []
    run = SimpleNamespace(
        log=lambda values, step: told.append((values, step)), finish=lambda: told.append("finished")
    )

    def init(**options: Any) -> Any:
        told.append(options)
        return run

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=init))
    sink = WeightsAndBiases("skills")
    sink.ended()  # a run may end before it began
    sink.started(START)
    sink.epoch_done(5, rows())
    sink.ended()
    options, point, end = told
    assert (options["project"], options["name"], options["dir"]) == ("skills", "nav", "runs/nav")
    assert options["config"]["members"] == ["diayn, seed 3", "diayn, seed 4", "a/b, seed 3"]
    assert point == (
        {
            "epoch": 5,
            "effective_skills/diayn": pytest.approx(1.5),
            "certainty/diayn": 0.5,
            "loss_q/diayn": 0.5,
            "effective_skills/a/b": pytest.approx(3.0),
            "certainty/a/b": 0.5,
            "loss_q/a/b": 2.0,
        },
        5,
    )
    assert end == "finished"


@pytest.mark.parametrize(
    ("words", "package", "extra"),
    [(["--tensorboard"], "tensorboardX", "tensorboard"), (["--wandb", "p"], "wandb", "wandb")],
)
def test_a_missing_package_names_its_extra(tmp_path, monkeypatch, capsys, words, package, extra):
    monkeypatch.setitem(sys.modules, package, None)  # the import fails as if it were missing
    out = tmp_path / "run"
    assert main(["train", "navigation2d", "--out", str(out), *words]) == 2
    assert capsys.readouterr().err == (
        f"autotelic: --{extra} needs the package {package!r}: pip install 'autotelic[{extra}]'\n"
    )
    assert not out.exists()
