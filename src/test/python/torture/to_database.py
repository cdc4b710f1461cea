"""The database that the run streams to has a misfortune."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from support.influxdb import InfluxDB
from support.misfortune import fill, make_room
from support.ports import free_port
from switchover.streaming.influx.outside_followers import OutsideFollowers
from torture.act import Act
from torture.scene import Scene

FOLLOWER = ("switchover.streaming",)
WAIT = ("--influx-wait", "3s")


def database_ends(scene: Scene) -> Act:
    """Every other time it comes back."""
    with _streaming(scene) as server:
        yield
        server.stop(scene.chance.choice((signal.SIGTERM, signal.SIGKILL)))
        if scene.chance.random() < 0.5:
            server.start()
        yield


def database_stands_still(scene: Scene) -> Act:
    with _streaming(scene) as server:
        yield
        server.freeze()
        yield
        server.thaw()


def database_is_full(scene: Scene) -> Act:
    with _streaming(scene) as server:
        yield
        fill(server)
        yield
        make_room(server)


def database_is_nowhere(scene: Scene) -> Act:
    """Nobody listens there, from the begin on."""
    with OutsideFollowers(scene.lab.layout.follower_socket):
        scene.options += ["--influx", f"http://127.0.0.1:{free_port()}?db=nowhere", *WAIT]
        yield
        yield


def follower_is_killed(scene: Scene) -> Act:
    with _streaming(scene):
        yield
        scene.signal(signal.SIGKILL, *FOLLOWER)
        yield


@contextmanager
def _streaming(scene: Scene) -> Iterator[InfluxDB]:
    """A real server on this machine, and a drill that streams to it."""
    server = InfluxDB("1.8", scene.folder / "influxdb")
    server.start()
    try:
        with OutsideFollowers(scene.lab.layout.follower_socket):
            scene.options += ["--influx", server.create("torture"), *WAIT]
            yield server
    finally:
        server.kill()
