"""What each frontend of a haproxy.cfg runs with: its own lines, and those of its defaults."""

from collections.abc import Sequence
from dataclasses import dataclass

from switchover.faults.haproxy_config.sections import PROXIES, HaproxySection
from switchover.faults.haproxy_config.words import HaproxyLine
from switchover.model.errors import TargetError

Lines = tuple[HaproxyLine, ...]


@dataclass(frozen=True, slots=True)
class Proxy:
    """A frontend, listen or backend section with what it inherits, the inherited lines first."""

    section: HaproxySection
    lines: Lines

    @property
    def name(self) -> str:
        return self.section.name

    @property
    def listens(self) -> bool:
        return self.section.kind != "backend"

    def last(self, *words: str) -> HaproxyLine | None:
        """The last line that begins with these words: it counts."""
        return next((line for line in reversed(self.lines) if line.words[: len(words)] == words), None)

    def option(self, name: str) -> HaproxyLine | None:
        """The line that switches an option on; None where none does, or a later one switches it off."""
        for line in reversed(self.lines):
            if line.words[:2] == ("option", name):
                return line
            if line.words[:3] in (("no", "option", name), ("default", "option", name)):
                return None
        return None

    def uncertain_option(self, name: str) -> HaproxyLine | None:
        """The line about an option of which only HAProxy knows whether it counts."""
        found = [line for line in self.lines if line.is_conditional]
        about = [line for line in found if name in line.words[:3] and "option" in line.words[:2]]
        return about[-1] if about else None

    @property
    def uncertain_mode(self) -> HaproxyLine | None:
        """Its `mode`, where only HAProxy knows it."""
        found = [line for line in self.lines if line.keyword == "mode"]
        uncertain = [line for line in found if line.is_conditional or line.unknown]
        return uncertain[-1] if uncertain else None

    @property
    def mode(self) -> str:
        """`tcp` where nothing is said, as in HAProxy."""
        line = self.last("mode")
        return line.value() if line else "tcp"


def resolve_proxies(sections: Sequence[HaproxySection]) -> list[Proxy]:
    """Each proxy inherits from the defaults that its head names, else from the last before it."""
    named: dict[str, Lines] = {}
    current: Lines = ()
    found = []
    for section in sections:
        if section.kind == "defaults":
            current = (*_inherited(section, named, ()), *section.lines)
            if section.name:
                named[section.name] = current
        elif section.kind in PROXIES:
            if not section.name:
                raise TargetError(f"{section.head.place}: {section.kind!r} has no name")
            found.append(Proxy(section, (*_inherited(section, named, current), *section.lines)))
    return found


def _inherited(section: HaproxySection, named: dict[str, Lines], otherwise: Lines) -> Lines:
    if not section.parent:
        return otherwise
    if section.parent not in named:
        raise TargetError(f"{section.head.place}: there is no 'defaults {section.parent}' before it")
    return named[section.parent]


def global_lines(sections: Sequence[HaproxySection]) -> Lines:
    """The lines of all global sections."""
    return tuple(line for section in sections if section.kind == "global" for line in section.lines)


def last_line(lines: Sequence[HaproxyLine], *words: str) -> HaproxyLine | None:
    return next((line for line in reversed(lines) if line.words[: len(words)] == words), None)
