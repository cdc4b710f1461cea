"""nginx.conf of a balancer node and of a web server."""

from pathlib import Path

from switchover.lab.addresses import STATUS_PORT, VIP, Host
from switchover.lab.spec import LabSpec

BODY = "body.bin"
LOG_FORMAT = (
    '\'$msec $remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent '
    '"$http_referer" "$http_user_agent"\''
)
ALGORITHMS = {
    "roundrobin": "",
    "leastconn": "least_conn;",
    "source": "ip_hash;",
    "uri": "hash $request_uri consistent;",
    "random": "random;",
}
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
SPARE_DESCRIPTORS = 100


def nginx_balancer_config(
    spec: LabSpec, node: Host, backends: tuple[Host, ...], *, directory: Path, descriptors: int
) -> str:
    """A balancer with one worker, because each worker would count its round robin for itself."""
    servers = "\n".join(
        f"        server {backend.address}:80 weight={spec.weight(index)} max_fails=1 fail_timeout=2s;"
        for index, backend in enumerate(backends)
    )
    upstream_connection = (
        'proxy_set_header Connection "";' if spec.keepalive else "proxy_set_header Connection close;"
    )
    kept = "keepalive 64;" if spec.keepalive else ""
    again = "error timeout" if spec.redispatch else "off"
    return f"""\
# {node.name}: Nginx of a switchover lab.
{_main(directory, descriptors)}
http {{
{_http(directory, spec.keepalive)}

    upstream web {{
        {ALGORITHMS[spec.algorithm]}
{servers}
        {kept}
    }}

    # The service.
    server {{
        listen {VIP}:80;
        add_header X-Backend $upstream_addr always;
        add_header X-Upstream-Time $upstream_header_time always;
        add_header X-Balancer {node.name} always;
        location / {{
            proxy_pass http://web;
            proxy_http_version 1.1;
            {upstream_connection}
            proxy_set_header Host $host;
            proxy_connect_timeout 1s;
            proxy_read_timeout 30s;
            proxy_next_upstream {again};
            proxy_next_upstream_tries {spec.retries + 1};
        }}
    }}

    # Statistics, and the page that Keepalived's HTTP check asks for.
    server {{
        listen {node.address}:{STATUS_PORT};
        listen 127.0.0.1:{STATUS_PORT};
        location = /status {{ stub_status; }}
        location = /health {{ return 200 "ok"; }}
    }}
}}
"""


def nginx_backend_config(spec: LabSpec, node: Host, *, directory: Path, descriptors: int) -> str:
    """A web server: one file for every path, each request logged at once; health checks are not logged."""
    return f"""\
# {node.name}: web server of a switchover lab.
{_main(directory, descriptors)}
http {{
{_http(directory, spec.keepalive)}
    log_format lab {LOG_FORMAT};

    server {{
        listen 80;
        root {directory};
        location / {{
            access_log {directory}/access.log lab;
            default_type application/octet-stream;
            try_files /{BODY} =404;
        }}
        location = /health {{
            access_log off;
            return 200 "ok";
        }}
    }}
}}
"""


def _main(directory: Path, descriptors: int) -> str:
    connections = max(100, min(10_000, descriptors - SPARE_DESCRIPTORS))
    return f"""\
daemon off;
user root;
worker_processes 1;
pid {directory}/nginx.pid;
error_log stderr notice;
events {{ worker_connections {connections}; }}"""


def _http(directory: Path, keepalive: bool) -> str:
    paths = "\n".join(f"    {name}_temp_path {directory}/{name};" for name in TEMPORARY)
    timeout = "30s" if keepalive else "0"
    return f"""\
{paths}
    access_log off;
    server_tokens off;
    tcp_nodelay on;
    keepalive_timeout {timeout};
    keepalive_requests 1000000;"""
