"""Faults that tests have to find: what is changed, how it is run, and the table of what survived."""
