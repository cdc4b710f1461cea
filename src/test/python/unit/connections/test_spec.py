"""What held connections keep open, and what is refused about it."""

from pathlib import Path

import pytest

from switchover.connections.spec import DEFAULT_COUNTS, HeldSpec, KeptOpen, choose_loads, read_counts
from switchover.model.errors import UsageError
from switchover.model.held_kind import HeldKind
from switchover.target.model import Endpoint

URLS = {HeldKind.POOLED: "http://x/", HeldKind.TCP: "tcp://x:7000"}


def test_a_kind_alone_has_its_usual_number() -> None:
    assert read_counts("pooled=3, idle") == {HeldKind.POOLED: 3, HeldKind.IDLE: 200}


@pytest.mark.parametrize("text", ["pools=3", "", "pooled=-1", "pooled=x", "pooled=9999999", "pooled=٣"])
def test_counts_that_mean_nothing_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_counts(text)
    assert "\n" not in str(refused.value)


def test_by_default_all_kinds_that_the_target_has_a_url_of_are_kept_open() -> None:
    loads = choose_loads(read_counts("all"), URLS)
    assert [(load.kind, load.count) for load in loads] == [(kind, DEFAULT_COUNTS[kind]) for kind in URLS]


def test_a_kind_that_the_target_file_says_nothing_of_is_refused_when_it_is_asked_for() -> None:
    with pytest.raises(UsageError, match="no URL for sse"):
        choose_loads({HeldKind.SSE: 1}, URLS)


@pytest.mark.parametrize(
    ("kind", "url"),
    [
        (HeldKind.TCP, "tcp://x"),
        (HeldKind.TCP, "http://x:1/"),
        (HeldKind.SSE, "tcp://x:1"),
        (HeldKind.H2, ""),
    ],
)
def test_a_url_of_the_wrong_form_is_refused(tmp_path: Path, kind: HeldKind, url: str) -> None:
    with pytest.raises(UsageError, match="is no URL for it"):
        HeldSpec(Endpoint("http://x/"), tmp_path / "connections.jtl", (KeptOpen(kind, 1, url),))


def test_only_streams_may_wait_longer_than_a_request(tmp_path: Path) -> None:
    spec = HeldSpec(
        Endpoint("http://x/"), tmp_path / "connections.jtl", (), timeout_read_s=2.0, timeout_stream_s=60.0
    )
    streams = {kind for kind in HeldKind if spec.timeout_of(kind) == 60.0}
    assert streams == {HeldKind.SSE, HeldKind.WEBSOCKET, HeldKind.TCP}
    assert spec.timeout_of(HeldKind.POOLED) == 2.0


def test_a_spec_comes_out_of_its_json_as_it_went_in(tmp_path: Path) -> None:
    spec = HeldSpec(
        Endpoint("https://x/", headers={"A": "b"}, ca=tmp_path / "ca.pem"),
        tmp_path / "connections.jtl",
        choose_loads({}, URLS),
        seed=5,
    )
    assert HeldSpec.from_json(spec.to_json()) == spec


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"endpoint": 3}', "\x00"])
def test_what_is_no_spec_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError, match="no usable spec"):
        HeldSpec.from_json(text)


@pytest.mark.parametrize(("counts", "why"), [({}, "no table"), ({HeldKind.POOLED: 0}, "asks for none")])
def test_a_load_of_nothing_is_refused(counts: dict[HeldKind, int], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        choose_loads(counts, URLS if counts else {})
