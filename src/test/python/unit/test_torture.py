"""A seed names one case, for ever; and each misfortune has its turn."""

from torture.case import RUN_S, case_of
from torture.catalogue import MISFORTUNES


def test_a_seed_names_the_same_case_each_time() -> None:
    assert case_of(17) == case_of(17)


def test_each_misfortune_has_its_turn_under_a_load_that_it_can_come_under() -> None:
    cases = [case_of(seed) for seed in range(len(MISFORTUNES))]
    assert {case.misfortunes[0] for case in cases} == set(MISFORTUNES)
    for case in cases:
        assert all(case.generator in MISFORTUNES[name].generators for name in case.misfortunes)
        assert all(0 <= moment_s <= RUN_S for moment_s in case.moments_s)
