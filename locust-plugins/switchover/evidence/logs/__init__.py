"""Logs of other programs: one module per format. The content of a file decides its format, never its name.

To add a format:
1. `claims(head)` returns True if a file begins like this format. Check something that no other format has.
2. `read(path, account)` yields a `LoggedRequest` for each request. `read_requests` reads line by line, and counts
   each line for which `parse` raises an error.
3. Add facts that the format does not record to the account: to `account.damage` if figures would be wrong, otherwise
   to `account.notes`. Times in whole seconds are detected for all formats.
4. Add the format to `FORMATS`, before formats that would also claim the file, and to the table in docs/logs.md.
5. Add rows with known results to `test_formats.py`, and a writer to `test_generated_logs.py`.

JMeter's CSV is not a format here, because DuckDB reads it (`requests/`).
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
    """Return the format that claims a file; None for JMeter's CSV, and for a file that is no log."""
    return next((one for one in FORMATS if one.claims(head)), None)
