"""What scrapes leave in the memory of the process that makes them."""

import gc
import os
import sys
from pathlib import Path

from support.servers import answers, tcp_server
from switchover.rundir.journal import Journal
from switchover.target.model import Node
from switchover.target.telemetry_sources import TcpSocket
from switchover.telemetry.scrapers import balancer_scraper, local_scraper, machine_scraper

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
