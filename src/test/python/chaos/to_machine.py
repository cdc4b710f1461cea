"""What the machine tells the drill is wrong: a clock that was set or drifts, and no room for another process."""

import os
import struct
import subprocess
import threading
import time
from functools import cache
from pathlib import Path

from chaos.scene import Act, Scene

SOURCE = Path(__file__).with_name("told.c")
STEP_NS = 3600 * 1_000_000_000
DRIFT = 1e-3
"""A thousand times what a crystal does."""
FULL_S = (0.5, 4.0)
"""Shorter and longer than a command is waited for; without an end of it no command could heal."""


def clock_is_set(scene: Scene) -> Act:
    """One hour forward or back, for all processes of the drill."""
    told = _Told(scene)
    yield
    told.tell(ahead_ns=scene.chance.choice((STEP_NS, -STEP_NS)))
    yield


def clock_drifts(scene: Scene) -> Act:
    """From the begin of the drill on."""
    told = _Told(scene)
    told.tell(drift=scene.chance.choice((DRIFT, -DRIFT)))
    yield
    yield


def no_room_for_a_process(scene: Scene) -> Act:
    """For a while, as where a limit of processes is reached: what runs goes on, and nothing begins."""
    told = _Told(scene)
    yield
    told.tell(is_full=1)
    time.sleep(scene.chance.uniform(*FULL_S))
    told.tell()
    yield


class _Told:
    """The file by which the preloaded library learns what to say. One for all misfortunes of a case."""

    def __init__(self, scene: Scene) -> None:
        self._path = scene.folder / "told"
        if not self._path.exists():
            self.tell()
            scene.prefix += ["env", f"LD_PRELOAD={library()}", f"TOLD={self._path}"]

    def tell(self, ahead_ns: int = 0, drift: float = 0.0, is_full: int = 0) -> None:
        told = struct.pack("=qdqq", ahead_ns, drift, time.time_ns(), is_full)
        with self._path.open("r+b" if self._path.exists() else "wb") as file:
            file.write(told)


@cache
def library() -> Path:
    path = Path(__file__).parents[4] / "build" / "told.so"
    path.parent.mkdir(exist_ok=True)
    # Put into its place whole: another case may be loading it.
    new = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-Wall", "-o", new, SOURCE, "-ldl"], check=True)
    return new.replace(path)
