"""Compare the counts of the client with the counts of balancers and backends (docs/measurement.md)."""

from collections import Counter
from collections.abc import Mapping

from msgspec.structs import replace

from switchover.evidence.generations import generations_of
from switchover.evidence.nodes import nodes_with
from switchover.evidence.requests.table import Requests, concatenate
from switchover.evidence.run_data import RunData
from switchover.figures.accounting.generation_ledger import TAIL, generation_lines
from switchover.figures.accounting.ledger import BY_BACKEND, add_up
from switchover.figures.accounting.log_ledger import access_log_lines, paths_asked
from switchover.figures.accounting.own_records import own_lines
from switchover.rundir.run_directory import Run
from switchover.verdict.record import Accounting, Line

NOT_OURS = "traffic of other clients"


def account(data: RunData) -> Accounting:
    run, load = data.run, data.loads
    lines = own_lines(data.probes, load, run.generator)
    # Probes and load are counted together, because they share the counters of the balancers.
    requests, generations = concatenate(data.probes, load), generations_of(data.points, run.plan.start_us or 0)
    # HAProxy counts an open request only when the HAProxy process ends, so only the backends' logs are complete.
    is_scraped = not run.keeps_connections
    for node_generations in generations.values() if is_scraped else []:
        lines += generation_lines(run, requests, node_generations)
    access, unnamed = _split_by_name(run, requests, data.access)
    if data.access:
        lines += access_log_lines(run, requests, access, generations, paths_asked(run, load))
    if not run.target.dedicated:
        lines = [_one_sided(line) for line in lines]
    uncounted = [node for node in nodes_with(run, "haproxy") if not generations.get(node) and is_scraped]
    return add_up(run.target.dedicated, lines, [*uncounted, *unnamed])


def _split_by_name(
    run: Run, requests: Requests, access: Mapping[str, Counter[str]]
) -> tuple[Mapping[str, Counter[str]], list[str]]:
    """Return the access logs that can be compared with the client's counts, and the names of the other logs. If
    responses name a server that is no node of the target, any node without responses may be this server. The logs of
    nodes without responses then cannot be compared."""
    named = {str(name) for (name,) in requests.rows(f"SELECT DISTINCT backend FROM {{requests}} WHERE {BY_BACKEND}")}
    unknown_names = sorted(named - {node.name for node in run.target.nodes} - access.keys())
    unnamed = sorted(access.keys() - named) if unknown_names else []
    names = ", ".join(unknown_names[:3])
    return (
        {name: counts for name, counts in access.items() if name not in unnamed},
        [f"{name} (the requests name {names})" for name in unnamed],
    )


def _one_sided(line: Line) -> Line:
    """If the source counted more than the client, attribute the surplus to other clients. The client's count excludes
    responses after the last scrape, because the source cannot have counted these responses."""
    counted = line.client - line.explained_by.get(TAIL, 0)
    if not line.node or not line.unaccounted or line.source <= counted:
        return line
    return replace(line, explained_by={**line.explained_by, NOT_OURS: line.unaccounted}, unaccounted=0)
