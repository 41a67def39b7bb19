"""The agent of a setting that names none: the soft actor-critic for the environment's kind of actions."""

from dataclasses import dataclass, fields
from typing import ClassVar

from autotelic._options import option
from autotelic.agents.base import Agent
from autotelic.agents.discrete_sac import DiscreteSac
from autotelic.agents.sac import Sac


@dataclass(frozen=True)
class AutoSac(Sac):
    """`Sac` where actions are continuous, `DiscreteSac` where they are discrete; with a tuned entropy scale.

    It stands in a setting until the environment is known; runs are trained, and described, with what
    `of_kind` gives.
    """

    # What either of the two can: what the one that is taken cannot is refused when it is known.
    gives_values: ClassVar[bool] = True
    gives_value_spread: ClassVar[bool] = True

    tune_entropy: bool = option(True, "Tune the entropy scale towards the target entropy.")

    def of_kind(self, actions: str) -> Agent:
        """The agent for actions that are `continuous` or `discrete`, with the same options.

        >>> AutoSac(discount=0.9).of_kind("discrete").discount
        0.9
        """
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        if actions != "discrete":
            return Sac(**given)
        known = {one.name for one in fields(DiscreteSac)}
        for one in fields(self):
            if one.name not in known and given[one.name] != one.default:
                raise ValueError(
                    f"{one.name} {given[one.name]} is an option of Sac, and actions are discrete; leave it "
                    "out, or choose the agent and its options: DiscreteSac (--agent discrete-sac)"
                )
        return DiscreteSac(**{name: value for name, value in given.items() if name in known})
