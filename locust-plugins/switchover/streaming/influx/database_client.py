"""A client that administers a database, and queries the database in InfluxQL, which InfluxDB 1, 2 and 3 support."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

from influxdb_client import BucketRetentionRules, InfluxDBClient
from influxdb_client.client.exceptions import InfluxDBError
from influxdb_client.rest import ApiException
from urllib3.exceptions import HTTPError

from switchover.model.errors import DatabaseError
from switchover.streaming.influx.destination import Database
from switchover.streaming.influx.writer import shortened

TIMEOUT_MS = (10_000, 60_000)
SECRET = "***"
_NO_ANSWER_OF_INFLUXDB = (ValueError, KeyError, TypeError, AttributeError)
"""The exceptions that occur if the answer is not from InfluxDB, but, for example, from a proxy."""


Row = Mapping[str, Any]
"""The values of a row; the key is the column. The column `time` is in ns."""


class DatabaseClient:
    """The client of one database or bucket. Methods raise only DatabaseError: one line without credentials."""

    def __init__(self, database: Database) -> None:
        self._to = database.destination
        self._known = database.credentials
        url = self._to.origin + self._to.prefix
        org = self._to.org or "-"
        self._client = InfluxDBClient(url, token=self._known.as_token or "-", org=org, timeout=TIMEOUT_MS)

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

    def query(self, influxql: str) -> list[Row]:
        query = {"db": self.name, "q": influxql, "epoch": "ns"} | ({"rp": self._to.rp} if self._to.rp else {})
        with self._in_one_line("query failed"):
            settings = {"_preload_content": False, "_return_http_data_only": True}
            answer = self._client.api_client.call_api("/query", "POST", query_params=list(query.items()), **settings)
            results = json.loads(answer.data)["results"]
            for result in results:
                if "error" in result:
                    raise self._error("query failed", str(result["error"]))
                if result.get("partial"):
                    raise self._error(
                        "query failed", "the answer is incomplete: the server limits rows (max-row-limit)"
                    )
            all_series = [series for result in results for series in result.get("series", ())]
            rows = ((series["columns"], values) for series in all_series for values in series.get("values", ()))
            return [dict(zip(columns, values, strict=True)) for columns, values in rows]

    def exists(self) -> bool:
        if self.is_bucket:
            with self._in_one_line(f"cannot look up bucket {self.name}"):
                return self._client.buckets_api().find_bucket_by_name(self.name) is not None
        return any(row["name"] == self.name for row in self.query("SHOW DATABASES"))

    def create(self, retention_s: int) -> None:
        """Create the database or bucket. With a retention of 0, points are kept forever."""
        if self.is_bucket:
            rules = [BucketRetentionRules(type="expire", every_seconds=retention_s)] if retention_s else None
            with self._in_one_line(f"cannot create bucket {self.name}"):
                self._client.buckets_api().create_bucket(
                    bucket_name=self.name, org=self._to.org, retention_rules=rules
                )
            return
        duration = f" WITH DURATION {retention_s}s" if retention_s else ""
        self.query(f"CREATE DATABASE {quoted(self.name)}{duration}")

    def delete_run(self, run: str) -> None:
        if self.is_bucket:
            with self._in_one_line(f"cannot delete {run}"):
                self._client.delete_api().delete(
                    "1970-01-01T00:00:00Z", "2200-01-01T00:00:00Z", f"run={quoted(run)}", self.name, self._to.org
                )
            return
        run_text = quoted(run, "'")
        self.query(f'DROP SERIES WHERE "run" = {run_text}')

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
        for secret in self._known.secrets:
            why = why.replace(secret, SECRET)
        return DatabaseError(f"{self._to.url}: {doing}: {shortened(why)}")

    def count_points(self, run: str) -> int:
        """Return the number of points of a run. A measurement has as many points as its most frequent field has
        values."""
        run_text = quoted(run, "'")
        rows = self.query(f'SELECT count(*) FROM /^switchover_/ WHERE "run" = {run_text}')
        return sum(max(count or 0 for name, count in row.items() if name != "time") for row in rows)


def quoted(text: str, mark: str = '"') -> str:
    """Quote a name for InfluxQL, or a value for the predicate of a deletion. `mark`: the quotation mark; `'` for a
    string in InfluxQL."""
    return mark + text.replace("\\", "\\\\").replace(mark, f"\\{mark}").replace("\n", "\\n") + mark


def _why(error: Exception) -> str:
    if isinstance(error, _NO_ANSWER_OF_INFLUXDB):
        return "the answer is not from InfluxDB"
    return str(getattr(error, "reason", None) or error) or type(error).__name__


def _message(body: object) -> str:
    try:
        answer = json.loads(body if isinstance(body, str | bytes) else "")
        return str(answer.get("message") or answer.get("error") or "")
    except (ValueError, AttributeError):
        return ""
