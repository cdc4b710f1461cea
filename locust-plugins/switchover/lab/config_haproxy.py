"""haproxy.cfg of a balancer node."""

from switchover.lab.addresses import STATS_PORT, VIP, Host
from switchover.lab.spec import STICKY_COOKIE, LabSpec

SPARE_DESCRIPTORS = 500
"""Listeners, health checks, idle connections to the backends."""
MOST_CONNECTIONS = 20_000


def max_connections(descriptors: int) -> int:
    """HAProxy needs two descriptors a connection and refuses to start where the limit does not hold them."""
    return max(100, min(MOST_CONNECTIONS, (descriptors - SPARE_DESCRIPTORS) // 2))


def haproxy_config(spec: LabSpec, node: Host, backends: tuple[Host, ...], *, socket: str, descriptors: int) -> str:
    """The whole file. `socket` is the runtime socket, `descriptors` the limit of open files."""
    connection_mode = "http-keep-alive" if spec.keepalive else "httpclose"
    redispatch = "option redispatch" if spec.redispatch else "no option redispatch"
    cookie = f"cookie {STICKY_COOKIE} insert indirect nocache\n    " if spec.sticky else ""
    servers = "\n".join(
        f"    server {backend.name} {backend.address}:80 weight {spec.weight(index)}"
        + (f" cookie {backend.name}" if spec.sticky else "")
        for index, backend in enumerate(backends)
    )
    return f"""\
# {node.name}: HAProxy of a switchover lab.
global
    log stderr format raw daemon notice
    maxconn {max_connections(descriptors)}
    stats socket {socket} mode 600 level admin expose-fd listeners

defaults
    mode http
    log global
    option {connection_mode}
    retries {spec.retries}
    {redispatch}
    timeout connect 1s
    timeout client 30s
    timeout server 30s
    timeout http-request 10s
    timeout http-keep-alive 30s

# The service. Its counters see the load and nothing else.
frontend www
    bind {VIP}:80
    http-after-response set-header X-Balancer {node.name}
    default_backend web

backend web
    balance {spec.algorithm}
    {cookie}option httpchk GET /health
    http-check expect status 200
    http-response set-header X-Backend %s
    default-server check inter 1s fall 2 rise 2
{servers}

# Statistics, and the page that Keepalived's HTTP check asks for.
frontend control
    bind {node.address}:{STATS_PORT}
    bind 127.0.0.1:{STATS_PORT}
    http-request return status 200 content-type text/plain string "ok" if {{ path /health }}
    stats enable
    stats uri /stats
"""
