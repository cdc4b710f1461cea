"""HAProxy's statistics by column name, whole or not at all; the states of its servers, and their nodes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.contract import FOLDER
from support.servers import answers, tcp_server
from switchover.model.errors import TelemetryError
from switchover.model.identity import IdentitySettings
from switchover.target.model import Endpoint, Node, Target
from switchover.target.telemetry_sources import TcpSocket
from switchover.telemetry.balancers import find_aliases
from switchover.telemetry.haproxy import (
    HaproxyReader,
    StatRow,
    is_frontend_open,
    is_server_up,
    parse_answer,
)

ANSWER = b"Name: HAProxy\nPid: 7\nUptime_sec: 1\n\n# pxname,svname,stot,\nweb,FRONTEND,5,\nweb,s1,5,\n\n"


@given(st.integers(min_value=0, max_value=len(ANSWER) - 1))
def test_table_cut_off_anywhere_yields_nothing(length: int) -> None:
    with pytest.raises(TelemetryError):
        parse_answer(ANSWER[:length])


@given(st.binary(max_size=500), st.booleans())
def test_no_garbage_raises_anything_but_our_error(garbage: bytes, page: bool) -> None:
    for text in (garbage, b"# pxname,svname,stot,\n" + garbage + b"\n\n"):
        try:
            snapshot = parse_answer(text, page=page)
        except TelemetryError:
            continue
        assert all(abs(value) < 2**63 for each in snapshot.rows for value in each.numbers.values())


def test_error_names_the_source() -> None:
    with (
        tcp_server(answers(b"Permission denied\n\n")) as port,
        pytest.raises(TelemetryError, match=rf"tcp://.*:{port}"),
    ):
        HaproxyReader(TcpSocket("127.0.0.1", port)).read(0.0)


SAID = json.loads((FOLDER / "server_status.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", SAID["cases"], ids=lambda case: case["status"] or "empty")
def test_a_server_is_up_where_java_says_so(case: dict[str, Any]) -> None:
    assert is_server_up(case["status"]) is case["up"]


@pytest.mark.parametrize("case", SAID["frontends"], ids=lambda case: case["status"] or "empty")
def test_a_frontend_takes_connections_where_java_says_so(case: dict[str, Any]) -> None:
    assert is_frontend_open(case["status"]) is case["open"]


VECTORS = json.loads((FOLDER / "preflight.json").read_text(encoding="utf-8"))["server_names"]


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: str(case["servers"]))
def test_a_server_is_the_node_at_its_address(case: dict[str, Any]) -> None:
    nodes = tuple(Node(name, "backend", host=host) for name, host in VECTORS["nodes"].items())
    target = Target(Endpoint("http://198.18.0.50/"), IdentitySettings(aliases=VECTORS["aliases"]), nodes)
    rows = [StatRow("app", name, "server", "UP", {}, address) for name, address in case["servers"]]
    assert find_aliases(target, rows) == case["aliases"]
