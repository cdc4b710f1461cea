"""A service of a host (HAProxy, Keepalived, a web server), and the verbs that faults use."""

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from switchover.faults.kill_stamp import format_kill_stamp
from switchover.faults.on_node.node_state import answering_pid
from switchover.lab.children import Child, Children, Process, family, listening_ports, processes, signal_process

RESTART_DELAY_S = 0.1
"""The delay of a restart, in seconds: the default of systemd's RestartSec=."""
PATIENCE_S = 10.0
POLL_S = 0.005
SOCKET_TIMEOUT_S = 0.5
SLOW_FROZEN_S, SLOW_RUNNING_S = 0.3, 0.1
"""The times for which the verb `slow` alternately freezes and runs a service, in seconds. Responses are up to 300 ms
late, which is less than the time-out of health checks (1 s)."""

VERBS = ("start", "kill", "stop", "freeze", "thaw", "slow", "reload", "quit", "status")
"""The names of the methods of `Service` that a request may call."""
NEED_A_PROCESS = ("kill", "freeze", "thaw", "slow")
STAMPED = ("kill", "stop", "freeze")
OK, FAILED, NOT_RUNNING, FROZEN = 0, 1, 3, 4
"""Exit codes of the verbs. As the LSB requires, `status` has exit code 3 if the service does not run."""


@dataclass(frozen=True, slots=True)
class ServiceDescription:
    """The command of a service, and the conditions under which the service is ready. The host's agent receives this
    description as JSON."""

    name: str
    argv: Sequence[str]
    log: str
    alias: str = ""
    """The role of the service: `balancer` or `backend`. Empty for Keepalived."""
    listens: Sequence[int] = ()
    """The TCP ports on which the service listens when the service is ready."""
    ready_text: str = ""
    """The text that the log contains when the service is ready."""
    reloaded_text: str = ""
    """The text that the log contains after a reload. Empty: new processes show that the reload has happened."""
    runtime_socket: str = ""
    """HAProxy's runtime socket. The new process answers on this socket when it is ready."""
    reload_command: Sequence[str] | None = None
    """The command that reloads the service. None: SIGHUP reloads the service. Empty: the service has no reload."""
    hands_listeners_over: bool = True
    """True: at a reload, the new process gets the listening sockets of the old process."""
    pid_files: Sequence[str] = ()
    supervised: bool = False


