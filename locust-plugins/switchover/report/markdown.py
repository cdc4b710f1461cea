"""The verdict as Markdown: short enough for a comment on a pull request, and no text from the network is markup."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from switchover.analysis.labels import Labels
from switchover.analysis.repeats import Repeats
from switchover.analysis.verdict import Verdict
from switchover.report.console import REPEAT_COLUMNS, figures, repeat_row, series_lines
from switchover.report.sentence import sentence
from switchover.report.text import in_ms, limit_status, limit_value, shortened, step_cells, what_was_done

TEXT_LENGTH = 300
LISTED = 10
"""Reasons, warnings, limits and labels that are shown; verdict.json has more."""
ROWS = 50
"""Drills of a series that are shown. GitHub takes comments of 65,536 characters."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
"""Control and format characters, those that turn the direction of text among them, and what is no character."""
_SPECIAL = re.compile(r"""[\\`*_{}\[\]<>#&|~$!@"^]|:(?=\S)|(?<!\d)\.|\.(?!\d)|^[-+=]""")
_REFERENCE = re.compile(r"([@#!$~%&])(?=\w)")
_APART = "\u200b"


def escaped(text: str) -> str:
    """Shown as it is: no markup, no link, no one is notified.

    Numeric references have no meaning to Markdown (CommonMark, section 6.2). What GitHub and GitLab look for in the
    finished text, such as @name and #1, is broken up by a space without width.
    """
    seen = "".join("\ufffd" if unicodedata.category(c) in _UNSEEN else c for c in " ".join(text.split()))
    parts = _REFERENCE.split(shortened(seen, TEXT_LENGTH))
    whole = "".join(part + _APART if place % 2 else part for place, part in enumerate(parts))
    return _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", whole)


def to_markdown(verdict: Verdict) -> str:
    lines = [f"### {_mark(verdict.exit_code == 0)} {verdict.status}: {escaped(sentence(verdict))}", ""]
    done = what_was_done(verdict)
    lines += [escaped(f"{done}, run {verdict.run.id}" if done else f"run {verdict.run.id}"), ""]
    lines += _listed(f"**{verdict.status}, because:**", [reason.text for reason in verdict.reasons])
    lines += _table(("", "", ""), figures(verdict), bold=True)
    if verdict.limits:
        limits = [(str(b.limit), limit_value(b), limit_status(b), b.note) for b in verdict.limits[:LISTED]]
        lines += _table(("limit", "measured", "", ""), limits)
    if verdict.figures.labels is not None and verdict.figures.labels.found:
        lines += _table(
            ("label", "requests", "failed", "p50 ms", "p95 ms", "p99 ms"), _label_rows(verdict.figures.labels)
        )
    lines += _listed("Warnings:", verdict.warnings)
    if verdict.events.timeline:
        rows = map(step_cells, verdict.events.timeline)
        lines += ["<details><summary>Where the time went</summary>", ""]
        lines += [*_table(("step", "after the kill", "± ms", "who saw it"), rows), "</details>", ""]
    return "\n".join(lines)


def _label_rows(labels: Labels) -> Iterator[Sequence[str]]:
    for one in labels.found[:LISTED]:
        took = ("-" if us is None else in_ms(us) for us in (one.p50_us, one.p95_us, one.p99_us))
        yield one.name, f"{one.total:,}", f"{one.failed:,}", *took
    more = labels.more + max(0, len(labels.found) - LISTED)
    if more:
        yield f"and {more:,} more, on the page", "", "", "", "", ""


def repeats_to_markdown(title: str, repeats: Repeats) -> str:
    """Several drills of one fault."""
    drills, status = repeats.drills, repeats.status
    listed = [f"- {escaped(line)}" for line in series_lines(repeats)]
    rows = [repeat_row(str(number), verdict) for number, (_, verdict) in enumerate(drills[:ROWS], start=1)]
    lines = [
        f"### {_mark(status.exit_code == 0)} {status}: {escaped(title)}",
        "",
        *listed,
        "",
        *_table(REPEAT_COLUMNS, rows),
    ]
    if len(drills) > ROWS:
        lines += [f"and {len(drills) - ROWS} more, in summary.json", ""]
    return "\n".join(lines)


def _mark(well: bool) -> str:
    return "✅" if well else "❌"


def _listed(title: str, texts: Sequence[str]) -> list[str]:
    if not texts:
        return []
    more = [f"- and {len(texts) - LISTED} more, in verdict.json"] if len(texts) > LISTED else []
    return [title, "", *(f"- {escaped(text)}" for text in texts[:LISTED]), *more, ""]


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, bold: bool = False) -> list[str]:
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for first, *rest in rows:
        name = f"**{escaped(first)}**" if bold else escaped(first)
        lines.append(f"| {' | '.join([name, *map(escaped, rest)])} |")
    return [*lines, ""]
