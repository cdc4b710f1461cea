"""`python -m switchover.streaming.influx`: a follower; standard input says what to follow."""

from switchover.process.json_child import run
from switchover.streaming.influx.process import main

if __name__ == "__main__":
    run(main)
