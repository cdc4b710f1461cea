"""A keepalived.conf, read for what decides how long a switchover takes."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from switchover.faults.keepalived_syntax import Statement, read_statements
from switchover.model.errors import TargetError
from switchover.model.vrrp import BY_HTTP, BY_PROCESS, BY_UNKNOWN, CheckScript, KeepalivedSettings

N = TypeVar("N", int, float)

_PROCESS_TOOLS = ("pidof", "pgrep", "killall -0", "killall0", "kill -0", "pkill -0", "is-active")
_HTTP_TOOLS = ("curl", "wget", "http", "nc ", "ncat", "/dev/tcp", "socat", "check_tcp")
_BALANCERS = ("haproxy", "nginx")


def read_keepalived_conf(path: Path, instance: str | None = None) -> KeepalivedSettings:
    """The settings of one `vrrp_instance`, by default the first. Raises TargetError, one line with the place."""
    statements = read_statements(path)
    blocks = [statement for statement in statements if statement.keyword == "vrrp_instance"]
    for block in blocks:
        if len(block.words) < 2:
            raise block.error("has no name")
    wanted = [block for block in blocks if instance in (None, block.words[1])]
    if not wanted:
        others = f"; it has: {', '.join(block.words[1] for block in blocks)}" if blocks else ""
        raise TargetError(f"{path}: has no vrrp_instance{f' {instance}' if instance and blocks else ''}{others}")
    return _instance(wanted[0], statements)


def _instance(block: Statement, top: list[Statement]) -> KeepalivedSettings:
    defaults = KeepalivedSettings()
    globals_ = [s for statement in top if statement.keyword == "global_defs" for s in statement.block]
    version = _value(block, "version", _whole(2, 3), _value_of(globals_, "vrrp_version", _whole(2, 3), 2))
    adverts = _value_of(globals_, "vrrp_down_timer_adverts", _whole(1, 100), defaults.down_timer_adverts)
    return KeepalivedSettings(
        priority=_value(block, "priority", _whole(1, 255), defaults.priority),
        advert_int_s=_value(block, "advert_int", _decimal(0.01, 255.0), defaults.advert_int_s),
        version=version,
        preempt=not _has(block, "nopreempt"),
        preempt_delay_s=_value(block, "preempt_delay", _decimal(0.0, 1000.0), defaults.preempt_delay_s),
        down_timer_adverts=_value(block, "down_timer_adverts", _whole(1, 100), adverts),
        unicast=_has(block, "unicast_peer"),
        instance=block.words[1],
        check=_check(block, top),
    )


def _check(instance: Statement, top: list[Statement]) -> CheckScript | None:
    """What the instance tracks: of several, the one that names a balancer, for that is what faults stop."""
    group = _sync_group(instance, top)
    tracked = [
        (line, statement.keyword)
        for holder in (instance, *([group] if group else []))
        for statement in holder.block
        if statement.keyword in ("track_script", "track_process")
        for line in statement.block
    ]
    found = []
    for line, keyword in tracked:
        kind = "vrrp_script" if keyword == "track_script" else "vrrp_track_process"
        definition = _definition(top, kind, line.keyword)
        if definition is None:
            raise line.error(f"is tracked, but there is no {kind} of that name")
        check = _script(definition) if keyword == "track_script" else _process(definition)
        weight, reverse = _weight(line)
        if reverse or _weight(_statement(definition.block, "weight"))[1]:
            continue  # fails when the balancer lives: says nothing about its death
        check = check if weight is None else replace(check, weight=weight)
        # Keepalived sets the weights of a sync group's members to zero: its nodes move as one.
        found.append((definition, replace(check, weight=0) if group else check))
    for definition, check in found:
        if any(name in _text(definition) for name in _BALANCERS):
            return check
    return found[0][1] if found else None


def _script(definition: Statement) -> CheckScript:
    defaults = CheckScript()
    interval = _value(definition, "interval", _whole(1, 86400), 1)
    return CheckScript(
        interval_s=interval,
        timeout_s=_value(definition, "timeout", _whole(1, 86400), interval),
        fall=_value(definition, "fall", _whole(1, 1000), defaults.fall),
        rise=_value(definition, "rise", _whole(1, 1000), defaults.rise),
        weight=_weight(_statement(definition.block, "weight"))[0] or 0,
        by=_looks_at(_text(definition)),
    )


def _process(definition: Statement) -> CheckScript:
    """`vrrp_track_process` is told by the kernel: no interval, but a delay that the file may ask for."""
    delay = _value(definition, "delay", _decimal(0.0, 3600.0), 0.0)
    delay = _value(definition, "terminate_delay", _decimal(0.0, 3600.0), delay)
    weight = _weight(_statement(definition.block, "weight"))[0] or 0
    return CheckScript(interval_s=math.ceil(delay), timeout_s=math.ceil(delay), weight=weight, by=BY_PROCESS)


def _looks_at(script: str) -> str:
    if any(tool in script for tool in _HTTP_TOOLS):
        return BY_HTTP
    return BY_PROCESS if any(tool in script for tool in _PROCESS_TOOLS) else BY_UNKNOWN


def _sync_group(instance: Statement, top: list[Statement]) -> Statement | None:
    for statement in top:
        if statement.keyword == "vrrp_sync_group":
            members = [line for part in statement.block if part.keyword == "group" for line in part.block]
            if any(instance.words[1] in line.words for line in members):
                return statement
    return None


def _definition(top: list[Statement], kind: str, name: str) -> Statement | None:
    return next((s for s in top if s.keyword == kind and s.words[1:2] == (name,)), None)


def _text(definition: Statement) -> str:
    return " ".join(word for statement in definition.block for word in statement.words)


def _weight(statement: Statement | None) -> tuple[int | None, bool]:
    """`weight -20 [reverse]`, as a statement of its own or behind a tracked name."""
    if statement is None or "weight" not in statement.words:
        return None, False
    position = statement.words.index("weight")
    value = statement.words[position + 1] if len(statement.words) > position + 1 else ""
    return _whole(-253, 253)(statement, value), "reverse" in statement.words


def _has(block: Statement, keyword: str) -> bool:
    return _statement(block.block, keyword) is not None


def _statement(statements: Iterable[Statement], keyword: str) -> Statement | None:
    """The last one wins, as in Keepalived."""
    return next((s for s in reversed(list(statements)) if s.keyword == keyword), None)


def _value(block: Statement, keyword: str, read: Callable[[Statement, str], N], default: N) -> N:
    return _value_of(block.block, keyword, read, default)


def _value_of(statements: Iterable[Statement], keyword: str, read: Callable[[Statement, str], N], default: N) -> N:
    statement = _statement(statements, keyword)
    if statement is None:
        return default
    return read(statement, statement.words[1] if len(statement.words) > 1 else "")


def _whole(low: int, high: int) -> Callable[[Statement, str], int]:
    def read(statement: Statement, text: str) -> int:
        digits = text[1:] if text[:1] in ("-", "+") else text
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 10) or not low <= int(text) <= high:
            raise statement.error(f"must have a whole number from {low} to {high}")
        return int(text)

    return read


def _decimal(low: float, high: float) -> Callable[[Statement, str], float]:
    def read(statement: Statement, text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not low <= number <= high:
            raise statement.error(f"must have a number from {low:g} to {high:g}")
        return number

    return read
