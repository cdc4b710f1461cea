"""The database client for queries and administration, with influxdb-client. `shipper.py` sends the journals.

Queries are in InfluxQL, the only language that InfluxDB 1, 2 and 3 all support. Versions 2 and 3 support InfluxQL in
their API of version 1.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import urllib3
from influxdb_client import (
    Authorization,
    BucketRetentionRules,
    InfluxDBClient,
    Permission,
    PermissionResource,
)
from influxdb_client.client.exceptions import InfluxDBError
from influxdb_client.rest import ApiException
from urllib3.exceptions import ConnectTimeoutError, HTTPError

from switchover.model.errors import DatabaseError
from switchover.report.history.entry import NOT_JUDGED
from switchover.report.verdict_points import NO_NAME
from switchover.rundir.measurements import EVENT, VERDICT
from switchover.streaming.influx.destination import Credentials, Database
from switchover.streaming.influx.writer import shortened

TIMEOUT_MS = (10_000, 60_000)
"""The timeouts of the connect and of the answer, in ms."""
SECRET = "***"
_NO_ANSWER_OF_INFLUXDB = (ValueError, KeyError, TypeError, AttributeError)
"""Exceptions from an answer that is not from InfluxDB, but for example from a proxy."""


@dataclass(frozen=True, slots=True)
class StoredSeries:
    """One series of an answer: its tags, and one row of values by column for each time (ns)."""

    name: str
    tags: Mapping[str, str]
    rows: Sequence[Mapping[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a new bucket. They are printed once, because a database does not return a token again."""

    read: str
    write: str

    def __repr__(self) -> str:
        return f"Tokens({SECRET})"


