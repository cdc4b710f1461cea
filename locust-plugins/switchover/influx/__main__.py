"""`python -m switchover.influx`: a follower, told by standard input what to follow."""

import sys

from switchover.influx.process import main

if __name__ == "__main__":
    sys.exit(main())
