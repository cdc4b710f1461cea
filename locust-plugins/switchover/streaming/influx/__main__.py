"""`python -m switchover.streaming.influx`: a follower; standard input says what to follow."""

from switchover.process.json_child import run
from switchover.streaming.influx.process import main
from switchover.streaming.influx.spec import ORPHAN_S

if __name__ == "__main__":
    run(main, orphan_s=ORPHAN_S)
