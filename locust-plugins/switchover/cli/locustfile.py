"""`switchover locustfile`: print the path of the locustfile that loads Switchover's Locust plugin."""

import argparse
from pathlib import Path

LOCUSTFILE = Path(__file__).parents[1] / "locust" / "switchover_locustfile.py"


PARSER = {
    "help": "print the path of a locustfile that loads the plugin into Locust",
    "description": "Print the path of a locustfile that loads the plugin into Locust. Add this path if your own "
    "locustfile does not import switchover.locust: locust -f my.py,$(switchover locustfile)",
}


def run(arguments: argparse.Namespace) -> int:
    print(LOCUSTFILE)
    return 0
