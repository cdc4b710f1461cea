"""`python -m switchover.streaming`: stream one run. Standard input has its settings."""

from switchover.process.json_child import run
from switchover.streaming.process import ORPHAN_S, main

if __name__ == "__main__":
    run(main, orphan_s=ORPHAN_S)
