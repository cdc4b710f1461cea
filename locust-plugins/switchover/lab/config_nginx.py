"""nginx.conf of a balancer node and of a web server."""

from pathlib import Path

from switchover.faults.mechanisms.servers import LINE_ENDS, NEXT, NEXT_PORT
from switchover.lab.addresses import H2_PORT, PATIENT_PORT, RAW_PORT, STATUS_PORT, VIP, Host
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
TCP_ALGORITHMS = {
    "roundrobin": "",
    "leastconn": "least_conn;",
    "source": "hash $remote_addr;",
    "uri": "",
    "random": "random;",
}
STREAM_MODULE = "/usr/lib/nginx/modules/ngx_stream_module.so"
"""Debian's, of the package libnginx-mod-stream."""
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
SPARE_DESCRIPTORS = 100


def nginx_balancer_config(
    spec: LabSpec, node: Host, backends: tuple[Host, ...], *, directory: Path, descriptors: int, certificate: str = ""
) -> str:
    """A balancer with one worker unless more are asked for, because each worker counts its round robin for itself."""
    servers = "\n".join(_server_lines(spec, backends))
    service = _tcp_service(spec, servers) if spec.is_tcp else ""
    if spec.patient:
        service = _raw_service(backends)
    web = "" if spec.is_tcp else _http_service(spec, node, servers, certificate)
    return f"""\
# {node.name}: Nginx of a switchover lab.
{f"load_module {STREAM_MODULE};" if spec.is_tcp or spec.patient else ""}
{_main(directory, descriptors, spec.workers or 1, spec.max_connections, daemon=spec.patient)}
{f"worker_shutdown_timeout {spec.hard_stop_after_s:g}s;" if spec.hard_stop_after_s else ""}
{service}http {{
{_http(directory, spec.keepalive)}
{web}
    # Statistics, and the page that Keepalived's HTTP check asks for.
    server {{
        listen {node.address}:{STATUS_PORT};
        listen 127.0.0.1:{STATUS_PORT};
        location = /status {{ stub_status; }}
        location = /health {{ return 200 "ok"; }}
    }}
}}
"""


def _server_lines(spec: LabSpec, backends: tuple[Host, ...]) -> list[str]:
    def line(backend: Host, port: int, index: int) -> str:
        weight = spec.weight(index)
        return f"        server {backend.address}:{port} weight={weight} max_fails=1 fail_timeout=2s"

    lines = [line(backend, spec.backend_port, index) + ";" for index, backend in enumerate(backends)]
    if spec.patient:  # what a swap of backends exchanges; it finds each line by the name at its end
        down, end = LINE_ENDS["nginx"]
        lines[0] = lines[0].removesuffix(";") + end + backends[0].name
        lines.append(line(backends[0], NEXT_PORT, 0) + down + end + NEXT)
    return lines


def _http_service(spec: LabSpec, node: Host, servers: str, certificate: str) -> str:
    kept = spec.keepalive and not spec.server_close
    upstream_connection = 'proxy_set_header Connection "";' if kept else "proxy_set_header Connection close;"
    listen = f"listen {VIP}:{spec.port};"
    if spec.patient:
        listen += f"\n        listen {VIP}:{H2_PORT} http2;"
    if spec.mode == "https":
        listen = (
            f"listen {VIP}:{spec.port} ssl{' http2' if spec.patient else ''};\n        ssl_certificate {certificate};"
        )
        listen += f"\n        ssl_certificate_key {certificate};"
        if spec.cipher:
            listen += f"\n        ssl_protocols TLSv1.2;\n        ssl_ciphers {spec.cipher};"
    return f"""
    upstream web {{
        {ALGORITHMS[spec.algorithm]}
{servers}
        {"keepalive 64;" if kept else ""}
    }}

    # The service.
    server {{
        {listen}
        add_header X-Backend $upstream_addr always;
        add_header X-Upstream-Time $upstream_header_time always;
        add_header X-Balancer {node.name} always;
        add_header X-Worker $pid always;
        location / {{
            proxy_pass http://web;
            proxy_http_version 1.1;
            {upstream_connection}
            proxy_set_header Host $host;
            proxy_connect_timeout 1s;
            proxy_read_timeout 30s;
            proxy_next_upstream {"error timeout" if spec.redispatch else "off"};
            proxy_next_upstream_tries {spec.retries + 1};
        }}
{_patient_location("http://web", spec.retries + 1) if spec.patient else ""}    }}
{UPGRADE if spec.patient else ""}"""


