"""Strict reading of TOML tables. Unknown keys and wrong types are errors. Each error message names the place of the
error."""

import difflib
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from switchover.model.errors import TargetError, UsageError
from switchover.model.units import parse_duration_s

T = TypeVar("T")

_INT64 = range(-(2**63), 2**63)


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML as both languages do. Raises ValueError with one line."""
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


class TomlTable:
    """One table of a TOML file. Read its keys, then call `done()`, which raises an error if a key was not read.

    `folder`: the base of relative paths; None: the working directory. `variables`: the names of environment variables
    that the commands get.
    """

    def __init__(
        self, values: Any, place: str, source: str, folder: Path | None = None, variables: tuple[str, ...] = ()
    ) -> None:
        self.place = place
        self.source = source
        self.folder = folder
        self.variables = variables
        if not isinstance(values, Mapping):
            raise self._wrong(f"[{place}] must be a table")
        self._values: Mapping[str, Any] = values
        self._asked: set[str] = set()

    def string(self, key: str, default: str | None = None) -> str | None:
        value = self._get(key)
        if value is None:
            return default
        if not isinstance(value, str):
            raise self.error(key, f"must be a string, not a {type(value).__name__}")
        return value

    def required(self, key: str) -> str:
        value = self.string(key)
        if not value:
            raise self.error(key, "is missing: it must be a non-empty string")
        return value

    def choice(self, key: str, choices: Sequence[str], default: str | None = None) -> str:
        value = self.string(key, default)
        if value is None or value not in choices:
            raise self.error(key, f"must be one of {', '.join(choices)}, not {value!r}")
        return value

    def boolean(self, key: str, default: bool) -> bool:
        value = self._get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(key, f"must be true or false, not {value!r}")
        return value

    def integer(self, key: str, default: int, *, low: int, high: int) -> int:
        value = self._get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.error(key, f"must be a whole number from {low} to {high}, not {value!r}")
        return value

    def duration_s(self, key: str, default: float | None = None) -> float | None:
        """Return a duration in seconds. The value is a number of seconds, or text such as "250ms"."""
        value = self._get(key)
        if value is None:
            return default
        if isinstance(value, str):
            try:
                return parse_duration_s(value)
            except UsageError as error:
                raise self.error(key, str(error)) from error
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise self.error(key, f'must be a duration ("250ms", or seconds), not {value!r}')
        return float(value)

    def arguments(self, key: str) -> tuple[str, ...] | None:
        """Return an argument list. Strings are refused, because shell quoting is error-prone."""
        value = self._get(key)
        if value is None:
            return None
        if isinstance(value, str):
            raise self.error(key, 'must be an argument list such as ["systemctl", "stop", "nginx"], not a string')
        if not isinstance(value, list) or not value or not all(isinstance(v, str) and v for v in value):
            raise self.error(key, "must be a non-empty list of non-empty strings")
        program, *arguments = value
        # execvp(3) searches PATH for a name without a slash.
        return (self.locate(program) if "/" in program else program, *arguments)

    def locate(self, path: str) -> str:
        """Return the path of a file relative to `folder`. An absolute path is unchanged."""
        return path if self.folder is None or path.startswith("/") else f"{self.folder}/{path}"

    def any(self, key: str) -> Any:
        return self._get(key)

    def strings(self, key: str) -> dict[str, str]:
        value = self._get(key) or {}
        if not isinstance(value, Mapping) or not all(isinstance(v, str) for v in value.values()):
            raise self.error(key, "must be a table of strings")
        return dict(value)

    def numbers(self, key: str) -> dict[str, float]:
        value = self._get(key) or {}
        numbers = value.values() if isinstance(value, Mapping) else [None]
        if not all(isinstance(v, int | float) and not isinstance(v, bool) and v > 0 for v in numbers):
            raise self.error(key, "must be a table of numbers above 0")
        return {str(name): float(number) for name, number in value.items()}

    def table(self, key: str) -> "TomlTable | None":
        value = self._get(key)
        return None if value is None else self._inner(value, f"{self.place}.{key}".lstrip("."))

    def inner_tables(self) -> Iterator[tuple[str, "TomlTable"]]:
        """Yield each key with its inner table, such as `[fault.NAME]`."""
        for key in self._values:
            yield key, self._inner(self._get(key), f"{self.place}.{key}")

    def with_only(self, key: str, value: Any) -> "TomlTable":
        """Return a table that has only this key, and the same place."""
        return self._inner({key: value}, self.place)

    def _inner(self, values: Any, place: str) -> "TomlTable":
        return TomlTable(values, place, self.source, self.folder, self.variables)

    def tables(self, key: str) -> list["TomlTable"]:
        value = self._get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.error(key, f"must be an array of tables: write [[{key}]]")
        return [self._inner(entry, f"{key} {number}") for number, entry in enumerate(value, start=1)]

    def read(self, key: str, reader: Callable[["TomlTable"], T]) -> T | None:
        """Apply a reader to the table at `key`. None: the key is missing."""
        table = self.table(key)
        return None if table is None else table.whole(reader)

    def whole(self, reader: Callable[["TomlTable"], T]) -> T:
        """Apply a reader to this table. Raises an error if the reader does not read all keys."""
        result = reader(self)
        self.done()
        return result

    def done(self) -> None:
        """Raise an error for the first key that was not read."""
        for key in self._values:
            if key not in self._asked:
                near = difflib.get_close_matches(key, self._asked, n=1)
                keys = ", ".join(sorted(self._asked))
                hint = f"; did you mean {near[0]!r}?" if near else f"; known: {keys}"
                raise self.error(key, f"is unknown{hint}")

    def error(self, key: str, what: str) -> TargetError:
        place = f"[{self.place}] {key}" if self.place else key
        return self._wrong(f"{place} {what}")

    def _get(self, key: str) -> Any:
        self._asked.add(key)
        return self._values.get(key)

    def _wrong(self, what: str) -> TargetError:
        return TargetError(f"{self.source}: {what}")
