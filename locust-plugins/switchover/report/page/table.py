"""What the page is made of: tables as data, so that the template only lays them out."""

from collections.abc import Sequence
from dataclasses import dataclass

from switchover.analysis.status import Status

TEXT_LENGTH = 400
"""Characters of a name, a label or an event that the page shows; the run directory has all of it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. `figure` says where in verdict.json its number stands, as a JSON pointer (RFC 6901)."""

    text: str
    figure: str = ""
    number: bool = False
    colour: str = ""
    """The class of the one colour that this backend or balancer has everywhere."""
    tone: str = ""
    """`good`, `bad` or `differs`, beside what the text says."""
    link: str = ""

    @property
    def shown(self) -> str:
        return self.text if len(self.text) <= TEXT_LENGTH else self.text[: TEXT_LENGTH - 1] + "…"


@dataclass(frozen=True, slots=True)
class Table:
    """The first cell of a row is its heading."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]] = ()
    note: str = ""

    @property
    def numbers(self) -> set[int]:
        """Columns whose head is aligned as their cells are: as numbers."""
        return {place for row in self.rows for place, cell in enumerate(row) if cell.number}


def number(text: str, figure: str = "", tone: str = "") -> Cell:
    return Cell(text, figure, number=True, tone=tone)


def pointed(name: str) -> str:
    """A name from the network as one part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def word_tone(text: str) -> str:
    """Of a verdict's word: well where a build goes on with it."""
    return "good" if text in set(Status) and Status(text).exit_code == 0 else "bad"
