"""The sizes and names of the run that the tests of the page read."""

NASTY = "</script><script>alert(1)</script>"
"""A method's name that is a name and nothing else."""
GOALS, EPOCHS = 3, 6
