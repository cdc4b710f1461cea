"""The workers of a run, as the master hears of them: who takes part, what they tell, who is missed."""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

import gevent
from locust.runners import MasterRunner

from switchover.locust.workers.account import LATE, START, WorkerAccount
from switchover.locust.workers.messages import TAKEN, Mail
from switchover.model.clock import Clock
from switchover.rundir.journal import Journal

SILENT_S = 8.0
"""A worker that has said nothing for this long is missed: it speaks each second, and Locust gives it 4 s."""

EARLY_S = 3.0
"""Ctrl-C reaches all processes at once, and some end sooner than the master notices."""

LAST_WORDS_S = 60.0
"""For the workers to end their users and tell the rest, on top of Locust's own stop timeout."""
LOOK_S = 0.02

Tell = Callable[[list[str]], None]

logger = logging.getLogger(__name__)


def worker_name(index: int) -> str:
    """By Locust's number of it, which counts from 0 and stays the same while the master lives."""
    return f"worker-{index + 1}"


class Crew:
    """Of one run. `tell` gets the lines of all workers as they come."""

    def __init__(
        self, runner: MasterRunner, mail: Mail, run: str, journal: Journal, clock: Clock, tell: Tell
    ) -> None:
        self._runner = runner
        self._mail = mail
        self._run = run
        self._journal = journal
        self._clock = clock
        self._tell = tell
        self._accounts: dict[str, WorkerAccount] = {}
        self._begun = False

    def begin(self) -> None:
        """The load begins: who comes from now on is late."""
        for client in list(self._runner.clients):
            self._account(client)
        self._begun = True

    def _account(self, client: str) -> WorkerAccount:
        account = self._accounts.get(client)
        if account is None:
            name = worker_name(self._runner.get_worker_index(client))
            account = WorkerAccount(name, client, LATE if self._begun else START, time.monotonic())
            self._accounts[client] = account
            if self._begun:
                self._say(account, f"{account.worker} joined when the run was under way")
        return account

    def take(self, client: str, message: Mapping[str, Any]) -> None:
        """What a worker tells of its part. Of another run than this nobody wants to know any more."""
        if message["run"] != self._run:
            self._mail.send(TAKEN, {"run": message["run"], "number": message["number"]}, client)
            return
        account = self._account(client)
        account.heard_s = time.monotonic()
        if account.silent:
            account.silent = False
            self._say(account, f"{account.worker} is back")
        lines = account.take(message)
        if account.end is not None and account.ended_s is None:
            account.ended_s = account.heard_s
        self._mail.send(TAKEN, {"run": self._run, "number": account.taken}, client)
        if lines:
            self._tell(lines)

    def look(self) -> None:
        """Once a second: name those who have come, and those who have gone silent."""
        for client, node in self._runner.clients.items():
            if node.user_count:
                self._account(client)
        for account in self._accounts.values():
            if self._is_missed(account) and not account.silent:
                account.silent = True
                self._say(account, f"nothing was heard of {account.worker} for {SILENT_S:g} s: it may be lost")

    def end(self) -> None:
        """Wait until every worker has said its last word, or is missed."""
        stop_timeout_s = float(self._runner.environment.stop_timeout or 0)
        limit_s = time.monotonic() + stop_timeout_s + LAST_WORDS_S
        while time.monotonic() < limit_s:
            if all(account.end is not None or self._is_missed(account) for account in self._accounts.values()):
                return
            gevent.sleep(LOOK_S)

    def facts(self) -> list[dict[str, Any]]:
        return [account.facts() for account in self._accounts.values()]

    def facts_so_far(self) -> list[dict[str, Any]]:
        return [account.facts_so_far() for account in self._accounts.values()]

    def clocks(self) -> list[dict[str, Any]]:
        return [
            {"node": account.worker, **reading}
            for account in self._accounts.values()
            for reading in (account.end or {}).get("clocks", [])
        ]

    def parts(self) -> list[str]:
        """The files that belong into the run directory, wherever they are now."""
        return [account.part for account in self._accounts.values() if account.part is not None]

    def warnings(self, stopped_s: float) -> list[str]:
        """`stopped_s`: when the run was told to stop, on the monotonic clock."""
        early = [
            f"{account.worker} ended {stopped_s - account.ended_s:.0f} s before the run did"
            for account in self._accounts.values()
            if account.ended_s is not None and stopped_s - account.ended_s > EARLY_S
        ]
        return early + [text for account in self._accounts.values() for text in account.warnings()]

    def _is_missed(self, account: WorkerAccount) -> bool:
        return account.end is None and time.monotonic() - account.heard_s > SILENT_S

    def _say(self, account: WorkerAccount, text: str) -> None:
        logger.warning("Switchover: %s", text)
        self._journal.event("warning", text, time_ns=self._clock.now_ns(), node=account.worker)
