"""What JMeter says of why it does not run, in one line."""

import re
from pathlib import Path

from switchover.generator.load_process import last_lines, one_line

COMPLAINT_BYTES = 262_144
"""JMeter writes a stack trace behind each of its errors."""

_LOGGED = re.compile(r"^\S+ \S+ ERROR \S+: (?P<text>.*)")
"""How an error begins in JMeter's log: `2024-05-01 12:00:00,000 ERROR o.a.j.JMeter: `."""
_OURS = re.compile(r"Switchover: (?:the test is stopped: )?(?P<text>.*)")
_UNKNOWN_ELEMENT = re.compile(r"CannotResolveClassException: (?P<text>\S+)")
_PRINTED = re.compile(
    r"^(?:An error occurred:|Error:|Error in NonGUIDriver|Exception in thread \"[^\"]*\") (?P<text>.+)"
)
"""How it begins on the console, where Java speaks too."""


def complaint(log: Path, console: Path) -> str:
    """The plugin's own words first, then those that name a cause, then any; nothing if nobody complains."""
    printed = last_lines(console, COMPLAINT_BYTES)
    errors = _found(_LOGGED, last_lines(log, COMPLAINT_BYTES))
    ours = _found(_OURS, [text for text in errors if _OURS.match(text)])
    unknown = [f"this JMeter has no element {name}" for name in _found(_UNKNOWN_ELEMENT, printed)]
    for told in (ours[-1:], unknown[:1], _found(_PRINTED, printed)[-1:], errors[:1]):
        if told:
            return one_line(told[0])
    return ""


def _found(pattern: re.Pattern[str], lines: list[str]) -> list[str]:
    return [found["text"] for line in lines if (found := pattern.search(line))]
