"""The tables and the picture of docs/proof/scale.txt: what each step of `scale.py` took."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from statistics import median
from typing import Any

Row = Mapping[str, Any]
"""One step, played once, as scale.json has it."""


@dataclass(frozen=True, slots=True)
class Axis:
    """What grows along it, and whose figures are shown: the name of a process in the rows, and on the page."""

    name: str
    unit: str
    rest: str
    """What stays the same."""
    processes: Mapping[str, str]


CONTROLLER, PROBER, SHIPPER = "controller", "prober", "shipper"
MEASURING = {CONTROLLER: CONTROLLER, PROBER: PROBER, SHIPPER: SHIPPER}
AXES = (
    Axis("backends", "backends", "300 requests/s, 100 probes/s", {"recorded": "Locust", **MEASURING}),
    Axis(
        "users",
        "users",
        "300 requests/s of them all, 100 probes/s, 10 backends",
        {"alone": "Locust alone", "recorded": "Locust, recorded", CONTROLLER: CONTROLLER},
    ),
    Axis("probes", "probes/s", "10 users, 10 requests/s, 10 backends", MEASURING),
    Axis(
        "samples",
        "samples/s",
        "FastHttpUser, 100 users, 100 probes/s, 10 backends",
        {"alone": "Locust alone", "recorded": "Locust, recorded", CONTROLLER: CONTROLLER, SHIPPER: SHIPPER},
    ),
    Axis(
        "samples-fast",
        "samples/s",
        "BalancerHttpUser, 100 users, 100 probes/s, 10 backends",
        {"recorded": "Locust, recorded", **MEASURING},
    ),
    Axis(
        "workers",
        "workers",
        "each with 20 users and 150 requests/s, 100 probes/s, 10 backends",
        {"master": "master", "worker": "a worker", CONTROLLER: CONTROLLER, PROBER: PROBER},
    ),
    Axis(
        "servers",
        "servers",
        "JMeter's, each with 50 users and 1,000 samples/s, 100 probes/s, 10 backends",
        {"client": "client", "server": "a server"},
    ),
)
COLOURS = ("#0969da", "#1a7f37", "#bc4c00", "#8250df")
WIDTH, PANEL, COLUMNS = 720, 190, 2
LEFT, RIGHT, TOP, BOTTOM = 44, 16, 54, 30
STYLE = "text{font:11px system-ui,sans-serif;fill:#222}.h{font-weight:600}.g{stroke:#0002}polyline{fill:none}"


def tables(result: Mapping[str, Any]) -> dict[str, str]:
    """By their marks on the page."""
    rows: Sequence[Row] = result["rows"]
    return {"machine": _machine(result), **{axis.name: _table(axis, _of_axis(rows, axis)) for axis in AXES}}


def _machine(result: Mapping[str, Any]) -> str:
    rows: Sequence[Row] = result["rows"]
    described = ", ".join(f"{name} {value}" for name, value in result["machine"].items())
    # Of the machine and of its processes the kernel counts apart, so that a little may come out less than nothing.
    others = sorted(max(0.0, row["others_percent"]) for row in rows)
    days = sorted({row["at"] for row in rows})
    times = max(row["turn"] for row in rows)
    return (
        f"{' and '.join(days)}; {described}. Each step was played {'once' if times == 1 else f'{times} times'}, and "
        f"watched for at least {min(row['seconds'] for row in rows):.0f} s. What else ran on the machine meanwhile "
        f"took {median(others):.0f} % of a core in the median of the steps, {others[-1]:.0f} % at most."
    )


def _of_axis(rows: Sequence[Row], axis: Axis) -> dict[int, list[Row]]:
    """The rows of each step, the smallest first."""
    found: dict[int, list[Row]] = {}
    for row in sorted(rows, key=lambda row: int(row["size"])):
        if row["axis"] == axis.name:
            found.setdefault(row["size"], []).append(row)
    return found


def _table(axis: Axis, by_size: Mapping[int, Sequence[Row]]) -> str:
    if not by_size:
        return "Not played yet."
    heads = [axis.unit, *axis.processes.values(), "requests made", "probes kept", "p99 lag ms", "KB/s"]
    heads.append("report CPU s")
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for size, rows in by_size.items():
        cells = [f"{size:,}", *(_use(rows, name) for name in axis.processes)]
        kept = _middle(100 * row["rate"] / row["wanted_rate"] for row in rows)
        cells.append(f"{_middle(row['rate'] for row in rows):,.0f}/s, {kept:.0f} %")
        cells.append(f"{_middle(probes_kept(row) for row in rows):.2f} %")
        cells.append(f"{_middle(row['prober']['lag_p99_ms'] for row in rows):.2f}")
        cells.append(f"{_middle(sum(row['kb_per_s'].values()) for row in rows):,.0f}")
        cells.append(f"{_middle(row['report']['cpu_s'] for row in rows):.1f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"{axis.rest[0].upper()}{axis.rest[1:]}."])


def _use(rows: Sequence[Row], process: str) -> str:
    used = [row["processes"][process] for row in rows if process in row["processes"]]
    if not used:
        return "-"
    return f"{_middle(one['cpu_percent'] for one in used):.1f} %, {_middle(one['mb'] for one in used):.0f} MB"


def probes_kept(row: Row) -> float:
    """Percent of the schedule that was sent."""
    account = row["prober"]
    return 100 * (1 - account["unsent"] / account["scheduled"])


def _middle(values: Iterator[float]) -> float:
    return median(values)


def draw(result: Mapping[str, Any]) -> str:
    """A panel for each axis: the processor time of each process over the steps, in percent of a core."""
    rows: Sequence[Row] = result["rows"]
    axes = [axis for axis in AXES if _of_axis(rows, axis)]
    height = PANEL * -(-len(axes) // COLUMNS) + 8
    parts = [f"<style>{STYLE}</style>", f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>']
    for number, axis in enumerate(axes):
        left, top = WIDTH // COLUMNS * (number % COLUMNS), PANEL * (number // COLUMNS)
        parts.append(f'<g transform="translate({left} {top})">{"".join(_panel(axis, _of_axis(rows, axis)))}</g>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'role="img" aria-label="Processor time of each process as a test grows">{"".join(parts)}</svg>\n'
    )


def _panel(axis: Axis, by_size: Mapping[int, Sequence[Row]]) -> Iterator[str]:
    yield f'<text class="h" x="8" y="18">{axis.unit}, {escape(axis.rest.split(",")[0])}</text>'
    curves = {
        shown: [
            _middle(row["processes"].get(name, {}).get("cpu_percent", 0.0) for row in rows)
            for rows in by_size.values()
        ]
        for name, shown in axis.processes.items()
    }
    most = _ceiling(max((max(curve) for curve in curves.values() if curve), default=0.0))
    width, height = WIDTH // COLUMNS - LEFT - RIGHT, PANEL - TOP - BOTTOM
    across = [LEFT + width * (place + 0.5) / max(1, len(by_size)) for place in range(len(by_size))]
    for share in (0.0, 0.5, 1.0):
        y = TOP + height * (1 - share)
        yield f'<line class="g" x1="{LEFT}" x2="{LEFT + width}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{most * share:g}</text>'
    for x, size in zip(across, by_size, strict=True):
        yield f'<text x="{x:.1f}" y="{PANEL - 12}" text-anchor="middle">{size:,}</text>'
    colours = dict(zip(curves, COLOURS[: len(curves)], strict=True))
    names = (f'<tspan dx="12" style="fill:{colour}">{escape(shown)}</tspan>' for shown, colour in colours.items())
    yield f'<text x="8" y="36">%{"".join(names)}</text>'
    for shown, curve in curves.items():
        colour = colours[shown]
        points = [(x, TOP + height * (1 - value / most)) for x, value in zip(across, curve, strict=True)]
        yield f'<polyline stroke="{colour}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'
        yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points)


def _ceiling(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50 …"""
    for step in (1, 2, 5, 10, 20, 50, 100, 200, 500):
        if value <= step:
            return float(step)
    return value
