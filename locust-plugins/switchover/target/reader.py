"""A strict reader of target files. Each error message is one line, and names the place of the error. Reading opens no
socket and runs no command."""

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import urljoin

from switchover.model.errors import TargetError
from switchover.model.held_kind import HeldKind
from switchover.model.identity import IdentitySettings
from switchover.model.redaction import public_text
from switchover.model.vrrp import CHECK_KINDS, CheckScript, KeepalivedSettings
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import (
    COMMANDS,
    ROLES,
    ChangeRecipe,
    Endpoint,
    FaultRecipe,
    InfluxSettings,
    Node,
    StatusRanges,
    Target,
)
from switchover.target.telemetry_sources import (
    Command,
    Fifo,
    HttpPage,
    LogFile,
    TcpSocket,
    UnixSocket,
    read_source,
    split_url,
)
from switchover.target.toml_table import TomlTable, parse_toml

Recipe = TypeVar("Recipe", bound=FaultRecipe)

_STATUS_RANGE = re.compile(r" *([0-9]{3})(?:-([0-9]{3}))? *")


def load_target(path: Path) -> Target:
    """Read and check a target file. Raises TargetError with the place."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise TargetError(f"cannot read target file {path}: {reason}") from error
    try:
        values = parse_toml(text)
    except ValueError as error:
        raise TargetError(f"{path}: not valid TOML: {error}") from error
    return read_target(TomlTable(values, "", str(path), path.absolute().parent), source=path)


def read_target(root: TomlTable, *, source: Path | None = None) -> Target:
    endpoint_table = root.table("target")
    if endpoint_table is None:
        raise root.error("target", "is missing: a target file starts with [target] and its url")
    root.variables = endpoint_table.arguments("environment") or ()
    lab = root.table("lab")
    claim, release = endpoint_table.arguments("claim"), endpoint_table.arguments("release")
    if (claim is None) != (release is None):
        raise endpoint_table.error("claim", "and release belong together: what is claimed must be released")
    target = Target(
        endpoint=_endpoint(endpoint_table),
        identity=root.read("identity", _identity) or IdentitySettings(),
        nodes=tuple(table.whole(_node) for table in root.tables("node")),
        faults=_recipes(root.table("fault"), _fault),
        changes=_recipes(root.table("change"), _change),
        connections=root.read("connections", lambda table: _held(table, endpoint_table.required("url"))) or {},
        influx=root.read("influx", _influx),
        lab=_lab(lab, source),
        claim=claim,
        release=release,
        variables=root.variables,
        source=source,
    )
    root.done()
    names = [node.name for node in target.nodes]
    for name in names:
        if names.count(name) > 1:
            raise root.error("node", f"name {name!r} is used twice: node names must differ")
    return target


def _endpoint(table: TomlTable) -> Endpoint:
    url = table.required("url")
    parts = split_url(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise table.error("url", f"must be http://host[:port]/path or https://…, not {public_text(url)!r}")
    if parts.username is not None:
        raise table.error("url", 'contains a user name: send it as a header instead, Authorization = "env:NAME"')
    try:
        _ = parts.port
    except ValueError as error:
        raise table.error("url", f"has no valid port: {public_text(url)!r}") from error
    ca = table.string("ca")
    endpoint = Endpoint(
        url=url,
        expect=_ranges(table, "expect"),
        host_header=table.string("host_header"),
        sni=table.string("sni"),
        ca=Path(table.locate(ca)) if ca else None,
        insecure=table.boolean("insecure", False),
        timeout_connect_s=table.duration_s("timeout_connect"),
        timeout_read_s=table.duration_s("timeout_read"),
        headers={name: secret(table, "headers", value) for name, value in table.strings("headers").items()},
        dedicated=table.boolean("dedicated", False),
        algorithm=table.string("algorithm"),
        weights=table.numbers("weights"),
    )
    for name, value in {**endpoint.headers, "host_header": endpoint.host_header or ""}.items():
        if any(ord(character) < 32 or ord(character) == 127 for character in name + value):
            raise table.error("headers", f"{name!r} has a control character, which would break the request")
    table.done()
    return endpoint


def _ranges(table: TomlTable, key: str) -> StatusRanges:
    text = table.string(key)
    if text is None:
        return StatusRanges()
    ranges = []
    for part in text.split(","):
        match = _STATUS_RANGE.fullmatch(part)
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 100 <= low <= high <= 599:
            raise table.error(key, f'must be status ranges such as "200-399" or "200,204", not {text!r}')
        ranges.append((low, high))
    return StatusRanges(tuple(ranges))


def _identity(table: TomlTable) -> IdentitySettings:
    defaults = IdentitySettings()
    return IdentitySettings(
        backend_header=table.string("backend_header", defaults.backend_header) or "",
        balancer_header=table.string("balancer_header", defaults.balancer_header) or "",
        upstream_time_header=table.string("upstream_time_header", defaults.upstream_time_header) or "",
        sticky_cookie=table.string("sticky_cookie"),
        aliases=table.strings("aliases"),
    )


def _node(table: TomlTable) -> Node:
    name = table.required("name")
    table.place = f"node {name}"
    clock = table.any("clock")
    return Node(
        name=name,
        role=table.choice("role", ROLES),
        host=table.string("host"),
        haproxy=read_source(table, "haproxy", UnixSocket, TcpSocket, HttpPage, Command),
        nginx=read_source(table, "nginx", HttpPage, Command),
        metrics=read_source(table, "metrics", HttpPage, Command),
        access_log=read_source(table, "access_log", LogFile, Command),
        vip_owner=_sources(table),
        keepalived=_keepalived(table),
        clock=None if clock == "shared" else read_source(table, "clock", Command),
        shared_clock=clock == "shared",
        processes=read_source(table, "processes", Command),
        machine_id=read_source(table, "machine_id", Command),
    )


def _sources(table: TomlTable) -> tuple[Fifo | Command, ...]:
    """Read one source, or a list of sources. The entries of a list of sources are lists or `fifo:` names."""
    value = table.any("vip_owner")
    several = isinstance(value, list) and any(isinstance(v, list) or str(v).startswith("fifo:") for v in value)
    tables = [table.with_only("vip_owner", v) for v in value] if several else [table]
    sources = [read_source(entry, "vip_owner", Fifo, Command) for entry in tables]
    return tuple(source for source in sources if source is not None)


def _keepalived(table: TomlTable) -> Path | KeepalivedSettings | None:
    if isinstance(table.any("keepalived"), str):
        return Path(table.locate(table.required("keepalived")))
    return table.read("keepalived", read_keepalived_settings)


def read_keepalived_settings(table: TomlTable) -> KeepalivedSettings:
    """Read Keepalived's settings from a table that uses Keepalived's names. The key `check` has an inner table."""
    defaults = KeepalivedSettings()
    return KeepalivedSettings(
        priority=table.integer("priority", defaults.priority, low=1, high=255),
        advert_int_s=table.duration_s("advert_int", defaults.advert_int_s) or defaults.advert_int_s,
        version=table.integer("version", defaults.version, low=2, high=3),
        preempt=table.boolean("preempt", defaults.preempt),
        preempt_delay_s=table.duration_s("preempt_delay", defaults.preempt_delay_s) or 0.0,
        down_timer_adverts=table.integer("down_timer_adverts", defaults.down_timer_adverts, low=1, high=100),
        unicast=table.boolean("unicast", defaults.unicast),
        instance=table.string("instance", defaults.instance) or defaults.instance,
        check=table.read("check", _check),
    )


def _check(table: TomlTable) -> CheckScript:
    defaults = CheckScript()
    interval = table.duration_s("interval", defaults.interval_s) or defaults.interval_s
    return CheckScript(
        interval_s=interval,
        timeout_s=table.duration_s("timeout", interval) or interval,
        fall=table.integer("fall", defaults.fall, low=1, high=1000),
        rise=table.integer("rise", defaults.rise, low=1, high=1000),
        weight=table.integer("weight", defaults.weight, low=-253, high=253),
        by=table.choice("by", CHECK_KINDS, defaults.by),
    )


def _recipes(table: TomlTable | None, read: Callable[[str, TomlTable], Recipe]) -> dict[str, Recipe]:
    return {name: entry.whole(partial(read, name)) for name, entry in table.inner_tables()} if table else {}


def _fault(name: str, table: TomlTable) -> FaultRecipe:
    kill = table.arguments("kill")
    if kill is None:
        raise table.error("kill", 'is missing: the command that fires it, such as ["ssh", "{master}", …]')
    commands = {key: table.arguments(key) for key in COMMANDS if key != "kill"}
    window = table.read("predict", lambda predict: (predict.duration_s("low"), predict.duration_s("high")))
    low, high = window or (0.0, 0.0)
    if low is None or high is None or low > high:
        raise table.error("predict", "must be {low = …, high = …} with low <= high, in seconds")
    predict_s = (low, high) if window else None
    return FaultRecipe(name=name, kill=kill, variables=table.variables, predict_s=predict_s, **commands)


def _change(name: str, table: TomlTable) -> ChangeRecipe:
    """Read the recipe of a change."""
    do = table.arguments("do")
    if do is None:
        raise table.error("do", 'is missing: the command that makes it, such as ["ssh", "{master}", …]')
    undo, verify, ready = (table.arguments(key) for key in ("undo", "verify", "ready"))
    return ChangeRecipe(name, do, undo, verify, ready=ready, variables=table.variables)


def _held(table: TomlTable, url: str) -> dict[HeldKind, str]:
    """Read the URL of each kind of held connection. If a URL starts with a slash, the target's host is added."""
    urls: dict[HeldKind, str] = {}
    for kind in HeldKind:
        text = table.string(kind.value)
        if text is None:
            continue
        whole = urljoin(url, text) if text.startswith("/") and not text.startswith("//") else text
        parts = split_url(whole)
        schemes = ("tcp",) if kind is HeldKind.TCP else ("http", "https")
        if parts is None or parts.scheme not in schemes or not parts.hostname:
            form = "tcp://host:port" if kind is HeldKind.TCP else "/path, http://host:port/path or https://…"
            raise table.error(kind.value, f"must be {form}, not {public_text(text)!r}")
        urls[kind] = whole
    return urls


def _influx(table: TomlTable) -> InfluxSettings:
    names = {key: table.string(key) for key in ("org", "bucket", "db", "user")}
    secrets = {key: secret(table, key, value) for key in ("token", "password") if (value := table.string(key))}
    return InfluxSettings(url=table.required("url"), **names, **secrets)


def _lab(table: TomlTable | None, source: Path | None) -> Path | None:
    """Return the lab's directory if a running lab wrote this file. None: the file describes a real target."""
    if table is None:
        return None
    directory = Path(table.locate(table.required("directory")))
    table.done()
    return directory if source is not None and LabDirectory(directory).is_ours(source) else None


def secret(table: TomlTable, key: str, value: str) -> str:
    """Return a secret. `env:NAME`: the value of an environment variable. `file:PATH`: the first line of a file."""
    if value.startswith("env:"):
        text = os.environ.get(value[4:])
        if text is None:
            raise table.error(key, f"needs the environment variable {value[4:]}, which is not set")
        return text
    if value.startswith("file:"):
        try:
            return Path(table.locate(value[5:])).read_text(encoding="utf-8").splitlines()[0]
        except (OSError, UnicodeDecodeError, IndexError) as error:
            raise table.error(key, f"cannot be read from {value[5:]}") from error
    return value
