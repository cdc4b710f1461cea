"""Messages between the master and its workers, also when Locust has stopped listening.

Locust reads its socket in a greenlet that it ends before the last word is said: on the master half a second after
workers were told to quit, on a worker as soon as it was told. Who still waits for an answer then reads it here.
"""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

import gevent
from locust.exception import RPCError
from locust.rpc import Message
from locust.runners import MasterRunner, WorkerRunner

TRAFFIC = "switchover_traffic"
TAKEN = "switchover_taken"
CLOCK_QUESTION = "switchover_clock_question"
CLOCK_ANSWER = "switchover_clock_answer"

LOOK_S = 0.02
"""How often somebody who waits looks, while Locust reads."""

Handler = Callable[[str, Mapping[str, Any]], None]
"""Gets the sender's id and what it says."""

logger = logging.getLogger(__name__)


class Mail:
    """Of a runner; `handlers` by type of message, and who is told when one fails."""

    def __init__(
        self,
        runner: MasterRunner | WorkerRunner,
        handlers: Mapping[str, Handler],
        disturbed: Callable[[str, Exception], None],
    ) -> None:
        self._disturbed = disturbed
        self._runner = runner
        self._handlers = dict(handlers)
        self._put_off: list[tuple[str, Message]] = []
        self._being_read = False
        """By somebody else who waits here; two at once would miss what wakes them."""
        for kind in handlers:
            runner.register_message(kind, self._received)

    @property
    def locust_listens(self) -> bool:
        """Whether the greenlet that reads the socket is there; the runner ends it with all its others."""
        return len(self._runner.greenlet) > 0

    def send(self, kind: str, data: Mapping[str, Any], to: str = "") -> bool:
        """To the worker whose id it is, or from a worker to its master. False if it could not be sent."""
        try:
            if isinstance(self._runner, MasterRunner):
                self._runner.server.send_to_client(Message(kind, dict(data), to))
            else:
                self._runner.client.send(Message(kind, dict(data), self._runner.client_id))
        except RPCError as error:
            logger.debug("cannot send %s: %s", kind, error)
            return False
        return True

    def wait(self, until: Callable[[], bool], timeout_s: float, *, reading: bool = False) -> bool:
        """Wait for something that messages bring about. `reading`: this is the greenlet that reads the socket.

        What comes for Locust while it is its own greenlet that waits is handed to it afterwards.
        """
        end = time.monotonic() + timeout_s
        while not until():
            left = end - time.monotonic()
            if left <= 0:
                break
            if (reading or not self.locust_listens) and not self._being_read:
                self._read(min(left, 0.1), own=reading)
            else:
                gevent.sleep(min(left, LOOK_S))
        put_off, self._put_off = self._put_off, []
        for sender, message in put_off:
            gevent.spawn(self._hand_to_locust, sender, message)
        return until()

    def _read(self, timeout_s: float, *, own: bool) -> None:
        """One message, if one comes."""
        received = self._receive(timeout_s)
        if received is None:
            return
        sender, message = received
        if message.type in self._handlers:
            self._received(None, message)
        elif own:
            self._put_off.append(received)
        elif message.type == "stats":
            # The last numbers of a worker, which Locust would not have waited for.
            self._hand_to_locust(sender, message)

    def _receive(self, timeout_s: float) -> tuple[str, Message] | None:
        self._being_read = True
        try:
            with gevent.Timeout(timeout_s, False):
                if isinstance(self._runner, MasterRunner):
                    received: tuple[str, Message] = self._runner.server.recv_from_client()
                    return received
                return "", self._runner.client.recv()
        except RPCError as error:
            logger.debug("cannot receive: %s", error)
            gevent.sleep(LOOK_S)
        finally:
            self._being_read = False
        return None

    def _received(self, environment: object, msg: Message) -> None:
        try:
            self._handlers[msg.type](msg.node_id or "", msg.data or {})
        except Exception as error:
            self._disturbed(f"a message ({msg.type})", error)

    def _hand_to_locust(self, sender: str, message: Message) -> None:
        if isinstance(self._runner, MasterRunner):
            self._runner.handle_message(sender, message)
        else:
            self._runner.handle_message(message)
