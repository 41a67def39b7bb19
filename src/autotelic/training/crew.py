"""The loop of Algorithm 1 for a few learners: choose goals, pursue them, tell the curricula.

Read it next to docs/equations.md. A crew's members have selectors of their own and step together.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autotelic._spaced import spaced
from autotelic.curriculum import Curriculum
from autotelic.learner.learner import StepRecord
from autotelic.learner.plan import Member
from autotelic.objectives import Objective
from autotelic.runs.diverged import Diverged
from autotelic.runs.history import RETURN
from autotelic.runs.skills import named_arrays
from autotelic.selectors import effective_number_of_skills
from autotelic.training import warm_up
from autotelic.training.divergence import diverged, first_fault
from autotelic.training.learners import Learners
from autotelic.training.probes import Probes

PROBED = frozenset({"probe", "probe_after"})
"""Evidence that is made from states kept of every goal."""
MOST_PLACES = 200
"""Places of a visit that a selector is told of: enough for the density of what was achieved."""
Row = dict[str, Any]
"""What the history says of one member's visit, by `autotelic.runs.history` columns."""


def are_probed(members: Iterable[Member]) -> bool:
    """Whether states are kept for the selector of any of these members."""
    return any(member.selector.evidence & PROBED for member in members)


class Crew:
    """Learners and their curricula.

    A member whose numbers are no numbers any more is lost: its selector is asked and told nothing,
    and its rows of the history hold no measures. Members are independent, so the others go on.
    """

    def __init__(self, learners: Learners, members: Sequence[Member], probing: bool):
        functions = learners.program.functions
        setting = functions.setting
        self.learners = learners
        self.members: list[Member] = list(members)
        self.curricula: list[Curriculum] = [
            Curriculum(m.selector, setting.num_goals, m.seed) for m in members
        ]
        self.probes: Probes | None = Probes(learners) if probing else None
        asked = frozenset().union(*(m.selector.evidence for m in members))
        self.valuing: bool = "values" in asked
        self.spreading: bool = "value_spread" in asked
        self.objective: Objective = setting.objective
        self.visits_per_epoch: int = setting.visits_per_epoch
        self.warm_up_visits: int = functions.warm_up_visits
        self.epoch: int = 0  # how many are done
        self.rows: list[Row] = []
        self.found: list[Diverged] = []  # what the epoch under way has found
        self.lost: dict[int, Row] = {}  # what rows of a lost member say of its choice
        losses = [] if setting.frozen else functions.loss_names
        self.unmeasured: Row = {
            "certainty": np.nan,
            **({"success": np.nan} if setting.objective.gives_success else {}),
            **({RETURN: np.nan} if setting.objective.needs_reward else {}),
            "signal": np.full(setting.num_goals, np.nan),
            **{f"loss_{name}": np.nan for name in losses},
        }

    @property
    def over(self) -> bool:
        """Whether all members are lost: there is nothing left to compute."""
        return len(self.lost) == len(self.members)

    def practise(self) -> None:
        """An epoch: visits to goals, one after the other (in a worker thread)."""
        self.rows, self.found = [], []
        for visit in range(self.visits_per_epoch):
            self.learners.check_going_on()
            self.rows += self.run_visit(visit)

    def take_in(self) -> list[Row]:
        """The epoch is over: returns its rows of the history, visit by visit."""
        self.epoch += 1
        return self.rows

    def run_visit(self, visit: int) -> list[Row]:
        """Choose goals, pursue them, update the curricula; returns the rows of the history.

        visit: its number within the epoch.
        """
        number = self.epoch * self.visits_per_epoch + visit
        warming_up = number < self.warm_up_visits
        rows = [self._choose_goal(index, number, warming_up) for index in range(len(self.members))]
        if not self.over:
            record, evidence = self._pursue(rows, number)
            for index, curriculum in enumerate(self.curricula):
                if index not in self.lost:
                    if not warming_up:
                        curriculum.update(record.posterior[index], **evidence[index])
                    self._measure(rows[index], index, record, evidence[index])
        for index in self.lost:
            rows[index].update(self.unmeasured)
        return rows

    def _choose_goal(self, index: int, number: int, warming_up: bool) -> Row:
        """Ask a selector for its goal; its probabilities are noted as they were when it chose."""
        member = self.members[index]
        return {
            "member": member.number,
            "method": member.method,
            "seed": member.seed,
            "epoch": self.epoch,
            "visit": number % self.visits_per_epoch,
            "warm_up": int(warming_up),
            **(self.lost.get(index) or self._choice(index, number, warming_up)),
        }

    def _choice(self, index: int, number: int, warming_up: bool) -> Row:
        """A member's goal and the probabilities behind it."""
        curriculum = self.curricula[index]
        if warming_up:
            goal, selection = warm_up.choose(self.members[index].seed, number, curriculum.num_goals)
        else:
            selection = curriculum.selection_probabilities
            goal = curriculum.select()
        prior = curriculum.prior
        return {
            "prior": prior,
            "selection": selection,
            "effective_selection": float(effective_number_of_skills(selection)),
            "effective_prior": float(effective_number_of_skills(prior)),
            "goal": goal,
        }

    def _pursue(self, rows: Sequence[Row], number: int) -> tuple[StepRecord, list[Row]]:
        """Pursue the rows' goals: what the steps left behind, and each selector's further evidence."""
        goals = np.array([row["goal"] for row in rows])
        log_priors = self.objective.log_prior(np.stack([row["prior"] for row in rows]))
        start = self.learners.starts(number) if self.valuing or self.spreading else None
        before = self._evidence(start)
        record = self.learners.run_visit(number, list(goals), log_priors)
        self._find_diverged(record, rows)
        after = self._evidence(start)
        if start is not None and self.spreading:
            after["value_spread"] = self.learners.value_spread_from(start)
        if self.probes:
            self.probes.keep(self.learners, number, goals)
        replaced = self.learners.exchange_goals(number, list(goals), record.achieved)
        if self.objective.has_places:
            after["places"] = self.learners.places()
        told = [self._told(index, before, after, record) for index in range(len(self.members))]
        for own, exchanged in zip(told, replaced, strict=True):
            own["replaced"] = exchanged  # every selector: what it knew of such a goal is void
        return record, told

    def _evidence(self, start: np.ndarray | None) -> dict[str, np.ndarray]:
        """What is measured before and after a visit, [members, goals] each, by its name.

        start: [members, observation] where the visit began, if values are asked for.
        """
        found = {"probe": self.probes.score(self.learners)} if self.probes else {}
        if start is not None and self.valuing:
            found["values"] = self.learners.values_from(start)
        return found

    def _told(
        self,
        index: int,
        before: dict[str, np.ndarray],
        after: dict[str, np.ndarray],
        record: StepRecord,
    ) -> Row:
        """What a member's curriculum is told beside the posteriors."""
        asked = self.members[index].selector.evidence
        told: Row = {}
        if self.probes and asked & PROBED:
            told |= {"probe_before": before["probe"][index], "probe_after": after["probe"][index]}
        if "values" in asked:
            told |= {
                "values_before": before["values"][index],
                "values_after": after["values"][index],
            }
        if "value_spread" in asked:
            told["value_spread"] = after["value_spread"][index]
        if self.objective.has_places:  # every selector: some take it where it is given
            assert record.achieved is not None
            achieved = np.asarray(record.achieved[index])
            told["achieved"], told["places"] = _thinned(achieved), after["places"][index]
            told["reached"] = self.objective.reached(achieved, after["places"][index])
        if self.objective.gives_success:
            told["success"], told["count"] = self._success(index, record)
            told["competence"] = told["success"]
        elif record.competence is not None:
            own = np.mean(record.competence[index], dtype=np.float64)
            told["competence"] = float(np.clip(own, 0.0, 1.0))
        return told

    def _success(self, index: int, record: StepRecord) -> tuple[float, int]:
        """How successful a member's visit was, and how many episodes it had, the last of each environment
        among them; rows of its environments come in turn.
        """
        assert record.competence is not None and record.ended is not None
        shape = (-1, self.learners.environments)
        reached = np.asarray(record.competence[index]).reshape(shape).T
        ended = np.asarray(record.ended[index]).reshape(shape).T
        episodes = len(ended) + np.count_nonzero(ended[:, :-1])
        return self.objective.success(reached, ended), int(episodes)

    def _measure(self, row: Row, index: int, record: StepRecord, told: Row) -> None:
        """Add to a row what its visit showed; told: what its curriculum was told beside posteriors."""
        if "success" in told:
            row["success"] = told["success"]
        if record.returned is not None:
            row[RETURN] = _mean_return(np.asarray(record.returned[index]))
        own = record.posterior[index][:, row["goal"]]
        row["certainty"] = float(own.mean(dtype=np.float64))
        row["signal"] = self.curricula[index].values
        for name, losses in record.losses.items():
            row[f"loss_{name}"] = float(losses[index].mean(dtype=np.float64))

    def _find_diverged(self, record: StepRecord, rows: Sequence[Row]) -> None:
        """Leave out the members of whose numbers one became NaN or infinite in this visit."""
        state = self.learners.without_replay
        parameters = named_arrays((state.agent, state.discriminator))
        for index, (member, row) in enumerate(zip(self.members, rows, strict=True)):
            if index in self.lost:
                continue
            fault = first_fault(index, record, parameters, self.learners.nan_actions.get(index))
            if fault is not None:
                step = row["visit"] * record.posterior.shape[1] + fault.step
                self.lose(index, row["goal"])
                self.found.append(diverged(member, fault.what, self.epoch, step, row["goal"]))

    def lose(self, index: int, goal: int) -> None:
        """Go on without a member; its rows keep its last p(g) and goal, as nothing is drawn."""
        self.learners.resting.add(index)
        prior = self.curricula[index].prior
        self.lost[index] = {
            "prior": prior,
            "selection": np.full(len(prior), np.nan),
            "effective_selection": np.nan,
            "effective_prior": float(effective_number_of_skills(prior)),
            "goal": goal,
        }


def _mean_return(returned: np.ndarray) -> float:
    """The mean over episodes that ended, of steps [steps] that are NaN elsewhere; NaN if none did."""
    ended = returned[~np.isnan(returned)]
    return float(ended.mean(dtype=np.float64)) if len(ended) else float("nan")


def _thinned(places: np.ndarray) -> np.ndarray:
    """At most MOST_PLACES of places [steps, dimensions], evenly spread, the last among them."""
    count = min(MOST_PLACES, len(places))
    chosen = spaced(len(places), count + 1)[1:]
    return np.asarray(places[chosen if count < len(places) else slice(None)], np.float64)
