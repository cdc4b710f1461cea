"""Why a mutant may live. It imports nothing that is mutated: what tries the mutants reads it before they are made."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

REASONS = Path(__file__).with_name("survivors.toml")


def read_reasons() -> Mapping[str, str]:
    """By mutant, why no test can notice it or none is to."""
    groups = tomllib.loads(REASONS.read_text(encoding="utf-8")).get("group", ())
    return {name: group["why"] for group in groups for name in group["mutants"]}
