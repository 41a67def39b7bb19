# pyright: reportMissingImports=false
"""TRL's real trainer, with a tiny model that is made here, takes its prompts from a curriculum."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autotelic as at

pytest.importorskip("trl")
pytestmark = pytest.mark.filterwarnings("ignore")

ROWS, ANSWERS, PROMPTS = 12, 4, 4
HOPELESS = 3
"""Prompts from this number on: their answers are never right."""


def trainer(
    folder: Path, curriculum: at.Curriculum, steps: int, repeats: int = 1, **more: Any
) -> Any:
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
    from trl import GRPOConfig, GRPOTrainer

    from autotelic.bridges.trl import PromptSampler, Saving, telling

    words = {word: number for number, word in enumerate(["<pad>", "<eos>", *"0123456789ab"])}
    bare = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
    bare.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokens = PreTrainedTokenizerFast(tokenizer_object=bare, pad_token="<pad>", eos_token="<eos>")
    model = Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=len(words),
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=1,
            pad_token_id=0,
            eos_token_id=1,
        )
    )
    seen: list[list[int]] = []

    def reward(completions: list[str], goal: list[int], **_: Any) -> list[float]:
        seen.append(list(goal))
        return [float(g < HOPELESS and i % 2) for i, g in enumerate(goal)]

    class Trainer(GRPOTrainer):
        def _get_train_sampler(self, dataset: Any = None) -> Any:
            return PromptSampler(curriculum, self.args)

    rows = {"prompt": list("0123456789ab")[:ROWS], "goal": list(range(ROWS))}
    made = Trainer(
        model=model,
        reward_funcs=telling(curriculum, reward),
        args=GRPOConfig(
            output_dir=str(folder),
            per_device_train_batch_size=ANSWERS * PROMPTS,
            num_generations=ANSWERS,
            num_iterations=repeats,
            max_completion_length=2,
            max_steps=steps,
            save_steps=2,
            logging_steps=1,
            report_to=[],
            use_cpu=True,
            ignore_data_skip=True,
            disable_tqdm=True,
        ),
        train_dataset=Dataset.from_dict(rows),
        processing_class=tokens,
        callbacks=[Saving(curriculum, **more)],
    )
    return made, seen


@pytest.mark.parametrize("repeats", [1, 2])
def test_the_trainer_answers_the_prompts_that_were_selected(tmp_path: Path, repeats: int):
    curriculum = at.Curriculum(at.RoundRobin(), ROWS, seed=0)
    made, seen = trainer(tmp_path, curriculum, steps=6 * repeats, repeats=repeats)
    made.train()
    assert len(seen) == 6
    for goals in seen:  # in groups, each prompt once a batch
        groups = np.reshape(goals, (PROMPTS, ANSWERS))
        assert (groups == groups[:, :1]).all() and len(set(groups[:, 0].tolist())) == PROMPTS
    # Two rounds of twelve: every prompt twice.
    assert np.bincount(np.ravel(seen)).tolist() == [2 * ANSWERS] * ROWS
    found = curriculum.metrics()
    assert found["told"] == 24 and found["useful"] == HOPELESS / ROWS
    assert any("goals/useful" in line for line in made.state.log_history)
    saved = json.loads((tmp_path / "checkpoint-2" / "autotelic_curriculum.json").read_text())
    at.Curriculum(at.RoundRobin(), ROWS).load_state_dict(saved)


def test_prompts_that_teach_are_found_and_kept_over_a_checkpoint(tmp_path: Path):
    first = at.Curriculum(at.Mopps(kept=1.0), ROWS, seed=0)
    made, _ = trainer(tmp_path, first, steps=8)
    made.train()
    second = at.Curriculum(at.Mopps(kept=1.0), ROWS, seed=5)
    made, seen = trainer(tmp_path, second, steps=16, checkpoint=tmp_path / "checkpoint-8")
    np.testing.assert_array_equal(second.values, first.values)
    made.train(resume_from_checkpoint=str(tmp_path / "checkpoint-8"))
    assert len(seen) == 8
    useful = (np.ravel(seen) < HOPELESS).mean()
    assert useful > 0.55  # a quarter of the prompts; three of a batch's four are the most
