"""PID 1 of a host of the lab: runs commands and services on request, and reaps processes.

Requests arrive as messages on a Unix socket (`exec.py`). Each connection carries one of these requests:

`{"argv", "env", "cwd"}` and 3 descriptors: run a command. `{"signal": N}` may follow. Reply: `{"exit": status}`.
`{"service", "verb"}`: run a verb of a service. Reply: `{"exit", "text"}`. `{"connect": [address, port], "timeout"}`:
open a TCP connection. Reply: `{"exit", "text"}` and the descriptor of the connection.
"""

import json
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from switchover.lab.children import Child, Children
from switchover.lab.exec import NOT_FOUND, NOT_RUNNABLE, peer_uid, receive_message, send_message
from switchover.lab.service import Service, ServiceDescription

GRACE_S = 2.0
"""The time between SIGTERM and SIGKILL for a command whose caller has disconnected."""
SYSTEM_DIRECTORIES = "/usr/local/sbin:/usr/sbin:/sbin"
"""The folders of ip, bridge and the daemons. In Debian, these folders are not in an ordinary user's PATH."""


class Agent:
    """Serves requests on one socket until its process is killed."""

    def __init__(self, path: str, services: Iterable[Mapping[str, Any]]) -> None:
        """`services`: the descriptions of the services, as JSON values."""
        self._children = Children()
        self._services: dict[str, Service] = {}
        for values in services:
            description = ServiceDescription(**values)
            service = self._services[description.name] = Service(description, self._children)
            if description.alias:
                self._services[description.alias] = service
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        old = os.umask(0o177)
        try:
            self._listener.bind(path)
        finally:
            os.umask(old)
        self._listener.listen(128)

    def serve_forever(self) -> None:
        """Reap processes and accept connections in the main thread, because Python runs signal handlers in the main
        thread."""
        awake, waker = socket.socketpair()
        awake.setblocking(False)
        waker.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        poller = select.poll()
        poller.register(awake, select.POLLIN)
        poller.register(self._listener, select.POLLIN)
        self._children.reap()
        while True:
            for descriptor, _ in poller.poll():
                if descriptor == awake.fileno():
                    awake.recv(4096)
                    self._children.reap()
                else:
                    connection, _ = self._listener.accept()
                    threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                if peer_uid(connection) != os.geteuid():
                    return
                request, descriptors = receive_message(connection)
                try:
                    if request is not None:
                        self._answer(connection, request, descriptors)
                finally:
                    for descriptor in descriptors:
                        os.close(descriptor)
            except (OSError, ValueError, KeyError, TypeError):
                return  # the caller has disconnected, or has sent an invalid request

    def _answer(self, connection: socket.socket, request: dict[str, Any], descriptors: list[int]) -> None:
        if "argv" in request and len(descriptors) == 3:
            self._run(connection, request, descriptors)
        elif "service" in request:
            name, services = str(request["service"]), ", ".join(self._services) or "none"
            status, text = 2, f"no service {name!r} on {socket.gethostname()}: known are {services}"
            if name in self._services:
                status, text = self._services[name].verb(str(request.get("verb")))
            send_message(connection, {"exit": status, "text": text})
        elif "connect" in request:
            address, port = request["connect"]
            try:
                made = socket.create_connection((address, port), timeout=request["timeout"])
            except OSError as error:
                send_message(connection, {"exit": 1, "text": f"{address}:{port}: {error.strerror or error}"})
                return
            with made:
                send_message(connection, {"exit": 0, "text": ""}, (made.fileno(),))
        else:
            send_message(connection, {"exit": 2, "text": f"unknown request {sorted(request)}"})

    def _run(self, connection: socket.socket, request: dict[str, Any], descriptors: list[int]) -> None:
        argv, environment, cwd = request["argv"], request["env"], request["cwd"]
        environment["PATH"] = search_path(environment.get("PATH", os.defpath))
        cwd = cwd if os.access(cwd, os.X_OK) else "/"
        options: dict[str, Any] = dict(zip(("stdin", "stdout", "stderr"), descriptors, strict=True))

        def stop_watching(_child: Child) -> None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RD)

        try:
            child = self._children.spawn(argv, stop_watching, env=environment, cwd=cwd, **options)
        except OSError as error:
            status = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_RUNNABLE
            send_message(connection, {"exit": status, "text": f"{argv[0]}: {error.strerror}"})
            return
        while descriptors:
            os.close(descriptors.pop())  # otherwise, the command's output never ends
        watch(connection, child)


def watch(connection: socket.socket, child: Child) -> None:
    """Pass signals on until the command ends. If the caller disconnects, end the command."""
    with suppress(ConnectionError):
        while (message := receive_message(connection)[0]) is not None:
            child.signal_group(int(str(message["signal"])))
    if child.ended.is_set():
        send_message(connection, {"exit": child.status})
    else:
        end_group(child)


def end_group(child: Child) -> None:
    child.signal_group(signal.SIGTERM)
    child.ended.wait(GRACE_S)
    child.signal_group(signal.SIGKILL)


def search_path(path: str) -> str:
    present = path.split(":")
    return ":".join(present + [folder for folder in SYSTEM_DIRECTORIES.split(":") if folder not in present])


def apply_sysctls(values: Mapping[str, str]) -> None:
    """Set the sysctls of this network namespace. Sysctls that do not exist in this kernel are ignored."""
    for name, value in values.items():
        path = Path("/proc/sys") / name.replace(".", "/")
        if path.exists():
            path.write_text(value, encoding="ascii")


def main(arguments: list[str]) -> None:
    """Run the host that HOST.json describes: `host_agent HOST.json`."""
    description = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    os.environ["PATH"] = search_path(os.environ.get("PATH", os.defpath))
    socket.sethostname(description["name"])
    apply_sysctls(description["sysctls"])
    agent = Agent(description["socket"], description["services"])
    print("ready", flush=True)
    os.close(1)
    os.open(os.devnull, os.O_WRONLY)
    agent.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
