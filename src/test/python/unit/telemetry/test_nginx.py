"""Nginx's stub_status: seven numbers or one line."""

import pytest

from support.servers import answers_page, tcp_server
from switchover.model.errors import TelemetryError
from switchover.target.telemetry_sources import Command, HttpPage
from switchover.telemetry.scrapers import NGINX_NUMBERS, read_status

PAGE = (
    "Active connections: 291 \nserver accepts handled requests\n 16630948 16630947 31070465 \n"
    "Reading: 6 Writing: 179 Waiting: 106 \n"
)
STATUS = dict(zip(NGINX_NUMBERS, (291, 16630948, 16630947, 31070465, 6, 179, 106), strict=True))


def test_it_is_read_from_a_page_or_a_command() -> None:
    with tcp_server(answers_page(PAGE.encode())) as port:
        assert read_status(HttpPage(f"http://127.0.0.1:{port}/status")) == STATUS
    assert read_status(Command(("printf", "%s", PAGE))) == STATUS


def test_another_page_is_one_line_with_its_address() -> None:
    page = answers_page(b"<html>welcome</html>")
    with tcp_server(page) as port, pytest.raises(TelemetryError, match=rf"{port}/ answered something"):
        read_status(HttpPage(f"http://127.0.0.1:{port}/"))
