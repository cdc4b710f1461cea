"""Import Locust once without its patches of threads and sockets, on which pytest and its workers depend."""

import os
from collections.abc import Iterator

import pytest

from support.misbehaving import MisbehavingServer, misbehaving

os.environ["LOCUST_SKIP_MONKEY_PATCH"] = "1"
import locust  # noqa: F401

del os.environ["LOCUST_SKIP_MONKEY_PATCH"]


@pytest.fixture(scope="module")
def server() -> Iterator[MisbehavingServer]:
    with misbehaving() as running:
        yield running
