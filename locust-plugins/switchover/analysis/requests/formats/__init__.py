"""Request logs of other load generators: one file per format, found by its content and never by its name.

A format is a function that claims the beginning of a file, and one that reads the file as samples. docs/any-jtl.md
says how to add one.

format.py           what a format is, and the beginning of a file
jtl.py              JMeter's CSV: its delimiter, its header or `--columns`, its times
jtl_xml.py          JMeter's XML
k6.py               k6's CSV and JSON output
locust_requests.py  a log line or CSV row per request, as Locust's users write them
vegeta.py           `vegeta encode` as CSV or JSON
hey.py              hey's and oha's CSV
h2load.py           `h2load --log-file`
gatling.py          Gatling's text log, to 3.12
haproxy.py          HAProxy's HTTP log
nginx.py            Nginx's and Apache's access log
access_json.py      HAProxy's and Nginx's log in JSON
aggregates.py       results without a time for each request, which are refused
"""

from switchover.analysis.requests.formats import (
    access_json,
    gatling,
    h2load,
    haproxy,
    hey,
    jtl_xml,
    k6,
    locust_requests,
    nginx,
    vegeta,
)
from switchover.analysis.requests.formats.format import Format, Head

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
    nginx.FORMAT,
    access_json.FORMAT,
)


def find_format(head: Head) -> Format | None:
    """The format that claims a file; None for JMeter's CSV, and for what is no log at all."""
    return next((one for one in FORMATS if one.claims(head)), None)
