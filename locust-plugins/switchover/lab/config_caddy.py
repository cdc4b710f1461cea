"""caddy.conf (a Caddyfile) of a balancer node. Each answer has the process and the number of the configuration.

Caddy can name a server in its answers (`header_down`), but not in a 101, so the backends name themselves.
"""

from pathlib import Path

from switchover.lab.addresses import STATUS_PORT, VIP, Host
from switchover.lab.spec import LabSpec

CONFIG = "caddy.conf"
ADMIN = "127.0.0.1:2019"
ALGORITHMS = {
    "roundrobin": "round_robin",
    "leastconn": "least_conn",
    "first": "first",
    "source": "ip_hash",
    "uri": "uri_hash",
    "random": "random",
}


def caddy_files(spec: LabSpec, node: Host, backends: tuple[Host, ...], directory: Path) -> dict[str, str]:
    upstreams = " ".join(f"{host.address}:{spec.backend_port}" for host in backends)
    grace = f"grace_period {spec.hard_stop_after_s:g}s" if spec.hard_stop_after_s else "# No grace_period."
    worker = "header X-Worker {env.WORKER}.1"
    return {
        CONFIG: f"""\
# {node.name}: Caddy of a switchover lab.
{{
	admin {ADMIN}
	auto_https off
	persist_config off
	storage file_system {directory}/caddy
	{grace}
	servers {{
		protocols h1 h2c
	}}
}}

# The service.
http://:{spec.port} {{
	bind {VIP}
	header X-Balancer {node.name}
	{worker}
	reverse_proxy {upstreams} {{
		lb_policy {ALGORITHMS[spec.algorithm]}
		lb_retries {spec.retries}
		health_uri /health
		health_interval 1s
		health_timeout 1s
		health_fails 2
		health_passes 2
		flush_interval -1
		transport http {{
			dial_timeout 1s
		}}
	}}
}}

# The page that Keepalived's HTTP check and the proof of a reload ask for, and statistics.
http://:{STATUS_PORT} {{
	{worker}
	respond /health ok
	metrics /metrics
}}
"""
    }


def caddy_command(program: str, spec: LabSpec, directory: Path) -> tuple[str, ...]:
    return (program, "run", "--config", str(directory / CONFIG), "--adapter", "caddyfile")


def caddy_reload(program: str, directory: Path) -> tuple[str, ...]:
    """By its admin address. It passes over a configuration that is the same as before."""
    return (program, "reload", "--config", str(directory / CONFIG), "--adapter", "caddyfile", "--address", ADMIN)
