"""One scene: contestants that are compared with one another, alive at the same time, playing by turns.

Turns are short, a tenth of a second mostly, in an order that changes from rotation to rotation. A virtual machine's
core may lose a third of its speed for seconds at a time; it then does so to all of them.
"""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from players import Contestant, Player, Stage, cpu_s, go_on, hold, until

SLICE_S = 0.1
WARM_UP_S = 1.0
"""Of CPU, since on a busy machine a second may be little."""
LONGEST_WARM_UP = 6
"""Times as long as it takes who has the core to himself."""


@dataclass(frozen=True, slots=True)
class Block:
    """What a contestant did in its turns of one round."""

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


def play(
    taking_part: Sequence[Contestant[Stage]],
    stage: Stage,
    rounds: int,
    rotations: int,
    *,
    settling: int = 0,
    warm_up_s: float = WARM_UP_S,
    turn_s: float = SLICE_S,
) -> dict[str, list[Block]]:
    """By contestant, a block of so many turns for each round; before them come those of settling, which do not count.

    In every round everybody is started anew. Two processes of one program differ, by what a compiler made of it and
    where things lie in memory, and that is no property of the program: only the rounds tell the one from the other.
    """
    order = random.Random(1)
    played: dict[str, list[Block]] = {contestant.name: [] for contestant in taking_part}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        with ExitStack() as stack:
            players = {one.name: _started(one, stage, warm_up_s, stack) for one in taking_part}
            _block(players, settling, order, turn_s)
            for name, block in _block(players, rotations, order, turn_s).items():
                played[name].append(block)
    return played


def _started(contestant: Contestant[Stage], stage: Stage, warm_up_s: float, stack: ExitStack) -> Player:
    """Warmed up, and held."""
    directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="benchmark-")))
    player = contestant.start(stage, directory)
    stack.callback(player.end)
    _warm_up(player.process, warm_up_s)
    player.warmed_up()
    hold(player.process)
    return player


def _warm_up(process: "subprocess.Popen[bytes]", seconds: float) -> None:
    enough_s = cpu_s(process.pid) + seconds
    until(lambda: cpu_s(process.pid) >= enough_s, process, LONGEST_WARM_UP * seconds)


def _block(players: dict[str, Player], rotations: int, order: random.Random, turn_s: float) -> dict[str, Block]:
    sums = dict.fromkeys(players, Block(0, 0, 0.0, 0.0))
    for _ in range(rotations):
        for name in order.sample(list(players), len(players)):
            done, had = _turn(players[name], turn_s), sums[name]
            sums[name] = Block(
                had.requests + done.requests,
                had.failures + done.failures,
                had.cpu_s + done.cpu_s,
                had.seconds + done.seconds,
            )
    return sums


def _turn(player: Player, turn_s: float) -> Block:
    when_held = player.reads_when_held
    before = player.reading() if when_held else None
    began = time.monotonic()
    go_on(player.process)
    before = before or player.reading()
    time.sleep(turn_s)
    after = None if when_held else player.reading()
    hold(player.process)
    seconds = time.monotonic() - began
    after = after or player.reading()
    return Block(
        after.requests - before.requests, after.failures - before.failures, after.cpu_s - before.cpu_s, seconds
    )
