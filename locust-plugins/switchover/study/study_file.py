"""The study file (TOML): labs, loads, repeats, and published figures."""

import fnmatch
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

from switchover.lab.options import parse_keepalived
from switchover.lab.spec import LabSpec
from switchover.model.errors import UsageError
from switchover.study.claims import parse_expression
from switchover.target.schema import parse_toml

FULL, QUICK, FRACTION = "full", "quick", "fraction"
SHORTENED = (QUICK, FRACTION)
GENERATORS = ("locust", "jmeter", "ab")
KEEPALIVED = "version=3,advert_int=100ms"
"""Keepalived's settings, with short elections, because a study does not measure the failover."""
NAME = re.compile(r"[A-Za-z0-9.-]+")
Made = TypeVar("Made")
TABLES = {*SHORTENED, "study", "lab", "load", "axis", "part", "column", "claim", "published", "equal", "unequal"}


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """The load of a cell. It ends after `seconds`, or after `count` requests."""

    generator: str = "locust"
    users: int = 10
    seconds: float = 0.0
    count: int = 0
    time_alone: bool = False
    """True: ab gets a time but no number of requests, so it ends after at most 50,000 requests."""
    ramp_up_s: float = 0.0
    rate: float = 0.0
    """Visitors per second on a schedule, which do not wait for each other. 0: users that wait for their responses."""
    method: str = "GET"
    expect: str = ""
    """The required status of each response. Empty: any status."""
    keep_alive: bool = True
    addresses: tuple[str, ...] = ()
    """The source addresses, which the requests use in turn. Empty: the address of the client."""
    per_redirect: int = 0
    """With a `rate` and the redirector: how many requests go to the server that a 302 names. 0: all requests go to
    the redirector."""
    keep_cookies: bool = False
    """True: each of the `users` clients keeps the balancer's cookie. Each request comes from a random client. Needs a
    `rate`."""
    cipher: str = ""
    fault: str = ""
    fault_after_s: float = 1.0
    pause_ms: int = 0
    """The pause, in milliseconds, before each request of a JMeter thread."""
    probe_rate: float = 0.0

    def __post_init__(self) -> None:
        numbers = (self.users - 1, self.seconds, self.count, self.rate, self.ramp_up_s)
        is_ab, is_jmeter, is_locust = (self.generator == name for name in ("ab", "jmeter", "locust"))
        wrong = {
            "users, seconds, count, rate and ramp_up_s must be positive": min(numbers) < 0,
            f"no generator {self.generator!r}: choose {', '.join(GENERATORS)}": self.generator not in GENERATORS,
            "a fault needs generator locust or jmeter: ab does not report its start": self.fault and is_ab,
            "set seconds, or count for ab and jmeter: the load must end by itself": not is_jmeter
            and not self.seconds
            and not (is_ab and self.count),
            "jmeter needs a count that is a multiple of its users": is_jmeter
            and (not self.count or self.count % (self.users or 1)),
            "time_alone needs generator ab and seconds": self.time_alone and not (is_ab and self.seconds),
            "pause_ms needs generator jmeter": self.pause_ms and not is_jmeter,
            "rate needs generator locust": self.rate and not is_locust,
            "keep_cookies and per_redirect need a rate": (self.keep_cookies or self.per_redirect) and not self.rate,
        }
        for text, is_wrong in wrong.items():
            if is_wrong:
                raise UsageError(f"load: {text}")

    @property
    def expected_s(self) -> float:
        """The expected duration. A load that ends after a number of requests may take much longer."""
        return self.seconds + self.ramp_up_s


@dataclass(frozen=True, slots=True)
class StudyForm:
    """A shorter form of a study, described by its differences from the full study."""

    name: str = FULL
    says: str = ""
    repeats: int | None = None
    load: Mapping[str, Any] = field(default_factory=dict)
    ab: Mapping[str, Any] = field(default_factory=dict)
    """Changes for the cells of ab. A count is changed only if the load has a count, and a time only if it has a
    time."""
    seconds_share: float = 1.0
    """The factor by which the duration of each load is multiplied."""
    keep: tuple[str, ...] = ("*",)
    """The patterns for the names of the cells that the form runs."""
    skip: tuple[str, ...] = ()

    def shorten(self, load: dict[str, Any]) -> dict[str, Any]:
        shortened = {**load, **self.load}
        if load.get("generator") == "ab":
            lengths = {"count", "seconds"} - load.keys()
            shortened |= {key: value for key, value in self.ab.items() if key not in lengths}
        if self.seconds_share != 1 and "seconds" in shortened:
            shortened["seconds"] = round(self.seconds_share * shortened["seconds"], 3)
        return shortened

    def keeps(self, cell: str) -> bool:
        is_selected = any(fnmatch.fnmatchcase(cell, pattern) for pattern in self.keep)
        return is_selected and not any(fnmatch.fnmatchcase(cell, pattern) for pattern in self.skip)


