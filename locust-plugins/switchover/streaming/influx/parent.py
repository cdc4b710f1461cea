"""The parent's side: starts a run's follower, passes its warnings on, asks it to finish and takes its account."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from switchover.model.clock import Clock
from switchover.process.json_child import JsonChild
from switchover.streaming.influx.destination import Database
from switchover.streaming.influx.follower import FollowerAccount, account_of
from switchover.streaming.influx.spec import WAIT_S, FollowSpec

LAST_WORD_S = 3.0
"""For a process that has given up, to count what is left."""


class Streaming:
    """Of one run directory. Nothing that becomes of it disturbs the run: what is not sent stays in the journals."""

    def __init__(
        self,
        directory: Path,
        database: Database,
        clock: Clock,
        note: Callable[[str], None],
        *,
        wait_s: float = WAIT_S,
        outside: Path | None = None,
    ) -> None:
        """`note` gets each warning. `outside`: the socket of a process that has a way to the database, if
        this one has none."""
        self._spec = FollowSpec(directory.absolute(), database, wait_s, outside)
        self._note = note
        self._account: FollowerAccount | None = None
        self._child = JsonChild("switchover.streaming.influx", "follower", clock, self._hear, ended=lambda: None)
        self._child.tell_line(self._spec.to_json())

    @property
    def pid(self) -> int:
        return self._child.pid

    def finish(self) -> FollowerAccount:
        """Everything is written: send the rest, for as long as was agreed, and say what became of it."""
        died = self._child.died
        self._child.hang_up()
        if not self._child.wait(self._spec.wait_s + LAST_WORD_S) or died:
            self._note(died or "the follower did not end in time; what it has not sent, 'switchover upload' sends")
        self._child.kill()
        return self._account or account_of(self._spec.directory, self._spec.database.destination.url)

    def abandon(self) -> None:
        """The run did not come to its end: what is written is sent, without waiting for that."""
        self._child.hang_up()

    def _hear(self, message: dict[str, Any]) -> None:
        if "account" in message:
            self._account = FollowerAccount(**message["account"])
        else:
            self._note(str(message.get("warning") or message.get("error")))


def streamed(account: FollowerAccount, directory: Path) -> str:
    """The line of a run's summary, with the next command where something is left."""
    text = f"streamed {account.points:,} of {account.total:,} points"
    if account.refused:
        text += f", {account.refused:,} refused"
    if account.why:
        text += f" ({account.why})"
    return text + (f": 'switchover upload {directory}' sends the rest" if account.left else "")