class DatabaseClient:
    """The client of one database or bucket. Every error is a DatabaseError of one line, without the credentials."""

    def __init__(self, database: Database) -> None:
        self._to = database.destination
        self._known = database.credentials
        self._client = InfluxDBClient(
            self._to.origin + self._to.prefix,
            token=_token(self._known),
            org=self._to.org or "-",
            timeout=TIMEOUT_MS,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def name(self) -> str:
        return self._to.db or self._to.bucket or ""

    @property
    def is_bucket(self) -> bool:
        return self._to.bucket is not None

    def version(self) -> str:
        with self._in_one_line("version query failed"):
            return str(self._client.version())

    def query(self, influxql: str) -> list[StoredSeries]:
        query = {"db": self.name, "q": influxql, "epoch": "ns"} | ({"rp": self._to.rp} if self._to.rp else {})
        with self._in_one_line("query failed"):
            answer = self._client.api_client.call_api(
                "/query",
                "POST",
                query_params=list(query.items()),
                _preload_content=False,
                _return_http_data_only=True,
            )
            return [series for result in json.loads(answer.data)["results"] for series in self._series_of(result)]

    def _series_of(self, result: Mapping[str, Any]) -> list[StoredSeries]:
        if "error" in result:
            raise self._error("query failed", str(result["error"]))
        if result.get("partial"):
            raise self._error("query failed", "the answer is incomplete: the server limits rows (max-row-limit)")
        return [
            StoredSeries(
                series.get("name", ""),
                series.get("tags") or {},
                [dict(zip(series["columns"], values, strict=True)) for values in series.get("values", ())],
            )
            for series in result.get("series", ())
        ]

    @property
    def url(self) -> str:
        return self._to.url

    def retention(self) -> str | None:
        """Return the retention of points in InfluxDB's form, such as `720h0m0s`; None: the database is missing."""
        if self.is_bucket:
            bucket = self._bucket()
            if bucket is None:
                return None
            seconds = [rule.every_seconds for rule in bucket.retention_rules if rule.every_seconds]
            return _duration(seconds[0]) if seconds else "for ever"
        names = {row["name"] for series in self.query("SHOW DATABASES") for row in series.rows}
        if self.name not in names:
            return None
        policies = self.query(f"SHOW RETENTION POLICIES ON {quoted(self.name)}")
        used = [row for policy in policies for row in policy.rows if row["default"] or row["name"] == self._to.rp]
        duration = str(used[-1]["duration"]) if used else "0s"
        return "for ever" if duration == "0s" else duration

    def create(self, retention_s: int) -> None:
        """Create the database or bucket. A retention of 0 keeps points forever."""
        if self.is_bucket:
            rules = [BucketRetentionRules(type="expire", every_seconds=retention_s)] if retention_s else None
            with self._in_one_line(f"cannot create bucket {self.name}"):
                self._client.buckets_api().create_bucket(
                    bucket_name=self.name, org=self._to.org, retention_rules=rules
                )
            return
        duration = f" WITH DURATION {retention_s}s" if retention_s else ""
        self.query(f"CREATE DATABASE {quoted(self.name)}{duration}")

    def create_tokens(self) -> Tokens:
        """Create a token that may only read the bucket, and a token that may only write to it."""
        bucket = self._bucket()
        assert bucket is not None
        resource = PermissionResource(type="buckets", id=bucket.id, org_id=bucket.org_id)
        made = []
        with self._in_one_line("cannot create tokens"):
            for action in ("read", "write"):
                request = Authorization(
                    org_id=bucket.org_id,
                    permissions=[Permission(action=action, resource=resource)],
                    description=f"switchover: {action} {self.name}",
                )
                made.append(str(self._client.authorizations_api().create_authorization(authorization=request).token))
        return Tokens(*made)

    def delete_run(self, run: str) -> None:
        if self.is_bucket:
            with self._in_one_line(f"cannot delete {run}"):
                self._client.delete_api().delete(
                    "1970-01-01T00:00:00Z", "2200-01-01T00:00:00Z", f"run={quoted(run)}", self.name, self._to.org
                )
            return
        self.query(f'DROP SERIES WHERE "run" = {text(run)}')

    def _bucket(self) -> Any:
        with self._in_one_line(f"cannot look up bucket {self.name}"):
            return self._client.buckets_api().find_bucket_by_name(self.name)

    @contextmanager
    def _in_one_line(self, doing: str) -> Iterator[None]:
        try:
            yield
        except ApiException as error:
            raise self._error(doing, f"{error.status}: {_message(error.body) or error.reason}") from error
        except InfluxDBError as error:
            raise self._error(doing, str(error)) from error
        except (HTTPError, OSError, *_NO_ANSWER_OF_INFLUXDB) as error:
            raise self._error(doing, _why(error)) from error

    def _error(self, doing: str, why: str) -> DatabaseError:
        for secret in filter(None, (self._known.token, self._known.password)):
            why = why.replace(secret, SECRET)
        return DatabaseError(f"{self._to.url}: {doing}: {shortened(why)}")


def _duration(seconds: int) -> str:
    """Return a duration in the form of InfluxDB 1."""
    return f"{seconds // 3600}h{seconds % 3600 // 60}m{seconds % 60}s"


def quoted(name: str) -> str:
    """Quote a name for InfluxQL, or a text for the predicate of a deletion."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def _why(error: Exception) -> str:
    """Return the cause of an error of urllib3 or JSON in plain words."""
    causes: list[object] = [error]
    for cause in causes:
        if isinstance(cause, Exception):
            causes += [getattr(cause, "reason", None), cause.__cause__, *cause.args]
    of_the_system = next((cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror), None)
    if of_the_system:
        return of_the_system
    connect_s, read_s = (round(limit / 1000) for limit in TIMEOUT_MS)
    if any(isinstance(cause, ConnectTimeoutError) for cause in causes):
        return f"no connection within {connect_s} s"
    if any(isinstance(cause, TimeoutError | urllib3.exceptions.TimeoutError) for cause in causes):
        return f"no answer within {read_s} s"
    if isinstance(error, _NO_ANSWER_OF_INFLUXDB):
        return "the answer is not from InfluxDB"
    return str(getattr(error, "reason", None) or error)


def _token(credentials: Credentials) -> str:
    """Return the token. InfluxDB 1 accepts `user:password` as a token."""
    return credentials.token or (f"{credentials.user}:{credentials.password}" if credentials.user else "-")


def _message(body: object) -> str:
    try:
        answer = json.loads(body if isinstance(body, str | bytes) else "")
        return str(answer.get("message") or answer.get("error") or "")
    except (ValueError, AttributeError):
        return ""


@dataclass(frozen=True, slots=True)
class StoredRun:
    run: str
    start_us: int
    what: str = ""
    status: str = NOT_JUDGED


def stored_runs(client: DatabaseClient) -> list[StoredRun]:
    """Return all runs with their last verdicts, the oldest first."""
    began: dict[str, int] = {}
    for series in client.query(f'SELECT first("text") FROM {quoted(EVENT)} GROUP BY "run"'):
        began |= {series.tags.get("run", ""): row["time"] // 1000 for row in series.rows}
    judged: dict[str, tuple[str, dict[str, Any]]] = {}
    for series in client.query(f'SELECT * FROM {quoted(VERDICT)} GROUP BY "run", "fault"'):
        run, fault = series.tags.get("run", ""), series.tags.get("fault", NO_NAME)
        for row in series.rows:
            if run not in judged or row["time"] >= judged[run][1]["time"]:
                judged[run] = fault, dict(row)
    runs = []
    for run in {**judged, **began}:
        fault, row = judged.get(run, (NO_NAME, {}))
        start_us = began.get(run, row.get("time", 0) // 1000)
        what = str(row.get("change") or "") or ("" if fault == NO_NAME else fault)
        runs.append(StoredRun(run, start_us, what, str(row.get("verdict") or NOT_JUDGED)))
    return sorted(runs, key=lambda stored: (stored.start_us, stored.run))


def count_points(client: DatabaseClient, run: str) -> int:
    """Return the number of points of a run. Each measurement has as many points as its most frequent field."""
    counted = client.query(f'SELECT count(*) FROM /^switchover_/ WHERE "run" = {text(run)}')
    rows = [row for series in counted for row in series.rows]
    return sum(max(count or 0 for name, count in row.items() if name != "time") for row in rows)
