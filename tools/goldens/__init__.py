"""Goldens: what the library gives now, kept, so that a change of its form can be told from one of its numbers."""
