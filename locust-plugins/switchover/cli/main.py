"""The command `switchover`: the subcommands and the error messages."""

import argparse
import gc
import os
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
"""The commands. Only the module of the typed command is imported, because `lab exec` must start fast. The module of a
command has the parser's settings (`PARSER`), and the functions `add_arguments` and `run`."""
NEW_OBJECTS = 200_000
"""The number of new objects between garbage collections. With Python's default, garbage collection takes 5 % of the
time of a short report."""
EXIT_INTERRUPTED = 130
"""The exit status that a shell reports if Ctrl-C ended a program (128 + SIGINT)."""


class OneLineParser(argparse.ArgumentParser):
    """A parser that refuses abbreviated options. A usage error is one line that names the command that prints the
    help."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown arguments in this parser, not in its parent parser, so that the error message names the
        command and the verb."""
        arguments, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return arguments, unknown

    def error(self, message: str) -> NoReturn:
        unknown = message.partition("unrecognized arguments: ")[2].split()
        first = unknown[0] if unknown else ""
        name = first.partition("=")[0].removeprefix("--")
        if name in FORMER_OPTIONS:
            message = f"'{first}' is now called --{FORMER_OPTIONS[name]}"
        self.exit(2, f"{self.prog}: {message} (see '{self.prog} --help')\n")


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """Build the parser of one command, or of all commands if `command` is not the name of a command."""
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
        arguments = build_parser(words[0] if words else None).parse_args(words)
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
