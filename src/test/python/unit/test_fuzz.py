"""Every reader takes what the fuzzers begin with, or refuses it in its own way; so it does what it once failed at."""

import pytest

from fuzz.catalogue import TARGETS
from fuzz.run import outcome_of
from fuzz.seeds import COMMITTED, seeds_of


@pytest.mark.parametrize("name", TARGETS)
def test_every_seed_is_read_or_refused(name: str) -> None:
    seeds = list(seeds_of(name))
    assert seeds, f"{name} begins with nothing"
    for seed in seeds:
        TARGETS[name].try_on(seed)
        TARGETS[name].try_on(seed[: len(seed) // 2])
        TARGETS[name].try_on(seed[::-1])


def test_every_committed_seed_is_of_a_target() -> None:
    assert {path.name for path in COMMITTED.iterdir()} <= set(TARGETS)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("#9 NEW cov: 7\nstat::number_of_executed_units: 12\n", ""),
        (" === Uncaught Python exception: ===\nKeyError: 3\nstat::number_of_executed_units: 12\n", "KeyError: 3"),
        ("ERROR: libFuzzer: timeout after 10 seconds\n", "timeout after 10 seconds"),
        ("No module named atheris\n", "it did not begin: No module named atheris"),
    ],
)
def test_what_libfuzzer_says_is_an_outcome(said: str, found: str) -> None:
    assert outcome_of(said).found == found
