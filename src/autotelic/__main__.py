"""`python -m autotelic` is the command line."""

import sys

from autotelic.cli import main

if __name__ == "__main__":
    sys.exit(main())
