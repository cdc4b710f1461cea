"""`python -m switchover.conduct`: the conductor's process."""

from switchover.child_talk import run
from switchover.conduct.process import main

if __name__ == "__main__":
    run(main)
