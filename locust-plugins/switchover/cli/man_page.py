"""`switchover man`: the manual page, made of the commands' own help."""

import argparse
import re

from switchover import __version__
from switchover.cli.main import build_parser, command_parsers

_LEADING = re.compile(r"(?m)^([.'])")


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "man",
        help="print the manual page",
        description="Prints the manual page; 'switchover man | man -l -' shows it.",
    )
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    print(manual(build_parser(), command_parsers()), end="")
    return 0


def manual(whole: argparse.ArgumentParser, parsers: dict[str, argparse.ArgumentParser]) -> str:
    """The page in man's macros: what the command is for, then each command with its options."""
    lines = [
        f'.TH SWITCHOVER 1 "" "Switchover {__version__}" "User Commands"',
        ".SH NAME",
        "switchover \\- load tests that know there is a load balancer in between",
        ".SH SYNOPSIS",
        ".B switchover",
        ".I COMMAND",
        "[options]",
        ".SH DESCRIPTION",
        *_paragraphs(whole.description),
        *_paragraphs(whole.epilog),
        ".SH COMMANDS",
    ]
    for name, parser in parsers.items():
        lines += [f".SS switchover {_escaped(name)}", *_paragraphs(parser.description)]
        for action in parser._actions:
            if action.help != argparse.SUPPRESS and action.dest != "help":
                lines += _option(parser, action)
        if parser.epilog:
            lines += [".nf", _escaped(parser.epilog), ".fi"]
    return "".join(f"{line}\n" for line in lines)


def _option(parser: argparse.ArgumentParser, action: argparse.Action) -> list[str]:
    formatter = parser._get_formatter()
    called = ", ".join(action.option_strings) or str(action.metavar or action.dest)
    if action.option_strings and action.nargs != 0:
        called += f" {formatter._format_args(action, formatter._get_default_metavar_for_optional(action))}"
    meaning = formatter._expand_help(action) if action.help else ""
    return [".TP", f".B {_escaped(called)}", _escaped(meaning)]


def _paragraphs(text: str | None) -> list[str]:
    return [".PP", _escaped(text)] if text else []


def _escaped(text: str) -> str:
    """Text that the macros take as it is: no line of it begins as a macro does, and all of it is ASCII."""
    plain = _LEADING.sub(r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))
    return "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in plain)
