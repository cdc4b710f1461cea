"""The number of examples that a property test tries."""

import os

GATE_EXAMPLES = 15
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "same")
"""The profile of Hypothesis; conftest.py defines the profiles."""


def examples(number: int) -> int:
    """Return the number in make test-properties, and at most 15 in make test."""
    return min(number, GATE_EXAMPLES) if PROFILE == "same" else number
