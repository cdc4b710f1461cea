"""HAProxy's statistics of any version, by column name, whole or not at all, and the generations of its counters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.servers import answers, tcp_server
from switchover.model.errors import TelemetryError
from switchover.target.telemetry_sources import TcpSocket
from switchover.telemetry.haproxy import (
    HaproxyReader,
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
