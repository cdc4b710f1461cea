"""A process of the drill is killed, interrupted, or stands still for a while."""

import signal
import time
from collections.abc import Mapping

from chaos.scene import Act, Misfortune, Scene

DRILL = "-m switchover drill"
WORKER = ("locust", "--worker")
SERVER = ("ApacheJMeter", "-Jserver_port")
CLIENT = ("ApacheJMeter", " -R ")
CLIENT_WAITS_S = 30.0
"""Longer than the load was to last."""
LONGEST_STILL_S = 4.0


def is_killed(*statuses: str) -> Misfortune:
    """SIGKILL for each process whose status has these words."""

    def play(scene: Scene) -> Act:
        yield
        scene.signal(signal.SIGKILL, *statuses)
        yield

    return play


def stands_still(*statuses: str) -> Misfortune:
    """A stop of up to LONGEST_STILL_S for each process whose status has these words."""

    def play(scene: Scene) -> Act:
        yield
        scene.stop_for(scene.chance.uniform(0.3, LONGEST_STILL_S), *statuses)
        yield

    return play


def drill_is_killed(scene: Scene) -> Act:
    """SIGKILL: the watchdog heals, and a report is made from what is there."""
    yield
    scene.was_ended = bool(scene.signal(signal.SIGKILL, DRILL))
    yield


def drill_is_interrupted(scene: Scene) -> Act:
    """SIGINT or SIGTERM: it heals, judges and ends."""
    yield
    scene.signal(scene.chance.choice((signal.SIGINT, signal.SIGTERM)), DRILL)
    yield


def worker_is_killed(scene: Scene) -> Act:
    """One of the workers, or two."""
    at_most = scene.chance.choice((1, 2))
    yield
    scene.signal(signal.SIGKILL, *WORKER, at_most=at_most)
    yield


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


UNDER_ANY_LOAD: Mapping[str, Misfortune] = {
    "drill-is-killed": drill_is_killed,
    "drill-stands-still": stands_still(DRILL),
    "drill-is-interrupted": drill_is_interrupted,
    "prober-is-killed": is_killed("switchover.prober"),
    "prober-stands-still": stands_still("switchover.prober"),
    "watchdog-is-killed": is_killed("switchover.faults.watchdog"),
    "watchdog-stands-still": stands_still("switchover.faults.watchdog"),
}
UNDER_ONE_LOAD: Mapping[str, Mapping[str, Misfortune]] = {
    "locust": {
        "locust-is-killed": is_killed("locust", "--headless"),
        "locust-stands-still": stands_still("locust", "--headless"),
    },
    "jmeter": {
        "jmeter-is-killed": is_killed("java", "ApacheJMeter"),
        "jmeter-stands-still": stands_still("java", "ApacheJMeter"),
    },
    "locust with workers": {
        "worker-is-killed": worker_is_killed,
        "worker-stands-still": stands_still(*WORKER),
        # The controller's own watchdog heals.
        "controller-is-killed": is_killed("switchover.drill.remote"),
        "controller-stands-still": stands_still("switchover.drill.remote"),
    },
    "jmeter with servers": {
        "server-is-killed": server_is_killed,
        "server-stands-still": stands_still(*SERVER),
    },
}
"""The key is the load under which the events can come."""
