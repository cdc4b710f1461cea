"""The forms of a study: full, or shortened as its file says in [quick] and [fraction]."""

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FULL, QUICK, FRACTION = "full", "quick", "fraction"
SHORTENED = (QUICK, FRACTION)
LENGTHS = ("count", "seconds")


@dataclass(frozen=True, slots=True)
class StudyForm:
    """What a form changes of the full study."""

    name: str = FULL
    says: str = ""
    """In words, what is shortened and left out."""
    repeats: int | None = None
    """None: those of the study."""
    load: Mapping[str, Any] = field(default_factory=dict)
    locust: Mapping[str, Any] = field(default_factory=dict)
    """For the cells of this generator only. Another count or another time is for loads that have one."""
    jmeter: Mapping[str, Any] = field(default_factory=dict)
    ab: Mapping[str, Any] = field(default_factory=dict)
    seconds_share: float = 1.0
    """This part of each load's seconds."""
    keep: tuple[str, ...] = ("*",)
    """Patterns of names: cells that are run."""
    skip: tuple[str, ...] = ()
    """Of those, cells that are not."""

    def shorten(self, load: dict[str, Any]) -> dict[str, Any]:
        """The load of a cell in this form."""
        generators = {"locust": self.locust, "jmeter": self.jmeter, "ab": self.ab}
        of_generator = generators.get(load.get("generator", "locust"), {})
        changed = {key: value for key, value in of_generator.items() if key not in LENGTHS or key in load}
        shortened = {**load, **self.load, **changed}
        if self.seconds_share != 1 and "seconds" in shortened:
            shortened["seconds"] = round(self.seconds_share * shortened["seconds"], 3)
        return shortened

    def keeps(self, cell: str) -> bool:
        """Whether a cell is run in this form."""
        wanted = any(fnmatch.fnmatchcase(cell, pattern) for pattern in self.keep)
        return wanted and not any(fnmatch.fnmatchcase(cell, pattern) for pattern in self.skip)
