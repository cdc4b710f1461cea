"""What was found out about requests and answers before, so that the next one like them need not be read."""

from collections.abc import Hashable
from typing import Any

from switchover.locust.attribution import Attribution
from switchover.locust.remember import remember
from switchover.locust.request_event import RequestEvent, text_of
from switchover.locust.tally import Kind, Tally
from switchover.redaction import requested_url
from switchover.samples import Sample, quote

LIMIT = 10_000
"""Entries of each cache."""


class Known:
    """Caches of one recorder."""

    __slots__ = ("_attribution", "_tally", "addresses", "kinds", "labels")

    def __init__(self, attribution: Attribution, tally: Tally) -> None:
        self._attribution = attribution
        self._tally = tally
        self.labels: dict[Hashable, str] = {}
        """By the name that the event gives, or by name and URL where the label depends on both."""
        self.kinds: dict[Hashable, Kind] = {}
        """By label, what the answer told, stream and attempts."""
        self.addresses: dict[str, str] = {}
        """By URL, as the sample log shows them."""

    def address(self, url: Any) -> str:
        return remember(self.addresses, url, quote(requested_url(text_of(url))), LIMIT)

    def learn(self, event: RequestEvent, sample: Sample) -> None:
        """Know events like this good one, of which this sample was made, if they can be known again."""
        try:
            told = self._attribution.told(event.response)
            key = sample.label, told, sample.stream, sample.attempts
            if key not in self.kinds:
                remember(self.kinds, key, self._tally.kind(sample), LIMIT)
        except Exception:
            return
        if isinstance(event.name, str) and isinstance(event.url, str):
            alone = requested_url(event.name) == event.name
            remember(self.labels, event.name if alone else (event.name, event.url), sample.label, LIMIT)
