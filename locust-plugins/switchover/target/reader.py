"""A strict reader of target files. Each error is one line with its place in the file. Reading runs no command."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from switchover.model.errors import TargetError
from switchover.model.held_kind import HeldKind
from switchover.model.identity import IdentitySettings
from switchover.model.redaction import public_text
from switchover.model.vrrp import CheckScript, KeepalivedSettings
from switchover.target.lab_directory import LabDirectory
from switchover.target.model import ChangeRecipe, Endpoint, FaultRecipe, InfluxSettings, Node, StatusRanges, Target
from switchover.target.schema import TargetSchema, parse_toml
from switchover.target.telemetry_sources import Command, LogFile, parse_source, split_url

_STATUS_RANGE = re.compile(r" *([0-9]{3})(?:-([0-9]{3}))? *")


def load_target(path: Path) -> Target:
    """Read and check a target file. Raises TargetError with the place in the file."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise TargetError(f"cannot read target file {path}: {reason}") from error
    try:
        values = parse_toml(text)
    except ValueError as error:
        raise TargetError(f"{path}: not valid TOML: {error}") from error
    schema = TargetSchema(str(path), path.absolute().parent)
    root = schema.check({"identity": {}, **values})
    if root["target"] is None:
        raise schema.error("", "target", "is missing: a target file starts with [target] and its url")
    target = _Reader(schema, root["target"]["environment"] or ()).target(root, path)
    names = [node.name for node in target.nodes]
    for name in names:
        if names.count(name) > 1:
            raise schema.error("", "node", f"name {name!r} is used twice: node names must differ")
    return target


def keepalived_settings(checked: Mapping[str, Any]) -> KeepalivedSettings:
    """Return Keepalived's settings. The timeout of a check is its interval by default."""
    check = checked["check"]
    if check is not None:
        check = CheckScript(**{**check, "timeout_s": check["timeout_s"] or check["interval_s"]})
    return KeepalivedSettings(**{**checked, "check": check})


def _given(table: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (table or {}).items() if value is not None}


