"""What others counted: shares and their expectation, the balancers' counters, and who agrees with whom."""

from collections.abc import Iterable, Mapping, Sequence

from switchover.analysis.confirmation import Check
from switchover.analysis.counters import generations_of
from switchover.analysis.distribution import weights_of
from switchover.analysis.ledger import Line
from switchover.analysis.phases import PhaseName
from switchover.analysis.verdict import Verdict
from switchover.report.page.colours import Colours
from switchover.report.page.table import Cell, Table, number, pointed
from switchover.rundir.points import Point


def expected_shares(verdict: Verdict, points: Sequence[Point]) -> dict[PhaseName, dict[str, float]]:
    """By phase and backend, where the backends take turns and all traffic is ours: else no share can be expected."""
    if not verdict.figures.accounting.dedicated:
        return {}
    weights = weights_of(verdict.run, points)
    expected: dict[PhaseName, dict[str, float]] = {}
    for turns in verdict.figures.distribution.turns:
        names = verdict.figures.distribution.by_phase[turns.phase]["backends"]
        total = sum(weights.get(name, 1.0) for name in names)
        if total > 0:
            expected[turns.phase] = {name: weights.get(name, 1.0) / total for name in names}
    return expected


def shares_table(verdict: Verdict, points: Sequence[Point], colours: Colours) -> Table:
    expected = expected_shares(verdict, points)
    rows: list[Sequence[Cell]] = []
    for phase, found in verdict.figures.distribution.by_phase.items():
        for what, classes in (("backends", colours.backends), ("balancers", colours.balancers)):
            counts = found.get(what, {})
            total = sum(counts.values())
            for name, count in counts.items():
                at = f"/distribution/by_phase/{phase.value}/{what}/{pointed(name)}"
                share = expected.get(phase, {}).get(name) if what == "backends" else None
                rows.append(
                    (
                        Cell(phase.value),
                        Cell(name, colour=classes.get(name, "grey")),
                        number(f"{count:,}", f"{at}/count"),
                        number(f"{count / total:.2%}", f"{at}/share"),
                        number("" if share is None else f"{share:.2%}"),
                    )
                )
    columns = ("phase", "answered by", "answers", "share", "expected")
    return Table("Who answered", columns, rows)


def checks_tables(verdict: Verdict) -> list[Table]:
    """What the sources say of the fault's effect, and of the pair after its heal."""
    confirmation = verdict.confirmation.checks if verdict.confirmation else ()
    pair = verdict.restoration.checks if verdict.restoration else ()
    return [_checks_table("The effect of the fault", confirmation), _checks_table("The pair after the heal", pair)]


def _checks_table(caption: str, checks: Iterable[Check]) -> Table:
    statuses = {True: ("yes", "good"), False: ("NO", "bad"), None: ("not known", "")}
    rows = []
    for check in checks:
        status, tone = statuses[check.holds]
        rows.append((Cell(check.name.replace("_", " ")), Cell(status, tone=tone), Cell(check.text)))
    return Table(caption, ("source", "", "what it saw"), rows)


def turns_table(verdict: Verdict) -> Table:
    rows = []
    for place, turns in enumerate(verdict.figures.distribution.turns):
        at = f"/distribution/turns/{place}"
        rows.append(
            (
                Cell(f"{turns.phase.value} on {turns.balancer}"),
                number(f"{turns.deviation:,.3f}".rstrip("0").rstrip("."), f"{at}/deviation"),
                number(f"{turns.allowed:,.0f}", f"{at}/allowed"),
                Cell("kept" if turns.kept else "NOT kept", tone="good" if turns.kept else "bad"),
            )
        )
    columns = ("round robin", "requests off its share", "allowed", "")
    counted = "the answers" if verdict.figures.accounting.dedicated else "the balancers' own counters, of all traffic"
    note = (
        f"Round robin is deterministic, so it is checked exactly, by {counted}; only what was in flight may be off."
    )
    return Table("Round robin against its exact expectation", columns, rows, note)


def counters_table(verdict: Verdict, points: Sequence[Point]) -> Table:
    """Per life of a balancer's process, what its counters rose by."""
    rows = []
    for node, generations in generations_of(points, verdict.run.plan.start_us or 0).items():
        for generation in generations:
            first, last = generation.first, generation.last
            servers = _risen(first.by_server, last.by_server)
            rows.append(
                (
                    Cell(node),
                    Cell(generation.name),
                    number(f"{last.requests - first.requests:,}"),
                    Cell(", ".join(f"{name} {count:,}" for name, count in servers.items())),
                    number(f"{last.made_by_balancer - first.made_by_balancer:,}"),
                    number(f"{last.retries - first.retries:,}"),
                )
            )
    columns = ("balancer", "process (pid and start)", "requests", "answers by", "answered itself", "retries")
    return Table("What HAProxy counted", columns, rows)


def _risen(first: Mapping[str, int], last: Mapping[str, int]) -> dict[str, int]:
    return {name: last[name] - first.get(name, 0) for name in sorted(last)}


def accounting_tables(verdict: Verdict) -> tuple[Table, Table]:
    """Lines that differ, and those that do not."""
    differ: list[Sequence[Cell]] = []
    equal: list[Sequence[Cell]] = []
    for place, line in enumerate(verdict.figures.accounting.lines):
        at = f"/accounting/lines/{place}"
        where = " ".join(filter(None, (line.node, line.generation and f"({line.generation})")))
        row = (
            Cell(line.name),
            Cell(where),
            number(f"{line.client:,}", f"{at}/client"),
            number(f"{line.source:,}", f"{at}/source"),
            Cell(line.said_by),
            number(f"{line.difference:+,}" if line.difference else "0", f"{at}/difference"),
            Cell(_explained(line), tone=_tone(line)),
        )
        (differ if line.difference or line.unaccounted else equal).append(row)
    columns = ("count of", "at", "client", "source", "who is", "difference", "because")
    return (
        Table("Counts that differ, and why", columns, differ),
        Table(f"Counts that are equal: {len(equal)}", columns, equal),
    )


def _explained(line: Line) -> str:
    if not line.difference and not line.unaccounted:
        return "equal"
    reasons = [f"{count:,} {reason}" for reason, count in line.explained_by.items()]
    return "; ".join([*reasons, *([f"{line.unaccounted:,} UNACCOUNTED"] if line.unaccounted else [])])


def _tone(line: Line) -> str:
    if line.unaccounted:
        return "bad"
    return "" if line.difference else "good"
