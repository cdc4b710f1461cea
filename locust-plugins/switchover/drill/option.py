"""What there is to say of an option of a drill, where it is declared."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ElementField:
    """A field of JMeter's Balancer Target, and the JMeter property that a new element takes it from."""

    name: str
    """Empty: there is only the property."""
    property_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillOption:
    """One option, the same in meaning, form and default wherever it can be given."""

    name: str = ""
    """Empty where it is declared: as the field, without its unit."""
    field: str = ""
    """The field of `DrillSettings` that has its value."""
    group: str
    help: str
    """For argparse: a percent sign is doubled."""
    metavar: str = ""
    """Empty, and no choices: a switch, which takes no value."""
    choices: tuple[str, ...] = ()
    read: Callable[[str], Any] = str
    """From the text to its value; UsageError for a text that is none."""
    alone: str = ""
    """What it means on the command line without a value; empty: it needs one."""
    default: str = ""
    """As a user would write it; empty: none."""
    repeatable: bool = False
    """Its reader gives a tuple."""
    command_line: bool = True
    locust: bool = True
    jmeter: tuple[ElementField, ...] = ()
    because: str = ""
    """Why it does not reach all three."""

    @property
    def is_switch(self) -> bool:
        return not self.metavar and not self.choices

    @property
    def default_value(self) -> Any:
        if self.default:
            return self.read(self.default)
        return False if self.is_switch else () if self.repeatable else None


def option(group: str, help: str, **declared: Any) -> Any:  # noqa: A002
    """A field of `DrillSettings` that a user may set."""
    one = DrillOption(group=group, help=help, **declared)
    return field(default=one.default_value, metadata={DrillOption: one})
