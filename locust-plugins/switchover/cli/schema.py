"""`switchover schema`: the JSON Schema of verdict.json, as this version writes it."""

import argparse
import sys
from pathlib import Path

VERDICT_SCHEMA = Path(__file__).parents[1] / "analysis" / "verdict.schema.json"


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "schema",
        help="print the JSON Schema of verdict.json",
        description="Print the JSON Schema (draft 2020-12) of verdict.json, as this version writes it: every field "
        "with its meaning and unit.",
        allow_abbrev=False,
    )
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    sys.stdout.write(VERDICT_SCHEMA.read_text(encoding="utf-8"))
    return 0
