"""Envoy's two files of a balancer node: what it starts with, and the listeners, which it watches.

Each answer has the process and the number of the configuration that made it.
"""

from math import ceil
from pathlib import Path

from switchover.lab.addresses import RAW_PORT, STATS_PORT, STATUS_PORT, VIP, Host
from switchover.lab.spec import LabSpec

CONFIG, WATCHED = "envoy.yaml", "listeners.yaml"
DRAIN_S = 600
"""Envoy's own default: how long connections of a listener that was replaced may stay."""
PARENT_S = 900
"""Envoy's own default: how long a process may stay that a hot restart has replaced."""
SAYS = "starting main dispatch loop"
ALGORITHMS = {"roundrobin": "ROUND_ROBIN", "leastconn": "LEAST_REQUEST", "random": "RANDOM"}
TYPE = "type.googleapis.com/envoy"
FILTERS = f"{TYPE}.extensions.filters"
OVERWRITE = "append_action: OVERWRITE_IF_EXISTS_OR_ADD"
WORKER = f"{{header: {{key: X-Worker, value: '%ENVIRONMENT(WORKER)%.1'}}, {OVERWRITE}}}"


_TO_BACKENDS = """\
            - match: {{prefix: /}}
              route:
                cluster: web
                timeout: 0s
                retry_policy: {{retry_on: connect-failure, num_retries: {retries}}}"""
_HEALTH = """\
            - match: {path: /health}
              direct_response: {status: 200, body: {inline_string: ok}}"""


def envoy_files(spec: LabSpec, node: Host, backends: tuple[Host, ...], directory: Path) -> dict[str, str]:
    own = f"          - {{header: {{key: X-Balancer, value: {node.name}}}, {OVERWRITE}}}\n"
    return {
        CONFIG: f"""\
# {node.name}: Envoy of a switchover lab.
node: {{id: {node.name}, cluster: lab}}
admin:
  address: {{socket_address: {{address: {node.address}, port_value: {STATS_PORT}}}}}
dynamic_resources:
  lds_config: {{path_config_source: {{path: {directory}/{WATCHED}}}}}
static_resources:
  clusters:
  - name: web
    connect_timeout: 1s
    lb_policy: {ALGORITHMS[spec.algorithm]}
    health_checks:
    - timeout: 1s
      interval: 1s
      unhealthy_threshold: 2
      healthy_threshold: 2
      http_health_check: {{path: /health}}
{_endpoints("web", backends, spec.backend_port)}
    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": {TYPE}.extensions.upstreams.http.v3.HttpProtocolOptions
        explicit_http_config: {{http_protocol_options: {{}}}}
        http_filters:
        # On answers of a backend, and not on those that Envoy makes itself.
        - name: envoy.filters.http.header_mutation
          typed_config:
            "@type": {FILTERS}.http.header_mutation.v3.HeaderMutation
            mutations:
              response_mutations:
              - append: {{header: {{key: X-Backend, value: '%UPSTREAM_HOST%'}}, {OVERWRITE}}}
        - name: envoy.filters.http.upstream_codec
          typed_config: {{"@type": {FILTERS}.http.upstream_codec.v3.UpstreamCodec}}
{_raw_cluster(backends) if spec.patient else ""}""",
        WATCHED: f"""\
# {node.name}: the listeners, which Envoy watches.
resources:
{_listener("web", VIP, spec.port)}
{_http("web", own, _TO_BACKENDS.format(retries=spec.retries))}
# The page that Keepalived's HTTP check and the proof of a change ask for.
{_listener("control", "0.0.0.0", STATUS_PORT)}
{_http("control", "", _HEALTH)}
{_raw_listener() if spec.patient else ""}""",
    }


def envoy_command(program: str, spec: LabSpec, directory: Path) -> tuple[str, ...]:
    """One thread unless more are asked for, because each counts its round robin for itself."""
    drain_s = ceil(spec.hard_stop_after_s) or DRAIN_S
    parent_s = drain_s + 1 if spec.hard_stop_after_s else PARENT_S
    times = ("--drain-time-s", f"{drain_s}", "--parent-shutdown-time-s", f"{parent_s}")
    logs = ("-l", "warning", "--component-log-level", "main:info")
    return (program, "-c", str(directory / CONFIG), "--concurrency", f"{spec.workers or 1}", *times, *logs)


def _endpoints(cluster: str, backends: tuple[Host, ...], port: int) -> str:
    lines = "\n".join(
        f"        - endpoint: {{address: {{socket_address: {{address: {host.address}, port_value: {port}}}}}}}"
        for host in backends
    )
    return f"""\
    load_assignment:
      cluster_name: {cluster}
      endpoints:
      - lb_endpoints:
{lines}"""


def _raw_cluster(backends: tuple[Host, ...]) -> str:
    """Plain TCP for a patient load."""
    return f"""\
  - name: raw
    connect_timeout: 1s
{_endpoints("raw", backends, RAW_PORT)}
"""


def _listener(name: str, address: str, port: int) -> str:
    return f"""\
- "@type": {TYPE}.config.listener.v3.Listener
  name: {name}
  address: {{socket_address: {{address: {address}, port_value: {port}}}}}
  filter_chains:
  - filters:"""


def _http(name: str, headers: str, routes: str) -> str:
    return f"""\
    - name: envoy.filters.network.http_connection_manager
      typed_config:
        "@type": {FILTERS}.network.http_connection_manager.v3.HttpConnectionManager
        stat_prefix: {name}
        stream_idle_timeout: 0s
        upgrade_configs: [{{upgrade_type: websocket}}]
        http_filters:
        - name: envoy.filters.http.router
          typed_config: {{"@type": {FILTERS}.http.router.v3.Router}}
        route_config:
          response_headers_to_add:
          - {WORKER}
{headers}\
          virtual_hosts:
          - name: {name}
            domains: ['*']
            routes:
{routes}"""


def _raw_listener() -> str:
    return f"""\
{_listener("raw", VIP, RAW_PORT)}
    - name: envoy.filters.network.tcp_proxy
      typed_config:
        "@type": {FILTERS}.network.tcp_proxy.v3.TcpProxy
        stat_prefix: raw
        cluster: raw
"""
