"""All mechanisms by name, and what stands in for a fault that only a target file knows."""

from collections.abc import Mapping

from switchover.faults.backend_kill import BackendKill
from switchover.faults.backend_restart_graceful import BackendRestartGraceful
from switchover.faults.backend_restart_hard import BackendRestartHard
from switchover.faults.backend_slow import BackendSlow
from switchover.faults.backend_swap import BackendSwap
from switchover.faults.backend_swap_runtime import BackendSwapRuntime
from switchover.faults.caddy_reload import CaddyReload
from switchover.faults.certificate_swap import CertificateSwap
from switchover.faults.certificate_swap_runtime import CertificateSwapRuntime
from switchover.faults.envoy_listener import EnvoyListener
from switchover.faults.envoy_restart import EnvoyRestart
from switchover.faults.exec import Exec
from switchover.faults.fault import Fault
from switchover.faults.haproxy_drain import HaproxyDrain
from switchover.faults.haproxy_hang import HaproxyHang
from switchover.faults.haproxy_kill import HaproxyKill
from switchover.faults.haproxy_reload import HaproxyReload
from switchover.faults.haproxy_stop import HaproxyStop
from switchover.faults.keepalived_hang import KeepalivedHang
from switchover.faults.keepalived_kill import KeepalivedKill
from switchover.faults.keepalived_reload import KeepalivedReload
from switchover.faults.keepalived_stop import KeepalivedStop
from switchover.faults.nginx_reload import NginxReload
from switchover.faults.nginx_upgrade import NginxUpgrade
from switchover.faults.node_down import NodeDown
from switchover.faults.partition import Partition
from switchover.faults.priority_move import PriorityMove
from switchover.faults.server_drain import ServerDrain
from switchover.faults.server_maint import ServerMaint
from switchover.faults.traefik_swap import TraefikSwap
from switchover.faults.weight_zero import WeightZero

_FAULTS: tuple[Fault, ...] = (
    HaproxyKill(),
    HaproxyStop(),
    HaproxyHang(),
    HaproxyReload(),
    HaproxyDrain(),
    KeepalivedStop(),
    KeepalivedKill(),
    KeepalivedHang(),
    NodeDown(),
    Partition(),
    BackendKill(),
    BackendSlow(),
)

CATALOGUE: Mapping[str, Fault] = {fault.name: fault for fault in _FAULTS}
"""What the lab can do. A target file may hold a fault of the same name: its commands, our prediction."""

CHANGES: Mapping[str, Fault] = {
    fault.name: fault
    for fault in (
        *_FAULTS,
        NginxReload(),
        NginxUpgrade(),
        CaddyReload(),
        TraefikSwap(),
        EnvoyListener(),
        EnvoyRestart(),
        ServerDrain(),
        ServerMaint(),
        WeightZero(),
        BackendSwap(),
        BackendSwapRuntime(),
        BackendRestartGraceful(),
        BackendRestartHard(),
        PriorityMove(),
        CertificateSwap(),
        CertificateSwapRuntime(),
        KeepalivedReload(),
    )
    if fault.promises
}
"""What the lab can do as a change. A target file may hold one of the same name."""

EXEC: Fault = Exec()
"""Any other `[fault.NAME]`."""


def fault_named(name: str) -> Fault:
    return CATALOGUE.get(name) or CHANGES.get(name, EXEC)