UPGRADE = """
    # A WebSocket's request asks for an upgrade; the others keep their connections.
    map $http_upgrade $upstream_connection {
        default upgrade;
        "" "";
    }
"""


APPLICATION = f"""
    upstream patient {{
        server 127.0.0.1:{PATIENT_PORT};
        keepalive 64;
    }}
"""


def _patient_location(upstream: str, tries: int, log: str = "") -> str:
    """Long bodies and streams, passed on as they come."""
    return f"""
        location /patient/ {{
            {log}
            proxy_pass {upstream};
            proxy_http_version 1.1;
            proxy_set_header Host $host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $upstream_connection;
            proxy_buffering off;
            proxy_request_buffering off;
            proxy_connect_timeout 1s;
            proxy_read_timeout 1h;
            proxy_next_upstream error timeout;
            proxy_next_upstream_tries {tries};
        }}
"""


def _raw_service(backends: tuple[Host, ...]) -> str:
    """Plain TCP for a patient load."""
    servers = "\n".join(f"        server {host.address}:{RAW_PORT};" for host in backends)
    return f"""
stream {{
    upstream raw {{
{servers}
    }}
    server {{
        listen {VIP}:{RAW_PORT};
        proxy_pass raw;
        proxy_connect_timeout 1s;
    }}
}}

"""


def _tcp_service(spec: LabSpec, servers: str) -> str:
    return f"""
# The service.
stream {{
    upstream web {{
        {TCP_ALGORITHMS[spec.algorithm]}
{servers}
    }}
    server {{
        listen {VIP}:{spec.port};
        proxy_pass web;
        proxy_connect_timeout 1s;
        proxy_timeout 30s;
        proxy_next_upstream {"on" if spec.redispatch else "off"};
        proxy_next_upstream_tries {spec.retries + 1};
    }}
}}

"""


def nginx_backend_config(
    spec: LabSpec, node: Host, *, directory: Path, descriptors: int, certificate: str = ""
) -> str:
    """A web server: one file for every path and method, each request logged at once; health checks are not logged."""
    listen = "listen 80;"
    if spec.backend_port == 443:
        listen = f"listen 443 ssl;\n        ssl_certificate {certificate};"
        listen += f"\n        ssl_certificate_key {certificate};"
    name = f"add_header X-Backend {node.name} always;" if spec.names_backends_itself else ""
    servers = _web_server(spec, directory, listen, name, "access.log")
    outside = ""
    if spec.patient:
        servers += _web_server(spec, directory, f"listen {NEXT_PORT};", name, "next-access.log")
        outside = f"{APPLICATION}{UPGRADE}"
    return f"""\
# {node.name}: web server of a switchover lab.
{_main(directory, descriptors, 1, 0)}
http {{
{_http(directory, spec.keepalive)}
    log_format lab {LOG_FORMAT};
{outside}{servers}}}
"""


def _web_server(spec: LabSpec, directory: Path, listen: str, name: str, log: str) -> str:
    """In a patient lab the application beside it, too."""
    access_log = f"access_log {directory}/{log} lab;"
    patient = _patient_location("http://patient", 1, log=access_log) if spec.patient else ""
    return f"""
    server {{
        {listen}
        root {directory};
        {name}
        location / {{
            {access_log}
            default_type application/octet-stream;
            # An application takes every method; Nginx's files take GET and HEAD alone.
            error_page 405 =200 /{BODY};
            try_files /{BODY} =404;
        }}
        location = /health {{
            access_log off;
            return 200 "ok";
        }}
{patient}    }}
"""


def _main(directory: Path, descriptors: int, workers: int, max_connections: int, *, daemon: bool = False) -> str:
    connections = max_connections or max(100, min(10_000, descriptors - SPARE_DESCRIPTORS))
    return f"""\
daemon {"on" if daemon else "off"};
user root;
worker_processes {workers};
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
    client_max_body_size 0;
    tcp_nodelay on;
    keepalive_timeout {timeout};
    keepalive_requests 1000000;"""
