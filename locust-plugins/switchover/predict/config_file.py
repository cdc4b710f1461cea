"""Read a balancer's configuration file, with a size limit. Each error message has one line."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from switchover.model.errors import TargetError

KEEPALIVED, HAPROXY, NGINX = "keepalived", "haproxy", "nginx"

_WORDS = {
    KEEPALIVED: r"(?:global_defs|vrrp_\w+|virtual_server(?:_group)?|static_ipaddress)\b[^;\n]*$",
    NGINX: r"(?:(?:events|http|stream|server|location\b[^\n;{]*|upstream[ \t]+\S+)\s*\{"
    r"|(?:user|pid|worker_\w+|error_log|load_module|daemon|include)[ \t][^\n{}]*;)",
    HAPROXY: r"(?:global|defaults|frontend|listen|backend)\b[^\n{};]*$",
}

MAX_BYTES = 4 << 20
"""The size limit of one file. Large generated files have a few hundred kilobytes."""


@dataclass(slots=True)
class Statement:
    """A statement of a configuration file, and the block that it opens."""

    words: tuple[str, ...]
    place: str
    """The file and the number of the line, such as `haproxy.cfg:12`."""
    block: list["Statement"] = field(default_factory=list)
    opens: bool = False
    """True: a brace after the words opens the block."""
    is_uncertain: bool = False
    """True: the statement contains a variable, or is inside a condition."""

    @property
    def text(self) -> str:
        return " ".join(self.words)[:80]

    @property
    def keyword(self) -> str:
        return self.words[0]

    def value(self, position: int = 1) -> str:
        return self.words[position] if len(self.words) > position else ""


def read_text(path: Path, what: str = "configuration", limit: int = MAX_BYTES) -> str:
    """Read a file. Raise TargetError if the file is unreadable, too large, a pipe or binary. `what`: the kind of
    file, for error messages."""
    try:
        if path.is_fifo() and not os.path.realpath(path).startswith("/proc/"):
            raise TargetError(f"{path} is a named pipe, which may never end: name a file")
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise TargetError(f"cannot read {path}: {reason}") from error
    if len(data) > limit:
        raise TargetError(f"{path}: larger than {limit:,} bytes: this is not a {what}")
    if b"\0" in data:
        raise TargetError(f"{path}: contains binary data: this is not a {what}")
    return data.decode("utf-8-sig", "replace")


def refuse_template(text: str, place: object) -> None:
    if "{{" in text or "{%" in text or "<%" in text:
        raise TargetError(
            f"{place}: the file contains template braces: use the file that is generated from the template"
        )


def find_files(pattern: Path, statement: str) -> list[Path]:
    """Return the files that an include matches, sorted by name. `statement`: the place and text of the include."""
    try:
        return sorted(path for path in pattern.parent.glob(pattern.name) if path.is_file())
    except (OSError, ValueError, IndexError, NotImplementedError) as error:
        raise TargetError(f"{statement} is not a pattern of file names: {error}") from error


def kind_of(text: str) -> str | None:
    """Return the program to which a file belongs; None: unknown. A file with only includes belongs to Keepalived."""
    text = re.sub(r"#.*", "", text)
    for kind, words in _WORDS.items():
        if re.search(rf"^[ \t]*(?:@\S+[ \t]+)?{words}", text, re.MULTILINE):
            return kind
    return KEEPALIVED if re.search(r"^[ \t]*(?:include\w?[ \t]|[$~@])", text, re.MULTILINE) else None
