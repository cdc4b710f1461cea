"""Scrapes leave nothing in the memory of their process; Nginx's stub_status is seven numbers or one line."""

import gc
import os
import sys
from pathlib import Path

import pytest

from support.servers import answers, answers_page, tcp_server
from switchover.model.errors import TelemetryError
from switchover.rundir.journal import Journal
from switchover.target.model import Node
from switchover.target.telemetry_sources import Command, HttpPage, TcpSocket
from switchover.telemetry.scrapers import NGINX_NUMBERS, balancer_scraper, local_scraper, machine_scraper, read_status

STATISTICS = b"Pid: 7\nUptime_sec: 1\n\n# pxname,svname,type,status,req_tot,\nweb,FRONTEND,0,OPEN,5,\n\n"
FEW = 500
"""Blocks of memory, half a one a scrape: what the interpreter learns of code that runs often, and keeps beside it."""


def test_a_thousand_scrapes_leave_nothing(tmp_path: Path) -> None:
    """The interpreter keeps up to 2,000 freed tuples of each length until it has collected everything once."""
    journal = Journal(tmp_path / "journal.lp", {"run": "r"})
    with tcp_server(answers(STATISTICS)) as port:
        own = {"locust": os.getpid(), "prober": os.getpid()}
        scrapers = (
            balancer_scraper(Node("lb1", "balancer", haproxy=TcpSocket("127.0.0.1", port)), "haproxy", 2.0),
            local_scraper("client", own),
            machine_scraper("client", own),
        )

        def blocks_after(scrapes: int) -> int:
            for number in range(scrapes):
                for scraper in filter(None, scrapers):
                    for reading in scraper.scrape(number):
                        journal.write(reading.measurement, reading.tags, reading.fields, number)
            gc.collect()
            return sys.getallocatedblocks()

        before = blocks_after(500)
        assert blocks_after(1000) - before < FEW
    journal.close()


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
