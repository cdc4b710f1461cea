"""Every figure of a run, computed from its run directory and nothing else.

    load(directory) -> RunData      what the run left behind
    judge(data)     -> Verdict      every figure, the budgets, and whether to believe it

One figure, one file; `docs/measurement.md` has their definitions. Nothing here opens a socket, reads a clock or
knows who wrote the run directory.

What judges is imported when it is asked for: a load generator reads budgets, and is not to bring a database and its
arrays into each of its processes.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from switchover.analysis.run_data import RunData, load
    from switchover.analysis.verdict import Verdict, judge

__all__ = ["RunData", "Verdict", "judge", "load"]


def __getattr__(name: str) -> Any:
    if name in ("RunData", "load"):
        from switchover.analysis import run_data

        return getattr(run_data, name)
    if name in ("Verdict", "judge"):
        from switchover.analysis import verdict

        return getattr(verdict, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
