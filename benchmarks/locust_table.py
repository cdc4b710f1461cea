"""The results of a run as Markdown, and in the README."""

from pathlib import Path
from typing import Any

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- locust.py writes from here -->\n", "<!-- to here -->\n"


def as_table(result: dict[str, Any]) -> str:
    machine = ", ".join(f"{name} {value}" for name, value in result["machine"].items())
    lines = [
        f"{machine}; {result['blocks']} blocks of {result['seconds']:g} s each, {result['users']} users.",
        "",
        "| load generator | requests/s | CPU µs per request | added µs | share of the bare rate | failed |",
        "|---|---|---|---|---|---|",
    ]
    for name, found in result["contestants"].items():
        cells = (
            name,
            as_text(found["rate"], 0),
            as_text(found["cpu_us"], 1),
            as_text(found.get("added_us"), 1),
            as_text(found.get("of_bare_rate"), 3),
            str(found["failures"]),
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| goal | measured | met |", "|---|---|---|"]
    for goal in result["goals"]:
        lines.append(f"| {goal['goal']} | {as_text(goal, 2)} | {'yes' if goal['met'] else 'no'} |")
    return "\n".join(lines) + "\n"


def as_text(value: dict[str, float | None] | None, digits: int) -> str:
    if value is None:
        return ""
    margin = value["margin"]
    return f"{value['mean']:,.{digits}f}" + ("" if margin is None else f" ± {margin:,.{digits}f}")


def quote(table: str) -> None:
    """Put the table into the README, where the last one stands."""
    text = README.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if begin and end:
        README.write_text(f"{before}{begin}{table}{end}{after}", encoding="utf-8")
