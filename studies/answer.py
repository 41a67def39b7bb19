"""Fills the claims of docs/results/README.md with numbers from the studies' files.

    python -m studies.answer

A claim is a sentence, the numbers that it rests on, and the command of their study. A place in the page says
which claims belong there:

    <!-- claims places -->
    <!-- end -->

The number of a study that is not computed yet is PENDING.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autotelic.runs import atomic
from studies.markdown import as_table
from studies.quoted import (
    Change,
    Correlation,
    Count,
    Difference,
    Height,
    Level,
    Median,
    Quoted,
    Ranking,
    Source,
)

RESULTS = Path("docs/results")
PLACE = re.compile(r"(<!-- claims (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
PENDING = "PENDING"


@dataclass(frozen=True)
class Claim:
    """A row of the page.

    words: the claim.
    command: of the study, after `python -m studies.`; "" if it has another.
    numbers: by what each is of, "" if that needs no saying; all of one study.
    """

    words: str
    command: str
    numbers: Mapping[str, Source]


def place(study: str, arm: str, condition: str = "") -> Difference:
    """The area under success less round-robin's."""
    return Difference(
        study=study,
        arm=arm,
        baseline="round-robin",
        metric="area_success",
        condition=condition,
    )


def skill(study: str, arm: str, condition: str = "", baseline: str = "round-robin") -> Difference:
    """The area under accuracy from one state less a baseline's."""
    return Difference(
        study=study, arm=arm, baseline=baseline, metric="area_per_step", condition=condition
    )


HALF = "half impossible"
MAZE, AUTO_MAZE, SHARES = "places_maze", "places_auto_maze", "places_auto_maze_shares"
FINAL = "selectors_finalists"
SETTINGS = {
    "1000 steps": "the paper's agent, goals held for 1000 steps",
    "100 steps": "the paper's agent, goals held for 100 steps",
    "SAC": "SAC, goals held for 100 steps",
    "defaults": "the library's defaults: SAC, tuned entropy, learning rate 1e-3, 100 steps",
}
RECOGNISING = ("diayn", "vic", "rvic", "disdain", "visr", "cic", "dads")


def finalists(arm: str) -> Mapping[str, Source]:
    """In all four settings."""
    return {words: skill(FINAL, arm, condition) for words, condition in SETTINGS.items()}


def setting_changed(before: str, after: str) -> Mapping[str, Source]:
    """Of round-robin, from one setting to the next."""
    pair = [(SETTINGS[words], "round-robin") for words in (before, after)]
    return {"": Change(study=FINAL, before=pair[0], after=pair[1], metric="area_per_step")}


def covered(study: str, arm: str) -> Difference:
    """Cells of 1 m, less DIAYN's."""
    return Difference(study=study, arm=arm, baseline="DIAYN", metric="covered_cells")


def in_maze(*arms: str) -> Mapping[str, Source]:
    """Selectors where half of the goals are impossible."""
    return {arm: place(MAZE, arm, HALF) for arm in arms}


def gone_with(study: str, metric: str, *columns: str) -> Mapping[str, Source]:
    """Rank correlations of a measure of diversity with returns in tasks."""
    return {column: Correlation(study=study, metric=metric, column=column) for column in columns}


