"""Formulas as MathML, which browsers draw themselves: no script, no font, no network."""

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

# A browser leaves no space beside the name of a function: "p log q" would be "plogq".
NAME = "<mi>(log|exp|max|min|cos|tanh)</mi>"
BEFORE = re.compile(f"(</mi>|</msub>|&#x00029;</mo>){NAME}")
AFTER = re.compile(f"{NAME}(?=<m(?:i|over|sub|subsup|frac)>)")
# As a superscript the prime, which is raised by itself, would be tiny and far up.
PRIME = re.compile(r"<msup>(<mi>[^<]+</mi>)<mi>&#x02032;</mi></msup>")
INDEXED = re.compile(r"<msubsup>(<mi>[^<]+</mi><m[in]>[^<]+</m[in]>)<mi>&#x02032;</mi></msubsup>")
MARK = '<mo lspace="0" rspace="0">&#x02032;</mo>'
SPACE = '<mspace width="0.17em"/>'


def formula(text: str, display: str = "inline") -> str:
    """TeX as MathML."""
    drawn = PRIME.sub(rf"<mrow>\1{MARK}</mrow>", convert(text, display=display))
    drawn = INDEXED.sub(rf"<mrow><msub>\1</msub>{MARK}</mrow>", drawn)
    drawn = AFTER.sub(rf"<mi>\1</mi>{SPACE}", drawn)
    return BEFORE.sub(rf"\1{SPACE}<mi>\2</mi>", drawn)


def inline(self: HTML5Translator, node: nodes.math) -> None:
    """$...$"""
    self.body.append(formula(node.astext()))
    raise nodes.SkipNode


def display(self: HTML5Translator, node: nodes.math_block) -> None:
    """$$...$$, with its number if it has a label."""
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        number = get_node_equation_number(self, node)
        self.body.append(f'<span class="eqno">({number})</span>')
    self.body.append(formula(node.astext(), "block"))
    self.body.append("</div>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Take the place of MathJax, which would be loaded from elsewhere."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True}
