"""What the drill reads of the nodes is silent, wrong, cut, or not what it was."""

import re
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from chaos.scene import Act, Scene
from switchover.lab import addresses

MASTER, BACKUP = addresses.BALANCERS
NAMES = 10_000
STEP_S = 3600
DRIFT = 1e-3
"""A thousand times what a crystal does."""
DRIFTING = (
    "import sys, time; since, rate = float(sys.argv[1]), float(sys.argv[2]); "
    "now = time.time(); print('%.9f' % (now + (now - since) * rate))"
)


def stats_socket_is_silent(scene: Scene) -> Act:
    """It accepts and says nothing for the rest of the drill."""
    yield from _answered_by(scene, lambda _: None)


def stats_socket_tells_garbage(scene: Scene) -> Act:
    yield from _answered_by(scene, lambda answer: scene.chance.randbytes(min(len(answer), 4096)))


def stats_socket_is_cut(scene: Scene) -> Act:
    """Each answer ends somewhere in its middle."""
    yield from _answered_by(scene, lambda answer: answer[: scene.chance.randrange(len(answer) + 1)])


def stats_socket_is_reloaded_in_a_scrape(scene: Scene) -> Act:
    """The process that was asked is an old one by the time its answer is read."""
    name = scene.chance.choice(addresses.BALANCERS)
    reloaded: list[tuple[int, str]] = []

    def reload_first(answer: bytes) -> bytes:
        if not reloaded:
            reloaded.append(scene.lab.service(name, "haproxy", "reload"))
        return answer

    yield from _answered_by(scene, reload_first, name)


def stats_have_ten_thousand_names(scene: Scene) -> Act:
    """Servers that were added at run time and have answered nothing yet."""
    yield from _answered_by(scene, _with_many_names)


def counters_begin_again(scene: Scene) -> Act:
    """Somebody clears the counters at the runtime socket. A HAProxy that the fault has stopped has none."""
    name = scene.chance.choice(addresses.BALANCERS)
    yield
    with suppress(ConnectionRefusedError):
        ask(scene.lab.layout.runtime_socket(name), b"clear counters all\n")
    yield


def clock_of_a_node_is_set(scene: Scene) -> Act:
    ahead = scene.folder / "ahead"
    ahead.write_text("0", encoding="ascii")
    scene.node(BACKUP)["clock"] = ["sh", "-c", f'date -d "$(cat {ahead}) seconds" +%s.%N']
    yield
    ahead.write_text(scene.chance.choice((f"+{STEP_S}", f"-{STEP_S}")), encoding="ascii")
    yield


def clock_of_a_node_drifts(scene: Scene) -> Act:
    """From the begin of the drill on."""
    rate = scene.chance.choice((DRIFT, -DRIFT))
    scene.node(BACKUP)["clock"] = [sys.executable, "-ISc", DRIFTING, str(time.time()), str(rate)]
    yield
    yield


def backend_log_is_cut(scene: Scene) -> Act:
    """Somebody rotates it by copying and truncating."""
    yield
    with scene.lab.layout.access_log("web1").open("r+b") as log:
        log.truncate(log.seek(0, 2) // 2)
    yield


Change = Callable[[bytes], bytes | None]


def _answered_by(scene: Scene, change: Change, name: str = "") -> Act:
    """Between the drill and the runtime socket of one balancer, from the strike on, is somebody who changes what it
    says; of two of them one is asked by the other."""
    name = name or scene.chance.choice(addresses.BALANCERS)
    node, others = scene.node(name), len(list(scene.folder.glob("*.sock")))
    relay = Relay(scene.folder / f"{name}-{others}.sock", Path(node["haproxy"].removeprefix("unix:")))
    node["haproxy"] = f"unix:{relay.path}"
    yield
    relay.change = change
    yield
    relay.close()


def _with_many_names(answer: bytes) -> bytes:
    lines = answer.split(b"\n")
    server = next((line for line in lines if line.count(b",web1,") == 1), None)
    if server is None:
        return answer
    place = lines.index(server)
    idle = re.sub(rb"(?<=,)\d+(?=,)", b"0", server)
    many = [idle.replace(b",web1,", b",made%d," % number) for number in range(NAMES)]
    return b"\n".join([*lines[:place], *many, *lines[place:]])


class Relay:
    """Passes a question on to the real socket and its answer back, changed if wanted."""

    def __init__(self, path: Path, real: Path) -> None:
        self.path = path
        self.change: Change = lambda answer: answer
        self._real = real
        self._held: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()
        for connection in self._held:
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._relay, args=(connection,), daemon=True).start()

    def _relay(self, connection: socket.socket) -> None:
        try:
            changed = self.change(ask(self._real, connection.recv(65536)))
            if changed is None:
                self._held.append(connection)
                return
            connection.sendall(changed)
        except OSError:
            pass  # the drill has gone, or the balancer is down: the end of the connection says so
        connection.close()


def ask(runtime_socket: Path, question: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as real:
        real.settimeout(5.0)
        real.connect(str(runtime_socket))
        real.sendall(question)
        return b"".join(iter(lambda: real.recv(65536), b""))
