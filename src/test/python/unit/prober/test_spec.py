"""What the prober is told, and what it then sends."""

from pathlib import Path

import pytest

from support.prober import spec_of
from switchover.model.errors import UsageError
from switchover.model.identity import IdentitySettings
from switchover.prober import ProberSpec
from switchover.target.model import StatusRanges


def test_a_spec_survives_its_way_to_the_process() -> None:
    spec = spec_of(
        "https://[2001:db8::1]:8443/a?b=c",
        Path("/run dir/ü"),
        endpoint={
            "expect": StatusRanges(((200, 299), (304, 304))),
            "host_header": "example",
            "sni": "name",
            "ca": Path("/ca.pem"),
            "insecure": True,
            "headers": {"Authorization": "Basic ü"},
            "timeout_connect_s": 3.0,
        },
        identity=IdentitySettings(sticky_cookie="SRV", aliases={"198.18.0.11:80": "web1"}),
        rate=333.3,
        kept_rate=5,
        late_s=0.5,
    )
    assert "\n" not in spec.to_json()
    assert ProberSpec.from_json(spec.to_json()) == spec


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "ftp://x/",
        "http://",
        "http:///path",
        "http://x:0/",
        "http://x:99999/",
        "http://x/a b",
        "http://x/\r\nX: y",
    ],
)
def test_what_is_no_url_to_probe_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="not a URL to probe"):
        spec_of(url)
