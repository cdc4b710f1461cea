"""What Locust prints with `--json`: by name how many requests ended and failed in each second, and how often each
duration came. Which request took how long it does not say."""

import json
from collections import deque
from collections.abc import Iterator, Mapping
from math import gcd
from pathlib import Path
from typing import Any

from switchover.analysis.logs.account import Account
from switchover.analysis.logs.format import Format, Head
from switchover.analysis.logs.logged_request import LoggedRequest
from switchover.model.errors import RunDirectoryError

_WORDS = ('"num_none_requests"', '"last_request_timestamp"')
_MOST_BYTES = 256 << 20
_GOLDEN = 0.618
"""The golden ratio less 1: multiples of it lie evenly in every stretch, however many there are."""


def _claims(head: Head) -> bool:
    text = "\n".join(head.lines[:200])
    return text.lstrip().startswith("[") and all(word in text for word in _WORDS)


def _read(path: Path, account: Account) -> Iterator[LoggedRequest]:
    account.notes.append(
        f"{path.name}: Locust's --json counts by second: which of the requests of a second took how long, and why "
        "one failed, is not known"
    )
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError("too large")
        for entry in json.loads(path.read_bytes()):
            yield from _requests(entry)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise RunDirectoryError(f"{path} is damaged: Locust's --json cannot be read: {error}") from error


def _requests(entry: Mapping[str, Any]) -> Iterator[LoggedRequest]:
    """The requests of one name."""
    ended, failed = (_by_second(entry[name]) for name in ("num_reqs_per_sec", "num_fail_per_sec"))
    durations = {int(float(took_ms) * 1000): int(number) for took_ms, number in entry["response_times"].items()}
    longest_first = deque(took for took in sorted(durations, reverse=True) for _ in range(durations[took]))
    failed = {second: min(number, ended.get(second, 0)) for second, number in failed.items()}
    bad = [(second, False) for second, number in failed.items() for _ in range(number)]
    good = [(second, True) for second, number in ended.items() for _ in range(number - failed.get(second, 0))]
    step = _even_step(len(good))
    # Failures get the longest durations: an outage is then never proven for longer than it was.
    for second, success in [*bad, *(good[number * step % len(good)] for number in range(len(good)))]:
        took_us = longest_first.popleft() if longest_first else 0
        yield LoggedRequest(
            start_us=second * 1_000_000 - took_us, took_us=took_us, label=str(entry["name"]), success=success
        ).clamp()


def _by_second(counts: Mapping[str, Any]) -> dict[int, int]:
    return {int(float(second)): int(number) for second, number in sorted(counts.items())}


def _even_step(length: int) -> int:
    """Of a walk around a ring that comes to each place once, and has been about as often in each part at any time."""
    return next((step for step in range(round(_GOLDEN * length), length) if gcd(step, length) == 1), 1)


FORMAT = Format("what Locust prints with --json", _claims, _read)
