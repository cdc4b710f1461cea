"""Prepare a fault: find its commands, the nodes that it affects, and its predicted outage. No fault is fired here."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from switchover.drill.options import DrillSettings
from switchover.faults.catalogue import fault_named, require_deadman
from switchover.faults.mechanism import Mechanism, PreparedFault
from switchover.faults.preflight.nodes import require_sound_target
from switchover.faults.recorded_prediction import predict_both, with_windows
from switchover.model.errors import FaultError, UsageError
from switchover.predict.nodes import read_node
from switchover.predict.prediction import Prediction
from switchover.rundir.run_directory import FaultRun
from switchover.target.model import FaultRecipe, Target
from switchover.telemetry.master import find_master, master_during
from switchover.verdict.limit import parse_limit
from switchover.verdict.record import LimitName

_NAME = re.compile(r"\{([A-Za-z_]\w*)\}")
_ALGORITHM = re.compile(
    r"(roundrobin|round_robin|static-rr|leastconn|least_conn|first|source|ip_hash|uri|url_param|hdr|hash|random"
    r"|rdp-cookie|log-hash|log-sticky)([( ].*)?"
)
"""Matches the algorithms of HAProxy's `balance` (configuration manual, section 4.2) and of Nginx."""


def find_known_problems(target: Target, limits: Sequence[str]) -> Iterator[str]:
    algorithm = target.endpoint.algorithm
    if algorithm is not None and _ALGORITHM.fullmatch(algorithm) is None:
        yield f"[target] algorithm = {algorithm!r} is not an algorithm of HAProxy: roundrobin, leastconn, source, …"
    for recipe in (*target.faults.values(), *target.changes.values()):
        yield from islice(_misspelt_names(recipe), 1)
    for limit in map(parse_limit, limits):
        if limit.name is LimitName.SPLIT_BRAIN:
            unconfirmed = [node.name for node in target.balancers if not node.vip_owner]
            if unconfirmed or not target.balancers:
                blind = " and ".join(unconfirmed) or "the target's balancers"
                yield f"limit {limit}: {blind} have no ownership source: add vip_owner to each [[node]]"
        elif limit.name is LimitName.UNACCOUNTED and not target.endpoint.dedicated:
            yield (
                f"limit {limit}: other clients may use this target, so requests stay unaccounted: set dedicated = "
                "true in [target] if there are no other clients, or omit the limit"
            )


def refuse_known_problems(target: Target, limits: Sequence[str]) -> None:
    for problem in find_known_problems(target, limits):
        raise UsageError(problem)


def _misspelt_names(recipe: FaultRecipe) -> Iterator[str]:
    for name in _NAME.findall(" ".join(chain.from_iterable(recipe.commands.values()))):
        near = difflib.get_close_matches(name.lower(), ("master", "backup"), n=1, cutoff=0.7)
        if near and name not in ("master", "backup"):
            yield f"{recipe.table} has {{{name}}} in a command: did you mean {{{near[0]}}}?"


_WORD = re.compile(r"[\w.:-]+", re.ASCII)
"""Matches a name or an address inside a command's argument; the argument may be a shell script or `root@web1`."""
_NAME_BEFORE_PORT = re.compile(r"([^:]+):\d*", re.ASCII)
"""Matches a name before a colon and an optional port, but no IPv6 address."""


def meant_recipe(target: Target, table: str, name: str, settings: DrillSettings) -> FaultRecipe:
    """Return the recipe of a fault or change. Raises FaultError if the recipe is missing or not armed."""
    recipes: Mapping[str, FaultRecipe] = target.faults if table == "fault" else target.changes
    recipe = recipes.get(name)
    if recipe is None:
        if target.source is None:
            raise FaultError(f"{name} does not fire: a target file must define the commands of this fault")
        known = ", ".join(sorted(recipes)) or "none"
        raise FaultError(f"{target.source} has no [{table}.{name}]; it has: {known}")
    if not _is_armed(target, settings):
        where, option = target.endpoint.public_url, settings.typed("arm")
        raise FaultError(f"{name} is not armed: it would act on {where} for real; add {option} to confirm it")
    return recipe


