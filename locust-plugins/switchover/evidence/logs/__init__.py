"""Logs that other programs wrote: one file per format, found by its content and never by its name.

To add a format:
1. `claims(head)` returns whether a file begins like this format. Check something that no other format has.
2. `read(path, account)` yields a `LoggedRequest` for each request. `read_requests` reads line by line, and counts
   each line for which `parse` raises.
3. Put what the format does not know into the account: `account.damage` if figures would be wrong, `account.notes` for
   other facts. Times in whole seconds are detected for all formats.
4. Add it to `FORMATS`, before formats that would also claim the file, and to the table in docs/logs.md.
5. Give `test_formats.py` rows with a known truth, and `test_generated_logs.py` a writer.

JMeter's CSV is not a format here: DuckDB reads it itself (`requests/`).

logged_request.py   what a line says of one request: the record that all formats make
format.py           what a format is, and the beginning of a file
account.py          what was left out and noticed, and whether the logs can be trusted
unpack.py           compressed and UTF-16 files as text
dates.py            forms of dates, and patterns for others
failure_rules.py    why a request failed, by its code and message
jtl_xml.py          JMeter's XML
k6.py               k6's CSV and JSON output
locust_requests.py  a log line or CSV row per request, as Locust's users write them
vegeta.py           `vegeta encode` as CSV or JSON
hey.py              hey's and oha's CSV
h2load.py           `h2load --log-file`
gatling.py          Gatling's text log, to 3.12
haproxy.py          HAProxy's HTTP and TCP log
access.py           access logs of Nginx, Apache and Traefik
named.py            logs of balancers in JSON (Traefik's too), or under a header
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
    """The format that claims a file; None for JMeter's CSV, and for what is no log at all."""
    return next((one for one in FORMATS if one.claims(head)), None)
