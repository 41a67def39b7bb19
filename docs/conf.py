"""The documentation site: `make docs` builds it into docs/_build/html, to be opened as files."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "site"))

from autotelic._version import __version__

project = "autotelic"
author = "The autotelic developers"
copyright = "The autotelic developers"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "mathml",
    "notebooks",
    "repository_links",
    "plain_docstrings",
]
source_suffix = {".md": "markdown", ".ipynb": "markdown"}
exclude_patterns = ["_build", "site", "results/*/parts"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
# Names of fields such as `time` are many classes': what is meant is clear from where it stands.
suppress_warnings = ["ref.python"]

# Headings name the module; `autotelic.selectors.catalogue.uniform.` before each name would only hide it.
add_module_names = False
python_use_unqualified_type_names = True
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
autodoc_preserve_defaults = True
autodoc_mock_imports = [
    "accelerate",
    "syllabus",
    "torch",
    "transformers",
]  # bridges are described without
napoleon_google_docstring = True
napoleon_numpy_docstring = False
copybutton_exclude = ".linenos, .gp, .go"

highlight_language = "none"  # blocks of code say what they are; others are the shell's
html_theme = "furo"
html_title = f"autotelic {version}"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
html_copy_source = False
html_show_sphinx = False
