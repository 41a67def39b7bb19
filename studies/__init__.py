"""Experiments as data beside their analysis; each study is one command, see README.md."""
