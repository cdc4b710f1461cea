"""What the parent says of its changes, read from the bytes of standard input as they come."""

import json

from switchover.connections.records import HeldRecords

STATUS_S = 0.1
"""How often the process says how it stands: a change has settled when no connection is on an old process any more."""


class HeardChanges:
    """A line of JSON each: `{"change": n}`, `{"settled": n}`."""

    def __init__(self, records: HeldRecords) -> None:
        self._records = records
        self._rest = b""

    def take(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "change" in message:
                self._records.begin_change()
            elif "settled" in message:
                self._records.settle_change()
