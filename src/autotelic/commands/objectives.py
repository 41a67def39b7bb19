"""`autotelic objectives`: the objectives that the shell knows by name."""

from collections.abc import Sequence

from autotelic.commands.listing import asks_for_help, listed, wrapped
from autotelic.objectives import OBJECTIVES

SUMMARY = "List the objectives: shell name, class, what it does, and where it was published."


def main(words: Sequence[str]) -> None:
    """Run the command."""
    if asks_for_help("objectives", SUMMARY, words):
        return
    print(listed(OBJECTIVES))
    print()
    print(wrapped("`autotelic train ENVIRONMENT --objective NAME` trains with one."))
