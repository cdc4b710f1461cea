"""The limits of a run against its figures: those asked for, and those that always hold."""

from collections.abc import Sequence

from switchover.evidence.flaws import JOURNAL_STEM, PROBES_STEM, SAMPLES_STEM, why_flawed
from switchover.evidence.nodes import nodes_with
from switchover.evidence.run_data import RunData
from switchover.faults.mechanisms.network import NODE_DOWN
from switchover.figures.accounting.log_ledger import ACCESS_LOG
from switchover.figures.events import Events
from switchover.figures.figures import Figures
from switchover.verdict.limit import Limit, with_defaults
from switchover.verdict.limit_result import Measured
from switchover.verdict.reasons import make_reason
from switchover.verdict.record import Accounting, LimitName
from switchover.verdict.record import Limit as Result

NAMED = 3
"""Files that a sentence names; of more the number is."""
_LOOKED_AT_BY = {"hold": LimitName.OUTAGE, "recover": LimitName.FAILBACK}
"""The limit on each phase that may be cut short."""


def hold_limits(asked: Sequence[Limit], data: RunData, events: Events, figures: Figures) -> list[Result]:
    measured = Measured(
        events=events,
        figures=figures,
        unread=data.lost_rows.get("samples" if figures.samples else "probes", 0),
        truncated={_LOOKED_AT_BY[cut.phase]: cut.text for cut in data.run.truncated},
        lost=_lost_figures(data, figures),
    )
    balancers, accounting = events.balancers, figures.accounting
    # It takes a node from the network, and may take the way to what sources it.
    is_cut_off = data.run.fault is not None and data.run.fault.name == NODE_DOWN
    chosen = with_defaults(
        list(asked),
        split_brain_observed=figures.split_brain is not None
        or (len(balancers) > 1 and set(balancers) <= set(nodes_with(data.run, "vip_owner")) and not is_cut_off),
        dedicated=accounting.unaccounted is not None
        or (accounting.dedicated and bool(nodes_with(data.run, "haproxy")) and not data.run.keeps_connections),
    )
    return [measured.judge(limit) for limit in chosen]


def _lost_figures(data: RunData, figures: Figures) -> dict[LimitName, str]:
    """What a limit is about that cannot be measured, because a file of its source is not whole; and why not."""
    stems = {
        LimitName.OUTAGE: (PROBES_STEM,),
        LimitName.FAILBACK: (PROBES_STEM,),
        LimitName.SPLIT_BRAIN: (JOURNAL_STEM,),
        **dict.fromkeys((LimitName.UNACCOUNTED, LimitName.LOST, LimitName.LOSSY, LimitName.DELAY), ("",)),
    }
    of_requests = (SAMPLES_STEM if figures.samples or data.run.workers else PROBES_STEM,)
    lost = {name: why for name in LimitName if (why := why_flawed(data.flaws, *stems.get(name, of_requests)))}
    if data.missing:  # its requests were counted by the balancers, too
        lost.setdefault(LimitName.UNACCOUNTED, make_reason("part_missing", name=data.missing[0]).text)
    if why := why_unsealed(data.unsealed, figures.accounting):
        lost.setdefault(LimitName.UNACCOUNTED, why)
    return lost


def why_unsealed(unsealed: Sequence[str], accounting: Accounting) -> str:
    """Why what is unaccounted says nothing: a file that was compared may be damaged, and has no seal that would tell.

    Of access logs that alone differ, their names; else those of all files without a seal.
    """
    differing = [line for line in accounting.lines if line.unaccounted]
    logs = {f"access-{line.node}.csv" for line in differing if line.said_by == ACCESS_LOG}
    alone = [name for name in unsealed if name in logs and all(line.said_by == ACCESS_LOG for line in differing)]
    names = alone or unsealed
    if not accounting.unaccounted or not names:
        return ""
    more = f" and {len(names) - NAMED} more have" if len(names) > NAMED else " has" if len(names) == 1 else " have"
    return (
        f"unaccounted {accounting.unaccounted:,}, and {', '.join(names[:NAMED])}{more} no seal: nothing says "
        "whether the pair or a damaged file made the difference"
    )
