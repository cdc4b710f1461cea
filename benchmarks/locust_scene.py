"""One scene: contestants that are compared with one another, alive at the same time, playing by turns.

Each turn lasts a tenth of a second, in an order that changes from rotation to rotation. A virtual machine's core
may lose a third of its speed for seconds at a time; it then does so to all of them.
"""

import os
import random
import signal
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from locust_contestants import Contestant, Player, Stage, end

SLICE_S = 0.1
WARM_UP_S = 1.0


@dataclass(frozen=True, slots=True)
class Block:
    """What a contestant did in its turns of one block."""

    requests: int
    failures: int
    cpu_s: float
    seconds: float

    @property
    def cpu_us(self) -> float:
        """Per request."""
        return self.cpu_s * 1e6 / self.requests

    @property
    def rate(self) -> float:
        return self.requests / self.seconds


def play(taking_part: Sequence[Contestant], stage: Stage, blocks: int, rotations: int) -> dict[str, list[Block]]:
    """By contestant; every block has so many turns of each."""
    order = random.Random(1)
    played: dict[str, list[Block]] = {contestant.name: [] for contestant in taking_part}
    with ExitStack() as stack:
        players: dict[str, Player] = {}
        for contestant in taking_part:
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="benchmark-")))
            player = contestant.start(stage, directory)
            stack.callback(end, player.process)
            time.sleep(WARM_UP_S)
            os.kill(player.process.pid, signal.SIGSTOP)
            players[contestant.name] = player
        for _ in range(blocks):
            for name, block in _block(players, rotations, order).items():
                played[name].append(block)
    return played


def _block(players: dict[str, Player], rotations: int, order: random.Random) -> dict[str, Block]:
    sums = dict.fromkeys(players, Block(0, 0, 0.0, 0.0))
    for _ in range(rotations):
        for name in order.sample(list(players), len(players)):
            done, had = _turn(players[name]), sums[name]
            sums[name] = Block(
                had.requests + done.requests,
                had.failures + done.failures,
                had.cpu_s + done.cpu_s,
                had.seconds + done.seconds,
            )
    return sums


def _turn(player: Player) -> Block:
    pid = player.process.pid
    began = time.monotonic()
    os.kill(pid, signal.SIGCONT)
    before = player.reading()
    time.sleep(SLICE_S)
    after = player.reading()
    os.kill(pid, signal.SIGSTOP)
    seconds = time.monotonic() - began
    return Block(
        after.requests - before.requests, after.failures - before.failures, after.cpu_s - before.cpu_s, seconds
    )
