"""`python -m switchover.streaming.metrics`: the exporter's process."""

from switchover.process.json_child import run
from switchover.streaming.metrics.process import ORPHAN_S, main

if __name__ == "__main__":
    run(main, orphan_s=ORPHAN_S)
