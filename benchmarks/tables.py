"""The results of a run as Markdown, and in the README."""

from pathlib import Path
from typing import Any

README = Path(__file__).with_name("README.md")
END = "<!-- to here -->\n"


def contestants_table(result: dict[str, Any], unit: str) -> str:
    """``unit``: what is counted, a request or a sample."""
    machine = ", ".join(f"{name} {value}" for name, value in result["machine"].items())
    lines = [
        f"{machine}; {result['rounds']} rounds of {result['seconds']:g} s each, {result['users']} users.",
        "",
        f"| load generator | {unit}s/s | CPU µs per {unit} | added µs | share of the bare rate | failed |",
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
    return "\n".join(lines) + "\n"


def goals_table(goals: list[dict[str, Any]]) -> str:
    lines = ["The goals:", "", "| goal | measured | met |", "|---|---|---|"]
    lines += [f"| {goal['goal']} | {as_text(goal, 2)} | {goal['met']} |" for goal in goals]
    return "\n".join(lines) + "\n"


def as_text(value: dict[str, float | None] | None, digits: int) -> str:
    if value is None:
        return ""
    margin = value["margin"]
    return f"{value['mean']:,.{digits}f}" + ("" if margin is None else f" ± {margin:,.{digits}f}")


def quote(table: str, script: str) -> None:
    """Put the table into the README, where that script's last one stands."""
    start = f"<!-- {script} writes from here -->\n"
    text = README.read_text(encoding="utf-8")
    before, begin, rest = text.partition(start)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{README.name} has no place for the table of {script}")
    README.write_text(f"{before}{begin}{table}{end}{after}", encoding="utf-8")