@dataclass(frozen=True, slots=True)
class StudyCell:
    name: str
    lab: LabSpec
    load: LoadSettings
    expect: Mapping[str, float]
    """The figures that theory predicts."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table: a measured figure, and the key of the published figure beside it."""

    figure: str
    title: str
    published: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the publication, with an expression over cells, or the reason why the study cannot test it."""

    name: str
    text: str
    holds: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Study:
    name: str
    title: str
    source: str
    question: str
    cells: tuple[StudyCell, ...]
    repeats: int
    seed: int
    columns: tuple[Column, ...]
    claims: tuple[Claim, ...]
    published: Mapping[str, Mapping[str, float]]
    notes: tuple[str, ...] = ()
    objections: tuple[str, ...] = ()
    """Objections that the authors of the publication may have to the comparison."""
    equal: Mapping[str, str] = field(default_factory=dict)
    """The settings that are equal in the publication and in the lab; the key is the name."""
    unequal: Mapping[str, str] = field(default_factory=dict)
    """The settings that differ between the publication and the lab."""
    form: StudyForm = field(default_factory=StudyForm)
    left_out: frozenset[str] = frozenset()
    """The cells that this form does not run."""

    @property
    def matrix(self) -> dict[str, Any]:
        """The settings that affect the figures and the order of the runs. Other settings may change later."""
        cells = [(cell.name, asdict(cell.lab), asdict(cell.load), dict(cell.expect)) for cell in self.cells]
        digest = hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()
        return {"seed": self.seed, "form": self.form.name, "cells": digest}


def read_study(path: Path, form: str = FULL) -> Study:
    """Read a study file. `form`: the table with a shorter form. Raises UsageError with the first problem."""
    try:
        return _study(parse_toml(path.read_bytes().decode("utf-8")), form)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise UsageError(f"{path}: this is not a valid study file: {error!r}") from error
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def _study(values: dict[str, Any], form_name: str) -> Study:
    if unknown := set(values) - TABLES:
        raise UsageError(f"unknown table [{sorted(unknown)[0]}]: known are {', '.join(sorted(TABLES))}")
    head, form = values["study"], _form(values, form_name)
    parts = values.get("part") or {"": {key: values[key] for key in ("axis",) if key in values}}
    cells: list[StudyCell] = []
    for name, part in parts.items():
        cells += _cells(name, part, values, form)
    more = {
        "cells": cells,
        "repeats": int(head["repeats"] if form.repeats is None else form.repeats),
        "seed": int(head["seed"]),
        "columns": [_make(Column, column) for column in values["column"]],
        "claims": [_make(Claim, claim) for claim in values.get("claim", ())],
        "form": form,
    }
    study = _make(Study, {**head, **more, **{key: values.get(key, {}) for key in ("published", "equal", "unequal")}})
    _check_names(study)
    selected = tuple(cell for cell in cells if form.keeps(cell.name))
    left_out = frozenset(cell.name for cell in cells if not form.keeps(cell.name))
    return replace(study, cells=selected, left_out=left_out)


def _form(values: Mapping[str, Any], name: str) -> StudyForm:
    if name == FULL:
        return StudyForm()
    if name not in values:
        raise UsageError(f"the study file has no table [{name}], which describes this shorter form")
    form = _make(StudyForm, {**values[name], "name": name})
    if not form.says:
        raise UsageError(f"[{name}] lacks `says`: describe what is shortened")
    return form


def _check_names(study: Study) -> None:
    names = {cell.name for cell in study.cells}
    for name in study.published:
        if name not in names:
            raise UsageError(f"[published] names the cell {name!r}, which is not in the matrix")
    for claim in study.claims:
        if bool(claim.holds) == bool(claim.why):
            raise UsageError(
                f"claim {claim.name}: set either the expression or the reason why the study cannot test the claim"
            )
        pairs = parse_expression(claim.holds) if claim.holds else ()
        for _, cell in (figure for pair in pairs for figure in pair.figures):
            if cell not in names:
                raise UsageError(f"claim {claim.name} names the cell {cell!r}, which is not in the matrix")


def _cells(name: str, part: Mapping[str, Any], values: Mapping[str, Any], form: StudyForm) -> list[StudyCell]:
    axes: Mapping[str, Mapping[str, Any]] = part.get("axis", {})
    cells = []
    for choice in itertools.product(*(choices.items() for choices in axes.values())):
        layers = [values, part, *(settings for _, settings in choice)]
        load = form.shorten(_merged(layers, "load"))
        lab = {"keepalived": KEEPALIVED, **_merged(layers, "lab")}
        lab["keepalived"] = parse_keepalived(lab["keepalived"])
        words = [name, *(value for value, _ in choice)]
        for word in words:
            if word and not NAME.fullmatch(word):
                raise UsageError(f"the name {word!r} may contain letters, digits, dots and hyphens only")
        cells.append(
            StudyCell(
                name="/".join(word for word in words if word),
                lab=_make(LabSpec, lab),
                load=read_load(load),
                expect=_merged(layers, "expect"),
            )
        )
    return cells


def _merged(layers: Sequence[Mapping[str, Any]], key: str) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for layer in layers:
        merged |= layer.get(key, {})
    return merged


def read_load(values: dict[str, Any]) -> LoadSettings:
    """Return a load. If `values` contains `rate_share`, multiply `rate` by this factor. Different axes of the matrix
    may set `rate` and `rate_share`."""
    if "rate_share" in values:
        values["rate"] = round(float(values.pop("rate_share")) * float(values["rate"]), 6)
    return _make(LoadSettings, values)


def _make(kind: Callable[..., Made], values: Mapping[str, Any]) -> Made:
    known = signature(kind).parameters
    if unknown := values.keys() - known.keys():
        raise UsageError(f"unknown key {sorted(unknown)[0]!r}: known are {', '.join(sorted(known))}")
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in values.items()})
