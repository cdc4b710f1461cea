from pathlib import Path

import pytest

from switchover.lab.addresses import MANY_CLIENTS, Host, backends, balancers, client, client_addresses
from switchover.lab.configs import balancer_config, check_script, max_connections, render
from switchover.lab.keepalived_options import parse_keepalived
from switchover.lab.network import bridge_batch, host_batch
from switchover.lab.spec import LabSpec
from switchover.model.errors import UsageError

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


def test_haproxy_names_the_server_on_answers_and_itself_on_all() -> None:
    lines = haproxy(LabSpec())
    assert "http-response set-header X-Backend %s" in lines
    assert "http-after-response set-header X-Balancer lb1" in lines


def test_health_and_statistics_do_not_touch_the_counters_of_the_service() -> None:
    text = "\n".join(haproxy(LabSpec()))
    service = text[text.index("frontend www") : text.index("backend web")]
    assert "stats" not in service
    assert "health" not in service
    assert "198.18.0.50:80" in service


def test_haproxy_hands_its_listeners_to_its_successor() -> None:
    assert "stats socket /lab/lb1/haproxy.sock mode 600 level admin expose-fd listeners" in haproxy(LabSpec())


@pytest.mark.parametrize(
    ("descriptors", "connections"), [(20_000, 9_750), (1_024, 262), (600, 100), (1 << 20, 20_000)]
)
def test_haproxy_stays_within_the_limit_of_open_files(descriptors: int, connections: int) -> None:
    assert max_connections("haproxy", descriptors) == connections


def test_knobs_reach_haproxy() -> None:
    spec = LabSpec(algorithm="leastconn", weights=(3, 2, 1), keepalive=False, retries=1, redispatch=False)
    lines = haproxy(spec)
    for line in ("balance leastconn", "option httpclose", "retries 1", "no option redispatch"):
        assert line in lines
    assert "server web1 198.18.0.21:80 weight 3" in lines


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


def test_haproxy_keeps_clients_by_a_cookie_where_it_shall() -> None:
    sticky = haproxy(LabSpec(sticky=True))
    assert "cookie SRV insert indirect nocache" in sticky
    assert "server web2 198.18.0.22:80 weight 1 cookie web2" in sticky
    assert not [line for line in haproxy(LabSpec()) if "cookie" in line]


def test_nginx_says_who_answered_on_errors_too() -> None:
    text = nginx(LabSpec(balancer="nginx"), LB2)
    for header in ("X-Backend $upstream_addr", "X-Upstream-Time $upstream_header_time", "X-Balancer lb2"):
        assert f"add_header {header} always;" in text
    assert "worker_processes 1;" in text


def test_nginx_without_redispatch_does_not_ask_another_server() -> None:
    spec = LabSpec(balancer="nginx", redispatch=False)
    text = nginx(spec)
    assert "proxy_next_upstream off;" in text


def test_a_web_server_logs_requests_at_once_and_no_health_checks() -> None:
    text = web_server(LabSpec())
    assert "error_page 405 =200 /body.bin;" in text, "an application takes every method"
    health = text[text.index("location = /health") :]
    assert "access_log off;" in health
    assert "access_log /run/lab/web1/access.log lab;" in text
    assert "buffer=" not in text
    assert "'$msec $remote_addr - $remote_user [$time_local]" in text


def test_both_nodes_start_as_backup() -> None:
    assert "state BACKUP" in keepalived("")
    assert "MASTER" not in keepalived("")


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


def test_the_check_is_tracked_with_its_weight_or_not_there_at_all() -> None:
    assert "weight 0" in keepalived("weight=0")
    assert "track_script" in keepalived("")
    assert "script" not in keepalived("check=none").replace("script_user", "")


def test_the_check_runs_from_a_file_because_keepalived_follows_links() -> None:
    assert check_script(("/usr/bin/pidof", "haproxy")) == "#!/bin/sh\nexec /usr/bin/pidof haproxy >/dev/null\n"
    shell = Path("/bin/sh").resolve()
    assert f'script "{shell} /run/lab/lb1/check.sh"' in keepalived("")


def test_a_preempting_node_is_not_told_so() -> None:
    assert "preempt" not in keepalived("")


def test_in_tcp_haproxy_writes_no_headers_and_checks_tls_backends_by_tls() -> None:
    lines = haproxy(LabSpec(mode="tcp-https"))
    assert lines.count("mode tcp") == 2
    assert not [line for line in lines if line.startswith(("http-response", "http-after-response"))]
    assert "bind 198.18.0.50:443" in lines
    assert "server web1 198.18.0.21:443 weight 1 check-ssl verify none" in lines


def test_the_redirector_knows_its_servers_by_where_it_sends_clients() -> None:
    lines = haproxy(LabSpec(balancer="redirect"))
    assert "server web2 198.18.0.22:80 weight 1 redir http://198.18.0.22" in lines


def test_a_connection_to_the_backend_for_each_request() -> None:
    assert "option http-server-close" in haproxy(LabSpec(server_close=True))
    text = nginx(LabSpec(balancer="nginx", server_close=True))
    assert "proxy_set_header Connection close;" in text
    assert "keepalive 64;" not in text


def test_workers_and_connections_reach_both_balancers() -> None:
    text = nginx(LabSpec(balancer="nginx", workers=2, max_connections=768))
    assert "worker_processes 2;" in text
    assert "worker_connections 768;" in text
    lines = haproxy(LabSpec(workers=1, max_connections=3000))
    assert "nbthread 1" in lines
    assert "maxconn 3000" in lines


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
    assert "address add 198.19.2.2/32 dev eth0" in host_batch(client(), 24, client_addresses(2))
    assert "route add 198.19.0.0/16 dev eth0" in host_batch(LB1, 24, way_to=MANY_CLIENTS)


def test_each_balancer_says_which_of_its_processes_answers() -> None:
    assert "http-after-response set-header X-Worker %pid" in haproxy(LabSpec())
    text = nginx(LabSpec(balancer="nginx"))
    assert "add_header X-Worker $pid always;" in text


def test_what_an_old_process_does_after_a_reload_is_as_the_knobs_say() -> None:
    chosen = haproxy(LabSpec(hard_stop_after_s=3, idle_close_on_response=True, expose_fd=False))
    assert {"hard-stop-after 3s", "option idle-close-on-response"} <= set(chosen)
    assert not [line for line in chosen if "expose-fd" in line]
    spec = LabSpec(balancer="nginx", hard_stop_after_s=1.5)
    text = nginx(spec)
    assert "worker_shutdown_timeout 1.5s;" in text


def test_a_held_load_needs_a_balancer_that_proxies_and_nginx_behind_it() -> None:
    for wrong in ({"balancer": "redirect"}, {"balancer": "none"}, {"mode": "tcp"}, {"backend_kind": "apache"}):
        with pytest.raises(UsageError, match="held connections need"):
            LabSpec(connections=True, **wrong)  # type: ignore[arg-type]
