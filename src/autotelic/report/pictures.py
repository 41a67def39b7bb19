"""A figure of ours as a part of the page."""

import base64
import io

from matplotlib.figure import Figure

from autotelic.figures.saving import DOTS_PER_INCH
from autotelic.report.markup import Html, tag


def picture(figure: Figure, label: str) -> Html:
    """The figure at its printed size, and smaller where the page is; label: what it is, for ears."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DOTS_PER_INCH)
    address = "data:image/png;base64," + base64.b64encode(drawn.getvalue()).decode()
    width, height = figure.get_size_inches()
    return tag(
        "div",
        class_="picture",
        role="img",
        aria_label=label,
        style=(
            f"max-width: {96 * width:.0f}px; aspect-ratio: {width:.2f} / {height:.2f}; "
            f"background-image: url({address})"
        ),
    )
