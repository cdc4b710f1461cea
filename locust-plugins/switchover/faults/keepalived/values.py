"""Reads the numbers of a block by their rules, and keeps a remark for each that Keepalived changes."""

from collections.abc import Sequence

from switchover.faults.keepalived.number_rules import NumberRule
from switchover.faults.keepalived.syntax import Remark, Statement
from switchover.model.errors import TargetError


class ValueReader:
    """Keeps the remarks of one instance: what of its file Keepalived ignores, or takes for something else."""

    def __init__(self) -> None:
        self.remarks: list[Remark] = []

    def remark(self, place: str, text: str) -> None:
        self.remarks.append(Remark(place, text))

    def time_s(self, block: Sequence[Statement], rule: NumberRule, default: float) -> float:
        """Seconds of the keyword's statements; `default` where none of them counts."""
        found = self.number(block, rule)
        return default if found is None else float(found)

    def whole(self, block: Sequence[Statement], rule: NumberRule, default: int) -> int:
        """A whole number; `default` where no statement of the keyword counts."""
        found = self.number(block, rule)
        return default if found is None else int(found)

    def number(self, block: Sequence[Statement], *rules: NumberRule) -> float | None:
        """What the statements of one keyword come to, in their order; of several, the last line of any of them."""
        found = rules[0].default
        for statement in block:
            for rule in rules:
                if statement.keyword == rule.keyword:
                    found = self._next(statement, rule, found)
        return found

    def _next(self, statement: Statement, rule: NumberRule, earlier: float | None) -> float | None:
        if len(statement.words) < 2:
            raise TargetError(f"{statement.place}: {rule.keyword!r} has no number: Keepalived stops at such a file")
        if rule.first_stands and earlier != rule.default:
            self.remark(statement.place, f"{statement.text!r} is the second: Keepalived ignores it")
            return earlier
        return self.value(statement, statement.value(), rule, earlier)

    def value(self, statement: Statement, text: str, rule: NumberRule, earlier: float | None) -> float | None:
        """One number; `earlier` counts where the rule says so of one that is refused."""
        found = rule.read(text)
        if found is None:
            found = rule.after_refusal(text, earlier)
            what = "a number" if rule.is_time else "a whole number"
            must = f"{statement.text!r} must have {what} from {rule.low:g} to {rule.high:g}"
            takes = "its default" if found is None else f"{found:g}"
            self.remark(statement.place, f"{must}: Keepalived ignores it and takes {takes}")
        elif found != _plain_value(text):
            self.remark(statement.place, f"{statement.text!r}: Keepalived reads {found:.10g}{' s' * rule.is_time}")
        return found


def _plain_value(text: str) -> float | None:
    """The number that the text means to a person."""
    try:
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None
