"""The verdict in one sentence, for a reader of one line."""

from math import ceil

from switchover.analysis.outage import Outage, OutageKind
from switchover.analysis.verdict import Verdict
from switchover.model.identity import AnsweredBy


def sentence(verdict: Verdict) -> str:
    """`lb2 took over after 3.41 s; 213 of 18,344 requests failed; no split brain; all 18,131 answers accounted.`"""
    clauses = [*_service(verdict), *_failback(verdict), _requests(verdict), *_split_brain(verdict), _answers(verdict)]
    return "; ".join(filter(None, clauses)) + "."


def answers(verdict: Verdict) -> int:
    """The number of answers that a backend or a balancer gave, to probes and load."""
    wholes = [
        population.whole for population in (verdict.figures.probes, verdict.figures.samples) if population is not None
    ]
    given = (AnsweredBy.BACKEND, AnsweredBy.BALANCER)
    return sum(whole.by_answered_by.get(answered_by, 0) for whole in wholes for answered_by in given)


def _service(verdict: Verdict) -> list[str]:
    """What the fault did to the service, and how long."""
    fault, outage = verdict.run.fired_fault, verdict.events.outage
    if fault is None:
        if outage is None or outage.kind is OutageKind.NONE:
            return ["No fault was fired"]
        return ["No fault was fired", f"yet the service was impaired for {_seconds(outage)}"]
    victim = fault.victim or "the target"
    if outage is None:
        return [f"{fault.name} was fired on {victim}, and no probe measured how long the service was away"]
    if outage.kind is OutageKind.NONE:
        return [f"No probe noticed {fault.name} on {victim}"]
    if outage.censored:
        return [f"The service had not recovered {_surely(outage)} after {fault.name} on {victim}"]
    if outage.kind is OutageKind.PARTIAL:
        clause = f"A part of the requests was lost for {_seconds(outage)} after {fault.name} on {victim}"
    elif fault.kind == "master" and fault.backup:
        clause = f"{fault.backup} took over after {_seconds(outage)}"
    else:
        clause = f"Requests failed for {_seconds(outage)} after {fault.name} on {victim}"
    return [clause] if outage.recovered else [clause, "but the service was away again at the end"]


def _failback(verdict: Verdict) -> list[str]:
    failback = verdict.events.failback
    return [] if failback is None or failback.recovered else ["it had not recovered after the heal"]


def _requests(verdict: Verdict) -> str:
    population = verdict.figures.requests
    if population is None or not population.whole.total:
        return "nothing was sent"
    whole, name = population.whole, "requests" if verdict.figures.samples else "probes"
    return f"{whole.failed:,} of {whole.total:,} {name} failed"


def _split_brain(verdict: Verdict) -> list[str]:
    found = verdict.figures.split_brain
    if found is None:
        return []
    if not found.overlaps:
        high_us = found.length.high or 0
        return [f"split brain for at most {ceil(high_us / 1e4) / 100:.2f} s"] if high_us else ["no split brain"]
    how = " as the lines arrived" if found.length.high is None else ""
    return [f"split brain for {found.total_us / 1e6:.2f} s{how}"]


def _answers(verdict: Verdict) -> str:
    found, given = verdict.figures.accounting, answers(verdict)
    if found.unaccounted is None:
        return ""
    if found.unaccounted:
        return f"{found.unaccounted:,} requests unaccounted"
    return f"all {given:,} answers accounted"


def _seconds(outage: Outage) -> str:
    """To the hundredth from a second on, else to the millisecond."""
    seconds = outage.duration_us / 1e6
    return f"{seconds:.2f} s" if seconds >= 1 else f"{(outage.duration_us + 500) // 1000:,} ms"


def _surely(outage: Outage) -> str:
    """A lower bound is not rounded up."""
    return f"{int(outage.length.low) // 10_000 / 100:.2f} s"
