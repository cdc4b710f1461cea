"""Text from outside (names in logs, answers of balancers, file names) as it may go to a screen."""

import re

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""All but tab and newline: a terminal takes them for commands. And the marks that turn the direction of text."""


def escape_controls(text: str) -> str:
    """With each control character as `\\x1b`: seen, and without effect."""
    return _CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
