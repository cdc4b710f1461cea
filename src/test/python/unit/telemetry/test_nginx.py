"""Nginx's stub_status: seven numbers or one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.servers import answers_page, tcp_server
from switchover.model.errors import TelemetryError
from switchover.target.telemetry_sources import Command, HttpPage
from switchover.telemetry.nginx import NginxStatus, parse_status, read_status

PAGE = (
    "Active connections: 291 \nserver accepts handled requests\n 16630948 16630947 31070465 \n"
    "Reading: 6 Writing: 179 Waiting: 106 \n"
)
STATUS = NginxStatus(291, 16630948, 16630947, 31070465, 6, 179, 106)


def test_page_has_seven_numbers() -> None:
    assert parse_status(PAGE.encode()) == STATUS


def test_eighth_number_of_a_derived_server_is_passed_over() -> None:
    page = PAGE.replace("requests\n", "requests request_time\n").replace("31070465 ", "31070465 1234 ")
    assert parse_status(page.encode()) == STATUS


@given(st.integers(min_value=0, max_value=len(PAGE) - 1))
def test_page_cut_off_yields_nothing(length: int) -> None:
    with pytest.raises(TelemetryError):
        parse_status(PAGE[:length].encode())


@given(st.binary(max_size=300))
def test_garbage_yields_nothing(garbage: bytes) -> None:
    with pytest.raises(TelemetryError):
        parse_status(garbage)


def test_it_is_read_from_a_page_or_a_command() -> None:
    with tcp_server(answers_page(PAGE.encode())) as port:
        assert read_status(HttpPage(f"http://127.0.0.1:{port}/status")) == STATUS
    assert read_status(Command(("printf", "%s", PAGE))) == STATUS


def test_another_page_is_one_line_with_its_address() -> None:
    page = answers_page(b"<html>welcome</html>")
    with tcp_server(page) as port, pytest.raises(TelemetryError, match=rf"{port}/ answered something"):
        read_status(HttpPage(f"http://127.0.0.1:{port}/"))
