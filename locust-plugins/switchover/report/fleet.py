"""A fleet of pairs: what each promises, what was last measured of it and what does not work; table, data, page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from switchover.analysis.history.entry import Entry
from switchover.analysis.history.history import time_text
from switchover.report.history.text import NOTHING, counted, entry_line, run_texts
from switchover.report.page.document import FLEET, document
from switchover.report.page.table import Cell, Table, word_tone
from switchover.report.tables import first_notes, stacked_table

SCHEMA = 1
PAIRS = ("pair", "doctor", "fault", "promises", "last drill (UTC)", "word", "outage")
RECORDS = ("pair", "fault", "run", "by", "versions", "SHA-256 of its files")
"""What an auditor files of each last drill."""


@dataclass(frozen=True, slots=True)
class FleetPromise:
    """One fault of a pair: what theory says of it now, and the last run of it."""

    fault: str
    window: str
    low_ms: float | None
    high_ms: float | None
    last: Entry | None = None
    checksum: str = ""
    """Of the files of that run."""
    unread: str = ""
    """The file that cannot be read, and why; then there is no checksum."""
    owner: str = ""
    """The user whose files they are."""
    unfired: Entry | None = None
    """What came after that run and fired nothing: a scheduled drill that was skipped, a rehearsal, a run in which the
    fault was not fired."""

    @property
    def drift(self) -> str:
        """How the promise has changed since the last run, where both are known."""
        if self.last is None or self.last.predicted_low_ms is None or self.low_ms is None:
            return ""
        then, now = (self.last.predicted_low_ms, self.last.predicted_high_ms), (self.low_ms, self.high_ms)
        if all(_is_near(before, after) for before, after in zip(then, now, strict=True)):
            return ""
        return f"was {_ms(then[0])} to {_ms(then[1])} at that run"


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetPair:
    """One target file of the fleet."""

    file: str
    url: str = ""
    problem: str = ""
    """Why the file cannot be read."""
    checks: int = 0
    ill: Sequence[str] = ()
    """Checks of `doctor` that found something, a line each."""
    promises: Sequence[FleetPromise] = ()
    changed: Sequence[str] = ()
    """What of Keepalived's settings is not as it was in the last run, a line each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    pairs: Sequence[FleetPair]
    notes: Sequence[str] = ()
    """What is odd of the runs, a line each: damaged ones, say, which are no drill of any pair."""
    drilled: Mapping[str, str] = field(default_factory=dict)
    """What came of the drill of each pair that was to be drilled now, by its file."""

    @property
    def is_well(self) -> bool:
        return not any(pair.problem or pair.ill for pair in self.pairs)


def _is_near(before: float | None, after: float | None) -> bool:
    """To the millisecond."""
    return before == after if before is None or after is None else abs(before - after) < 1


def _ms(value: float | None) -> str:
    return "no end" if value is None else f"{value:,.0f} ms"


def doctor_text(pair: FleetPair) -> str:
    if pair.problem:
        return "the file cannot be read"
    return f"{len(pair.ill)} of {pair.checks} do not work" if pair.ill else f"all {pair.checks} work"


def _rows(fleet: Fleet) -> list[dict[str, str]]:
    """A row for each fault of each pair; one for a pair without any."""
    rows = []
    for pair in fleet.pairs:
        for place, promise in enumerate(pair.promises or [FleetPromise(NOTHING, NOTHING, None, None)]):
            last = run_texts(promise.last) if promise.last else {}
            rows.append(
                {
                    "pair": pair.file if place == 0 else "",
                    "doctor": doctor_text(pair) if place == 0 else "",
                    "fault": promise.fault,
                    "promises": promise.window + (f" ({promise.drift})" if promise.drift else ""),
                    "last drill (UTC)": last.get("began (UTC)", "never"),
                    "word": last.get("word", NOTHING),
                    "outage": last.get("outage", NOTHING),
                    "versions": last.get("versions", NOTHING),
                    "run": promise.last.path if promise.last else NOTHING,
                    "by": promise.owner or NOTHING,
                    "SHA-256 of its files": promise.checksum or NOTHING,
                }
            )
    return rows


