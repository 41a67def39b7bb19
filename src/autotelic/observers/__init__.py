"""Who is told what happens in a run: the terminal, other loggers, and a watch over its health."""
