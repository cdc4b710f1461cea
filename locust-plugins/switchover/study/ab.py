"""What ab (ApacheBench) printed, as the figures that other generators have too.

It is read, not trusted: the backends' logs and the balancer's counters stand beside it.
"""

import re
from pathlib import Path

_NUMBERS = {
    "requests": r"^Complete requests:\s+(\d+)",
    "failed": r"^Failed requests:\s+(\d+)",
    "not_2xx": r"^Non-2xx responses:\s+(\d+)",
    "seconds": r"^Time taken for tests:\s+([\d.]+)",
    "kb_per_s": r"^Transfer rate:\s+([\d.]+)",
    "median": r"^\s+50%\s+(\d+)",
    "p95": r"^\s+95%\s+(\d+)",
    "p98": r"^\s+98%\s+(\d+)",
    "p99": r"^\s+99%\s+(\d+)",
}
_TOTAL = re.compile(r"^Total:\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s+(\d+)\s+(\d+)", re.MULTILINE)
"""ab's table of connection times: min, mean, standard deviation, median, max, in milliseconds."""
_BROKEN_OFF = re.compile(r"^Total of (\d+) requests completed", re.MULTILINE)
_WHY = re.compile(r"(apr_\w+: .*|SSL .*|Test aborted.*|ab: .*)$", re.MULTILINE)


def read_ab(path: Path) -> tuple[dict[str, float], str]:
    """The figures of ab's output, and why it broke off, if it did."""
    text = path.read_text(encoding="utf-8", errors="replace")
    found = {
        name: float(match[1])
        for name, at in _NUMBERS.items()
        if (match := re.search(at, text, re.MULTILINE)) is not None
    }
    broken_off = _BROKEN_OFF.search(text)
    why = _WHY.search(text)
    if "requests" not in found:
        done = float(broken_off[1]) if broken_off else 0.0
        return {"requests": done, "aborted": 1.0}, why[1] if why else "ab printed no result"
    figures = {name: value for name, value in found.items() if name not in ("not_2xx", "seconds")}
    failed = max(found.get("failed", 0.0), found.get("not_2xx", 0.0))
    good = found["requests"] - failed
    share = 100 * failed / found["requests"] if found["requests"] else 0.0
    figures |= {"failed": failed, "failed_share": share, "good": good, "aborted": 0.0}
    if seconds := found.get("seconds"):
        figures |= {"seconds": seconds, "good_rate": good / seconds, "failed_rate": failed / seconds}
        figures["all_rate"] = found["requests"] / seconds
    if total := _TOTAL.search(text):
        low, mean, sd, _, high = (float(number) for number in total.groups())
        figures |= {"min": low, "mean": mean, "sd": sd, "max": high}
    if "mean" in figures and "all_rate" in figures:
        figures["in_flight"] = figures["all_rate"] * figures["mean"] / 1000
    return figures, ""
