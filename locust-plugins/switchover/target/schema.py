"""The check of a target file against `tables/target.toml`. Each error names its place in the file."""

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from switchover.model.errors import TargetError, UsageError
from switchover.model.redaction import public_text
from switchover.model.units import parse_duration_s
from switchover.tables import read_table
from switchover.target.telemetry_sources import SCHEMES, parse_source

_INT64 = range(-(2**63), 2**63)


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML with the rules that Python and Java share. Raises ValueError with one line."""
    try:
        values = tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("the nesting of brackets is too deep") from error
    _refuse_long_integers(values)
    return values


def _refuse_long_integers(value: Any) -> None:
    """Raise ValueError for integers beyond 64 bits (TOML 1.0.0, section Integer)."""
    if isinstance(value, int) and value not in _INT64:
        raise ValueError("a whole number is beyond 64 bits")
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        _refuse_long_integers(inner)


FORMS = tomllib.loads(read_table("target.toml"))
_TYPES: Mapping[str, str] = FORMS.pop("types")
KEEPALIVED: Mapping[str, Any] = FORMS["node"][0]["keepalived"]["table"]


@dataclass(frozen=True, slots=True)
class TargetSchema:
    """The check of one file. `source`: the file's name in messages. `folder`: the base of relative paths."""

    source: str
    folder: Path = Path()

    def check(self, contents: Any, forms: Mapping[str, Any] = FORMS, place: str = "") -> dict[str, Any]:
        """Return the checked table at `place`. A missing key has its default, or None if it has no default. A
        duration is a number of seconds, and its key ends with `_s`."""
        if not isinstance(contents, Mapping):
            raise self._wrong(f"[{place}] must be a table")
        if "*" in forms:
            return {key: self.check(value, forms["*"], f"{place}.{key}") for key, value in contents.items()}
        for key in contents:
            if key not in forms:
                raise self.error(place, key, f"is unknown; known: {', '.join(sorted(forms))}")
        checked: dict[str, Any] = {}
        for key, form in forms.items():
            if isinstance(form, list):
                checked[key] = self._tables(form[0], contents.get(key, []), key)
            else:
                name = f"{key}_s" if form.get("type") == "seconds" else key
                checked[name] = self._checked(form, contents.get(key), place, key)
        return checked

    def error(self, place: str, key: str, what: str) -> TargetError:
        """Return an error. `place`: the table that contains the key; empty: the whole file."""
        return self._wrong(f"[{place}] {key} {what}" if place else f"{key} {what}")

    def locate(self, path: str) -> str:
        """Return the path of a file relative to `folder`."""
        return path if path.startswith("/") else f"{self.folder}/{path}"

    def _wrong(self, what: str) -> TargetError:
        return TargetError(f"{self.source}: {what}")

    def _tables(self, forms: Mapping[str, Any], value: Any, key: str) -> list[dict[str, Any]]:
        """Check the array of tables `[[key]]`. Messages contain the name of the entry, or its number if the entry has
        no name."""
        if not isinstance(value, list):
            raise self.error("", key, f"must be an array of tables: write [[{key}]]")
        names = [entry.get("name") if isinstance(entry, Mapping) else None for entry in value]
        places = [name if isinstance(name, str) and name else number for number, name in enumerate(names, start=1)]
        return [self.check(entry, forms, f"{key} {place}") for entry, place in zip(value, places, strict=True)]

    def _checked(self, form: Mapping[str, Any], value: Any, place: str, key: str) -> Any:
        inner = form if "type" not in form else form.get("table") if isinstance(value, Mapping) else None
        if inner is not None:
            return None if value is None else self.check(value, inner, f"{place}.{key}".lstrip("."))
        needed = _TYPES[form["type"]].format(**{**form, "of": ", ".join(form.get("of", ()))})
        if value is None or value == "":
            if form.get("required"):
                raise self.error(place, key, f"is missing: it must be {needed}")
            if value is None or ("default" in form and form["type"] != "header"):
                return form.get("default")
        converted = self._converted(form, value)
        if converted is None:
            raise self.error(place, key, f"must be {needed}, not {_shown(value, form['type'] != 'list')}")
        return converted

    def _converted(self, form: Mapping[str, Any], value: Any) -> Any:
        """Return the value as the reader uses it. None: the value has a wrong type."""
        match form["type"]:
            case "text" | "header":
                return value if isinstance(value, str) else None
            case "path":
                return self.locate(value) if isinstance(value, str) and value and "\0" not in value else None
            case "log":
                is_path = isinstance(value, str) and "/" in value and value.partition(":")[0] not in SCHEMES
                return self.locate(value) if is_path else self._list(value)
            case "clock":
                return value if value == "shared" else self._list(value)
            case "flag":
                return value if isinstance(value, bool) else None
            case "texts":
                return value if _holds(value, lambda one: isinstance(one, str)) else None
            case "numbers":
                return value if _holds(value, lambda one: _is_number(one) and one > 0) else None
            case "list":
                return self._list(value)
            case "whole":
                is_whole = isinstance(value, int) and not isinstance(value, bool)
                return value if is_whole and form["low"] <= value <= form["high"] else None
            case "choice":
                return value if value in form["of"] else None
            case "seconds":
                seconds = _seconds(value)
                return seconds or (None if seconds is None else form.get("default", 0.0))
            case "source":
                return self._source(form["of"], value)
        return self._sources(form["of"], value)

    def _list(self, value: Any) -> tuple[str, ...] | None:
        """Return an argument list. execvp(3) searches PATH for a program without a slash."""
        if not isinstance(value, list) or not value or not all(isinstance(word, str) and word for word in value):
            return None
        return (self.locate(value[0]) if "/" in value[0] else value[0], *value[1:])

    def _source(self, examples: Sequence[str], value: Any) -> Any:
        if not isinstance(value, str):
            return self._list(value)
        scheme, _, rest = value.partition(":")
        if scheme not in (example.partition(":")[0] for example in examples) or parse_source(value) is None:
            return None
        return f"{scheme}:{self.locate(rest)}" if scheme in ("unix", "fifo") else value

    def _sources(self, examples: Sequence[str], value: Any) -> list[Any] | None:
        """Return a list of sources, also for a single source. A source is a text or an argument list."""
        entries = value if isinstance(value, list) else [value]
        sources = [self._source(examples, entry) for entry in entries]
        if isinstance(value, list) and not any(isinstance(entry, list) for entry in value) and not any(sources):
            sources = [self._list(value)]
        return None if None in sources else sources


def _holds(value: Any, is_right: Callable[[Any], bool]) -> bool:
    return isinstance(value, Mapping) and all(map(is_right, value.values()))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _seconds(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            return parse_duration_s(value)
        except UsageError:
            return None
    return float(value) if _is_number(value) and value >= 0 else None


def _shown(value: Any, is_public: bool) -> str:
    match value:
        case str():
            return repr(public_text(value)) if is_public else "a text"
        case bool() | int():
            return str(value).lower()
        case float():
            return f"{value:g}"
        case list():
            return "a list"
    return "a table" if isinstance(value, Mapping) else "a date or time"
