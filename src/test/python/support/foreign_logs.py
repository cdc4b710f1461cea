"""Logs of other tools, made of lines and read by one format."""

from pathlib import Path

from switchover.evidence.logs.format import Account, Format, LoggedRequest, LogHead


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


def is_claimed(form: Format, *lines: str) -> bool:
    """Whether the format claims a file that begins with these lines."""
    return form.claims(LogHead(lines))
