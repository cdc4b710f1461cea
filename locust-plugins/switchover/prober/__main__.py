"""Run the prober process: `python -m switchover.prober`."""

from switchover.prober.process import main
from switchover.process.json_child import run

if __name__ == "__main__":
    run(main)
