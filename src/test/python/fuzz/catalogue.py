"""All targets by name."""

from collections.abc import Mapping

from fuzz import of_balancers, of_files, of_network
from fuzz.target import Target

TARGETS: Mapping[str, Target] = {**of_balancers.TARGETS, **of_files.TARGETS, **of_network.TARGETS}
