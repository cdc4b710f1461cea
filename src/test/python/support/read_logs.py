"""A text as a format of logs reads it."""

from pathlib import Path

from switchover.evidence.logs.format import Account, Format, LoggedRequest, LogHead


def read_log(form: Format, folder: Path, text: str) -> tuple[list[LoggedRequest], Account]:
    """Its requests, and the account of them; the file is `a.log`."""
    path, account = folder / "a.log", Account()
    path.write_text(text, encoding="utf-8")
    return list(form.read(path, account)), account


def is_claimed(form: Format, *lines: str) -> bool:
    """Whether the format claims a file that begins with these lines."""
    return form.claims(LogHead(lines))
