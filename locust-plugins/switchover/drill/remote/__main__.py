"""`python -m switchover.drill.remote`: the conductor's process."""

from switchover.drill.remote.process import main
from switchover.process.json_child import run

if __name__ == "__main__":
    run(main)
