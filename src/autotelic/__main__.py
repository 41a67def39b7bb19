"""`python -m autotelic` is the command line."""

from autotelic.cli import run

if __name__ == "__main__":
    run()
