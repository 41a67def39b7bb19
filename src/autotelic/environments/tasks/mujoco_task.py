"""What tasks made from Gymnasium's MuJoCo environments share: their state, for runs that are resumed."""

from typing import Any

from autotelic.environments.state import read_mujoco, write_mujoco


class MujocoTask:
    """A base beside a MuJoCo environment of Gymnasium's. What a task itself remembers goes through
    `own_state` and `restore_own`.
    """

    def state_dict(self) -> dict[str, Any]:
        """All that the next step depends on but the random generator and the time."""
        return {"body": read_mujoco(self), "own": self.own_state()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from what `state_dict` gave."""
        write_mujoco(self, state["body"])
        self.restore_own(state["own"])

    def own_state(self) -> dict[str, Any]:
        """What the task remembers, as JSON values."""
        return {}

    def restore_own(self, state: dict[str, Any]) -> None:
        """Continue from what `own_state` gave."""
