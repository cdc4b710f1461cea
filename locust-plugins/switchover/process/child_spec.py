"""The spec of a child process of ours: a dataclass that travels as one line of JSON."""

from typing import Any, ClassVar, Self

import msgspec

from switchover.model.errors import UsageError


class ChildSpec:
    """Base of the dataclasses. No value of a spec is repeated in an error: one may be a secret."""

    __slots__ = ()

    child: ClassVar[str]
    """The name of the process in errors."""

    @property
    def longest_s(self) -> float:
        """How long what is under way may still take when the process is asked to end."""
        return 0.0

    def to_json(self) -> str:
        return msgspec.json.encode(self, enc_hook=str).decode()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The spec that `to_json` wrote; UsageError for anything else."""
        try:
            return msgspec.json.decode(text, type=cls, dec_hook=_convert)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise UsageError(f"no usable spec for the {cls.child}: {error}") from error


def _convert(kind: type[Any], value: Any) -> Any:
    """A value of a type that JSON has not, such as a path."""
    return kind(value)
