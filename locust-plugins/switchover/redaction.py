"""What is printed and recorded of addresses and commands: enough to know them by, and no secret.

Passwords stand before the @ of a URL, tokens in its query and in the arguments of commands.
"""

import re
from collections.abc import Sequence

HIDDEN = "***"


def public_url(url: str) -> str:
    """The URL without user, password, fragment and the values of its query.

    All up to the last @ goes, since a password may hold any character: rather too much than a part of it.
    """
    address, mark, query = re.sub(r"//.*@", "//", url.partition("#")[0], flags=re.DOTALL).partition("?")
    return address + mark + "&".join(_without_value(part) for part in query.split("&") if mark)


def public_text(text: str) -> str:
    """What somebody wrote where something else was expected; it may be a URL that is not well-formed."""
    return re.sub(r".*@", "", public_url(text), flags=re.DOTALL)


def public_command(arguments: Sequence[str]) -> str:
    """The program alone: `ssh …`."""
    return f"{arguments[0]} …" if len(arguments) > 1 else "".join(arguments)


def _without_value(part: str) -> str:
    name, equals, _ = part.partition("=")
    return f"{name}={HIDDEN}" if equals else HIDDEN
