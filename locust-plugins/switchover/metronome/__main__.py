"""`python -m switchover.metronome`: the metronome's process."""

import sys

from switchover.metronome.process import main

if __name__ == "__main__":
    sys.exit(main())
