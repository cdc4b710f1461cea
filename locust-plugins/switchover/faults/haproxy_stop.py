"""SIGTERM to the balancer: `systemctl stop haproxy` at a bad moment."""

from switchover.faults.haproxy_kill import HaproxyKill


class HaproxyStop(HaproxyKill):
    name = "haproxy-stop"
    summary = "the master's HAProxy is stopped in order"
    mechanism = "SIGTERM to the master's HAProxy (a hard stop: it closes its connections and exits)"
    expectation = (
        "the same as haproxy-kill: an orderly stop of HAProxy tells Keepalived nothing, only the check script does. "
        "To hand over without loss, stop Keepalived first"
    )
    verb = "stop"
