"""From the text of an option to its value; UsageError, in one line, for a text that is none."""

import math
from collections.abc import Callable

from switchover.analysis.budget import parse_budget
from switchover.metronome.spec import RATE_LIMIT
from switchover.model.errors import UsageError
from switchover.model.units import parse_duration_s
from switchover.streaming.influx.destination import parse_destination
from switchover.streaming.metrics.prometheus import parse_address

LONGEST_S = 86_400.0
SHORTEST_S = 1.0
"""From one change to the next."""


def read_duration(text: str) -> float:
    seconds = parse_duration_s(text)
    if not 0 < seconds <= LONGEST_S:
        raise UsageError(f"{text!r} is not above 0 and at most a day")
    return seconds


def read_every(text: str) -> float:
    seconds = read_duration(text)
    if seconds < SHORTEST_S:
        raise UsageError(f"{text!r} is too short: a change is looked at for {SHORTEST_S:g} s")
    return seconds


def read_moment(text: str) -> float:
    seconds = parse_duration_s(text)
    if seconds > LONGEST_S:
        raise UsageError(f"{text!r} is more than a day")
    return seconds


def read_rate(text: str) -> float:
    rate = _number(text)
    if not 0 <= rate <= RATE_LIMIT:
        raise UsageError(f"{text!r} is not a rate from 0 to {RATE_LIMIT:g} a second")
    return rate


def read_rate_above_zero(text: str) -> float:
    rate = _number(text)
    if not 0 < rate <= RATE_LIMIT:
        raise UsageError(f"{text!r} is not a rate above 0 and up to {RATE_LIMIT:g} a second")
    return rate


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def read_timeouts(text: str) -> tuple[float, float]:
    connect, comma, read = text.partition(",")
    if not comma:
        raise UsageError(f"{text!r} must be two durations, such as 250ms,1s")
    return read_duration(connect), read_duration(read)


def read_whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{text!r} is no whole number") from None


def read_count_to(highest: int) -> Callable[[str], int]:
    def read_count(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= highest:
            raise UsageError(f"{text!r} is not a count from 1 to {highest}")
        return int(text)

    return read_count


def read_address(text: str) -> str:
    parse_address(text)
    return text


def read_destination(text: str) -> str:
    parse_destination(text)
    return text


def read_budgets(text: str) -> tuple[str, ...]:
    budgets = tuple(text.replace(",", " ").split())
    for budget in budgets:
        parse_budget(budget)
    return budgets
