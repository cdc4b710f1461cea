"""A seed names a case: the fault, who makes the load, one or two misfortunes, and their moments."""

import random
from dataclasses import dataclass

from chaos.catalogue import MISFORTUNES

FAULTS = ("haproxy-kill", "keepalived-stop", "node-down", "haproxy-stop", "keepalived-kill", "backend-kill")
GENERATORS = ("none", "locust", "locust", "jmeter")
"""A run by JMeter takes the longest to begin."""
RUN_S = 16.0
"""From the begin of a drill to its end: a misfortune may come at any moment of it."""
SECOND_IN = 3
"""One case of so many has two misfortunes."""


@dataclass(frozen=True, slots=True)
class Case:
    """The first misfortune goes by turns, so that each comes equally often."""

    seed: int
    fault: str
    generator: str
    misfortunes: tuple[str, ...]
    moments_s: tuple[float, ...]
    """After the run's directory is there, by misfortune."""

    def __str__(self) -> str:
        told = " and ".join(
            f"{name} at {moment:.1f} s" for name, moment in zip(self.misfortunes, self.moments_s, strict=True)
        )
        return f"seed {self.seed}: {self.fault} under {self.generator}, {told}"


def case_of(seed: int) -> Case:
    # The former name of this check, so that a seed still names the case of its row.
    chance = random.Random(f"torture {seed}")
    fault, generator = chance.choice(FAULTS), chance.choice(GENERATORS)
    names = list(MISFORTUNES)
    first, other = names[seed % len(names)], chance.choice(names)
    if generator not in MISFORTUNES[first].generators:
        generator = MISFORTUNES[first].generators[0]
    suited = [first]
    if chance.randrange(SECOND_IN) == 0 and other != first and generator in MISFORTUNES[other].generators:
        suited.append(other)
    return Case(
        seed=seed,
        fault=fault,
        generator=generator,
        misfortunes=tuple(suited),
        moments_s=tuple(round(chance.uniform(0, RUN_S), 2) for _ in suited),
    )
