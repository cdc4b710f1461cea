"""A block of a keepalived.conf: its words and numbers, and remarks about what Keepalived changes in it."""

import re
from collections.abc import Sequence

from switchover.model.errors import TargetError
from switchover.predict.keepalived_syntax import Statement

OFF = ("off", "false", "no")
_INT_MAX = 2**31 - 1

NUMBERS: dict[str, tuple[float, float]] = {
    "vrrp_version": (2, 3),
    "vrrp_down_timer_adverts": (1, 100),
    "vrrp_startup_delay": (0.0, 4294.0),
    "version": (2, 3),
    "virtual_router_id": (1, 255),
    "priority": (1, 255),
    "advert_int": (0.01, 255.0),
    "preempt_delay": (0.0, 1000.0),
    "down_timer_adverts": (1, 100),
    "interval": (0.001, 4294.0),
    "timeout": (0.001, 4294.0),
    "rise": (1, _INT_MAX),
    "fall": (1, _INT_MAX),
    "weight": (-254, 254),
    "delay": (0.0, 3600.0),
    "terminate_delay": (0.0, 3600.0),
}
"""The bounds of each number that a prediction uses; whole numbers have whole bounds, the rest are seconds."""


class Block:
    """The statements of one block, or of a whole file. Of one keyword the last statement wins, as in Keepalived."""

    def __init__(self, statements: Sequence[Statement], place: str = "", remarks: list[str] | None = None) -> None:
        """`remarks` collects what Keepalived ignores or changes here."""
        self.statements = statements
        self.place = place
        self.remarks: list[str] = [] if remarks is None else remarks

    def remark(self, place: str, text: str) -> None:
        self.remarks.append(f"{text} [{place}]")

    def last(self, keyword: str) -> Statement | None:
        return next((s for s in reversed(self.statements) if s.keyword == keyword), None)

    def lines(self, keyword: str) -> list[Statement]:
        """The lines in the blocks of a keyword."""
        return [line for statement in self.statements if statement.keyword == keyword for line in statement.block]

    def place_of(self, keyword: str) -> str:
        """The keyword's place, or the block's if it does not stand here."""
        statement = self.last(keyword)
        return statement.place if statement else self.place

    def is_on(self, keyword: str, default: bool) -> bool:
        statement = self.last(keyword)
        return default if statement is None else statement.value() not in OFF

    def word(self, keyword: str) -> str:
        """The value of a keyword, or nothing if it is not here. Raises TargetError for a keyword alone."""
        statement = self.last(keyword)
        if statement is None:
            return ""
        if not statement.value():
            raise TargetError(f"{statement.place}: {keyword!r} has no value: Keepalived stops at such a file")
        return statement.value()

    def number(self, *keywords: str) -> float | None:
        """The number of the last statement of any of these keywords; None: there is none."""
        statement = next((s for s in reversed(self.statements) if s.keyword in keywords), None)
        return None if statement is None else read_number(statement, statement.keyword, statement.value())

    def whole(self, keyword: str, default: int) -> int:
        found = self.number(keyword)
        return default if found is None else int(found)


def read_number(statement: Statement, rule: str, text: str) -> float:
    """A plain decimal within the bounds of its rule. Raises TargetError with the place for anything else."""
    low, high = NUMBERS[rule]
    whole = isinstance(low, int)
    if re.fullmatch(r"[+-]?[0-9]{1,12}" if whole else r"[0-9]{1,12}(\.[0-9]*)?", text, re.ASCII):
        value = float(text)
        if low <= value <= high:
            return value
    kind = "a whole number" if whole else "a plain number"
    raise TargetError(f"{statement.place}: {statement.text!r} must have {kind} from {low:g} to {high:g}")
