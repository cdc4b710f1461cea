"""Remove secrets from URLs, commands and messages before they are printed or recorded."""

import re
from collections.abc import Sequence

HIDDEN = "***"

_AUTHORITY = re.compile(r"(?<![^:])//[^/]*@")
_QUOTED_USER = re.compile(r"(?<=:)//[^/\s?#]*@")
_QUOTED_QUERY = re.compile(r"""(?<=[^\s?])\?[^\s"'<>]*[^\s"'<>:,.)\]]""")
"""Matches a URL query in free text, from a question mark inside a word, without punctuation at the end."""


def public_url(url: str) -> str:
    """Return the URL without fragment and query values, and without the text between // and the last @."""
    return _without_values(re.sub(r"//.*@", "//", url.partition("#")[0], flags=re.DOTALL))


def requested_url(url: str) -> str:
    """Redact a well-formed URL like `public_url`, but keep an @ in the path."""
    address, mark, query = url.partition("#")[0].partition("?")
    return _without_values(_AUTHORITY.sub("//", address, 1) + mark + query)


def public_message(message: str) -> str:
    """Return the message of an exception with redacted URLs."""
    return _QUOTED_QUERY.sub(lambda match: requested_url(match[0]), _QUOTED_USER.sub("//", message))


def public_text(text: str) -> str:
    """Remove secrets from an invalid value that a user entered, because the value may be a malformed URL."""
    return re.sub(r".*@", "", public_url(text), flags=re.DOTALL)


def public_command(arguments: Sequence[str]) -> str:
    """Return the program without its arguments: `ssh …`."""
    return f"{arguments[0]} …" if len(arguments) > 1 else "".join(arguments)


def _without_values(url: str) -> str:
    address, mark, query = url.partition("?")
    pairs = (part.partition("=") for part in query.split("&") if mark)
    return address + mark + "&".join(f"{name}={HIDDEN}" if equals else HIDDEN for name, equals, _ in pairs)


_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters except tab and newline, and characters that change the text direction."""


def escape_controls(text: str) -> str:
    r"""Replace each control character with a visible escape such as `\x1b`."""
    return _CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
