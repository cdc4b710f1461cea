"""All journals of a run directory, later ones included: posted as they grow, also after the database was away.

Nothing is queued: what cannot be sent stays in its file, so memory does not grow with what is left.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from switchover.streaming.influx.journal_sender import JournalSender, Limits, Poster
from switchover.streaming.influx.write_result import Meaning, WriteResult

LOOK_S = 0.2
"""How often it is looked for new lines: points are to be in the database within two seconds of their own."""
FIRST_RETRY_S, LAST_RETRY_S = 0.5, 5.0
"""Doubled from one to the other: a database that is back is found within seconds, and is not flooded."""


@dataclass(frozen=True, slots=True)
class ShipperAccount:
    """What became of the points of a run directory."""

    to: str
    points: int
    """Taken by the database."""
    refused: int
    left: int
    """Still to be sent."""
    why: str = ""
    """What the database said last of lines that it refused, or of those that are left."""

    @property
    def total(self) -> int:
        return self.points + self.refused + self.left


class Shipper:
    """`warn` gets one line the first time that something is refused or has to wait."""

    def __init__(self, directory: Path, to: str, poster: Poster, warn: Callable[[str], None]) -> None:
        self._directory = directory
        self._to = to
        self._poster = poster
        self._warn = warn
        self._limits = Limits()
        self._senders: dict[Path, JournalSender] = {}
        self._retry_s = FIRST_RETRY_S
        self._why = ""
        self._warned: set[str] = set()
        self._unread: set[Path] = set()

    def follow(self, ended: threading.Event) -> None:
        """Until it is set."""
        while not ended.is_set():
            pause_s = self._post_all(ended)
            ended.wait(LOOK_S if pause_s is None else pause_s)

    def drain(self, over: threading.Event) -> None:
        """Until nothing is left, or it is set; a database that is away is asked again meanwhile."""
        self._retry_s = FIRST_RETRY_S
        while not over.is_set() and (pause_s := self._post_all(over)) is not None:
            over.wait(pause_s)

    def turn(self) -> float | None:
        """A batch of each journal. None: there was none to send; else the seconds to wait before the next turn."""
        more = False
        for sender in self._found():
            answer = self._step(sender)
            if answer is not None and answer.meaning is Meaning.WAIT:
                return self._pause(answer)
            more = more or answer is not None
        if not more:
            return None
        self._retry_s = FIRST_RETRY_S
        return 0.0

    def _post_all(self, stopped: threading.Event) -> float | None:
        pause_s = self.turn()
        while pause_s == 0.0 and not stopped.is_set():
            pause_s = self.turn()
        return pause_s

    @property
    def settled(self) -> int:
        """Lines that were taken or refused."""
        return sum(sender.sent.points + sender.sent.refused for sender in self._senders.values())

    @property
    def has_unread(self) -> bool:
        """A journal cannot be read: its points are not sent, and stand in no account."""
        return bool(self._unread)

    def account(self) -> ShipperAccount:
        return _account(self._to, self._found(), self._why)

    def _found(self) -> list[JournalSender]:
        for path in journals(self._directory):
            if path not in self._senders:
                self._senders[path] = JournalSender(path, self._to, self._limits)
        return list(self._senders.values())

    def _step(self, sender: JournalSender) -> WriteResult | None:
        """None: nothing to send there."""
        try:
            answer = sender.step(self._poster)
        except OSError as error:
            self._unread.add(sender.journal)
            self._tell("unread", f"cannot read {sender.journal}: {error.strerror}; its points are not sent")
            return None
        self._unread.discard(sender.journal)
        if sender.unwritten:
            self._tell("unwritten", f"{sender.unwritten}; the journal may be sent twice")
        if answer is not None and answer.meaning is Meaning.TAKEN and answer.refused:
            self._why = answer.why
            self._tell("refused", f"{self._to} refuses some points: {answer.why}")
        return answer

    def _pause(self, answer: WriteResult) -> float:
        self._why = answer.why
        self._tell("waiting", f"{self._to} takes no points: {answer.why}; they are kept")
        # Who says to come at once is not flooded either.
        pause_s = max(self._retry_s, answer.retry_after_s or 0.0)
        self._retry_s = min(self._retry_s * 2, LAST_RETRY_S)
        return pause_s

    def _tell(self, kind: str, text: str) -> None:
        if kind not in self._warned:
            self._warned.add(kind)
            self._warn(text)


def streamed(account: ShipperAccount, directory: Path) -> str:
    """The line of a run's summary, with the next command where something is left."""
    text = f"streamed {account.points:,} of {account.total:,} points"
    if account.refused:
        text += f", {account.refused:,} refused"
    if account.why:
        text += f" ({account.why})"
    return text + (f": 'switchover upload {directory}' sends the rest" if account.left else "")


def journals(directory: Path) -> list[Path]:
    return sorted(directory.glob("journal*.lp"))


def account_of(directory: Path, to: str) -> ShipperAccount:
    """As the files have it, for a run without a shipper."""
    return _account(to, [JournalSender(path, to) for path in journals(directory)], "")


def _account(to: str, senders: Sequence[JournalSender], why: str) -> ShipperAccount:
    left = sum(_left(sender) for sender in senders)
    sent = [sender.sent for sender in senders]
    points, refused = sum(one.points for one in sent), sum(one.refused for one in sent)
    return ShipperAccount(to=to, points=points, refused=refused, left=left, why=why if left or refused else "")


def _left(sender: JournalSender) -> int:
    try:
        return sender.left()
    except OSError:
        return 0
