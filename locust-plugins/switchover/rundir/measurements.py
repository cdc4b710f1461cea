"""The measurements of a run's points. `tables/measurements.toml` has their tags and fields."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec.toml import decode

from switchover.tables import read_table

REQUESTS = "switchover_requests"
PROBES = "switchover_probes"
USERS = "switchover_users"
HAPROXY = "switchover_haproxy"
HAPROXY_INFO = "switchover_haproxy_info"
NGINX = "switchover_nginx"
PROXY = "switchover_proxy"
VRRP = "switchover_vrrp"
ADVERT = "switchover_advert"
PROCESS = "switchover_process"
MACHINE = "switchover_machine"
SCRAPE = "switchover_scrape"
EVENT = "switchover_event"
VERDICT = "switchover_verdict"
LIMIT = "switchover_limit"

CERTIFICATE_EVENT = "certificate"
"""The kind of the event for a new certificate. The `id` of the event is the first 16 digits of the certificate's
SHA-256."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """The tags of one measurement, and the type of each field: `int`, `float`, `bool` or `str`."""

    tags: list[str]
    fields: Mapping[str, str] = field(default_factory=dict)
    source_fields: bool = False
    """True if the measurement also has integer fields whose names come from the source."""


MEASUREMENTS = decode(read_table("measurements.toml"), type=dict[str, Measurement])
