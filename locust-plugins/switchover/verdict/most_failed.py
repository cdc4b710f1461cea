"""List the most common failures of requests, such as `405 /setCurrency 199 times`."""

from switchover.evidence.requests.columns import SENT
from switchover.evidence.requests.table import Requests
from switchover.model.failure_kind import FailureKind

NAMED = 3
LABEL_LENGTH = 60
"""The maximum number of characters of a label that are shown. A label may come from the network, and may be long."""

_LINE = r"trim(regexp_replace(label, '[\p{Cc}\p{Cf}\p{Z}]+', ' ', 'g'))"
_STATUS = f"error IN ('', '{FailureKind.STATUS}') AND regexp_full_match(code, '[0-9]{{3}}')"


def most_failed(requests: Requests, where: str = "true") -> str:
    """List the most common failures: the status or the kind of failure, and the label. Empty: no sent request failed.
    `where`: SQL that selects requests."""
    code = "code" if "code" in requests.columns else "'' AS code"
    rows = requests.rows(
        f"SELECT CASE WHEN {_STATUS} THEN code WHEN error = '' THEN 'unknown' ELSE error END || ' ' || "
        f"CASE WHEN line = '' THEN 'without a label' WHEN length(line) > {LABEL_LENGTH} "
        f"THEN rtrim(left(line, {LABEL_LENGTH - 1})) || '…' ELSE line END AS text, count(*) AS times "
        f"FROM (SELECT error, {code}, {_LINE} AS line FROM {{requests}} WHERE NOT success AND {SENT} AND ({where})) "
        f"GROUP BY text ORDER BY times DESC, text LIMIT {NAMED}"
    )
    return ", ".join(f"{text} {'once' if times == 1 else f'{times:,} times'}" for text, times in rows)
