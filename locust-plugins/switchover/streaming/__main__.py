"""Stream one run: `python -m switchover.streaming`, with the settings on stdin."""

from switchover.process.json_child import run
from switchover.streaming.process import ORPHAN_S, main

if __name__ == "__main__":
    run(main, orphan_s=ORPHAN_S)
