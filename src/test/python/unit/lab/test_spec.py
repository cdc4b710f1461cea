from typing import Any

import pytest

from switchover.lab.options import parse_keepalived, spec_from_arguments, spec_options
from switchover.lab.spec import CheckKind, KeepalivedPair, LabSpec
from switchover.model.errors import UsageError
from switchover.model.vrrp import BY_HTTP, CheckScript


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


def test_nothing_said_keeps_the_defaults() -> None:
    assert parse_keepalived("") == KeepalivedPair()
    assert parse_keepalived("").first_election_s == pytest.approx(3 + (256 - 101) / 256)


def test_settings_hold_for_both_nodes() -> None:
    pair = parse_keepalived(
        "advert_int=100ms, version=3, preempt=no, unicast=yes, down_timer_adverts=5, preempt_delay=2s"
    )
    for node in ("lb1", "lb2"):
        settings = pair.of(node)
        assert (settings.advert_int_s, settings.version, settings.preempt, settings.unicast) == (0.1, 3, False, True)
        assert (settings.down_timer_adverts, settings.preempt_delay_s) == (5, 2.0)


def test_the_second_priority_follows_the_first_unless_it_is_said() -> None:
    assert [parse_keepalived("priority=150").of(node).priority for node in ("lb1", "lb2")] == [150, 149]
    assert [parse_keepalived("priority=150/90").of(node).priority for node in ("lb1", "lb2")] == [150, 90]


def test_a_check_keeps_to_its_interval_unless_its_timeout_is_said() -> None:
    given = CheckScript(by=BY_HTTP, interval_s=3, timeout_s=3, fall=2, rise=4, weight=0)
    assert parse_keepalived("check=http,interval=3,fall=2,rise=4,weight=0").lb1.check == given
    other = parse_keepalived("timeout=1,interval=3").lb2.check
    assert other is not None and other.timeout_s == 1
    assert parse_keepalived("check=none").check is CheckKind.NONE


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("adver_int=1", "adver_int is unknown; known: advert_int, "),
        ("advert_int", "write KEY=VALUE"),
        ("advert_int=soon", "must be a duration"),
        ("advert_int=50", "from 0.01 to 40.95"),
        ("advert_int=0.5", "VRRP version 2 allows only whole seconds; add version=3"),
        ("version=4", "version must be a whole number from 2 to 3"),
        ("priority=100/101", "HIGH/LOW from 1 to 254"),
        ("priority=255", "HIGH/LOW from 1 to 254"),
        ("priority=x", "HIGH/LOW from 1 to 254"),
        ("preempt=maybe", "must be true or false"),
        ("check=tcp", "choose process, http, none"),
        ("interval=0.5", "whole seconds"),
        ("fall=0", "from 1 to 1000"),
        ("weight=254", "from -253 to 253"),
    ],
)
def test_a_wrong_setting_is_one_line_that_names_it(text: str, complaint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_keepalived(text)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
