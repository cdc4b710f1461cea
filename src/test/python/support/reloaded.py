"""A real balancer that is reloaded while connections of every kind are open: what became of each of them."""

import asyncio
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from support.ports import free_ports
from support.reload_application import echo, serve
from support.reload_clients import KINDS, Fates, Trial, connected
from switchover.predict.promise import Fate, Promise

PORTS = ("front", "h2_front", "tcp_front", "back", "tcp_back")
"""The names of the ports in a template: `{front}` and so on. The balancer listens on the first three."""
WATCH_S = 3.2
"""Until each idle connection has asked once more."""


@dataclass(frozen=True)
class Balancer:
    """A running program, and how it is reloaded."""

    directory: Path
    ports: dict[str, int]
    reload: Callable[[], None]


@contextmanager
def haproxy(directory: Path, template: str, start: str = "-W") -> Iterator[Balancer]:
    """`start` is -W; nothing where the file says master-worker; or -db: then a reload is a second program with -sf.

    With `-db -x` the second takes the listening sockets over by the socket `{directory}/s`.
    """
    ports = _ports()
    conf = _write(directory / "haproxy.cfg", template, directory, ports)
    command = ["haproxy", "-f", str(conf), *start.split()[:1]]
    log = (directory / "log").open("w")
    processes = [subprocess.Popen(command, stdout=log, stderr=log)]

    def reload() -> None:
        if not start.startswith("-db"):
            processes[0].send_signal(signal.SIGUSR2)
            return
        more = ["-x", f"{directory}/s"] if start.endswith("-x") else []
        old = str(processes[0].pid)
        processes.append(subprocess.Popen([*command, *more, "-sf", old], stdout=log, stderr=log))

    with log:
        try:
            yield Balancer(directory, ports, reload)
        finally:
            _end(processes)


@contextmanager
def nginx(directory: Path, template: str) -> Iterator[Balancer]:
    ports = _ports()
    conf = _write(directory / "nginx.conf", template, directory, ports)
    log = (directory / "log").open("w")
    command = ["nginx", "-p", str(directory), "-c", str(conf), "-g", "daemon off;"]
    processes = [subprocess.Popen(command, stdout=log, stderr=log)]
    with log:
        try:
            yield Balancer(directory, ports, lambda: processes[0].send_signal(signal.SIGHUP))
        finally:
            _end(processes)


def try_reload(balancer: Balancer, watch_s: float = WATCH_S) -> dict[str, Fates]:
    """Open connections of every kind, reload, and watch them for `watch_s`."""
    return asyncio.run(_try_reload(balancer, watch_s))


def _ports() -> dict[str, int]:
    return dict(zip(PORTS, free_ports(len(PORTS)), strict=True))


def _write(conf: Path, template: str, directory: Path, ports: dict[str, int]) -> Path:
    text = template.replace("{directory}", str(directory))
    for name, port in ports.items():
        text = text.replace(f"{{{name}}}", str(port))
    conf.write_text(text)
    return conf


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    """The first of each program ends those that it has started."""
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()


async def _try_reload(balancer: Balancer, watch_s: float) -> dict[str, Fates]:
    ports = balancer.ports
    trial = Trial(ports)
    web = await asyncio.start_server(serve, "127.0.0.1", ports["back"])
    lines = await asyncio.start_server(echo, "127.0.0.1", ports["tcp_back"])
    for name in ("front", "h2_front", "tcp_front"):
        await _wait_for_port(ports[name])
    tasks: list[asyncio.Task[None]] = []
    for kind, (count, run) in KINDS.items():
        trial.fates[kind] = Fates(opened=count)
        tasks += [asyncio.create_task(run(trial)) for _ in range(count)]
    await asyncio.sleep(0.6)
    trial.reloaded_at = time.monotonic()
    balancer.reload()
    await asyncio.sleep(watch_s)
    trial.over = True
    for task in tasks:
        task.cancel()
    failures = [
        result for result in await asyncio.gather(*tasks, return_exceptions=True) if isinstance(result, Exception)
    ]
    web.close()
    lines.close()
    assert not failures, failures
    return trial.fates


async def _wait_for_port(port: int) -> None:
    for _ in range(500):
        with suppress(OSError):
            async with connected(port):
                return
        await asyncio.sleep(0.02)
    raise AssertionError(f"nothing listens on {port}")


def disagreement(kind: str, promise: Promise, fates: Fates) -> str:
    """How connections of a kind fared otherwise than promised; nothing where they did not. A busy connection that may
    be lost is told before where its next request happens to be under way."""
    ended = [*fates.lost_after_s, *fates.unannounced_after_s]
    if promise.fate is Fate.KEPT and ended:
        return "some were lost or closed without a word"
    if promise.fate is Fate.MAY_BE_LOST and not ended and kind != "pooled":
        return "all were kept or told before"
    if promise.fate is Fate.CUT:
        assert promise.cut_after_s is not None
        if promise.cut_after_s > WATCH_S:
            return "some were cut before" if ended else ""
        if len(ended) + fates.announced < fates.opened:  # a silent one that asks in time is told, and closes itself
            return "not all were cut"
        if min(ended, default=promise.cut_after_s) < promise.cut_after_s:
            return "some were cut before"
    return ""


def describe(kind: str, fates: Fates) -> str:
    """One line, for a failed test and for a look by hand."""
    return (
        f"{kind} open {fates.opened}, lost {_times(fates.lost_after_s)}, closed without a word "
        f"{_times(fates.unannounced_after_s)}, told before {fates.announced}"
    )


def _times(found: list[float]) -> str:
    return f"{len(found)} ({min(found):.2f} to {max(found):.2f} s)" if found else "0"
