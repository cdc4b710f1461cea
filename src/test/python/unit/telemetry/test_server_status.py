"""Which servers get requests, and which frontends take connections, as both languages say it."""

import json
from typing import Any

import pytest

from support.contract import FOLDER
from switchover.telemetry.haproxy import is_frontend_open, is_server_up

SAID = json.loads((FOLDER / "server_status.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", SAID["cases"], ids=lambda case: case["status"] or "empty")
def test_a_server_is_up_where_java_says_so(case: dict[str, Any]) -> None:
    assert is_server_up(case["status"]) is case["up"]


@pytest.mark.parametrize("case", SAID["frontends"], ids=lambda case: case["status"] or "empty")
def test_a_frontend_takes_connections_where_java_says_so(case: dict[str, Any]) -> None:
    assert is_frontend_open(case["status"]) is case["open"]
