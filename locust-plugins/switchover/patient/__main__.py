"""`python -m switchover.patient`: the patient load's process."""

from switchover.patient.process import main
from switchover.process.json_child import run

if __name__ == "__main__":
    run(main)
