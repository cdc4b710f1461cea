"""Who answered, found in a log that has no columns for it: by a regular expression over one that it has."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from switchover.evidence.requests.store import sql_text
from switchover.model.errors import RunDirectoryError, UsageError

BACKEND, BALANCER = "backend", "balancer"


@dataclass(frozen=True, slots=True)
class IdentityFrom:
    """`COLUMN:REGEX`. The groups named `backend` and `balancer` are who answered; without names the first group is
    the backend. A request without an HTTP status was not answered."""

    column: str
    pattern: str
    groups: Mapping[str, int]

    def sql(self, places: dict[str, str]) -> dict[str, str]:
        """The fields of the identity. `places`: the log's columns by their names."""
        if self.column not in places:
            raise RunDirectoryError(
                f"--backend-from names {self.column!r}, but the log has {', '.join(reversed(places))}"
            )
        status = places.get("responseCode")
        answered = "true" if status is None else f"regexp_full_match(coalesce({status}, ''), '[0-9]{{3}}')"
        text = f"coalesce({places[self.column]}, '')"
        found = {
            name: f"CASE WHEN {answered} THEN regexp_extract({text}, {sql_text(self.pattern)}, {group}) ELSE '' END"
            for name, group in self.groups.items()
        }
        named = {name: found.get(name, "''") for name in (BACKEND, BALANCER)}
        return named | {
            "answered_by": f"CASE WHEN NOT {answered} THEN 'none' WHEN {named[BACKEND]} <> '' THEN 'backend' "
            f"WHEN {named[BALANCER]} <> '' THEN 'balancer' ELSE 'unknown' END"
        }


def parse_identity_from(text: str) -> IdentityFrom:
    column, colon, pattern = text.partition(":")
    if not (column and colon and pattern):
        raise UsageError(
            f"--backend-from {text!r}: write COLUMN:REGEX, such as 'URL:^https?://([^/:]+)' or "
            "'server:(?P<backend>.+)'"
        )
    try:
        found = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"--backend-from {pattern!r} is no regular expression: {error}") from error
    if not found.groups:
        raise UsageError(f"--backend-from {pattern!r} has no group: put the backend's name in parentheses")
    strange = set(found.groupindex) - {BACKEND, BALANCER}
    if strange:
        raise UsageError(f"--backend-from {pattern!r}: groups are named backend or balancer, not {min(strange)}")
    _check(pattern)
    return IdentityFrom(column, pattern, dict(found.groupindex) or {BACKEND: 1})


def _check(pattern: str) -> None:
    """What reads the log knows no look-around and no back references."""
    import duckdb

    with duckdb.connect() as connection:
        try:
            connection.execute("SELECT regexp_extract('', ?)", [pattern])
        except duckdb.Error as error:
            raise UsageError(f"--backend-from {pattern!r} cannot be used: {str(error).splitlines()[0]}") from error
