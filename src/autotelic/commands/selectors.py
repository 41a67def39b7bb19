"""`autotelic selectors`: the goal selectors that the shell knows by name. NumPy alone."""

from collections.abc import Sequence

from autotelic.commands.listing import asks_for_help, listed, wrapped
from autotelic.selectors.spelling import ALIASES, NAMES

SUMMARY = "List the goal selectors: shell name, class, what it does, and where it was published."


def main(words: Sequence[str]) -> None:
    """Run the command."""
    if asks_for_help("selectors", SUMMARY, words):
        return
    print(listed(NAMES))
    also = ", ".join(f"`{alias}` is {_name_of(kind)}" for alias, kind in ALIASES.items())
    print()
    print(wrapped(f"{also}. Options are the arguments of a class: dp:temperature=0.3."))
    print(wrapped("`autotelic train ENVIRONMENT --methods NAME ...` trains with them."))


def _name_of(kind: type) -> str:
    return next(name for name, own in NAMES.items() if own is kind)
