"""A process of the drill is killed, interrupted, or stands still for a while."""

import signal
import time

from chaos.act import Act
from chaos.scene import Scene

DRILL = ("-m switchover drill",)
PROBER = ("switchover.prober",)
WATCHDOG = ("switchover.faults.watchdog",)
LOCUST = ("locust", "--headless")
JMETER = ("java", "ApacheJMeter")
WORKER = ("locust", "--worker")
CONTROLLER = ("switchover.drill.remote",)
SERVER = ("ApacheJMeter", "-Jserver_port")
CLIENT = ("ApacheJMeter", " -R ")
CLIENT_WAITS_S = 30.0
"""Longer than the load was to last."""
LONGEST_STILL_S = 4.0


def drill_is_killed(scene: Scene) -> Act:
    """SIGKILL: the watchdog heals, and a report is made from what is there."""
    yield
    scene.was_ended = bool(scene.signal(signal.SIGKILL, *DRILL))
    yield


def drill_is_interrupted(scene: Scene) -> Act:
    """SIGINT or SIGTERM: it heals, judges and ends."""
    yield
    scene.signal(scene.chance.choice((signal.SIGINT, signal.SIGTERM)), *DRILL)
    yield


def drill_stands_still(scene: Scene) -> Act:
    yield from _stands_still(scene, DRILL)


def prober_is_killed(scene: Scene) -> Act:
    yield from _is_killed(scene, PROBER)


def prober_stands_still(scene: Scene) -> Act:
    yield from _stands_still(scene, PROBER)


def watchdog_is_killed(scene: Scene) -> Act:
    yield from _is_killed(scene, WATCHDOG)


def watchdog_stands_still(scene: Scene) -> Act:
    yield from _stands_still(scene, WATCHDOG)


def locust_is_killed(scene: Scene) -> Act:
    yield from _is_killed(scene, LOCUST)


def locust_stands_still(scene: Scene) -> Act:
    yield from _stands_still(scene, LOCUST)


def jmeter_is_killed(scene: Scene) -> Act:
    yield from _is_killed(scene, JMETER)


def jmeter_stands_still(scene: Scene) -> Act:
    yield from _stands_still(scene, JMETER)


def worker_is_killed(scene: Scene) -> Act:
    yield from _is_killed(scene, WORKER, scene.chance.choice((1, 2)))


def worker_stands_still(scene: Scene) -> Act:
    yield from _stands_still(scene, WORKER)


def controller_is_killed(scene: Scene) -> Act:
    """Its own watchdog heals."""
    yield from _is_killed(scene, CONTROLLER)


def controller_stands_still(scene: Scene) -> Act:
    yield from _stands_still(scene, CONTROLLER)


def server_is_killed(scene: Scene) -> Act:
    """One of JMeter's two, or both. A client of JMeter waits for ever for a server that is gone, so it is ended as
    its user would end it."""
    yield
    scene.signal(signal.SIGKILL, *SERVER, at_most=scene.chance.choice((1, 2)))
    give_up = time.monotonic() + CLIENT_WAITS_S
    while time.monotonic() < give_up and not scene.have_ended:
        time.sleep(0.1)
    scene.signal(signal.SIGTERM, *CLIENT)
    yield


def server_stands_still(scene: Scene) -> Act:
    yield from _stands_still(scene, SERVER)


def _is_killed(scene: Scene, statuses: tuple[str, ...], at_most: int | None = None) -> Act:
    yield
    scene.signal(signal.SIGKILL, *statuses, at_most=at_most)
    yield


def _stands_still(scene: Scene, statuses: tuple[str, ...]) -> Act:
    yield
    scene.stop_for(scene.chance.uniform(0.3, LONGEST_STILL_S), *statuses)
    yield
