"""Scripts that run in another library's virtual environment, where this package is not installed."""
