"""The two documents that every form reads: the verdict, and the description of the run from series.json."""

from typing import Any, NamedTuple

from switchover.verdict import record
from switchover.verdict.judge import Verdict
from switchover.verdict.series.series_json import describe_run


class Tree(dict[str, Any]):
    """A JSON object whose fields are attributes; a missing field is None."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name)


def tree_of(value: Any) -> Any:
    """The JSON value with every object in it as a Tree."""
    if isinstance(value, dict):
        return Tree((name, tree_of(one)) for name, one in value.items())
    return [tree_of(one) for one in value] if isinstance(value, list | tuple) else value


class Judged(NamedTuple):
    """A verdict as verdict.json has it, and the run as series.json describes it."""

    verdict: record.Verdict
    run: Tree


def judged_of(verdict: Verdict) -> Judged:
    return Judged(verdict.record, tree_of(describe_run(verdict.run)))
