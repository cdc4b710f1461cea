"""Logs of other tools, made of lines and read by one format."""

from collections import Counter
from pathlib import Path

from switchover.evidence.logs.account import Account
from switchover.evidence.logs.format import UNREADABLE, Format, LogHead
from switchover.evidence.logs.logged_request import LoggedRequest


def read_log(form: Format, folder: Path, *lines: str) -> tuple[list[LoggedRequest], Account]:
    """Its requests, and what was noticed of `result.out`."""
    path, account = folder / "result.out", Account()
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return list(form.read(path, account)), account


def requests_of(form: Format, folder: Path, *lines: str) -> list[LoggedRequest]:
    """Its requests, where each line was understood."""
    requests, account = read_log(form, folder, *lines)
    assert account.reasons == {} and account.damage == []
    return requests


def count_unread(form: Format, folder: Path, *lines: str) -> int:
    """How many lines were not understood; no other reason is known."""
    _, account = read_log(form, folder, *lines)
    unread = account.reasons.total()
    assert account.reasons == (Counter({UNREADABLE: unread}) if unread else {})
    return unread


def is_claimed(form: Format, *lines: str) -> bool:
    return form.claims(LogHead(lines))
