"""Every reader takes what the fuzzers begin with, or refuses it in its own way; so it does what it once failed at."""

from types import ModuleType

import pytest

from fuzz import of_balancers, of_files, of_network
from fuzz.catalogue import NAMES, PYTHON, target_of
from fuzz.edited import edited
from fuzz.run import outcome_of
from fuzz.seeds import COMMITTED, seeds_of


@pytest.mark.parametrize("name", [name for name in PYTHON if name not in NAMES["fuzz.of_page"]])
def test_every_seed_is_read_or_refused(name: str) -> None:
    seeds = list(seeds_of(name))
    assert seeds, f"{name} begins with nothing"
    target = target_of(name)
    assert max(map(len, seeds)) <= target.longest, "the fuzzer would cut it off"
    for seed in seeds:
        for data in (seed, seed[: len(seed) // 2], seed[::-1]):
            target.try_on(data)


@pytest.mark.parametrize("module", [of_balancers, of_files, of_network])
def test_every_target_of_a_module_is_named(module: ModuleType) -> None:
    assert tuple(module.TARGETS) == NAMES[module.__name__]


def test_every_committed_seed_is_of_a_target() -> None:
    assert {path.name for path in COMMITTED.iterdir()} <= set(PYTHON)


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


def test_values_of_a_document_are_changed_as_the_bytes_say() -> None:
    document = {"a": [1, {"b": 2}], "c": 3}
    assert edited(document, b"") == edited(document, b"\0") == document
    assert edited(document, bytes([0, 4, 1])) == {"a": [1, {"b": 2}], "c": None}
    assert edited(document, bytes([0, 0, 0, 0, 0, 14])) == {"c": "a\x1b[2J\n"}, "what is gone can be changed no more"
    assert edited({"a": 1}, bytes([0, 0, 0, 0, 0, 0])) == {}
    assert document == {"a": [1, {"b": 2}], "c": 3}
