"""The JSON Schema of verdict.json, generated from the records."""

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from switchover.verdict import record
from switchover.verdict.record import SCHEMA, Verdict


def verdict_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12): the schema describes each field and allows no other fields."""
    _, definitions = msgspec.json.schema_components([Verdict], ref_template="#/$defs/{name}")
    for definition in definitions.values():
        definition["description"] = " ".join(definition["description"].split())
    for name, texts in _field_texts().items():
        definition = definitions.get(name, {})
        if "properties" not in definition:
            continue
        names = {
            struct_field.encode_name: struct_field.name
            for struct_field in msgspec.structs.fields(getattr(record, name))
        }
        for field_name, described in definition["properties"].items():
            described["description"] = texts[names[field_name]]
        definition["additionalProperties"] = False
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:switchover:verdict:{SCHEMA}",
        **definitions.pop("Verdict"),
        "title": f"verdict.json of Switchover, schema {SCHEMA}",
        "$defs": definitions,
    }


def _field_texts() -> Mapping[str, Mapping[str, str]]:
    """Read the docstring of each field of each record, including inherited fields."""
    texts_by_record: dict[str, dict[str, str]] = {}
    for node in ast.parse(Path(record.__file__).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            texts = dict(texts_by_record.get(ast.unparse(node.bases[0]), {}))
            for item, below in zip(node.body, node.body[1:], strict=False):
                if isinstance(item, ast.AnnAssign) and isinstance(below, ast.Expr):
                    texts[ast.unparse(item.target)] = " ".join(str(ast.literal_eval(below.value)).split())
            texts_by_record[node.name] = texts
    return texts_by_record
