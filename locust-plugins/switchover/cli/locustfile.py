"""`switchover locustfile`: print the path of the locustfile that loads Switchover's Locust plugin."""

import argparse
from pathlib import Path

LOCUSTFILE = Path(__file__).parents[1] / "locust" / "switchover_locustfile.py"


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "locustfile",
        help="print the path of a locustfile that loads the plugin into Locust",
        description="Print the path of a locustfile that loads the plugin into Locust. Add this path if your own "
        "locustfile does not import switchover.locust: locust -f my.py,$(switchover locustfile)",
        allow_abbrev=False,
    )
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    print(LOCUSTFILE)
    return 0
