"""keepalived.conf of a balancer node."""

import os
import shlex
from collections.abc import Sequence

from switchover.faults.mechanisms.pair_changes import MOVE_FILE, MOVE_WEIGHT
from switchover.lab.addresses import PREFIX_LENGTH, VIP, Host
from switchover.lab.spec import LabSpec

ROUTER_ID = 50
SHELL = os.path.realpath("/bin/sh")
"""By its own name: Keepalived 2.3 disables a check whose program is a symbolic link ("Wrong file type")."""


def keepalived_config(spec: LabSpec, node: Host, peer: Host, *, fifo: str, check_script: str, directory: str) -> str:
    """Both nodes start as BACKUP, as real pairs should, and the election makes the higher priority the master."""
    settings = spec.keepalived.of(node.name)
    script, track = "", ""
    if settings.check is not None:
        check = settings.check
        script = f"""
vrrp_script balancer {{
    script "{SHELL} {check_script}"
    interval {check.interval_s}
    timeout {check.timeout_s}
    fall {check.fall}
    rise {check.rise}
    weight {check.weight}
}}
"""
        track = "    track_script {\n        balancer\n    }\n"
    if spec.patient:
        script += f"""
vrrp_track_file {MOVE_FILE} {{
    file {directory}/{MOVE_FILE}
    weight {MOVE_WEIGHT}
    init_file 0
}}
"""
        track += f"    track_file {{\n        {MOVE_FILE}\n    }}\n"
    preempt = "" if settings.preempt else "    nopreempt\n"
    delay = f"    preempt_delay {settings.preempt_delay_s:g}\n" if settings.preempt_delay_s else ""
    adverts = f"    down_timer_adverts {settings.down_timer_adverts}\n" if settings.down_timer_adverts != 3 else ""
    unicast = ""
    if settings.unicast:
        unicast = f"    unicast_src_ip {node.address}\n    unicast_peer {{\n        {peer.address}\n    }}\n"
    return f"""\
# {node.name}: Keepalived of a switchover lab.
global_defs {{
    router_id {node.name}
    script_user root
    vrrp_notify_fifo {fifo}
    vrrp_notify_priority_changes true
}}
{script}
vrrp_instance {settings.instance} {{
    state BACKUP
    interface eth0
    virtual_router_id {ROUTER_ID}
    priority {settings.priority}
    advert_int {settings.advert_int_s:g}
    version {settings.version}
{preempt}{delay}{adverts}{unicast}    virtual_ipaddress {{
        {VIP}/{PREFIX_LENGTH}
    }}
{track}}}
"""


def check_script(command: Sequence[str]) -> str:
    """What Keepalived runs, as a file, because Keepalived follows symbolic links before it runs a program.

    Debian's pidof is a link to killall5, which would then be what runs (measured: keepalived 2.2.7).
    """
    return f"#!/bin/sh\nexec {shlex.join(command)} >/dev/null\n"
