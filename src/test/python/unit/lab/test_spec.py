from typing import Any

import pytest

from switchover.lab.options import spec_from_arguments, spec_options
from switchover.lab.spec import CheckKind, LabSpec
from switchover.model.errors import UsageError


def spec_of(*words: str) -> LabSpec:
    return spec_from_arguments(spec_options().parse_args(words))


def test_without_options_it_is_a_haproxy_pair_whose_process_is_checked() -> None:
    spec = spec_of()
    assert spec == LabSpec()
    assert (spec.balancer, spec.algorithm, spec.backends) == ("haproxy", "roundrobin", 3)
    assert (spec.keepalived.lb1.priority, spec.keepalived.lb2.priority) == (101, 100)
    assert spec.keepalived.check is CheckKind.PROCESS


def test_every_option_reaches_the_spec() -> None:
    spec = spec_of(
        *("--balancer", "nginx", "--algorithm", "leastconn", "--backends", "2", "--backend-kind", "app"),
        *("--weights", "3,1", "--no-keep-alive", "--body-bytes", "10"),
        *("--supervised", "--keepalived", "advert_int=2", "--service-ms", "6.77,24.4"),
        *("--mode", "https", "--cipher", "AES256-SHA", "--workers", "2", "--max-connections", "768"),
        *("--server-close", "--round-trip-ms", "171", "--client-addresses", "3"),
    )
    assert (spec.mode, spec.cipher, spec.workers, spec.max_connections) == ("https", "AES256-SHA", 2, 768)
    assert (spec.service_ms, spec.server_close, spec.round_trip_ms) == ((6.77, 24.4), True, 171.0)
    assert spec.client_addresses == 3
    assert spec.balancer == spec.balancer_service == "nginx"
    assert spec.backend_kind == "app"
    assert (spec.weights, spec.body_bytes) == ((3, 1), 10)
    assert (spec.keepalive, spec.supervised) == (False, True)
    assert spec.keepalived.lb2.advert_int_s == 2


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"balancer": "varnish"}, "no balancer 'varnish'"),
        ({"balancer": "redirect", "mode": "https"}, "no mode of balancer redirect 'https'"),
        ({"balancer": "none", "mode": "tcp"}, "no mode of balancer none 'tcp'"),
        ({"mode": "udp"}, "no mode of balancer haproxy 'udp'"),
        ({"mode": "tcp-https", "backend_kind": "app"}, "needs backends that speak HTTPS"),
        ({"mode": "tcp", "algorithm": "uri"}, "needs mode http or https"),
        ({"mode": "tcp", "sticky": True}, "--sticky needs HAProxy in mode http"),
        ({"algorithm": "fastest"}, "no algorithm 'fastest'"),
        ({"balancer": "nginx", "algorithm": "static-rr"}, "has no algorithm"),
        ({"backend_kind": "caddy"}, "no backend kind 'caddy'"),
        ({"service_ms": (1, 1, 1)}, "need backends of kind app"),
        ({"backend_kind": "app", "service_ms": (1, 1)}, "service ms for each of its 3 backends, not 2"),
        ({"round_trip_ms": -1}, "round trip ms must be from 0"),
        ({"client_addresses": 201}, "client addresses must be from 0 to 200"),
        ({"backends": 0}, "backends must be from 1 to 29"),
        ({"backends": 30}, "backends must be from 1 to 29"),
        ({"body_bytes": -1}, "body bytes must be from 0"),
        ({"weights": (1, 2)}, "weights for each of its 3 backends, not 2"),
        ({"weights": (1, 2, 257)}, "weights must be from 1 to 256, not 257"),
        ({"balancer": "nginx", "sticky": True}, "--sticky needs HAProxy"),
        ({"balancer": "caddy", "mode": "https"}, "no mode of balancer caddy 'https'"),
        ({"balancer": "caddy", "keepalive": False}, "--no-keep-alive"),
        ({"balancer": "envoy", "server_close": True}, "--server-close"),
        ({"balancer": "envoy", "weights": (3, 1, 1)}, "--weights"),
        ({"balancer": "traefik", "workers": 2}, "--workers"),
        ({"balancer": "traefik", "max_connections": 9}, "--max-connections"),
        ({"balancer": "traefik", "hard_stop_after_s": 3}, "--hard-stop-after"),
        ({"balancer": "traefik", "algorithm": "leastconn"}, "has no algorithm"),
    ],
)
def test_what_the_lab_cannot_be_is_refused_in_one_line(words: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError) as caught:
        LabSpec(**words)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
