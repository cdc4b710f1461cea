"""How exactly a log tells the time."""

from switchover.analysis.requests.table import Requests

DETECTION_LIMIT_NAMES = {60_000_000: "a minute", 1_000_000: "a second", 100_000: "a tenth of a second"}
"""In microseconds; from the coarsest on. What is finer is hardly more than a stretch without an answer is told in."""
SHARE = 4
"""One request in so many has such a time: of exact times one in ten lies on a tenth of a second by chance."""
MANY, STEP = 100_000, 16
"""Of more rows one in `STEP` is looked at. It is a power of two: to divide each number takes three times as long."""
FEWEST = 10
"""So many have to have one: of fewer nothing is said."""


def detection_limit_of(requests: Requests) -> int:
    """A time in the log may stand for any of so many microseconds from it on; 0 where it tells milliseconds or finer.

    A log has either the start of each request and how long it took, or its end: so one of both lies on whole seconds.
    Of several logs, or where only a part of one is so, the coarsest counts.
    """
    looked_at = "true" if len(requests) <= MANY else f"rowid & {STEP - 1} = 0"
    found = 0
    # From the finest on: what does not lie on tenths of a second does not lie on seconds either.
    for step in reversed(DETECTION_LIMIT_NAMES):
        logs = requests.rows(
            f"SELECT count(*), count(*) FILTER (start_us % {step} = 0), count(*) FILTER (end_us % {step} = 0) "
            f"FROM {{requests}} WHERE {looked_at} GROUP BY part"
        )
        if not any(max(both) >= FEWEST and SHARE * max(both) > total for total, *both in logs):
            break
        found = step
    return found
