"""The command `switchover`: what it can do, and how it speaks when something is wrong."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from switchover import __version__, convert_command, doctor, drill_command, locustfile_command
from switchover.errors import SwitchoverError
from switchover.faults import commands as faults_commands
from switchover.influx import upload
from switchover.lab import commands as lab_commands
from switchover.output import unbroken_output
from switchover.report import commands as report_commands
from switchover.report import compare_command, schema

EXIT_INTERRUPTED = 130
"""What a shell reports for a program that Ctrl-C ended (128 + SIGINT)."""


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong with a command line in one line, and where its help is."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see '{self.prog} --help')\n")


def build_parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="switchover",
        description="Measure what a failover of a load balancer pair costs, and whether the figures can be trusted.",
        epilog="First steps: 'switchover doctor' says what this machine can do; 'switchover drill' runs a drill "
        "in the built-in lab. Exit codes: 0 all budgets hold, 1 a budget is broken or the prediction "
        "is refuted by --repeat, 2 not trusted or not done.",
    )
    parser.add_argument("--version", action="version", version=f"switchover {__version__}")
    commands: argparse._SubParsersAction[argparse.ArgumentParser] = parser.add_subparsers(
        title="commands", dest="command", required=True, metavar="COMMAND", parser_class=OneLineParser
    )
    drill_command.register(commands)
    lab_commands.register(commands)
    report_commands.register(commands)
    convert_command.register(commands)
    compare_command.register(commands)
    schema.register(commands)
    upload.register(commands)
    faults_commands.register(commands)
    locustfile_command.register(commands)
    doctor.register(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    with unbroken_output():
        return _run(argv)


def _run(argv: Sequence[str] | None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    arguments = build_parser().parse_args(words)
    arguments.argv = words
    try:
        return int(arguments.handler(arguments))
    except SwitchoverError as error:
        print(f"switchover: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("switchover: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except Exception as error:
        if os.environ.get("SWITCHOVER_DEBUG"):
            raise
        kind = type(error).__name__
        print(f"switchover: internal error: {kind}: {error} (SWITCHOVER_DEBUG=1 shows where)", file=sys.stderr)
        return 2
