"""HTTP as both languages read and write it: answers to their meaning, endpoints to the bytes of a request."""

from pathlib import Path
from typing import Any

import pytest

from support.contract import named, vectors
from switchover.http.answer import AnswerProgress, CountedAnswer
from switchover.http.head import HeadReader
from switchover.http.request import request_head
from switchover.model.errors import UsageError
from switchover.model.identity import IdentitySettings
from switchover.prober.spec import USER_AGENT, ProberSpec
from switchover.target.model import Endpoint


def spec_of(endpoint: Endpoint) -> ProberSpec:
    return ProberSpec(endpoint=endpoint, probes=Path("probes.jtl"), journal=Path("journal.lp"), run="r")


@pytest.mark.parametrize("case", named("http.json", "answers"))
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_an_answer_is_read_as_agreed(case: dict[str, Any], size: int) -> None:
    data = case["response"].encode("latin-1")
    answer = CountedAnswer(HeadReader(IdentitySettings(**vectors("http.json", "settings"))).read)
    progress = AnswerProgress.MORE
    for at in range(0, len(data), size):
        if progress is AnswerProgress.MORE:
            progress = answer.feed(data[at : at + size])
    assert progress.name.lower() == case["progress"]
    assert answer.violation == case["violation"]
    if progress is AnswerProgress.MORE:
        assert answer.end().name.lower() == case["at_close"]
    if size >= len(data):
        assert answer.surplus == case["surplus"]
    if case["head"] is not None:
        head = answer.head
        assert head is not None
        assert {
            "status": head.status,
            "reason": head.reason,
            "length": head.length,
            "persistent": head.persistent,
            "backend": head.identity.backend,
            "balancer": head.identity.balancer,
            "answered_by": head.identity.answered_by,
            "session": head.session,
        } == case["head"]


@pytest.mark.parametrize("case", named("http.json", "requests"))
def test_a_request_has_the_bytes_that_were_agreed(case: dict[str, Any]) -> None:
    spec = spec_of(Endpoint(url=case["url"], host_header=case["host_header"], headers=dict(case["headers"])))
    for keep, text in ((False, case["fresh"]), (True, case["kept"])):
        assert request_head(spec.endpoint, agent=USER_AGENT, keep=keep) == text.replace("AGENT", USER_AGENT).encode(
            "latin-1"
        )


@pytest.mark.parametrize("case", named("http.json", "refused"))
def test_a_url_that_cannot_be_asked_for_is_refused_in_the_same_words(case: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as refusal:
        spec_of(Endpoint(url=case["url"]))
    assert str(refusal.value) == case["error"]
