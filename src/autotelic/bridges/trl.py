"""TRL's `GRPOTrainer`: a curriculum chooses the prompts.

    dataset = dataset.map(lambda row, number: {"goal": number}, with_indices=True)
    curriculum = autotelic.Curriculum(autotelic.Mopps(), len(dataset))

    class Trainer(GRPOTrainer):
        def _get_train_sampler(self, dataset=None):
            return PromptSampler(curriculum, self.args)

    Trainer(reward_funcs=telling(curriculum, reward), callbacks=[Saving(curriculum)], ...)

Every process draws the same prompts, because all are told of all results. Say `ignore_data_skip=True` in the
arguments: prompts that were chosen before a checkpoint are not to be chosen again when it is resumed.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from autotelic.curriculum import Curriculum

if TYPE_CHECKING:  # what is used of them, for type checkers that do not have them

    class Sampler:
        """PyTorch's."""

    class TrainerCallback:
        """That of transformers."""

    def gather_object(object: list[Any]) -> list[Any]:
        """The lists of all processes, one after the other: accelerate's."""
        ...

else:
    try:
        from accelerate.utils import gather_object
        from torch.utils.data import Sampler
        from transformers import TrainerCallback
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"autotelic.bridges.trl needs the package {error.name!r}: pip install trl",
            name=error.name,
        ) from error

FILE = "autotelic_curriculum.json"


class PromptSampler(Sampler):
    """Rows of the dataset in the order that `GRPOTrainer` takes them: each prompt as often as it is answered,
    and each batch as often as it is learned from.

    Args:
        curriculum: its goals are the rows.
        arguments: the trainer's `GRPOConfig`.
    """

    def __init__(self, curriculum: Curriculum, arguments: Any):
        self.curriculum: Curriculum = curriculum
        self.answers: int = arguments.num_generations
        self.prompts: int = arguments.generation_batch_size // self.answers
        self.repeats: int = arguments.num_iterations * arguments.steps_per_generation

    def __iter__(self) -> Iterator[int]:
        """An epoch: as many batches as there are in the dataset; those begun before are given up."""
        self.curriculum.abandon(self.curriculum.in_flight)
        for _ in range(self.curriculum.num_goals // self.prompts):
            goals = self.curriculum.select(self.prompts)
            yield from np.tile(np.repeat(goals, self.answers), self.repeats).tolist()

    def __len__(self) -> int:
        batches = self.curriculum.num_goals // self.prompts
        return batches * self.prompts * self.answers * self.repeats


def telling(
    curriculum: Curriculum,
    reward: Callable[..., list[float]],
    success: Callable[[float], float] = float,
    column: str = "goal",
) -> Callable[..., list[float]]:
    """A reward function that tells the curriculum of the answers to each prompt.

    Args:
        curriculum: its goals are the numbers in the dataset's column.
        reward: the reward function.
        success: from a reward to success in [0, 1].
        column: of the rows' numbers. A dataset for evaluation without it is not told of.
    """

    def told(**columns: Any) -> list[float]:
        rewards = reward(**columns)
        if column in columns:
            goals = np.array(gather_object(list(columns[column])))
            shown = np.array(gather_object([success(one) for one in rewards]), dtype=np.float64)
            found, index, counts = np.unique(goals, return_inverse=True, return_counts=True)
            curriculum.update(found, success=np.bincount(index, shown) / counts, counts=counts)
            for name, value in curriculum.metrics().items():
                columns["log_metric"](f"goals/{name}", value)
        return rewards

    told.__name__ = getattr(reward, "__name__", "reward")
    return told


class Saving(TrainerCallback):
    """Saves the curriculum in each checkpoint; `Saving(curriculum, "checkpoint-100")` continues from one."""

    def __init__(self, curriculum: Curriculum, checkpoint: str | Path | None = None):
        self.curriculum: Curriculum = curriculum
        if checkpoint is not None:
            curriculum.load_state_dict(json.loads((Path(checkpoint) / FILE).read_text()))

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Beside the trainer's own files."""
        folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        (folder / FILE).write_text(json.dumps(self.curriculum.state_dict()))
