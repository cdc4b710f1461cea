from pathlib import Path
from typing import Any

import pytest

from switchover.lab.addresses import Host, backends, balancers, bridge_batch, client, client_addresses, host_batch
from switchover.lab.configs import balancer_config, check_script, max_connections, render
from switchover.lab.options import parse_keepalived
from switchover.lab.spec import LabSpec

LB1, LB2 = balancers()
WEBS = backends(3)
FOLDER = Path("/run/lab/web1")


def haproxy(spec: LabSpec) -> list[str]:
    text = balancer_config(spec, LB1, Path("/lab/lb1"), 20_000, socket="/lab/lb1/haproxy.sock", certificate="")
    return [line.strip() for line in text.splitlines()]


def nginx(spec: LabSpec, node: Host = LB1) -> str:
    return balancer_config(spec, node, Path("/lab/lb1"), 20_000, certificate="")


def web_server(spec: LabSpec) -> str:
    return render("nginx-backend.conf", spec, WEBS[0], FOLDER, connections=1000, certificate="")


def apache(spec: LabSpec) -> str:
    return render("apache.conf", spec, WEBS[0], FOLDER, modules=["alias"], certificate="/run/lab/certificate.pem")


def keepalived(options: str) -> str:
    spec = LabSpec(keepalived=parse_keepalived(options))
    settings = spec.keepalived.of("lb1")
    folder = Path("/run/lab/lb1")
    return render("keepalived.conf", spec, LB1, folder, peer=LB2, settings=settings, fifo="/run/lab/lb1/notify.fifo")


def test_health_and_statistics_do_not_touch_the_counters_of_the_service() -> None:
    text = "\n".join(haproxy(LabSpec()))
    service = text[text.index("frontend www") : text.index("backend web")]
    assert "stats" not in service
    assert "health" not in service
    assert "198.18.0.50:80" in service


@pytest.mark.parametrize(
    ("spec", "lines", "absent"),
    [
        (
            LabSpec(),
            (
                "http-response set-header X-Backend %s",
                "http-after-response set-header X-Balancer lb1",
                "http-after-response set-header X-Worker %pid",
                "stats socket /lab/lb1/haproxy.sock mode 600 level admin expose-fd listeners",
            ),
            "cookie",
        ),
        (
            LabSpec(algorithm="leastconn", weights=(3, 2, 1), keepalive=False),
            (
                "balance leastconn",
                "option httpclose",
                "retries 3",
                "server web1 198.18.0.21:80 weight 3",
            ),
            "cookie",
        ),
        (
            LabSpec(sticky=True),
            ("cookie SRV insert indirect nocache", "server web2 198.18.0.22:80 weight 1 cookie web2"),
            "redir",
        ),
        (
            LabSpec(mode="tcp-https"),
            ("bind 198.18.0.50:443", "server web1 198.18.0.21:443 weight 1 check-ssl verify none"),
            "http-response",
        ),
        (
            LabSpec(balancer="redirect"),
            ("server web2 198.18.0.22:80 weight 1 redir http://198.18.0.22",),
            "cookie",
        ),
        (
            LabSpec(server_close=True, workers=1, max_connections=3000),
            ("option http-server-close", "nbthread 1", "maxconn 3000"),
            "hard-stop-after",
        ),
        (
            LabSpec(hard_stop_after_s=3, idle_close_on_response=True, expose_fd=False),
            ("hard-stop-after 3s", "option idle-close-on-response"),
            "expose-fd",
        ),
    ],
)
def test_knobs_reach_haproxy(spec: LabSpec, lines: tuple[str, ...], absent: str) -> None:
    assert set(lines) <= set(haproxy(spec))
    assert not [line for line in haproxy(spec) if absent in line]


@pytest.mark.parametrize(
    ("knobs", "lines"),
    [
        (
            {},
            (
                "add_header X-Backend $upstream_addr always;",
                "add_header X-Balancer lb1 always;",
                "add_header X-Worker $pid always;",
            ),
        ),
        ({"server_close": True}, ("proxy_set_header Connection close;",)),
        ({"workers": 2, "max_connections": 768}, ("worker_processes 2;", "worker_connections 768;")),
        ({"hard_stop_after_s": 1.5}, ("worker_shutdown_timeout 1.5s;",)),
    ],
)
def test_knobs_reach_nginx(knobs: dict[str, Any], lines: tuple[str, ...]) -> None:
    text = nginx(LabSpec(balancer="nginx", **knobs))
    assert all(line in text for line in lines)