def _is_armed(target: Target, settings: DrillSettings) -> bool:
    return settings.arm or settings.dry_run or target.lab is not None


def prepare_fault(
    target: Target,
    name: str,
    settings: DrillSettings,
    owners: Mapping[str, bool | None] | None = None,
    *,
    table: str = "fault",
) -> PreparedFault:
    """Prepare a fault or a change. Raises FaultError if the fault or change is refused. `owners`: the owners of the
    address, according to the sources of a running drill. None: no drill runs yet."""
    recipe = meant_recipe(target, table, name, settings)
    if target.lab is None:
        require_deadman(recipe)
    require_sound_target(target, recipe, settings)
    master = find_master(target) if owners is None else master_during(target, owners)
    if master.name is None and _needs_names(recipe):
        raise FaultError(f"{recipe.name} does not fire: the master is ambiguous ({master.reason})")
    backup = target.backup_of(master.name)
    if backup is None and recipe.mentions("{backup}"):
        raise FaultError(f"{recipe.name} needs one backup, but the target's balancers are not a pair")
    fault = fault_named(recipe.name)
    vip_host = target.endpoint.host
    master_keepalived = read_node(target.node(master.name), vip_host)
    switchover, failback = predict_both(fault, master_keepalived, read_node(backup, vip_host))
    if recipe.predict_s is not None:
        low, high = recipe.predict_s
        switchover = Prediction(low_s=low, high_s=high, reason="according to the target file", uniform=False)
    description = FaultRun(
        name=recipe.name,
        kind=fault.kind,
        master=master.name,
        backup=backup.name if backup else None,
        victim=find_victim(target, fault, recipe) or (master.name if fault.kind == "master" else None),
        master_source=master.source,
        sources=list(fault.sources),
    )
    return PreparedFault(
        recipe,
        description=with_windows(description, switchover, failback),
        switchover=switchover,
        failback=failback,
        armed=_is_armed(target, settings),
        advert_int_s=master_keepalived.settings.advert_int_s if master_keepalived.settings else 1.0,
        allow_last_one=settings.allow_no_backup,
        last_one_option=settings.typed("allow-no-backup"),
    )


def find_victim(target: Target, fault: Mechanism, recipe: FaultRecipe) -> str | None:
    """Return the backend that a backend fault hits: the only backend whose name or host is in the kill command."""
    if fault.kind != "backend" or target.lab is not None:
        return fault.victim
    statuses = {status for argument in recipe.kill for status in _WORD.findall(argument)}
    statuses |= {match[1] for match in map(_NAME_BEFORE_PORT.fullmatch, statuses) if match}
    named = [node.name for node in target.backends if not statuses.isdisjoint({node.name, node.host})]
    return named[0] if len(named) == 1 else fault.victim


def refuse_another_master(target: Target, prepared: PreparedFault, owners: Mapping[str, bool | None]) -> None:
    """Raise FaultError if the master has changed since the fault was prepared. A dedicated target is not checked if
    the owner of the address is unknown: the responses of the baseline identify the master."""
    prepared_master = prepared.description.master
    if prepared_master is None or (prepared.description.kind != "master" and not _needs_names(prepared.recipe)):
        return
    if target.endpoint.dedicated and not any(owners.values()):
        return
    current = master_during(target, owners)
    if current.name != prepared_master:
        now = f"{current.name} is the master now" if current.name else "no master is known now"
        name = prepared.recipe.name
        raise FaultError(
            f"{name} does not fire: {prepared_master} was the master at the preflight, but {now} ({current.reason})"
        )


def _needs_names(recipe: FaultRecipe) -> bool:
    return recipe.mentions("{master}") or recipe.mentions("{backup}")
