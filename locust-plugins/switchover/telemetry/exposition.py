"""Prometheus' text format, as exporters print it: samples with their labels.

https://prometheus.io/docs/instrumenting/exposition_formats/. Help, types and timestamps are passed over.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from switchover.model.errors import TelemetryError

_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)[ \t]*(?:\{(.*)\})?[ \t]*(\S+)(?:[ \t]+-?[0-9.]+)?[ \t]*", re.ASCII)
_LABEL = re.compile(r'[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*(?:,|$)', re.ASCII)
_ESCAPED = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class MetricSample:
    """One line of the page."""

    name: str
    labels: Mapping[str, str]
    value: float

    def label(self, name: str) -> str:
        return self.labels.get(name, "")


def parse_exposition(page: bytes) -> Iterator[MetricSample]:
    """The samples, but for those that are no number now (NaN, infinities).

    TelemetryError where a line is none of the format's, and where the page was cut off in the middle of a line.
    """
    if not page.endswith(b"\n"):
        raise TelemetryError("answered a page of metrics that is cut off, or none")
    for line in page.decode("utf-8", "replace").split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        found = _SAMPLE.fullmatch(line.rstrip("\r"))
        if found is None:
            raise TelemetryError(f"answered something that is no page of metrics: {line[:80]!r}")
        value = _number(found[3], line)
        if math.isfinite(value):
            yield MetricSample(found[1], _labels(found[2] or "", line), value)


def _number(text: str, line: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise TelemetryError(f"answered something that is no page of metrics: {line[:80]!r}") from None


def _labels(text: str, line: str) -> dict[str, str]:
    labels: dict[str, str] = {}
    text = text.rstrip()
    position = 0
    while position < len(text):
        found = _LABEL.match(text, position)
        if found is None:
            raise TelemetryError(f"answered something that is no page of metrics: {line[:80]!r}")
        labels[found[1]] = _ESCAPED.sub(lambda escape: "\n" if escape[1] == "n" else escape[1], found[2])
        position = found.end()
    return labels
