"""The HTML page of a study: the paper's table with ours, its figures redrawn and ours beside, a word on each claim.

One file without scripts; nothing is fetched from anywhere.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from switchover.rundir.atomic_file import write_whole
from switchover.rundir.run_directory import PAGE_FILE
from switchover.study.chart import colour_of, draw_panel, mark_of
from switchover.study.claims import ClaimWord
from switchover.study.panels import arrange
from switchover.study.results import (
    NOT_KNOWN,
    JudgedClaim,
    StudyResults,
    alike,
    because,
    differences,
    environment_lines,
    format_number,
    format_spread,
    knee_text,
    own_figures,
    situation,
)
from switchover.study.study_file import StudyChart

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1080px; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .875rem; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: Canvas; }
td.theirs { background: var(--soft); }
.claims th, .claims td { text-align: left; white-space: normal; vertical-align: top; }
@media (max-width: 640px) {
.claims, .claims tbody, .claims tr, .claims td { display: block; position: static; }
.claims thead { display: none; } .claims td { border: 0; padding: .1rem 0; }
.claims tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
.claims td.none { display: none; }
.claims td[data-head]::before { content: attr(data-head) ": "; opacity: .75; } }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 380px), 1fr)); gap: 1rem; }
svg { width: 100%; max-width: 560px; height: auto; }
svg text { fill: CanvasText; font-size: 11px; } svg .t { font-size: 13px; }
svg .g { stroke: var(--line); } .key > span { display: inline-block; margin-right: 1rem; }
.holds { color: #1a7f37; } .fails { color: #cf222e; } .open { color: #8a6100; }
@media (prefers-color-scheme: dark) {
.holds { color: #57d364; } .fails { color: #ff7b72; } .open { color: #e3b341; } }
"""
OWN, DIFFERENCE = "by their own figures", "right side less left side, 95 %"
CLASSES = {ClaimWord.HOLDS: "holds", ClaimWord.DOES_NOT_HOLD: "fails", ClaimWord.CANNOT_BE_TOLD: "open"}


def write_page(folder: Path, collected: StudyResults) -> None:
    write_whole(folder / PAGE_FILE, to_html(collected).encode())


def to_html(collected: StudyResults) -> str:
    study = collected.study
    title = escape(study.title)
    body = [
        f"<h1>{title}</h1><p>{escape(study.source)}</p>",
        f"<p><strong>Question.</strong> {escape(study.question)}</p><p>{escape(situation(collected))}</p>",
        "<h2>Claims</h2>" + _claims(collected.claims) if collected.claims else "",
        *(_chart(chart, collected) for chart in study.charts),
        "<h2>The table</h2>" + _table(collected),
        _list("Knees", [f"{name}: {'; '.join(map(knee_text, found))}" for name, found in collected.knees.items()]),
        *(_settings(heading, settings) for heading, settings in alike(study)),
        _list("What to know when reading it", study.notes),
        _list("What the authors would object", study.objections),
        _list("Environment", environment_lines(collected)),
        _list("Failed", [f"{r.turn.cell}, repeat {r.turn.repeat}: {r.error}" for r in collected.failed]),
        _list("Noted while running", _noted(collected)),
    ]
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{title}</title><style>{STYLE}</style></head><body><main>{''.join(body)}</main></body></html>\n"
    )


def _noted(collected: StudyResults) -> list[str]:
    return [f"{turn.cell}, repeat {turn.repeat}: {note}" for turn, r in collected.results.items() for note in r.notes]


def _list(heading: str, lines: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<h2>{heading}</h2><ul>{items}</ul>" if lines else ""


def _settings(heading: str, settings: Mapping[str, str]) -> str:
    rows = "".join(f"<tr><td>{escape(name)}</td><td>{escape(text)}</td></tr>" for name, text in settings.items())
    return f'<h2>{heading}</h2><div class="wide"><table class="claims"><tbody>{rows}</tbody></table></div>'


def _claims(claims: Iterable[JudgedClaim]) -> str:
    rows = "".join(
        f"<tr><td><strong>{escape(judged.claim.name)}</strong> {escape(judged.claim.text)}</td>"
        f'<td><strong class="{CLASSES[judged.judgement.word]}">{judged.judgement.word}</strong>'
        f"{escape(because(judged))}</td>"
        f"{_aside(OWN, own_figures(judged))}{_aside(DIFFERENCE, differences(judged))}</tr>"
        for judged in claims
    )
    return (
        f'<div class="wide"><table class="claims"><thead><tr><th>claim<th>here<th>{OWN}<th>{DIFFERENCE}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _aside(head: str, text: str) -> str:
    """A cell that a narrow screen shows below its row with its head, or not at all where nothing is known."""
    unknown = ' class="none"' if text == NOT_KNOWN else ""
    return f'<td{unknown} data-head="{head}">{escape(text)}</td>'


def _table(collected: StudyResults) -> str:
    study = collected.study
    head = "".join(
        f"<th>{escape(column.title)}, theirs<th>ours" if column.published else f"<th>{escape(column.title)}"
        for column in study.columns
    )
    rows = []
    for cell in study.cells:
        words = [f"<td>{escape(cell.name)}</td>"]
        for column in study.columns:
            if column.published:
                theirs = study.published.get(cell.name, {}).get(column.published)
                words.append(f'<td class="theirs">{format_number(theirs)}</td>')
            words.append(f"<td>{format_spread(collected.spreads.get((column.figure, cell.name)))}</td>")
        rows.append(f"<tr>{''.join(words)}</tr>")
    return (
        f'<div class="wide"><table><thead><tr><th>cell{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _chart(chart: StudyChart, collected: StudyResults) -> str:
    drawing = arrange(chart, collected)
    key = "".join(
        f'<span><span style="color:{colour_of(i)}">{mark_of(i)}</span> {escape(name)}</span>'
        for i, name in enumerate(drawing.names)
        if name
    )
    drawn = "".join(f"<div>{draw_panel(panel, drawing.names)}</div>" for panel in drawing.panels)
    return f'<h2>{escape(drawing.title)}</h2><p class="key">{key}</p><div class="pair">{drawn}</div>'
