"""Which servers get requests, as both languages say it."""

import json
from typing import Any

import pytest

from support.contract import FOLDER
from switchover.telemetry.haproxy import is_server_up

CASES = json.loads((FOLDER / "server_status.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["status"] or "empty")
def test_a_server_is_up_where_java_says_so(case: dict[str, Any]) -> None:
    assert is_server_up(case["status"]) is case["up"]
