"""Traefik's two files of a balancer node: what it starts with, and the one that it watches.

Traefik names no server in its answers, so the backends name themselves. Each answer has the process and the number of
the configuration that made it.
"""

from pathlib import Path

from switchover.lab.addresses import RAW_PORT, STATUS_PORT, VIP, Host
from switchover.lab.spec import LabSpec

CONFIG, WATCHED = "traefik.yml", "dynamic.yml"


def traefik_files(spec: LabSpec, node: Host, backends: tuple[Host, ...], directory: Path) -> dict[str, str]:
    entry = f"  raw: {{address: '{VIP}:{RAW_PORT}'}}\n" if spec.patient else ""
    servers = "\n".join(
        f"          - url: http://{host.address}:{spec.backend_port}  # {host.name}" for host in backends
    )
    return {
        CONFIG: f"""\
# {node.name}: Traefik of a switchover lab.
global: {{checkNewVersion: false, sendAnonymousUsage: false}}
log: {{level: INFO}}
entryPoints:
  web: {{address: '{VIP}:{spec.port}'}}
{entry}  control: {{address: ':{STATUS_PORT}'}}
providers:
  file: {{filename: {directory}/{WATCHED}, watch: true}}
ping: {{manualRouting: true}}
metrics:
  prometheus: {{manualRouting: true}}
""",
        WATCHED: f"""\
# {node.name}: what Traefik watches.
http:
  routers:
    web: {{entryPoints: [web], rule: 'PathPrefix(`/`)', service: web, middlewares: [names, again]}}
    health: {{entryPoints: [control], rule: 'Path(`/health`)', service: ping@internal, middlewares: [names]}}
    metrics: {{entryPoints: [control], rule: 'Path(`/metrics`)', service: prometheus@internal}}
  middlewares:
    names:
      headers:
        customResponseHeaders:
          X-Balancer: {node.name}
          X-Worker: '{{{{ env "WORKER" }}}}.1'
    again:
      retry: {{attempts: {spec.retries + 1}}}
  services:
    web:
      loadBalancer:
        healthCheck: {{path: /health, interval: 1s, timeout: 1s}}
        servers:
{servers}
{_raw_service(backends) if spec.patient else ""}""",
    }


def _raw_service(backends: tuple[Host, ...]) -> str:
    """Plain TCP for a patient load."""
    servers = "\n".join(f"          - address: {host.address}:{RAW_PORT}  # {host.name}" for host in backends)
    return f"""
tcp:
  routers:
    raw: {{entryPoints: [raw], rule: 'HostSNI(`*`)', service: raw}}
  services:
    raw:
      loadBalancer:
        servers:
{servers}
"""


def traefik_command(program: str, spec: LabSpec, directory: Path) -> tuple[str, ...]:
    return (program, f"--configFile={directory / CONFIG}")
