"""Sample logs in Parquet, as earlier versions of Switchover wrote them."""

import json
from pathlib import Path

from switchover.analysis.logs.account import Account
from switchover.analysis.requests.files import ACCOUNT
from switchover.analysis.requests.reader import read_logs
from switchover.analysis.requests.store import Store, sql_text
from switchover.analysis.requests.table import TYPES, Requests


def write_parquet(requests: Requests, destination: Path, account: Account) -> None:
    facts = json.dumps(account.facts())
    requests.rows(
        f"COPY (SELECT {', '.join(TYPES)} FROM {{requests}}) TO {sql_text(str(destination))} "
        f"(FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{sql_text(ACCOUNT)}: {sql_text(facts)}}})"
    )


def parquet_beside(log: Path) -> Path:
    """The log again, in a Parquet file of its name."""
    destination, account = log.with_suffix(".parquet"), Account()
    write_parquet(read_logs(Store(), "rows_of_log", [log], account), destination, account)
    return destination
