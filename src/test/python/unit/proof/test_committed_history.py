"""The drills that are committed as rows are a history, too: the one that docs/history.md shows."""

import json
from pathlib import Path

import pytest

from proof.committed_history import write_runs
from switchover.cli.main import main


def test_the_committed_drills_are_a_history_without_a_damaged_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_runs(tmp_path)
    assert main(["history", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (len(found["runs"]), found["notes"]) == (201, [])
    assert {group["fault"]: (group["runs"], group["inside"]) for group in found["groups"]} == {
        "haproxy-kill": (63, 63),
        "haproxy-stop": (18, 18),
        "keepalived-stop": (18, 7),
        "node-down": (102, 102),
    }
