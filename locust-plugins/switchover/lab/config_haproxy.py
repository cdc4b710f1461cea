"""haproxy.cfg of a balancer node."""

from switchover.faults.mechanisms.servers import LINE_ENDS, NEXT, NEXT_PORT
from switchover.lab.addresses import RAW_PORT, STATS_PORT, VIP, Host
from switchover.lab.spec import STICKY_COOKIE, LabSpec

SPARE_DESCRIPTORS = 500
"""Listeners, health checks, idle connections to the backends."""
MOST_CONNECTIONS = 20_000


def max_connections(descriptors: int) -> int:
    """HAProxy needs two descriptors a connection and refuses to start where the limit does not hold them."""
    return max(100, min(MOST_CONNECTIONS, (descriptors - SPARE_DESCRIPTORS) // 2))


def haproxy_config(
    spec: LabSpec, node: Host, backends: tuple[Host, ...], *, socket: str, descriptors: int, certificate: str = ""
) -> str:
    """The whole file. `socket` is the runtime socket, `descriptors` the limit of open files, `certificate` the file
    for `https`."""
    redispatch = "option redispatch" if spec.redispatch else "no option redispatch"
    threads = f"    nbthread {spec.workers}\n" if spec.workers else ""
    threads += f"    hard-stop-after {spec.hard_stop_after_s:g}s\n" if spec.hard_stop_after_s else ""
    listeners = " expose-fd listeners" if spec.expose_fd else ""
    servers = [_server(spec, backend, spec.backend_port, index) for index, backend in enumerate(backends)]
    if spec.patient:  # what a swap of backends exchanges; it finds each line by the name at its end
        disabled, end = LINE_ENDS["haproxy"]
        servers[0] += end + backends[0].name
        servers.append(_server(spec, Host(NEXT, backends[0].address), NEXT_PORT, 0) + disabled + end + NEXT)
    server_lines = "\n".join(servers)
    return f"""\
# {node.name}: HAProxy of a switchover lab.
global
    log stderr format raw daemon notice
    maxconn {spec.max_connections or max_connections(descriptors)}
{threads}    stats socket {socket} mode 600 level admin{listeners}

defaults
    mode http
    log global
    option {_connection_mode(spec)}
    retries {spec.retries}
    {redispatch}
    timeout connect 1s
    timeout client 30s
    timeout server 30s
    timeout http-request 10s
    timeout http-keep-alive 30s
{"    option idle-close-on-response" if spec.idle_close_on_response else ""}
# The service. Its counters see the load and nothing else.
frontend www
{_frontend(spec, node, certificate)}
    default_backend web

backend web
{_backend(spec)}
    option httpchk GET /health
    http-check expect status 200
    default-server check inter 1s fall 2 rise 2
{server_lines}
{_raw_service(backends) if spec.patient else ""}
# Statistics, and the page that Keepalived's HTTP check asks for.
frontend control
    bind {node.address}:{STATS_PORT}
    bind 127.0.0.1:{STATS_PORT}
    http-request return status 200 content-type text/plain string "ok" if {{ path /health }}
    stats enable
    stats uri /stats
"""


def _raw_service(backends: tuple[Host, ...]) -> str:
    """Plain TCP for a patient load."""
    servers = "\n".join(f"    server {host.name} {host.address}:{RAW_PORT} check inter 1s" for host in backends)
    return f"""
# Plain TCP.
frontend raw
    bind {VIP}:{RAW_PORT}
    mode tcp
    default_backend raw

backend raw
    mode tcp
    balance roundrobin
{servers}
"""


def _connection_mode(spec: LabSpec) -> str:
    if not spec.keepalive:
        return "httpclose"
    return "http-server-close" if spec.server_close else "http-keep-alive"


def _frontend(spec: LabSpec, node: Host, certificate: str) -> str:
    tls = ""
    if spec.mode == "https":
        tls = f" ssl crt {certificate}" + (" alpn h2,http/1.1" if spec.patient else "")
        if spec.cipher:
            tls += f" ssl-min-ver TLSv1.2 ssl-max-ver TLSv1.2 ciphers {spec.cipher}"
    lines = [f"bind {VIP}:{spec.port}{tls}"]
    if spec.is_tcp:
        lines.append("mode tcp")
    else:
        lines.append(f"http-after-response set-header X-Balancer {node.name}")
        lines.append("http-after-response set-header X-Worker %pid")
    return "\n".join(f"    {line}" for line in lines)


def _backend(spec: LabSpec) -> str:
    lines = [f"balance {spec.algorithm}"]
    if spec.sticky:
        lines.append(f"cookie {STICKY_COOKIE} insert indirect nocache")
    lines.append("mode tcp" if spec.is_tcp else "http-response set-header X-Backend %s")
    return "\n".join(f"    {line}" for line in lines)


def _server(spec: LabSpec, backend: Host, port: int, index: int) -> str:
    words = [f"    server {backend.name} {backend.address}:{port} weight {spec.weight(index)}"]
    if spec.sticky:
        words.append(f"cookie {backend.name}")
    if spec.balancer == "redirect":
        words.append(f"redir http://{backend.address}")
    if spec.backend_port == 443:
        words.append("check-ssl verify none")
    return " ".join(words)
