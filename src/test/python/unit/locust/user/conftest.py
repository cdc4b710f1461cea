"""The process in which the users of these tests live."""

from collections.abc import Iterator

import pytest

from support.balancer_client import BalancerClient, balancer_client


@pytest.fixture(scope="package")
def client() -> Iterator[BalancerClient]:
    with balancer_client() as running:
        yield running
