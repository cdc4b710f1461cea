"""The address and the credentials of the database that receives the points. The address names a database of InfluxDB
1 (`?db=NAME[&rp=RP]`), or a bucket of InfluxDB 2 and 3 (`?org=ORG&bucket=BUCKET`)."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlsplit

from switchover.model.errors import UsageError
from switchover.target.model import InfluxSettings
from switchover.target.telemetry_sources import split_url

TOKEN_VARIABLE = "SWITCHOVER_INFLUX_TOKEN"
USER_VARIABLE = "SWITCHOVER_INFLUX_USER"
PASSWORD_VARIABLE = "SWITCHOVER_INFLUX_PASSWORD"

EXAMPLE = "http://influx:8086?db=NAME (InfluxDB 1) or http://influx:8086?org=ORG&bucket=BUCKET (2 and 3)"
_CREDENTIALS = frozenset({"u", "p", "user", "username", "password", "token"})
_KEYS = frozenset({"org", "bucket", "db", "rp"})
_PORTS = {"http": 80, "https": 443}
_PATH = re.compile(r"[!-~]*")


@dataclass(frozen=True, slots=True)
class Destination:
    """The address of a `bucket`, optionally in an `org`, or of a `db`, optionally with a retention policy `rp`."""

    scheme: str
    host: str
    """The host as in a URL: an IPv6 address is in brackets."""
    port: int
    prefix: str = ""
    org: str | None = None
    bucket: str | None = None
    db: str | None = None
    rp: str | None = None

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """The address in one fixed form without secrets, which identifies the database in `.sent` files."""
        return f"{self.origin}{self.prefix}?{self._query()}"

    @property
    def write_path(self) -> str:
        return f"{self.prefix}{'/write' if self.db else '/api/v2/write'}?{self._query()}&precision=ns"

    def _query(self) -> str:
        named = (("db", self.db), ("rp", self.rp)) if self.db else (("org", self.org), ("bucket", self.bucket))
        return "&".join(f"{key}={quote(value, safe='')}" for key, value in named if value)


@dataclass(frozen=True, slots=True)
class Credentials:
    """The credentials of the writer, which `repr` does not show. Without credentials, all fields are empty."""

    token: str = ""
    user: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return "Credentials(***)"

    @property
    def as_token(self) -> str:
        """The token, or `user:password`, which InfluxDB 1.8 accepts as a token."""
        return self.token or (f"{self.user}:{self.password}" if self.user else "")

    @property
    def as_basic(self) -> str:
        return base64.b64encode(f"{self.user}:{self.password}".encode()).decode("ascii") if self.user else ""

    @property
    def secrets(self) -> list[str]:
        """The texts that no message may contain, the longest first."""
        return sorted({self.token, self.password, self.as_basic} - {""}, key=len, reverse=True)


@dataclass(frozen=True, slots=True)
class Database:
    destination: Destination
    credentials: Credentials


def parse_destination(text: str) -> Destination:
    """Parse an address. The message of a UsageError does not repeat the address, which may contain a secret."""
    parts = split_url(text)
    if parts is None or parts.scheme not in _PORTS or not parts.hostname or not _PATH.fullmatch(parts.path):
        raise UsageError(f"the database's address must be {EXAMPLE}")
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    if parts.username is not None or parts.password is not None or _CREDENTIALS & {key.lower() for key, _ in pairs}:
        raise UsageError(
            f"the database's address contains credentials: put them into {TOKEN_VARIABLE}, or into {USER_VARIABLE} "
            f"and {PASSWORD_VARIABLE}"
        )
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        raise UsageError(f"the database's address has no valid port: it must be {EXAMPLE}")
    query = dict(pairs)
    if len(query) != len(pairs) or not query.keys() <= _KEYS or parts.fragment or not all(query.values()):
        raise UsageError(f"the database's address must be {EXAMPLE}, with no other parameter after the question mark")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    named = Destination(parts.scheme, host, port or _PORTS[parts.scheme], parts.path.rstrip("/"), **query)
    if bool(named.db) == bool(named.bucket) or (named.rp and not named.db) or (named.org and not named.bucket):
        raise UsageError(f"the database's address must name either a db or a bucket: {EXAMPLE}")
    return named


def choose_database(
    url: str | None, settings: InfluxSettings | None, environment: Mapping[str, str]
) -> Database | None:
    """Return the database of the URL, otherwise of `[influx]`. Credentials in `[influx]` are used only for the server
    in `[influx]`."""
    configured = None if settings is None else _configured(settings)
    destination = parse_destination(url) if url else configured
    if destination is None:
        return None
    credentials = _credentials(
        *(environment.get(name, "") for name in (TOKEN_VARIABLE, USER_VARIABLE, PASSWORD_VARIABLE))
    )
    if credentials == Credentials() and settings and configured and configured.origin == destination.origin:
        credentials = _credentials(settings.token or "", settings.user or "", settings.password or "")
    return Database(destination, credentials)


def _configured(settings: InfluxSettings) -> Destination:
    """Return the address in `[influx]`, with the keys `org`, `bucket` and `db` in the query of its URL."""
    named = {"org": settings.org, "bucket": settings.bucket, "db": settings.db}
    added = "&".join(f"{key}={quote(value, safe='')}" for key, value in named.items() if value)
    separator = "" if not added else "&" if urlsplit(settings.url).query else "?"
    try:
        return parse_destination(f"{settings.url}{separator}{added}")
    except UsageError as error:
        raise UsageError(f"[influx] of the target file: {error}") from error


def _credentials(token: str, user: str, password: str) -> Credentials:
    if any(ord(character) < 32 or ord(character) == 127 for character in token + user + password):
        raise UsageError("the database's credentials contain a control character, such as a line end: remove it")
    if bool(user) != bool(password):
        missing = PASSWORD_VARIABLE if user else USER_VARIABLE
        raise UsageError(f"the database's credentials are incomplete: set {missing} too")
    return Credentials(token, user, password)
