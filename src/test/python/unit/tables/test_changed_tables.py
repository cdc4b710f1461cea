"""A change in one file of tables/ is a change of the program and of the reference page."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.checkout import CHECKOUT
from support.contract import named

SCRIPT = """
import json, runpy, sys
import duckdb
from pathlib import Path
import switchover.tables
switchover.tables.FOLDER = Path(sys.argv[1])
from switchover.drill.options import OPTIONS
from switchover.evidence.requests.columns import failure_sql
from switchover.target.schema import TargetSchema
from switchover.verdict.limit import parse_limit
page = Path(sys.argv[2])
made = runpy.run_path("tools/make-reference")["make_page"](page.read_text(encoding="utf-8")) if page.name else ""
def refusal(read, value):
    try:
        read(value)
    except Exception as refused:
        return str(refused)

target = refusal(TargetSchema("FILE").check, {"target": {"url": "http://x/", "sni": "x"}})
rules = failure_sql("'Non HTTP response code: java.io.IOException'", "'ICMP: Port Unreachable'")
((kind,),) = duckdb.sql(f"SELECT {rules}").fetchall()
limit = refusal(parse_limit, "late=20")
print(json.dumps({"page": made, "target": target, "limit": limit, "kind": kind, "help": OPTIONS["scrape"].help_text}))
"""
"""Prints what the program and the page make of the changed tables."""


@pytest.mark.parametrize("case", named("changed_tables.json", "cases"))
def test_a_change_in_one_table_reaches_the_program_and_the_page(case: dict[str, Any], tmp_path: Path) -> None:
    tables = shutil.copytree(CHECKOUT / "locust-plugins/switchover/tables", tmp_path / "tables")
    text = (tables / case["table"]).read_text(encoding="utf-8")
    text, count = re.subn(case["old"], lambda _: case["new"], text)
    assert count == 1
    (tables / case["table"]).write_text(text, encoding="utf-8")
    page = CHECKOUT / "docs" / case["page"] if "page" in case else ""
    command = [sys.executable, "-c", SCRIPT, str(tables), str(page)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT, check=True)
    found = json.loads(done.stdout)
    assert ("server_name" in (found["target"] or "")) == (case["table"] == "target.toml")
    is_limit = case["table"] == "limits.toml"
    assert found["limit"] == (
        "limit 'late=20': '20' is not a limit for late: write for example late=2%" if is_limit else None
    )
    assert found["kind"] == ("refused" if case["table"] == "failures.json" else "reset")
    assert ("from scrape to scrape" in found["help"]) == (case["table"] == "options.toml")
    assert case.get("shows", "") in found["page"]