def screen(fleet: Fleet) -> RenderableType:
    columns = (("pair", "doctor"), ("fault", "promises"), ("last drill (UTC)", "word"), ("outage",))
    table = stacked_table(_rows(fleet), columns, wraps=True)
    ill = [Text(line, style="yellow") for line in ill_lines(fleet)]
    lines = [*changed_lines(fleet), *last_drill_lines(fleet), *drilled_lines(fleet), counted_text(fleet)]
    return Group(*first_notes(fleet.notes), table, *ill, *map(Text, lines))


def ill_lines(fleet: Fleet) -> list[str]:
    """A problem of a file has its name in it already."""
    return [
        line
        for pair in fleet.pairs
        for line in ([pair.problem] if pair.problem else [f"{pair.file}: {one}" for one in pair.ill])
    ]


def changed_lines(fleet: Fleet) -> list[str]:
    return [f"{pair.file}: {line}" for pair in fleet.pairs for line in pair.changed]


def last_drill_lines(fleet: Fleet) -> list[str]:
    """What came after a last drill and fired nothing, and why a last drill has no checksum."""
    return [
        f"{pair.file}: {line}"
        for pair in fleet.pairs
        for line in (
            *(entry_line(promise.unfired) for promise in pair.promises if promise.unfired),
            *(f"no checksum: cannot read {promise.unread}" for promise in pair.promises if promise.unread),
        )
    ]


def drilled_lines(fleet: Fleet) -> list[str]:
    return [f"{file}: {came}" for file, came in fleet.drilled.items()]


def counted_text(fleet: Fleet) -> str:
    never = sum(not any(promise.last for promise in pair.promises) for pair in fleet.pairs)
    ill = sum(bool(pair.problem or pair.ill) for pair in fleet.pairs)
    return f"{counted(len(fleet.pairs), 'pair')}; {ill:,} with something that does not work, {never:,} never drilled"


def to_json(fleet: Fleet) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "notes": list(fleet.notes),
        "pairs": [
            {
                "file": pair.file,
                "url": pair.url,
                "problem": pair.problem,
                "checks": pair.checks,
                "ill": list(pair.ill),
                "changed": list(pair.changed),
                "promises": [_promise(promise) for promise in pair.promises],
                "drilled": fleet.drilled.get(pair.file),
            }
            for pair in fleet.pairs
        ],
    }


def _promise(promise: FleetPromise) -> dict[str, Any]:
    last = promise.last
    return {
        "fault": promise.fault,
        "low_ms": promise.low_ms,
        "high_ms": promise.high_ms,
        "drift": promise.drift,
        "unfired": None
        if promise.unfired is None
        else {
            "word": promise.unfired.word,
            "at": time_text(promise.unfired.start_us),
            "reason": promise.unfired.reason,
        },
        "last": None
        if last is None
        else {
            "run": last.run,
            "path": last.path,
            "began": time_text(last.start_us),
            "word": last.word,
            "outage_low_ms": last.outage.low_ms if last.outage else None,
            "outage_high_ms": last.outage.high_ms if last.outage else None,
            "versions": dict(last.versions),
            "owner": promise.owner,
            "sha256": promise.checksum or None,
        },
    }


def fleet_page(fleet: Fleet, made: str) -> bytes:
    return document(
        "fleet.html.j2",
        FLEET,
        {},
        title="Fleet",
        made=made,
        well=fleet.is_well,
        counted=counted_text(fleet),
        notes=fleet.notes,
        lines=[*last_drill_lines(fleet), *drilled_lines(fleet)],
        ill=ill_lines(fleet),
        changed=changed_lines(fleet),
        pairs=_table("Pairs", _rows(fleet), PAIRS),
        records=_table("Last drills", _records(fleet), RECORDS),
    )


def _records(fleet: Fleet) -> list[dict[str, str]]:
    """The rows that have a last drill, each with its pair."""
    files = [pair.file for pair in fleet.pairs for _ in range(len(pair.promises) or 1)]
    rows = [{**row, "pair": file} for file, row in zip(files, _rows(fleet), strict=True)]
    return [row for row in rows if row["run"] != NOTHING]


def _table(caption: str, rows: Sequence[Mapping[str, str]], columns: Sequence[str]) -> Table:
    return Table(
        caption, columns, [[Cell(row[name], tone=_tone(name, row[name])) for name in columns] for row in rows]
    )


def _tone(column: str, text: str) -> str:
    if column == "word" and text != NOTHING:
        return word_tone(text)
    return "bad" if column == "doctor" and text and not text.startswith("all ") else ""
