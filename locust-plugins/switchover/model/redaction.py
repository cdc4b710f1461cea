"""What is printed and recorded of addresses, commands and texts from outside: enough to know them by, and no secret.

Passwords stand before the @ of a URL, tokens in its query and in the arguments of commands.
"""

import re
from collections.abc import Sequence

HIDDEN = "***"

_AUTHORITY = re.compile(r"(?<![^:])//[^/]*@")
_QUOTED_USER = re.compile(r"(?<=:)//[^/\s?#]*@")
_QUOTED_QUERY = re.compile(r"""(?<=[^\s?])\?[^\s"'<>]*[^\s"'<>:,.)\]]""")
"""A query in running text: what follows a question mark in the middle of a word, without the end of the sentence."""


def public_url(url: str) -> str:
    """The URL without user, password, fragment and the values of its query.

    All up to the last @ goes, since a password may hold any character: rather too much than a part of it.
    """
    address, mark, query = re.sub(r"//.*@", "//", url.partition("#")[0], flags=re.DOTALL).partition("?")
    return address + mark + "&".join(_without_value(part) for part in query.split("&") if mark)


def requested_url(url: str) -> str:
    """A URL that was really asked for, as `public_url` shows one: it is well-formed, so an @ in its path may stay."""
    address, mark, query = url.partition("#")[0].partition("?")
    return (
        _AUTHORITY.sub("//", address, 1) + mark + "&".join(_without_value(part) for part in query.split("&") if mark)
    )


def public_message(message: str) -> str:
    """What an exception says, which may quote a URL, as `public_url` would show that."""
    return _QUOTED_QUERY.sub(lambda found: requested_url(found[0]), _QUOTED_USER.sub("//", message))


def public_text(text: str) -> str:
    """What somebody wrote where something else was expected; it may be a URL that is not well-formed."""
    return re.sub(r".*@", "", public_url(text), flags=re.DOTALL)


def public_command(arguments: Sequence[str]) -> str:
    """The program alone: `ssh …`."""
    return f"{arguments[0]} …" if len(arguments) > 1 else "".join(arguments)


def _without_value(part: str) -> str:
    name, equals, _ = part.partition("=")
    return f"{name}={HIDDEN}" if equals else HIDDEN


_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""All but tab and newline: a terminal takes them for commands. And the marks that turn the direction of text."""


def escape_controls(text: str) -> str:
    """With each control character as `\\x1b`: seen, and without effect."""
    return _CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