CLAIMS: Mapping[str, Sequence[Claim]] = {
    "places": (
        Claim(
            "In a maze with half of its goals impossible `auto` learns faster than round-robin",
            "places --family auto_maze",
            {"": place(AUTO_MAZE, "auto", HALF)},
        ),
        Claim(
            "Epochs until the median learner reaches four fifths of the possible goals there",
            "places --family auto_maze",
            {
                arm: Median(study=AUTO_MAZE, arm=arm, metric="epochs_to_80_success", condition=HALF)
                for arm in ("auto", "round-robin")
            },
        ),
        Claim(
            "That lead needs learners that explore once they reached their goal (`explore`, the default): "
            "a visit to an impossible goal then costs exploration too; where they stay there, none is seen",
            "places --family afterwards",
            {word: place("places_afterwards", "auto", word) for word in ("explore", "stay")},
        ),
        Claim(
            "`auto` is ahead with other shares of impossible goals too",
            "places --family auto_maze_shares",
            {
                share: place(SHARES, "auto", f"{share} impossible")
                for share in ("a quarter", "three quarters")
            },
        ),
        Claim(
            "`auto` is ahead without impossible goals too",
            "places --family auto_maze",
            {"": place(AUTO_MAZE, "auto", "none impossible")},
        ),
        Claim(
            "Three of eleven other selectors are ahead in that maze: two that go by places, and `auto` "
            "without places",
            "places --family maze",
            in_maze("Skew-Fit", "frontier", "success alone"),
        ),
        Claim(
            "Those by learning progress, difficulty or disagreement are not: CURIOUS, ALP, DP, learnability, "
            "intermediate difficulty, value disagreement",
            "places --family maze",
            {
                "": Count(
                    study=MAZE,
                    arms=(
                        *("CURIOUS", "ALP", "DP", "learnability", "intermediate difficulty"),
                        "value disagreement",
                    ),
                    baseline="round-robin",
                    metrics=("area_success",),
                    conditions=(HALF,),
                )
            },
        ),
        Claim(
            "Practising what is still wrong is the worst: most of it is impossible",
            "places --family maze",
            in_maze("remaining error", "ALP-GMM"),
        ),
        Claim(
            "Velocities that Half-Cheetah must hold for a second: `auto` is ahead, Skew-Fit is not",
            "places --family held_velocities",
            {arm: place("places_held_velocities", arm) for arm in ("auto", "Skew-Fit")},
        ),
        Claim(
            "A small maze where all goals are near: nothing is gained",
            "places --family auto_point_maze",
            {"": place("places_auto_point_maze", "auto")},
        ),
        Claim(
            "Skills, which do not differ: `auto` does as round-robin does (accuracy from one state)",
            "places --family skills",
            {"": skill("places_skills", "auto")},
        ),
        Claim(
            "The simulated maze ranks thirteen selectors much as training does: rank correlation",
            "predicted",
            {"": Ranking(study="places_predicted", condition=HALF)},
        ),
    ),
    "skills": (
        Claim(
            "Diversity Progress gives no better skills than round-robin in the paper's setting, nor than the "
            "same with its values credited to other goals",
            "attribution",
            {
                "minus round-robin": skill("attribution", "DP"),
                "minus shuffled": Change(
                    study="attribution",
                    before=("", "DP, shuffled"),
                    after=("", "DP"),
                    metric="area_per_step",
                ),
            },
        ),
        Claim(
            "Most of its value appears without any learning: mean DP in the second half of a run",
            "attribution",
            {
                "learning": Level(study="attribution", arm="DP", metric="signal_late"),
                "frozen": Level(
                    study="attribution",
                    arm="DP, frozen after 50 epochs",
                    metric="signal_late",
                    condition="frozen",
                ),
            },
        ),
        Claim(
            "No selector is ahead in all four settings: Diversity Progress",
            "selectors",
            finalists("DP, low variance"),
        ),
        Claim(
            "the same for practice by remaining error", "selectors", finalists("remaining error")
        ),
        Claim("and for independent uniform draws", "selectors", finalists("uniform")),
        Claim(
            "The lead of uniform draws with the defaults did not come again on other seeds",
            "places --family skills",
            {"": skill("places_skills", "uniform")},
        ),
        Claim(
            "Goals held for 100 steps, an episode, and not for 1000, give more",
            "selectors",
            setting_changed("1000 steps", "100 steps"),
        ),
        Claim(
            "So does SAC with the reward on the next state, in place of the paper's agent",
            "selectors",
            setting_changed("100 steps", "SAC"),
        ),
        Claim(
            "A learning rate of 1e-3 and tuned entropy, in place of 3e-4 and 0.1",
            "selectors",
            setting_changed("SAC", "defaults"),
        ),
        Claim(
            "With goals held for 1000 steps: that agent minus the paper's",
            "agents",
            {
                "": skill(
                    "agents_navigation2d",
                    "SAC, reward on next state",
                    "round-robin selection",
                    "GMM-SAC, K = 4, reward on state",
                )
            },
        ),
        Claim(
            "Goals held for half an episode minus those held for ten",
            "durations",
            {
                words: skill("durations", "50 steps", condition, "1000 steps")
                for words, condition in (
                    ("paper's agent", "the paper's agent"),
                    ("SAC", "modern SAC"),
                )
            },
        ),
        Claim(
            "The learner's own discriminator is no measure of skills: with the same fixed skills "
            "round-robin, which meets all goals early, raises its accuracy over independent draws",
            "balance --part fixed",
            {
                "": Difference(
                    study="balance_fixed",
                    arm="round-robin",
                    baseline="uniform",
                    metric="area_discriminator",
                    condition="uniform replay",
                )
            },
        ),
        Claim(
            "A replay that gives every goal the same weight learns more slowly",
            "balance --part trained",
            {
                arm: Change(
                    study="balance_trained",
                    before=("uniform replay", arm),
                    after=("goal_balanced replay", arm),
                    metric="area_per_step",
                )
                for arm in ("round-robin", "uniform")
            },
        ),
    ),
    "objectives": (
        Claim(
            "Uniform draws, CURIOUS and value regret are not ahead of round-robin under seven objectives "
            "that recognise skills (2D, area from one state)",
            "objectives --environment navigation2d",
            {
                "": Count(
                    study="objectives_navigation2d",
                    arms=("uniform", "CURIOUS", "value regret"),
                    baseline="round-robin",
                    metrics=("area_per_step",),
                    conditions=RECOGNISING,
                )
            },
        ),
        Claim(
            "CURIOUS is not ahead where skills are directions, as one set of seeds had suggested",
            "objectives --environment directions",
            {
                word.upper(): skill("objectives_directions", "CURIOUS", word)
                for word in ("lsd", "metra", "csf")
            },
        ),
        Claim(
            "Ant: METRA and CSF cover more ground than DIAYN: cells of 1 m in 48 trajectories, minus DIAYN's",
            "objectives --environment ant",
            {arm: covered("objectives_ant", arm) for arm in ("METRA", "CSF")},
        ),
        Claim(
            "Ant: cells of trained and untrained skills; DIAYN covers less than it began with",
            "objectives --environment ant",
            {
                f"{arm}{words}": Level(study="objectives_ant", arm=arm, metric=metric)
                for arm in ("METRA", "CSF", "DIAYN")
                for words, metric in (
                    ("", "covered_cells"),
                    (" untrained", "covered_cells_untrained"),
                )
            },
        ),
        Claim(
            "Ant: skills that cover more are recognised less well: final accuracy from one state",
            "objectives --environment ant",
            {
                arm: Level(study="objectives_ant", arm=arm, metric="held_out_accuracy")
                for arm in ("METRA", "CSF", "DIAYN")
            },
        ),
        Claim(
            "Half-Cheetah: cells minus DIAYN's",
            "objectives --environment half_cheetah",
            {arm: covered("objectives_half_cheetah", arm) for arm in ("METRA", "CSF")},
        ),
    ),
    "tasks": (
        Claim(
            "Half-Cheetah: the more ground skills cover, the better the best of them is",
            "downstream --environment half_cheetah",
            gone_with("downstream_half_cheetah", "covered_cells", "best, run", "best, backward"),
        ),
        Claim(
            "Half-Cheetah: the better skills are recognised from one state, the worse the best is",
            "downstream --environment half_cheetah",
            gone_with(
                "downstream_half_cheetah", "held_out_accuracy", "best, run", "best, backward"
            ),
        ),
        Claim(
            "2D, where every place is near: the better skills are recognised, the better the best is",
            "downstream --environment navigation2d",
            gone_with(
                "downstream_navigation2d",
                "held_out_accuracy",
                *(f"best, to {goal}" for goal in ("0.9, 0.9", "0.1, 0.7", "0.6, 0.1")),
            ),
        ),
        Claim(
            "Which selector practised the skills makes no difference to returns: uniform draws and `auto` "
            "minus round-robin, three objectives, five tasks",
            "downstream --environment navigation2d",
            {
                "": Count(
                    study="downstream_navigation2d",
                    arms=("uniform", "auto"),
                    baseline="round-robin",
                    metrics=(
                        *("best, to 0.9, 0.9", "best, to 0.1, 0.7", "best, to 0.6, 0.1"),
                        *("tuned, to 0.9, 0.9", "meta, to 0.1, 0.7"),
                    ),
                    conditions=("diayn", "metra", "csf"),
                )
            },
        ),
        Claim(
            "Skills as actions of PPO, Half-Cheetah's hurdles, minus from scratch: too few seeds to tell",
            "",
            {
                arm: Height(
                    study="ppo_over_skills", arm=f"over skills of {arm}", baseline="from scratch"
                )
                for arm in ("CSF", "METRA")
            },
        ),
    ),
}
"""By the sections of the page."""


