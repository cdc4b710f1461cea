"""What a proof does with its rows: says each as it comes, keeps them in docs, and tells what they do not prove."""

import argparse
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from proof.pages import write_between
from switchover.lab.capability import find_program, program_versions

DOCS = Path(__file__).parents[4] / "docs"


def option_parser(module: str, doc: str | None) -> argparse.ArgumentParser:
    """The options of a module that is a program; its help is its docstring."""
    raw = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(prog=f"python -m {module}", description=doc, formatter_class=raw)


def run_folder() -> Path:
    """A place for the runs, which stay there: a row that surprises is looked into by its run."""
    made = Path(tempfile.mkdtemp(prefix="switchover-proof-"))
    print(f"runs are in {made}", flush=True)
    return made


def said(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """All of them, each on the screen as soon as it is there."""
    known = []
    for row in rows:
        known.append(row)
        print(json.dumps(row), flush=True)
    return known


def keep(name: str, rows: list[dict[str, Any]], place: str, table: str) -> None:
    """As docs/proof/NAME.json, and as a table in docs/proof/PLACE.txt."""
    (DOCS / "proof" / f"{name}.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    write_between(DOCS / "proof" / f"{place}.txt", place, table)


def exit_status(failures: Iterable[str]) -> int:
    """1 if there are any, each said in a line."""
    status = 0
    for failure in failures:
        print(f"NOT PROVED: {failure}")
        status = 1
    return status


NAMES = {"haproxy": "HAProxy", "nginx": "Nginx", "caddy": "Caddy", "traefik": "Traefik", "envoy": "Envoy"}


def software_of(balancer: str) -> str:
    """The name and the version of a balancer's program."""
    path = find_program(balancer)
    versions = program_versions({balancer: path}) if path else {}
    return f"{NAMES[balancer]} {versions.get(balancer, 'unknown')}"
