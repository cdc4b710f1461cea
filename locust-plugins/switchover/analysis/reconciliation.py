"""Does everybody count the same? Client, balancers and backends against each other, request by request.

Within `ledger.Line` each count is compared with the witness that is independent of it; a difference must be
accounted for by a named fact, or it is unexplained. `docs/measurement.md` says what each fact is and how far it goes.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from switchover.analysis.client_counts import Attempts
from switchover.analysis.counters import epochs_of
from switchover.analysis.epoch_ledger import epoch_lines
from switchover.analysis.ledger import Line, Pool, Reconciliation, compare
from switchover.analysis.log_ledger import access_log_lines, balancer_log_lines, keeps_connections
from switchover.analysis.nodes import nodes_with
from switchover.analysis.own_records import own_lines
from switchover.analysis.requests.table import Requests, concatenate
from switchover.rundir.points import Point
from switchover.rundir.run_directory import Run


def reconcile(
    run: Run,
    probes: Requests,
    load: Requests,
    points: Iterable[Point],
    access: Mapping[str, Counter[str]],
    balancer_logs: Mapping[str, Mapping[str, Counter[str]]] = MappingProxyType({}),
) -> Reconciliation:
    """`access`: for each backend whose access log was kept, how many lines it has of each path. `balancer_logs`: for
    each log of a balancer the same of each server that it names."""
    lines = own_lines(probes, load, run.generator)
    attempts, epochs = Attempts(concatenate(probes, load)), epochs_of(points, run.plan.start_us or 0)
    is_scraped = not keeps_connections(run)
    for of_node in epochs.values() if is_scraped else []:
        lines += epoch_lines(run, attempts, of_node)
    if access:
        lines += access_log_lines(run, attempts, access, [e for of_node in epochs.values() for e in of_node], load)
    for said_by, servers in balancer_logs.items():
        lines += balancer_log_lines(run, attempts, said_by, servers, load)
    if not run.target.exclusive:
        lines = [_one_sided(line) for line in lines]
    uncounted = tuple(node for node in nodes_with(run, "haproxy") if not epochs.get(node) and is_scraped)
    return Reconciliation(run.target.exclusive, tuple(lines), uncounted)


def _one_sided(line: Line) -> Line:
    """With foreign traffic a witness may count more than we sent, never less."""
    if line.node and line.witness > line.client:
        more = line.witness - line.client - line.explained
        return compare(
            line.name,
            line.client,
            line.witness,
            line.said_by,
            node=line.node,
            epoch=line.epoch,
            surplus=[Pool({**line.explained_by, "traffic that is not ours": max(0, more)})],
        )
    return line