class Service:
    """One service. Each verb returns an exit code and one line of text. Any thread may call the verbs."""

    def __init__(self, description: ServiceDescription, children: Children) -> None:
        self.description = description
        self._children = children
        self._verbs = threading.RLock()
        self._main: Child | None = None
        self._sessions: set[int] = set()
        self._wanted = False
        self._slowed: threading.Event | None = None
        self._signalled_ns: list[int] = []
        """Two wall-clock times in nanoseconds: before and after the last verb sent its first signal to all
        processes."""

    def verb(self, name: str) -> tuple[int, str]:
        if name not in VERBS:
            return 2, f"service {self.description.name} cannot do {name!r}; known verbs: {', '.join(VERBS)}"
        if name == "status":
            return self.status()
        work: Callable[[], tuple[int, str]] = getattr(self, name)
        with self._verbs:
            if name in NEED_A_PROCESS and not self._members():
                return NOT_RUNNING, f"{self.description.name} does not run: there is nothing to {name}"
            if name == "thaw" or name in STAMPED:
                self._end_slowness()
            self._signalled_ns.clear()
            code, text = work()
            if name in STAMPED and self._signalled_ns:
                text += f" {format_kill_stamp(*self._signalled_ns)}"
            return code, text

    def start(self) -> tuple[int, str]:
        if self._members():
            return OK, f"{self.description.name} runs already"
        self._wanted = True
        for path in self.description.pid_files:
            # Because of the pid files of a killed Keepalived, the next one would print "daemon is already running".
            Path(path).unlink(missing_ok=True)
        return self._launch(self.description.argv)

    def kill(self) -> tuple[int, str]:
        """Send SIGSTOP, then SIGKILL, to all processes. Without SIGSTOP, Keepalived's children get SIGTERM when their
        parent dies."""
        self._signal(self._members(), signal.SIGSTOP)
        return self._until_killed()

    def stop(self) -> tuple[int, str]:
        """Send SIGTERM to the first process, and wait until all processes have ended. After 10 s, send SIGKILL."""
        self._wanted = False
        members = self._members()
        if not members:
            return OK, f"{self.description.name} does not run"
        leaders = [member for member in members if member.pid in self._sessions] or members
        self._signal(leaders, signal.SIGTERM)
        self._signal(members, signal.SIGCONT)
        if _wait_until(lambda: not self._members()):
            self._sessions.clear()
            return OK, f"{self.description.name} stopped"
        self._until_killed()
        return FAILED, f"{self.description.name} did not stop within {PATIENCE_S:.0f} s and was killed"

    def freeze(self) -> tuple[int, str]:
        return self._signal_all(signal.SIGSTOP, "frozen", lambda member: member.stopped)

    def thaw(self) -> tuple[int, str]:
        return self._signal_all(signal.SIGCONT, "running", lambda member: not member.stopped)

    def slow(self) -> tuple[int, str]:
        """Until `thaw`, repeatedly freeze the service for 0.3 s and let it run for 0.1 s."""
        if self._slowed is None:
            self._slowed = threading.Event()
            threading.Thread(target=self._duty_cycle, args=(self._slowed,), daemon=True).start()
        return OK, f"{self.description.name} slowed"

    def reload(self) -> tuple[int, str]:
        """Reload the service. HAProxy: start a process that replaces the old process. Other services: run the reload
        command, or send SIGHUP."""
        name, description = self.description.name, self.description
        if self._main is None or self._main.ended.is_set():
            return NOT_RUNNING, f"{name} does not run"
        if description.runtime_socket:
            old = [str(member.pid) for member in self._members() if member.pid in self._sessions]
            handed_over = ("-x", description.runtime_socket) if description.hands_listeners_over else ()
            return self._launch((*description.argv, *handed_over, "-sf", *old))
        before, offset = {member.pid for member in self._members()}, Path(description.log).stat().st_size
        if description.reload_command is None:
            signal_process(self._main.pid, signal.SIGHUP)
        elif not description.reload_command:
            return FAILED, f"{name} loads a changed file automatically, so it has no reload"
        else:
            try:
                child, _ = self._spawn(description.reload_command)
            except OSError as error:
                return FAILED, f"{name} did not reload: {description.reload_command[0]}: {error.strerror}"
            if child.ended.wait(PATIENCE_S) and not child.status:
                return OK, f"{name} reloaded"
            child.signal_group(signal.SIGKILL)
            return FAILED, f"{name} did not reload: {self._last_line()}"

        def reloaded() -> bool:
            mark = description.reloaded_text
            return self._is_logged(mark, offset) if mark else any(m.pid not in before for m in self._members())

        if _wait_until(reloaded):
            return OK, f"{name} reloaded"
        return FAILED, f"{name} did not reload on SIGHUP: {self._last_line()}"

    def quit(self) -> tuple[int, str]:
        """Send SIGQUIT to Nginx. Nginx stops listening, and its workers run until their connections end."""
        name = self.description.name
        if self._main is None or self._main.ended.is_set():
            return NOT_RUNNING, f"{name} does not run"
        self._wanted = False
        signal_process(self._main.pid, signal.SIGQUIT)
        if not _wait_until(lambda: listening_ports().isdisjoint(self.description.listens)):
            return FAILED, f"{name} still listens {PATIENCE_S:.0f} s after SIGQUIT"
        self._sessions.clear()
        self._main = None
        return OK, f"{name} quits"

    def status(self) -> tuple[int, str]:
        """Return the state of the service as an exit code: `OK`, `NOT_RUNNING` or `FROZEN`."""
        name, members = self.description.name, self._members()
        if not members:
            return NOT_RUNNING, f"{name} not running"
        pids = " ".join(str(member.pid) for member in members)
        if self._slowed is not None:
            return OK, f"{name} running, slowed ({pids})"
        if all(member.stopped for member in members):
            return FROZEN, f"{name} frozen ({pids})"
        return OK, f"{name} running ({pids})"

    def _launch(self, argv: Sequence[str]) -> tuple[int, str]:
        name = self.description.name
        try:
            child, offset = self._spawn(argv)
        except OSError as error:
            return FAILED, f"{name} cannot be started: {argv[0]}: {error.strerror}"
        previous, self._main = self._main, child
        self._sessions.add(child.pid)
        if _wait_until(lambda: child.ended.is_set() or self._ready(child, offset)) and not child.ended.is_set():
            return OK, f"{name} running ({child.pid})"
        self._main = previous
        if child.ended.is_set():
            return FAILED, f"{name} ended at once with status {child.status}: {self._last_line()}"
        return FAILED, f"{name} was not ready within {PATIENCE_S:.0f} s: {self._last_line()}"

    def _spawn(self, argv: Sequence[str]) -> tuple[Child, int]:
        log = os.open(self.description.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        null = os.open(os.devnull, os.O_RDONLY)
        try:
            offset = os.fstat(log).st_size
            return self._children.spawn(argv, stdin=null, stdout=log, stderr=log, on_exit=self._on_exit), offset
        finally:
            os.close(null)
            os.close(log)

    def _ready(self, child: Child, log_offset: int) -> bool:
        if self.description.runtime_socket:
            return running_pid(self.description.runtime_socket) == child.pid
        if self.description.ready_text:
            return self._is_logged(self.description.ready_text, log_offset)
        return listening_ports().issuperset(self.description.listens)

    def _is_logged(self, text: str, log_offset: int) -> bool:
        with Path(self.description.log).open("rb") as log:
            log.seek(log_offset)
            return text.encode() in log.read()

    def _on_exit(self, child: Child) -> None:
        if self.description.supervised and self._wanted and child is self._main:
            timer = threading.Timer(RESTART_DELAY_S, self._restart, args=(child,))
            timer.daemon = True
            timer.start()

    def _restart(self, ended: Child) -> None:
        with self._verbs:
            if self._wanted and self._main is ended:
                self._until_killed()
                self.start()

    def _members(self) -> list[Process]:
        return family(self._sessions, processes())

    def _until_killed(self) -> tuple[int, str]:
        def are_killed() -> bool:
            members = self._members()
            self._signal(members, signal.SIGKILL)
            return not members

        if _wait_until(are_killed):
            self._sessions.clear()  # the kernel may now reuse the pids of ended processes
            return OK, f"{self.description.name} killed"
        return FAILED, f"{self.description.name} still has processes {PATIENCE_S:.0f} s after SIGKILL"

    def _signal_all(self, number: signal.Signals, state: str, reached: Callable[[Process], bool]) -> tuple[int, str]:
        """Send the signal repeatedly until all processes have reached the state, because a process may fork before it
        gets the signal."""

        def all_reached() -> bool:
            remaining = [member for member in self._members() if not reached(member)]
            self._signal(remaining, number)
            return not remaining

        if _wait_until(all_reached):
            return OK, f"{self.description.name} {state}"
        return FAILED, f"{self.description.name} is not {state} {PATIENCE_S:.0f} s after {number.name}"

    def _signal(self, members: list[Process], number: signal.Signals) -> None:
        begun_ns = time.time_ns()
        for member in members:
            signal_process(member.pid, number)
        if members and not self._signalled_ns:
            self._signalled_ns += [begun_ns, time.time_ns()]

    def _duty_cycle(self, ended: threading.Event) -> None:
        while not ended.wait(SLOW_RUNNING_S):
            self._signal(self._members(), signal.SIGSTOP)
            ended.wait(SLOW_FROZEN_S)
            self._signal(self._members(), signal.SIGCONT)

    def _end_slowness(self) -> None:
        if self._slowed is not None:
            self._slowed.set()
            self._slowed = None
            self._signal(self._members(), signal.SIGCONT)

    def _last_line(self) -> str:
        return last_line(Path(self.description.log))


def last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    return next((line.strip() for line in reversed(lines) if line.strip()), "the log is empty")


def _wait_until(reached: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not reached():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def running_pid(path: str) -> int | None:
    """Return the pid of the process that answers on the socket. None: no process answers."""
    try:
        return next(iter(answering_pid(path, SOCKET_TIMEOUT_S)), None)
    except (OSError, ValueError):
        return None
