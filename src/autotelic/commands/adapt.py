"""`autotelic adapt`: use skills in a task that was no part of their training."""

from collections.abc import Callable, Sequence

from autotelic import _validate
from autotelic.commands import adapt_learning, adapt_looking

WAYS: dict[str, tuple[Callable[[Sequence[str]], None], str]] = {
    "best": (adapt_looking.best, "the skill that a task pays most"),
    "fine-tune": (adapt_learning.fine_tuned, "learn a task on from a skill"),
    "meta": (adapt_learning.meta, "learn which skill to use when"),
    "zero-shot": (adapt_looking.zero_shot, "lead skills to places by phi, without learning"),
    "imitate": (adapt_looking.imitated, "the skill that a trajectory shows"),
}


def main(words: Sequence[str]) -> None:
    """Run the command."""
    if not words or words[0] in ("-h", "--help"):
        print(overview())
        return
    way, *rest = words
    _validate.choice("way to adapt", way, WAYS)
    WAYS[way][0](rest)


def overview() -> str:
    """The help of all ways."""
    width = max(len(name) for name in WAYS)
    return "\n".join(
        [
            "usage: autotelic adapt WAY RUN|FILE [OPTIONS]",
            "",
            "Use skills in a task, with baselines beside them.",
            "",
            *(f"  {name:<{width}}  {words}" for name, (_, words) in WAYS.items()),
            "",
            "`autotelic adapt WAY --help` explains one.",
        ]
    )
