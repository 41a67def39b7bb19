"""A run on disk: its description, history, checkpoints and skills. Opening one executes nothing it names."""
