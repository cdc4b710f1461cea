"""`python -m switchover` is the command `switchover`."""

import sys

from switchover.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
