"""What a reader can do about a word that is no pass."""

from collections.abc import Mapping

from switchover.analysis.word import Word

ADVICE: Mapping[Word, str] = {
    Word.NOT_HEALED: "look at the target now: 'switchover heal' undoes what is left",
    Word.NOT_FIRED: "nothing was done to the target: mend what is said above and drill again",
    Word.NO_EFFECT: "try the kill command by hand on the node, and see whether the telemetry asks what it kills",
    Word.UNWITNESSED: "try the kill command by hand on the node; haproxy and vip_owner in the target file show more",
    Word.NOT_WHOLE: "look at the pair before the next drill: it began as something else",
    Word.UNDECIDED: "drill again, or give a limit that lies outside the interval; more probes narrow it",
}
"""By word; the reasons of the others say it themselves."""
