"""Run the process of the held connections: `python -m switchover.connections`."""

from switchover.connections.process import main
from switchover.process.json_child import run

if __name__ == "__main__":
    run(main)
