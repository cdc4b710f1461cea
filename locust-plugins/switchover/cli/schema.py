"""`switchover schema`: print the JSON Schema of the verdict.json that this version writes."""

import argparse

from switchover.report.screen import print_json
from switchover.verdict.schema import verdict_schema

PARSER = {
    "help": "print the JSON Schema of verdict.json",
    "description": "Print the JSON Schema (draft 2020-12) of verdict.json, with the meaning and unit of each field.",
}


def run(arguments: argparse.Namespace) -> int:
    print_json(verdict_schema())
    return 0
