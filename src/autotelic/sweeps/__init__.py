"""Many runs: a grid of settings, each a run folder of its own, on this machine, on Ray or on Slurm.

A sweep knows `autotelic train` by its words alone: every run is a process of its own, so JAX is loaded
there and not here, and what is killed continues with `--resume`.
"""
