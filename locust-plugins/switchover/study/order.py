"""Which cell comes when: repeat after repeat, each in its own order, so that a drift of the machine hits all."""

import random
from collections.abc import Sequence
from typing import NamedTuple


class Turn(NamedTuple):
    """One cell at one repeat, counted from 1."""

    cell: str
    repeat: int


def order_turns(cells: Sequence[str], repeats: int, seed: int) -> list[Turn]:
    """The same for the same cells and seed. More repeats only add turns at the end."""
    chance = random.Random(seed)
    turns = []
    for repeat in range(1, repeats + 1):
        shuffled = list(cells)
        chance.shuffle(shuffled)
        turns += [Turn(cell, repeat) for cell in shuffled]
    return turns
