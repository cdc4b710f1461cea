"""The command `switchover`: the subcommands and the error messages."""

import argparse
import gc
import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

from switchover import __version__
from switchover.model.errors import PackageError, SwitchoverError, SystemLimitError
from switchover.model.redaction import escape_controls
from switchover.process.standard_output import unbroken_output
from switchover.rundir.former_names import FORMER_OPTIONS

COMMANDS = (
    *("drill", "change", "heal", "lab", "study"),
    *("report", "verify", "compare", "history", "schema", "influx"),
    *("init", "faults", "predict", "locustfile", "doctor", "completion"),
)
"""The commands. The module of this package with the name of the command has the settings of its parser (`PARSER`),
its arguments (`add_arguments`), and the function that runs it (`run`).

Only the module of the command that the user typed is imported. For example, `lab exec` must start as fast as ssh, so
it must not load a database client.
"""
RETIRED = {
    "convert": "'switchover report' reads logs without a conversion, compressed logs included",
    "fetch": "copy the run directory from the machine of the run: it has all points",
    "fleet": "'switchover history --targets DIR' shows the last drill of each pair",
    "man": "'switchover COMMAND --help' lists all options",
    "upload": "use 'switchover influx upload'",
    "--scheduled": "'switchover doctor --target FILE' tries the target file before a drill",
    "--backend-from": "name the columns of the log 'backend' and 'balancer', for example with "
    "-Jsample_variables=backend",
    "--alias": "name the servers in the log, or in [identity] aliases of the target file",
    "--tolerate": "the report of a damaged log is INVALID, but contains its figures",
    "--haproxy-log": "'switchover report lb1.log lb2.log' judges the balancers' own logs",
    "--nginx-log": "'switchover report lb1.log lb2.log' judges the balancers' own logs",
}
"""Commands and options of earlier versions, and their replacements."""
NEW_OBJECTS = 200_000
"""The number of new objects after which Python collects garbage.

A report makes half as many objects, and uses nearly all of them until its end. One or two collections would take 5 %
of the time of a short report.
"""
EXIT_INTERRUPTED = 130
"""The exit status that a shell reports if Ctrl-C ended a program (128 + SIGINT)."""


class OneLineParser(argparse.ArgumentParser):
    """A parser without abbreviated options. It prints a usage error in one line, with the command that prints the
    help."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        unknown = message.partition("unrecognized arguments: ")[2].split()
        command = re.match(r"argument COMMAND: invalid choice: '([^']+)'", message)
        first = command[1] if command else unknown[0] if unknown else ""
        name = first.partition("=")[0].removeprefix("--")
        if first in RETIRED:
            message = f"'{first}' was removed: {RETIRED[first]}"
        elif name in FORMER_OPTIONS:
            message = f"'{first}' is now called --{FORMER_OPTIONS[name]}"
        self.exit(2, f"{self.prog}: {message} (see '{self.prog} --help')\n")


def _parser_of(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Return the parser of the command and verb that the user typed."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            chosen = action.choices.get(str(getattr(arguments, action.dest, "")))
            if chosen is not None:
                return _parser_of(arguments, chosen)
    return parser


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Build the parser of one command. If `command` is not the name of a command, build the parser of all
    commands."""
    parser = OneLineParser(
        prog="switchover",
        description="Measure the cost of a failover of a load balancer pair, and check that the figures are valid.",
        epilog="First steps: 'switchover doctor' checks this machine; 'switchover drill' runs a drill in the "
        "built-in lab. Exit codes: 0 all limits are met; 1 a limit is exceeded, the service or the pair did "
        "not recover, or --repeat refutes the prediction; 2 invalid, inconclusive or not done.",
    )
    parser.add_argument("--version", action="version", version=f"switchover {__version__}")
    commands: argparse._SubParsersAction[argparse.ArgumentParser] = parser.add_subparsers(
        title="commands", dest="command", required=True, metavar="COMMAND", parser_class=OneLineParser
    )
    for name in [command] if command in COMMANDS else COMMANDS:
        try:
            module = import_module(f"switchover.cli.{name}")
        except ModuleNotFoundError as missing:
            error = PackageError.of(missing)
            if name == command:
                raise error from missing
            commands.add_parser(name, help=str(error))
            continue
        command_parser = commands.add_parser(name, **module.PARSER)
        command_parser.set_defaults(handler=module.run)
        if hasattr(module, "add_arguments"):
            module.add_arguments(command_parser)
    return parser


def command_parsers() -> dict[str, argparse.ArgumentParser]:
    (commands,) = (action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    return dict(commands.choices)


def main(argv: Sequence[str] | None = None) -> int:
    gc.set_threshold(NEW_OBJECTS)
    with unbroken_output() as output:
        code = _run(list(sys.argv[1:] if argv is None else argv))
    if output is not None and output.lost:
        print(f"switchover: cannot print: {output.lost}; the output is incomplete", file=sys.stderr)
        return code or 2
    return code


def _run(words: list[str]) -> int:
    try:
        parser = build_parser(words[0] if words else None)
        arguments, unknown = parser.parse_known_args(words)
        if unknown:
            _parser_of(arguments, parser).error(f"unrecognized arguments: {' '.join(unknown)}")
        arguments.argv = words
        try:
            return int(arguments.handler(arguments))
        except ModuleNotFoundError as missing:
            raise PackageError.of(missing) from missing
    except SwitchoverError as error:
        print(f"switchover: {escape_controls(str(error))}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("switchover: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except Exception as error:
        if os.environ.get("SWITCHOVER_DEBUG"):
            raise
        if (refused := SystemLimitError.of(error)) is not None:
            print(f"switchover: {refused}", file=sys.stderr)
            return refused.exit_code
        kind = type(error).__name__
        text = escape_controls(str(error))
        print(f"switchover: internal error: {kind}: {text} (traceback: SWITCHOVER_DEBUG=1)", file=sys.stderr)
        return 2
