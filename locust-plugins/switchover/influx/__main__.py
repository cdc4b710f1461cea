"""`python -m switchover.influx`: a follower, told by standard input what to follow."""

from switchover.child_talk import run
from switchover.influx.process import main

if __name__ == "__main__":
    run(main)
