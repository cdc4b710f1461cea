"""A program that makes a little load and has a controller beside it, as a load generator would.

    python -m support.conducted DIRECTORY TARGET SCENARIO

`told` fires and heals by command, `timed` by the clock, `vanish` dies in mid-fault and tells nobody; `unprobed` is
`told` without a prober. What came of it is one line of JSON.
"""

import http.client
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from switchover.drill.options import DrillSettings
from switchover.drill.remote import Controller, ControllerState
from switchover.model.clock import Clock
from switchover.model.errors import SwitchoverError
from switchover.model.failure_kind import FailureKind, kind_of_os_error
from switchover.model.identity import NO_ANSWER, WhoAnswered
from switchover.rundir.load_facts import ENDED, LoadFacts, write_load
from switchover.rundir.sample_log import Sample, SampleWriter
from switchover.target.model import Target
from switchover.target.reader import load_target

PAUSE_S = 0.02
PATIENCE_S = 60.0
FAULT = "haproxy-kill"


class User(threading.Thread):
    """Waits for each answer, on a connection of its own each time."""

    def __init__(self, directory: Path, target: Target, clock: Clock) -> None:
        super().__init__(name="user")
        self.over = threading.Event()
        self.sent = 0
        self._endpoint = target.endpoint
        self._who = WhoAnswered(target.identity)
        self._clock = clock
        self._writer = SampleWriter(directory / "samples.jtl")

    def run(self) -> None:
        while not self.over.wait(PAUSE_S):
            self._writer.write(self._ask())
            self._writer.flush()
            self.sent += 1
        self._writer.close()

    def _ask(self) -> Sample:
        start_us = self._clock.now_us()
        identity, error, code = NO_ANSWER, None, ""
        connection = http.client.HTTPConnection(self._endpoint.host, self._endpoint.port, timeout=1.0)
        try:
            connection.request("GET", "/")
            answer = connection.getresponse()
            identity, code = self._who.identify(answer.getheaders()), str(answer.status)
            answer.read()
            error = None if answer.status < 400 else FailureKind.STATUS
        except TimeoutError:
            error = FailureKind.READ_TIMEOUT
        except OSError as failure:
            error = kind_of_os_error(failure, connecting=not code)
        except http.client.HTTPException:
            error = FailureKind.TRUNCATED
        finally:
            connection.close()
        end_us = self._clock.now_us()
        return Sample(
            start_us=start_us, end_us=end_us, intended_us=None, label="home", code=code, message="", thread="user",
            success=error is None, failure_message=error or "", nbytes=0, sent_bytes=0,
            url=self._endpoint.url, latency_us=0, connect_us=0, identity=identity, error=error, attempts=1,
            stream="fresh", session="",
        )  # fmt: skip


def main(directory: Path, target_file: Path, scenario: str) -> int:
    clock = Clock.of_process()
    timed = scenario == "timed"
    settings = DrillSettings(
        directory=directory,
        name=FAULT,
        target=target_file,
        fault=FAULT if timed else None,
        fault_at_s=2.0 if timed else None,
        heal_at_s=15.0 if timed else None,
        probe_rate=0.0 if scenario == "unprobed" else 100.0,
    )
    controller = Controller.start(settings, clock)
    user = User(directory, load_target(target_file), clock)
    user.start()
    controller.begin()
    if not timed:
        time.sleep(2.0)
        controller.fire(FAULT)
    _until(controller, lambda state: state.confirmed_us is not None)
    if scenario == "vanish":
        print(json.dumps({"fired": True}), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if not timed:
        time.sleep(11.0)
        controller.heal()
    _until(controller, lambda state: state.healed_us is not None)
    time.sleep(10.0)
    user.over.set()
    user.join()
    worker = {
        "worker": "",
        "host": "client",
        "part": "samples.jtl",
        "samples": user.sent,
        "lost": 0,
        "ended": "stopped",
    }
    write_load(directory, LoadFacts(ENDED, generator="user", parts=["samples.jtl"], workers=[worker]))
    finished = controller.finish(PATIENCE_S)
    print(json.dumps({"exit_code": finished.exit_code, "verdict": finished.verdict, "notes": controller.state.notes}))
    return 0


def _until(controller: Controller, condition: Callable[[ControllerState], bool]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not condition(controller.state):
        if controller.died or time.monotonic() > give_up:
            raise SwitchoverError(controller.died or f"it did not come to that: {controller.state}")
        time.sleep(0.02)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
