"""`python -m switchover.metronome`: the metronome's process."""

from switchover.child_talk import run
from switchover.metronome.process import main

if __name__ == "__main__":
    run(main)
