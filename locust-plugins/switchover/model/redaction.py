"""Addresses, commands and foreign texts without secrets, for printing and recording.

Passwords stand before the @ of a URL, tokens in its query and in the arguments of commands.
"""

import re
from collections.abc import Sequence

HIDDEN = "***"

_AUTHORITY = re.compile(r"(?<![^:])//[^/]*@")
_QUOTED_USER = re.compile(r"(?<=:)//[^/\s?#]*@")
_QUOTED_QUERY = re.compile(r"""(?<=[^\s?])\?[^\s"'<>]*[^\s"'<>:,.)\]]""")
"""A URL query in free text: from a question mark inside a word, without the punctuation that ends the sentence."""


def public_url(url: str) -> str:
    """Return the URL without user, password, fragment and the values of its query.

    Everything up to the last @ is removed, because a password may contain any character.
    """
    address, mark, query = re.sub(r"//.*@", "//", url.partition("#")[0], flags=re.DOTALL).partition("?")
    return address + mark + "&".join(_without_value(part) for part in query.split("&") if mark)


def requested_url(url: str) -> str:
    """Return a URL that was requested, as `public_url` does. It is well-formed, so an @ in its path may stay."""
    address, mark, query = url.partition("#")[0].partition("?")
    return (
        _AUTHORITY.sub("//", address, 1) + mark + "&".join(_without_value(part) for part in query.split("&") if mark)
    )


def public_message(message: str) -> str:
    """Return the message of an exception with its URLs as `public_url` returns them."""
    return _QUOTED_QUERY.sub(lambda found: requested_url(found[0]), _QUOTED_USER.sub("//", message))


def public_text(text: str) -> str:
    """Return a wrong value of a user without secrets; it may be a URL that is not well-formed."""
    return re.sub(r".*@", "", public_url(text), flags=re.DOTALL)


def public_command(arguments: Sequence[str]) -> str:
    """Return the program without its arguments: `ssh …`."""
    return f"{arguments[0]} …" if len(arguments) > 1 else "".join(arguments)


def _without_value(part: str) -> str:
    name, equals, _ = part.partition("=")
    return f"{name}={HIDDEN}" if equals else HIDDEN


_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters except tab and newline, which a terminal would obey, and marks that change the direction of
text."""


def escape_controls(text: str) -> str:
    r"""Return the text with each control character as `\x1b`, visible and without effect."""
    return _CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
