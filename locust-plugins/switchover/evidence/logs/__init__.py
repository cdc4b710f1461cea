"""Logs of other programs, one module for each format. The content of a file decides its format.

To add a format:
1. `claims(head)` returns True if the beginning of a file matches the new format. Check a property that no other
   format has.
2. `read(path, account)` yields a `LoggedRequest` for each request. `read_requests` and `line_format` read line by
   line, and count each line for which `parse` raises an error.
3. If a log lacks a value that figures need, add a reason to `account.damage`. If all figures stay correct, add a note
   to `account.notes`. Times in whole seconds are detected for all formats.
4. Add the format to `FORMATS`, before all formats that would claim the same file, and to docs/logs.md.
5. Add rows with known results to `test_formats.py`, and a writer to `test_generated_logs.py`.

JMeter's CSV has no module in this package, because DuckDB reads it (`requests/`).
"""

from switchover.evidence.logs import (
    access,
    gatling,
    h2load,
    haproxy,
    hey,
    jtl_xml,
    k6,
    locust_requests,
    named,
    vegeta,
)
from switchover.evidence.logs.format import Format, LogHead

FORMATS: tuple[Format, ...] = (
    jtl_xml.FORMAT,
    k6.CSV,
    k6.JSON,
    vegeta.JSON,
    vegeta.CSV,
    hey.HEY,
    hey.OHA,
    h2load.FORMAT,
    gatling.FORMAT,
    locust_requests.CSV,
    haproxy.FORMAT,
    access.FORMAT,
    named.FORMAT,
)


def find_format(head: LogHead) -> Format | None:
    """Return the format of a log file. Return None for JMeter's CSV, and for a file in an unknown format."""
    return next((log_format for log_format in FORMATS if log_format.claims(head)), None)
