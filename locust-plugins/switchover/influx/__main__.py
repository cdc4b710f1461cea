"""`python -m switchover.influx`: a follower, told by standard input what to follow."""

import sys

from switchover.influx.process import main
from switchover.output import unbroken_output

if __name__ == "__main__":
    with unbroken_output():
        status = main()
    sys.exit(status)
