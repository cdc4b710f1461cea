"""A block of a keepalived.conf as Keepalived acts on it: its words and numbers, and a remark where it changes one."""

from collections.abc import Sequence

from switchover.faults.keepalived.number_rules import NumberRule
from switchover.faults.keepalived.syntax import Remark, Statement
from switchover.model.errors import TargetError

OFF = ("off", "false", "no")


class Block:
    """The statements of one block, or of a whole file. Of one keyword the last statement wins, as in Keepalived."""

    def __init__(
        self, statements: Sequence[Statement], place: str = "", *, remarks: list[Remark] | None = None
    ) -> None:
        """`remarks`: the list for what Keepalived ignores here, or takes for something else; else one of its own."""
        self.statements = statements
        self.place = place
        self.remarks: list[Remark] = [] if remarks is None else remarks

    def remark(self, place: str, text: str) -> None:
        self.remarks.append(Remark(place, text))

    def last(self, keyword: str) -> Statement | None:
        return next((s for s in reversed(self.statements) if s.keyword == keyword), None)

    def lines(self, keyword: str) -> list[Statement]:
        """What stands in the blocks of a keyword."""
        return [line for statement in self.statements if statement.keyword == keyword for line in statement.block]

    def place_of(self, keyword: str) -> str:
        """Where the keyword stands; where it does not, the block's own place."""
        statement = self.last(keyword)
        return statement.place if statement else self.place

    def is_on(self, keyword: str, default: bool) -> bool:
        statement = self.last(keyword)
        return default if statement is None else statement.value() not in OFF

    def valued(self, keyword: str) -> list[Statement]:
        """The statements of a keyword. Raises TargetError for one without a value."""
        found = [statement for statement in self.statements if statement.keyword == keyword]
        for statement in found:
            if not statement.value():
                raise TargetError(f"{statement.place}: {keyword!r} has no value: Keepalived stops at such a file")
        return found

    def word(self, keyword: str) -> str:
        """The value of a keyword, or nothing where it does not stand here."""
        found = self.valued(keyword)
        return found[-1].value() if found else ""

    def time_s(self, rule: NumberRule, default: float) -> float:
        """Seconds of the keyword's statements; `default` where none of them counts."""
        found = self.number(rule)
        return default if found is None else float(found)

    def whole(self, rule: NumberRule, default: int) -> int:
        """A whole number; `default` where no statement of the keyword counts."""
        found = self.number(rule)
        return default if found is None else int(found)

    def number(self, *rules: NumberRule) -> float | None:
        """What the statements of one keyword come to, in their order; of several, the last line of any of them."""
        found = rules[0].default
        for statement in self.statements:
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
