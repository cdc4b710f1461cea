"""The sections of one or several haproxy.cfg, in the order in which HAProxy reads them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from switchover.faults.config_file import Place
from switchover.faults.haproxy_config.conditions import Conditions
from switchover.faults.haproxy_config.words import HaproxyLine, cut_into_words
from switchover.model.errors import TargetError

PROXIES = ("frontend", "listen", "backend")
SECTIONS = frozenset((
    *PROXIES,
    *("global", "defaults", "userlist", "peers", "resolvers", "cache", "mailers", "program", "ring", "http-errors"),
    *("fcgi-app", "log-forward", "log-profile", "crt-store", "traces", "acme"),
))  # fmt: skip
"""The words that begin a section, HAProxy 1.8 to 3.3."""


@dataclass(slots=True)
class HaproxySection:
    """A section: the words of its head, and its lines."""

    head: HaproxyLine
    lines: list[HaproxyLine] = field(default_factory=list)

    @property
    def kind(self) -> str:
        return self.head.keyword

    @property
    def name(self) -> str:
        name = self.head.value()
        return "" if self.kind == "defaults" and name == "from" else name

    @property
    def parent(self) -> str:
        """The defaults that its head names: `from NAME`."""
        words = self.head.words
        return words[words.index("from", 1) + 1] if "from" in words[1:-1] else ""


def read_sections(files: Sequence[tuple[str, str]]) -> list[HaproxySection]:
    """The sections of these files (name and text), read as one, as HAProxy does with several -f."""
    found: list[HaproxySection] = []
    environment: dict[str, str] = {}
    for name, text in files:
        conditions = Conditions()
        for line in _lines(name, text, environment, conditions):
            if line.keyword in SECTIONS:
                found.append(HaproxySection(line))
            elif not found:
                raise TargetError(
                    f"{line.place}: {line.text!r} stands before any section (global, defaults, frontend, …)"
                )
            else:
                found[-1].lines.append(line)
                if found[-1].kind == "global":
                    _set_variables(line, environment)
        conditions.close()
    return found


def _lines(name: str, text: str, environment: dict[str, str], conditions: Conditions) -> Iterator[HaproxyLine]:
    for number, written in enumerate(text.split("\n"), start=1):
        line = cut_into_words(written.rstrip("\r"), Place(name, number), environment)
        if not line.words:
            continue
        if "{{" in written or "{%" in written or "<%" in written:
            raise TargetError(f"{line.place}: a template's braces: give the file that is made of the template")
        if conditions.follow(line, environment) or conditions.counts is False:
            continue
        yield replace(line, is_conditional=conditions.counts is None)


def _set_variables(line: HaproxyLine, environment: dict[str, str]) -> None:
    """`setenv` and its like; what only the environment of HAProxy's start knows stays unknown."""
    name, value = line.value(), line.value(2)
    if line.is_conditional or line.unknown:
        environment.pop(name, None)
    elif line.keyword == "setenv" and len(line.words) == 3:
        environment[name] = value
    elif line.keyword == "presetenv":
        environment.pop(name, None)
    elif line.keyword in ("unsetenv", "resetenv"):
        for variable in line.words[1:]:
            environment.pop(variable, None)