@pytest.mark.parametrize(
    ("options", "present", "absent"),
    [
        ("", ("state BACKUP", "track_script"), ("MASTER", "preempt")),
        ("weight=0", ("weight 0",), ()),
        ("check=none", (), ("track_script", "vrrp_script")),
    ],
)
def test_knobs_reach_keepalived(options: str, present: tuple[str, ...], absent: tuple[str, ...]) -> None:
    text = keepalived(options)
    assert all(word in text for word in present) and not any(word in text for word in absent)


@pytest.mark.parametrize(
    ("descriptors", "connections"), [(20_000, 9_750), (1_024, 262), (600, 100), (1 << 20, 20_000)]
)
def test_haproxy_stays_within_the_limit_of_open_files(descriptors: int, connections: int) -> None:
    assert max_connections("haproxy", descriptors) == connections


def test_in_a_held_lab_another_server_stands_ready_to_take_the_place_of_the_first() -> None:
    lines = haproxy(LabSpec(connections=True))
    assert "server web1 198.18.0.21:80 weight 1 # web1" in lines
    assert "server web1-next 198.18.0.21:8081 weight 1 disabled # web1-next" in lines
    text = nginx(LabSpec(balancer="nginx", connections=True))
    assert "server 198.18.0.21:80 weight=1 max_fails=1 fail_timeout=2s; # web1\n" in text
    assert "server 198.18.0.21:8081 weight=1 max_fails=1 fail_timeout=2s down; # web1-next\n" in text
    web = web_server(LabSpec(connections=True))
    assert "listen 8081;" in web and "access_log /run/lab/web1/next-access.log lab;" in web
    assert "8081" not in web_server(LabSpec())


def test_a_web_server_logs_requests_at_once_and_no_health_checks() -> None:
    text = web_server(LabSpec())
    assert "error_page 405 =200 /body.bin;" in text, "an application takes every method"
    health = text[text.index("location = /health") :]
    assert "access_log off;" in health
    assert "access_log /run/lab/web1/access.log lab;" in text
    assert "buffer=" not in text
    assert "'$msec $remote_addr - $remote_user [$time_local]" in text


def test_keepalived_knows_every_setting() -> None:
    text = keepalived(
        "version=3,advert_int=0.1,preempt=no,unicast=yes,down_timer_adverts=4,priority=120,preempt_delay=3"
    )
    for line in (
        "version 3",
        "advert_int 0.1",
        "nopreempt",
        "down_timer_adverts 4",
        "priority 120",
        "preempt_delay 3",
    ):
        assert f"    {line}\n" in text
    assert "unicast_src_ip 198.18.0.11" in text
    assert "198.18.0.12" in text


def test_the_check_runs_from_a_file_because_keepalived_follows_links() -> None:
    assert check_script(("/usr/bin/pidof", "haproxy")) == "#!/bin/sh\nexec /usr/bin/pidof haproxy >/dev/null\n"
    shell = Path("/bin/sh").resolve()
    assert f'script "{shell} /run/lab/lb1/check.sh"' in keepalived("")


def test_apache_answers_every_path_with_the_file_and_logs_no_health_check() -> None:
    text = apache(LabSpec(backend_kind="apache"))
    assert f'AliasMatch "^/" "{FOLDER}/body.bin"' in text
    assert "expr=%{REQUEST_URI} != '/health'" in text
    assert "SSLEngine" not in text
    tls = apache(LabSpec(backend_kind="apache", mode="tcp-https"))
    assert "SSLCertificateFile /run/lab/certificate.pem" in tls


def test_a_relayed_client_is_not_on_the_bridge_but_behind_the_relay() -> None:
    batch = bridge_batch({client(): 100, LB1: 101}, relayed="client")
    assert "link set br-client up\n" in batch
    assert "link set br-client master" not in batch
    assert "link set br-relay master br0 up" in batch
    assert "link set br-lb1 master br0 up" in batch


def test_further_client_addresses_are_reached_over_the_link() -> None:
    assert "address add 198.19.2.2/32 dev eth0" in host_batch(client(), client_addresses(2))
    assert "route add 198.19.0.0/16 dev eth0" in host_batch(LB1, client_addresses(2))
