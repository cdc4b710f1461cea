"""`python -m switchover.conduct`: the conductor's process."""

import sys

from switchover.conduct.process import main

if __name__ == "__main__":
    sys.exit(main())
