"""The body of a request, from whatever a test gives."""

import json as json_format
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from urllib3.filepost import encode_multipart_formdata

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"


def encode_entity(data: Any, json: Any, files: Any) -> tuple[bytes | None, str | None]:
    """The bytes and their type; None where there is no body, or nobody knows its type. TypeError, ValueError."""
    if files:
        return _multipart(data, files)
    if data is None or data == "" or data == b"":
        if json is None:
            return (None, None) if data is None else (b"", None)
        return json_format.dumps(json, allow_nan=False).encode(), JSON
    if isinstance(data, bytes | bytearray):
        return bytes(data), None
    if isinstance(data, str):
        return data.encode(), None
    if isinstance(data, Mapping | list | tuple):
        return urlencode(_pairs(data), doseq=True).encode(), FORM
    if hasattr(data, "read"):
        content = data.read()
        return content.encode() if isinstance(content, str) else bytes(content), None
    raise TypeError(f"data is {type(data).__name__}: give bytes, str, a file, a dict or a list of pairs")


def _pairs(data: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    pairs = data.items() if isinstance(data, Mapping) else data
    return [(key, value) for key, value in pairs if value is not None]


def _multipart(data: Any, files: Any) -> tuple[bytes, str]:
    """`files` as requests has it: name to content, or to (file name, content[, type])."""
    if data is not None and not isinstance(data, Mapping | list | tuple):
        raise TypeError("data beside files is a dict or a list of pairs")
    fields: list[tuple[str, Any]] = []
    for key, value in _pairs(data or {}):
        values = value if isinstance(value, list | tuple) else (value,)
        fields += [(str(key), single if isinstance(single, bytes | str) else str(single)) for single in values]
    for key, value in files.items() if isinstance(files, Mapping) else files:
        name, content, *kind = value if isinstance(value, list | tuple) else (_file_name(value, key), value)
        content = content.read() if hasattr(content, "read") else content
        fields.append((str(key), (name, content, *kind[:1])))
    return encode_multipart_formdata(fields)


def _file_name(content: Any, otherwise: str) -> str:
    name = getattr(content, "name", None)
    return name.rpartition("/")[2] if isinstance(name, str) and not name.startswith("<") else otherwise
