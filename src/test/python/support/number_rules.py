"""Every rule of a number of keepalived.conf, in the order of the table in docs/proof/numbers.txt."""

from switchover.faults.keepalived import number_rules
from switchover.faults.keepalived.number_rules import NumberRule

RULES = [
    rule for name, rule in vars(number_rules).items() if isinstance(rule, NumberRule) and not name.startswith("_")
]
