"""Exchange messages between the master and its workers, even after Locust has stopped reading messages.

Locust ends the greenlet that reads its socket before the plugin's last message is sent. Then the greenlet that waits
for an answer reads the socket itself.
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
ACKNOWLEDGED = "switchover_acknowledged"
CLOCK_QUESTION = "switchover_clock_question"
CLOCK_ANSWER = "switchover_clock_answer"

POLL_S = 0.02

Handler = Callable[[str, Mapping[str, Any]], None]

logger = logging.getLogger(__name__)


class MessageChannel:
    """Sends and receives the messages of a runner. `handlers`: the handler for each type of message."""

    def __init__(
        self,
        runner: MasterRunner | WorkerRunner,
        handlers: Mapping[str, Handler],
        report_defect: Callable[[str, Exception], None],
    ) -> None:
        self._report_defect = report_defect
        self._runner = runner
        self._handlers = dict(handlers)
        self._deferred: list[tuple[str, Message]] = []
        self._being_read = False
        """True while a waiting greenlet reads the socket. A second reader of the socket would never wake up."""
        for kind in handlers:
            runner.register_message(kind, self._received)

    @property
    def is_locust_reading(self) -> bool:
        return len(self._runner.greenlet) > 0

    def send(self, kind: str, data: Mapping[str, Any], to: str = "") -> bool:
        """Send a message to the worker with the given id, or to the master. Returns False on failure."""
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
        """Wait until `until` returns True or the time-out ends. Then pass Locust's own messages to Locust.

        `reading`: True if the caller is Locust's greenlet that reads the socket.
        """
        end = time.monotonic() + timeout_s
        while not until():
            left = end - time.monotonic()
            if left <= 0:
                break
            if (reading or not self.is_locust_reading) and not self._being_read:
                self._read(min(left, 0.1), own=reading)
            else:
                gevent.sleep(min(left, POLL_S))
        deferred, self._deferred = self._deferred, []
        for sender, message in deferred:
            gevent.spawn(self._hand_to_locust, sender, message)
        return until()

    def _read(self, timeout_s: float, *, own: bool) -> None:
        received = self._receive(timeout_s)
        if received is None:
            return
        sender, message = received
        if message.type in self._handlers:
            self._received(None, message)
        elif own:
            self._deferred.append(received)
        elif message.type == "stats":
            # This message has the last statistics of a worker. Locust would not have waited for the statistics.
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
            gevent.sleep(POLL_S)
        finally:
            self._being_read = False
        return None

    def _received(self, environment: object, msg: Message) -> None:
        try:
            self._handlers[msg.type](msg.node_id or "", msg.data or {})
        except Exception as error:
            self._report_defect(f"a message ({msg.type})", error)

    def _hand_to_locust(self, sender: str, message: Message) -> None:
        if isinstance(self._runner, MasterRunner):
            self._runner.handle_message(sender, message)
        else:
            self._runner.handle_message(message)
