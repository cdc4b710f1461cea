"""What a reader can do about a word that is no pass."""

from collections.abc import Mapping

from switchover.analysis.status import Status

ADVICE: Mapping[Status, str] = {
    Status.NOT_HEALED: "look at the target now: 'switchover heal' undoes what is left",
    Status.NOT_FIRED: "nothing was done to the target: mend what is said above and drill again",
    Status.NO_EFFECT: "try the kill command by hand on the node, and see whether the telemetry asks what it kills",
    Status.UNCONFIRMED: "try the kill command by hand on the node; haproxy and vip_owner in the target show more",
    Status.NOT_RESTORED: "look at the pair before the next drill: it began as something else",
    Status.INCONCLUSIVE: "drill again, or give a limit that lies outside the interval; more probes narrow it",
}
"""By word; the reasons of the others say it themselves."""
