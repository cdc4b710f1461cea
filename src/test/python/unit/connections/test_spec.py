"""What held connections keep open, and what is refused about it."""

from pathlib import Path

import pytest

from switchover.connections.spec import HeldSpec, KeptOpen, choose_loads, read_counts
from switchover.model.errors import UsageError
from switchover.model.held_kind import HeldKind
from switchover.target.model import Endpoint

URLS = {HeldKind.POOLED: "http://x/", HeldKind.TCP: "tcp://x:7000"}


@pytest.mark.parametrize("text", ["pools=3", "", "pooled=-1", "pooled=x", "pooled=9999999", "pooled=٣"])
def test_counts_that_mean_nothing_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_counts(text)
    assert "\n" not in str(refused.value)


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
    with pytest.raises(UsageError, match=f"is not a URL for {kind}"):
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
