"""See what goal selectors do, without training anything: a simulated learner, and one picture.

    python examples/simulated_curriculum.py [PICTURE]

Goals of different difficulty become recognisable with practice, are confused with each other and
forgotten. The picture has the form of the paper's Figure 1. Needs `pip install
'.[report]'`.
"""

import sys

from autotelic import figures, simulation


def main(picture: str = "simulated_effective_skills.png") -> None:
    curves = simulation.effective_skills_curves()
    figures.effective_skills(curves).savefig(picture, dpi=200)
    for selector, numbers in curves.items():
        print(f"{selector:20} {numbers[:, -1].mean():5.1f} effective skills at the end")
    print(f"{picture} shows how they got there")


if __name__ == "__main__":
    main(*sys.argv[1:])
