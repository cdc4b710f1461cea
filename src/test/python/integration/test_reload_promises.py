"""What a configuration promises of a reload, held against the real HAProxy and Nginx under every kind of load.

Some of the cases; all of them run in `make proof`.
"""

import pytest

from support.reload_cases import HAPROXY_CASES, NGINX_CASES, disagreements

pytestmark = [pytest.mark.integration, pytest.mark.beside]

OF_HAPROXY = (
    "defaults",
    "idle-close-on-response in the defaults",
    "hard-stop-after",
    "close-spread-time infinite and hard-stop-after",
    "a second program with -sf, noreuseport",
)
OF_NGINX = (
    "defaults",
    "worker_shutdown_timeout in an included file",
    "keepalive_timeout 0 outside, kept in the location",
    "keepalive_requests 1",
)


@pytest.mark.parametrize("name", OF_HAPROXY)
def test_haproxy_does_what_its_configuration_promises(name: str) -> None:
    assert disagreements("haproxy", HAPROXY_CASES[name]) == []


@pytest.mark.parametrize("name", OF_NGINX)
def test_nginx_does_what_its_configuration_promises(name: str) -> None:
    assert disagreements("nginx", NGINX_CASES[name]) == []


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(HAPROXY_CASES) - set(OF_HAPROXY)))
def test_haproxy_does_what_further_configurations_promise(name: str) -> None:
    assert disagreements("haproxy", HAPROXY_CASES[name]) == []


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(set(NGINX_CASES) - set(OF_NGINX)))
def test_nginx_does_what_further_configurations_promise(name: str) -> None:
    assert disagreements("nginx", NGINX_CASES[name]) == []