def filled(page: str, results: Path = RESULTS) -> str:
    """The page with every table made anew."""
    return PLACE.sub(lambda found: f"{found[1]}\n{table(found[2], results)}\n\n{found[3]}", page)


def table(section: str, results: Path) -> str:
    """A section's claims in Markdown, a row each."""
    rows = [row(claim, results) for claim in CLAIMS[section]]
    return as_table(["claim", "numbers", "seeds", "study"], rows)


def row(claim: Claim, results: Path) -> list[str]:
    """The claim, its numbers, the seeds and the study."""
    quoted = {words: _quoted(source, results) for words, source in claim.numbers.items()}
    numbers = "<br>".join(f"{words} {one.text}".strip() for words, one in quoted.items())
    seeds = max(one.seeds for one in quoted.values())
    (study,) = {source.study for source in claim.numbers.values()}
    name = f"`{claim.command}`" if claim.command else study
    link = f"[{name}]({study})" if (results / study).exists() else name
    return [claim.words, numbers, str(seeds or ""), link]


def _quoted(source: Source, results: Path) -> Quoted:
    try:
        return source.read(results)
    except FileNotFoundError:
        return Quoted(PENDING, 0)


def main() -> None:
    """Fill the page."""
    path = RESULTS / "README.md"
    atomic.write_bytes(path, filled(path.read_text()).encode())


if __name__ == "__main__":
    main()
