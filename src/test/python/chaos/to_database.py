"""The database that the run streams to has a misfortune."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from chaos.scene import Act, Scene
from support.influxdb import InfluxDB
from support.misfortune import Gateway, fill, make_room
from support.ports import free_port
from switchover.streaming.outside import OutsideStreams

SHIPPER = ("switchover.streaming",)
WAIT = ("--influx-wait", "3s")
SLOW_S = (0.5, 6.0)
"""An answer takes so long: less and more than is waited for in the end."""


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


def database_is_slow(scene: Scene) -> Act:
    with _streaming(scene) as server, _behind_gateway(scene, server) as gateway:
        yield
        gateway.delay_s = scene.chance.uniform(*SLOW_S)
        yield


def database_says_503(scene: Scene) -> Act:
    """Every other time it takes what it is sent again, two seconds later."""
    with _streaming(scene) as server, _behind_gateway(scene, server) as gateway:
        yield
        gateway.closed = True
        if scene.chance.random() < 0.5:
            time.sleep(2.0)
            gateway.closed = False
        yield


def database_is_nowhere(scene: Scene) -> Act:
    """Nobody listens there, from the begin on."""
    with OutsideStreams(scene.lab.layout.shipper_socket):
        scene.options += ["--influx", f"http://127.0.0.1:{free_port()}?db=nowhere", *WAIT]
        yield
        yield


def shipper_is_killed(scene: Scene) -> Act:
    with _streaming(scene):
        yield
        scene.signal(signal.SIGKILL, *SHIPPER)
        yield


@contextmanager
def _streaming(scene: Scene) -> Iterator[InfluxDB]:
    """A real server on this machine, and a drill that streams to it."""
    server = InfluxDB("1.8", scene.folder / "influxdb")
    server.start()
    try:
        with OutsideStreams(scene.lab.layout.shipper_socket):
            scene.options += ["--influx", server.create("chaos"), *WAIT]
            yield server
    finally:
        server.kill()


@contextmanager
def _behind_gateway(scene: Scene, server: InfluxDB) -> Iterator[Gateway]:
    """In front of the server that the drill was told of."""
    gateway = Gateway(server)
    at = scene.options.index("--influx") + 1
    scene.options[at] = scene.options[at].replace(server.url, f"http://127.0.0.1:{gateway.front.port}")
    try:
        yield gateway
    finally:
        gateway.front.close()
