"""Reasons about failed requests name the most common of them, as the vectors say; Java reads the same."""

import pytest

from support.contract import named
from support.request_tables import changed, samples_of, table_of
from support.verdict_scenarios import observed
from switchover.evidence.requests.table import Requests
from switchover.model.failure_kind import FailureKind
from switchover.rundir.sample_log import Sample
from switchover.verdict.judge import judge
from switchover.verdict.most_failed import most_failed
from synthetic import FIRED, SECOND, sample


@pytest.mark.parametrize("case", named("most_failed.json", "cases"))
def test_the_most_common_are_named_as_the_vectors_say(case: dict[str, object]) -> None:
    samples = [one for row in case["requests"] for one in _requests(*row)]  # type: ignore[attr-defined]
    assert most_failed(table_of(samples)) == case["expect"]


def test_a_log_that_was_read_without_its_codes_names_kinds() -> None:
    table = table_of(_requests(False, "status", "503", "/a", 2))
    without = Requests(table.store, f"(SELECT * EXCLUDE (code) FROM {table.source})", set(table.columns) - {"code"})
    assert (most_failed(table), most_failed(without)) == ("503 /a 2 times", "status /a 2 times")


def _requests(success: bool, error: str, code: str, label: str, number: int) -> list[Sample]:
    kind = FailureKind(error) if error else None
    return [sample(1, 2, success=success, error=kind)._replace(code=code, label=label)] * number


def _posts(at_us: int, number: int) -> list[Sample]:
    one = sample(at_us, at_us + 1000, success=False, error=FailureKind.STATUS)
    return [one._replace(code="405", label="/setCurrency")] * number


def test_what_failed_in_the_baseline_is_named_and_not_what_failed_later() -> None:
    data = observed()
    good = [sample(at * 1000, at * 1000 + 500) for at in range(100)]
    load = [*good, *_posts(SECOND, 40), *_posts(FIRED + SECOND, 7)]
    probes = [*samples_of(data.probes), *_posts(SECOND, 1)]
    reasons = {one.code: one.text for one in judge(changed(data, samples=load, probes=probes)).reasons}
    assert reasons["load_failed_before"] == (
        "40 of 140 requests of the load failed in the baseline: 405 /setCurrency 40 times"
    )
    assert reasons["failed_before"].endswith("in the baseline: 405 /setCurrency once")


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        ("failed=1%", "(7 of 7; 405 /setCurrency 7 times)"),
        ("failed-total=1%", "(47 of 147; 405 /setCurrency 47 times)"),
        ("failed=0", "(7 of 7; 405 /setCurrency 7 times)"),
    ],
)
def test_a_broken_limit_on_failed_requests_names_them(limit: str, text: str) -> None:
    data = observed(limit)
    good = [sample(at * 1000, at * 1000 + 500) for at in range(100)]
    verdict = judge(changed(data, samples=[*good, *_posts(SECOND, 40), *_posts(FIRED + SECOND, 7)]))
    (broken,) = (one for one in verdict.reasons if one.code == "limit_exceeded")
    assert broken.text.endswith(text)
