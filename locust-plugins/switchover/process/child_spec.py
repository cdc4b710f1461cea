"""The spec of a process that measures, read from its line of JSON: the prober's, and the held connections's."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from switchover.model.errors import UsageError
from switchover.model.identity import IdentitySettings
from switchover.target.model import Endpoint, StatusRanges

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Spec = TypeVar("Spec", bound="DataclassInstance")


def read_spec(spec: type[Spec], name: str, text: str, readers: Mapping[str, Callable[[Any], Any]]) -> Spec:
    """The record that was written as JSON; UsageError for anything else. `readers`: of the values that JSON has in
    another form, beside the endpoint and the identity."""
    try:
        values = dict(json.loads(text))
        for field, read in {**_SHARED, **readers}.items():
            values[field] = read(values[field])
        return spec(**values)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        known = ", ".join(item.name for item in fields(spec))
        raise UsageError(
            f"the {name} was given no usable spec ({type(error).__name__}: {error}): "
            f"it reads one line of JSON with {known}"
        ) from error


def _read_endpoint(value: Mapping[str, Any]) -> Endpoint:
    values = dict(value)
    ranges, ca = values.pop("expect")["ranges"], values.pop("ca")
    expect = StatusRanges(tuple((int(low), int(high)) for low, high in ranges))
    return Endpoint(**values, expect=expect, ca=Path(ca) if ca else None)


_SHARED: Mapping[str, Callable[[Any], Any]] = {
    "endpoint": _read_endpoint,
    "identity": lambda value: IdentitySettings(**value),
}
