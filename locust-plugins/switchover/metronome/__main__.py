"""`python -m switchover.metronome`: the metronome's process."""

import sys

from switchover.metronome.process import main
from switchover.output import unbroken_output

if __name__ == "__main__":
    with unbroken_output():
        status = main()
    sys.exit(status)
