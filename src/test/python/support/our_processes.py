"""What the processes of a run are called, by the module that each of them runs."""

import psutil

from switchover.streaming.outside import SHIPPER

PROBER = "prober"
OURS = {
    "switchover.drill.remote": "controller",
    "switchover.prober": PROBER,
    SHIPPER: "shipper",
}


def module_of(process: psutil.Process) -> str:
    """Of a Python, not of the command that has it started in the lab; empty for any other program."""
    options = [status for status in process.cmdline()[1:4] if status != "-P"]
    return str(options[1]) if options[:1] == ["-m"] and len(options) > 1 else ""
