"""The documentation's settings; `make docs` builds it, offline and with warnings as errors."""

from importlib.metadata import version as version_of

from ur_solver.cli import COMMANDS, cli

for _name in COMMANDS:  # so that sphinx-click calls them what users do
    cli.get_command(None, _name).name = _name

project = "ur_solver"
author = "The ur-solver developers"
project_copyright = "2026, the ur-solver developers"
version = release = version_of("ur-solver")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_click",
]
exclude_patterns = ["_build"]

highlight_language = "console"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc's sections have the types
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

smartquotes = False  # "--html" is an option
html_theme = "furo"
html_title = "ur_solver"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