@dataclass(frozen=True, slots=True)
class _Reader:
    """Makes the records from the checked contents. `variables`: the environment variables of the commands."""

    schema: TargetSchema
    variables: tuple[str, ...]

    def target(self, root: Mapping[str, Any], path: Path) -> Target:
        table = root["target"]
        claim, release = table["claim"], table["release"]
        if (claim is None) != (release is None):
            raise self._error("claim", "and release belong together: set both or neither")
        directory = root["lab"] and Path(root["lab"]["directory"])
        changes = {
            name: ChangeRecipe(
                name, one["do"], one["undo"], one["verify"], ready=one["ready"], variables=self.variables
            )
            for name, one in (root["change"] or {}).items()
        }
        return Target(
            endpoint=self._endpoint(table),
            identity=IdentitySettings(**_given(root["identity"])),
            nodes=tuple(self._node(node) for node in root["node"]),
            faults={name: self._fault(name, fault) for name, fault in (root["fault"] or {}).items()},
            changes=changes,
            connections=self._connections(_given(root["connections"]), table["url"]),
            influx=root["influx"] and self._influx(root["influx"]),
            lab=directory if directory and LabDirectory(directory).is_ours(path) else None,
            claim=claim,
            release=release,
            variables=self.variables,
            source=path,
        )

    def _error(self, key: str, what: str) -> TargetError:
        return self.schema.error("target", key, what)

    def _endpoint(self, table: Mapping[str, Any]) -> Endpoint:
        url = table["url"]
        parts = split_url(url)
        if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
            raise self._error("url", f"must be http://host[:port]/path or https://…, not {public_text(url)!r}")
        if parts.username is not None:
            raise self._error("url", 'contains a user name: send a header instead, Authorization = "env:NAME"')
        try:
            _ = parts.port
        except ValueError as error:
            raise self._error("url", f"has no valid port: {public_text(url)!r}") from error
        headers = {name: self._secret("target", "headers", value) for name, value in (table["headers"] or {}).items()}
        for name, value in {**headers, "host_header": table["host_header"] or ""}.items():
            if any(ord(character) < 32 or ord(character) == 127 for character in name + value):
                raise self._error("headers", f"{name!r} has a control character, which would break the request")
        settings = {key: table[key] for key in table if key not in ("claim", "release", "environment")}
        settings |= {"expect": self._ranges(table["expect"]), "headers": headers}
        settings |= {"ca": Path(table["ca"]) if table["ca"] else None, "weights": table["weights"] or {}}
        return Endpoint(**settings)

    def _ranges(self, text: str) -> StatusRanges:
        ranges = []
        for part in text.split(","):
            match = _STATUS_RANGE.fullmatch(part)
            low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
            if not 100 <= low <= high <= 599:
                raise self._error("expect", f'must be status ranges such as "200-399" or "200,204", not {text!r}')
            ranges.append((low, high))
        return StatusRanges(tuple(ranges))

    def _node(self, table: Mapping[str, Any]) -> Node:
        sources = ("haproxy", "nginx", "metrics", "clock", "processes", "machine_id")
        settings = {**table, **{key: self._source(table[key]) for key in sources}}
        settings |= {
            "shared_clock": table["clock"] == "shared",
            "vip_owner": tuple(map(self._source, table["vip_owner"] or ())),
        }
        log, keepalived = table["access_log"], table["keepalived"]
        settings["access_log"] = LogFile(log) if isinstance(log, str) else self._source(log)
        if keepalived is not None:
            is_copy = isinstance(keepalived, str)
            settings["keepalived"] = Path(keepalived) if is_copy else keepalived_settings(keepalived)
        return Node(**settings)

    def _source(self, value: Any) -> Any:
        return Command(value, self.variables) if isinstance(value, tuple) else value and parse_source(value)

    def _fault(self, name: str, table: Mapping[str, Any]) -> FaultRecipe:
        predict = table["predict"]
        if predict is not None and predict["low_s"] > predict["high_s"]:
            what = "must be {low = …, high = …} with low <= high, in seconds"
            raise self.schema.error(f"fault.{name}", "predict", what)
        window = predict and (predict["low_s"], predict["high_s"])
        commands = {key: value for key, value in table.items() if key != "predict"}
        return FaultRecipe(name=name, variables=self.variables, predict_s=window, **commands)

    def _connections(self, texts: Mapping[str, str], url: str) -> dict[HeldKind, str]:
        urls: dict[HeldKind, str] = {}
        for kind, text in ((HeldKind(key), text) for key, text in texts.items()):
            whole = urljoin(url, text) if text.startswith("/") and not text.startswith("//") else text
            parts = split_url(whole)
            schemes = ("tcp",) if kind is HeldKind.TCP else ("http", "https")
            if parts is None or parts.scheme not in schemes or not parts.hostname:
                form = "tcp://host:port" if kind is HeldKind.TCP else "/path, http://host:port/path or https://…"
                raise self.schema.error("connections", kind.value, f"must be {form}, not {public_text(text)!r}")
            urls[kind] = whole
        return urls

    def _influx(self, table: Mapping[str, Any]) -> InfluxSettings:
        secrets = {key: self._secret("influx", key, table[key]) for key in ("token", "password") if table[key]}
        return InfluxSettings(**{**table, "token": None, "password": None, **secrets})

    def _secret(self, place: str, key: str, value: str) -> str:
        """Return a secret. `env:NAME` is an environment variable. `file:PATH` is the first line of a file."""
        if value.startswith("env:"):
            text = os.environ.get(value[4:])
            if text is None:
                raise self.schema.error(place, key, f"needs the environment variable {value[4:]}, which is not set")
            return text
        if value.startswith("file:"):
            try:
                return Path(self.schema.locate(value[5:])).read_text(encoding="utf-8").splitlines()[0]
            except (OSError, UnicodeDecodeError, IndexError) as error:
                raise self.schema.error(place, key, f"cannot be read from {value[5:]}") from error
        return value
