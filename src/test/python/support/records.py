"""Short ways to write records of a verdict in tests."""

from collections.abc import Mapping

from switchover.figures.accounting.ledger import make_line
from switchover.verdict.record import Check, Line, Stream


def check(name: str, holds: bool | None, text: str) -> Check:
    return Check(name=name, holds=holds, text=text)


def line(
    name: str,
    client: int,
    source: int,
    said_by: str,
    node: str | None = None,
    generation: str | None = None,
    explained_by: Mapping[str, int] | None = None,
    unaccounted: int = 0,
) -> Line:
    explained = explained_by or {}
    return make_line(
        name,
        client,
        source,
        said_by,
        node=node,
        generation=generation,
        explained_by=explained,
        unaccounted=unaccounted,
    )


def stream(total: int, failed: int = 0, late: int = 0) -> Stream:
    return Stream(total=total, failed=failed, late=late)
