"""Rows of the sample log, many at a time: what samples have in common is formatted once.

The bytes are those of `samples.format_sample`, in a quarter of its time: a load generator writes a row for every
request, on the core that makes the load.
"""

from collections.abc import Sequence

from switchover.samples import Sample, quote

_SMALL = [str(number) for number in range(2000)]
"""Looking up a small number's digits takes a fifth of formatting it."""


class RowPattern:
    """What good samples have in common that differ only in what stands in a `Row`; quoted as the log wants it."""

    __slots__ = ("after_url", "before_thread")

    def __init__(self, sample: Sample) -> None:
        """The pattern of a sample without failure and schedule."""
        identity = sample.identity
        self.before_thread = f",{quote(sample.label)},{quote(sample.code)},{quote(sample.message)},"
        self.after_url = (
            f",{quote(identity.backend)},{quote(identity.balancer)},{identity.answered_by},,"
            f"{sample.attempts},{sample.stream},"
        )


Row = tuple[RowPattern, str, int, int, int, int, int, int, str, str]
"""Pattern, thread (quoted), start and duration in µs, first byte and connect in µs from the start, bytes, sent bytes,
URL (quoted), session."""


def format_rows(rows: Sequence[Row], users: int) -> list[bytes]:
    """The lines of samples that were taken while so many users were active."""
    small, limit = _SMALL, len(_SMALL)
    active = f",{users},{users},"
    lines = []
    for pattern, thread, start_us, took_us, latency_us, connect_us, nbytes, sent_bytes, url, session in rows:
        start, rest_us = str(start_us), start_us % 1000
        elapsed_ms, latency_ms = (rest_us + took_us) // 1000, (rest_us + latency_us) // 1000
        lines.append(
            f"{start[:-3]},{small[elapsed_ms] if elapsed_ms < limit else elapsed_ms}{pattern.before_thread}{thread}"
            f",text,true,,{small[nbytes] if nbytes < limit else nbytes},"
            f"{small[sent_bytes] if sent_bytes < limit else sent_bytes}{active}{url},"
            f"{small[latency_ms] if latency_ms < limit else latency_ms},0,"
            f"{(rest_us + connect_us) // 1000 if connect_us else '0'}{pattern.after_url}{session},,{start},"
            f"{start_us + took_us}\n".encode("utf-8", "replace")
        )
    return lines
