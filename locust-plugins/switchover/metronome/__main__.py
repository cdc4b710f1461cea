"""`python -m switchover.metronome`: the metronome's process."""

from switchover.metronome.process import main
from switchover.process.json_child import run

if __name__ == "__main__":
    run(main)
