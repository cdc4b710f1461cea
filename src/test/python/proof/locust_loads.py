"""`python -m proof.locust_loads`: Locust's own count of a load against the balancers' counters, to the last request.

One process, `--processes 2`, and a master with two workers, each over at least 50,000 requests in the lab.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from proof.pages import write_between
from proof.results import DOCS, exit_status, said
from support.locusting import Left, Locust, runs_in
from switchover.lab.lab import Lab
from switchover.lab.spec import LabSpec

AT_LEAST = 50_000
LONGEST_S = 600
"""For so many requests on a busy machine; the plan ends the test when they are made."""
USERS = 30
PORT = "5557"

PLAN = """
import gevent
import switchover.locust
from locust import FastHttpUser, constant, events, task
from locust.runners import WorkerRunner

class Shop(FastHttpUser):
    wait_time = constant(0)

    @task(3)
    def home(self):
        self.client.get("/")

    @task
    def item(self):
        self.client.get("/item?id=7", name="/item")

@events.init.add_listener
def stop_when_done(environment, **_):
    def watch():
        while environment.stats.total.num_requests < ENOUGH:
            gevent.sleep(0.5)
        environment.runner.quit()
    if not isinstance(environment.runner, WorkerRunner):
        gevent.spawn(watch)
""".replace("ENOUGH", str(AT_LEAST))


def main() -> int:
    with Lab(LabSpec()) as lab:
        rows = said(_of_every_mode(lab))
    write_between(DOCS / "locust.md", "accounted", _table(rows))
    return exit_status(row["name"] for row in rows if not _holds(row))


def _one_process(begin: Callable[..., Locust]) -> list[Locust]:
    return [begin(leading=True)]


def _two_processes(begin: Callable[..., Locust]) -> list[Locust]:
    return [begin("--processes", "2", leading=True)]


def _master_and_workers(begin: Callable[..., Locust]) -> list[Locust]:
    master = begin("--master", "--master-bind-port", PORT, "--expect-workers", "2", leading=True)
    return [master, *(begin("--worker", "--master-port", PORT) for _ in range(2))]


MODES = {
    "one process": _one_process,
    "`--processes 2`": _two_processes,
    "a master and two workers": _master_and_workers,
}


def _of_every_mode(lab: Lab) -> Iterator[dict[str, Any]]:
    for name, start in MODES.items():
        with tempfile.TemporaryDirectory(prefix="switchover-proof-") as folder:
            yield _measured(name, lab, start, Path(folder))


def _measured(
    name: str, lab: Lab, start: Callable[[Callable[..., Locust]], Sequence[Locust]], folder: Path
) -> dict[str, Any]:
    (folder / "plan.py").write_text(PLAN, encoding="utf-8")
    target = ("--switchover-target", str(lab.target_file), "--switchover-probe-rate", "100")
    options = ("--headless", "-u", str(USERS), "-r", str(USERS), "-t", f"{LONGEST_S}s", "--stop-timeout", "10")
    with ExitStack() as stack:

        def begin(*arguments: str, leading: bool = False) -> Locust:
            more = (*options, *target, "--switchover-timeout", "1s,5s") if leading else ()
            running = Locust(folder, "-f", "plan.py", *arguments, *more, through=lab.exec_argv("client", []))
            stack.callback(running.kill)
            return running

        codes = [running.end(LONGEST_S + 120) for running in start(begin)]
    left = Left(runs_in(folder)[-1])
    verdict = left.verdict()
    return {
        "name": name,
        "codes": codes,
        "rows": len(left.samples),
        "points": left.counted,
        "samples": sum(worker["samples"] for worker in left.load["workers"]),
        "probes": verdict["probes"]["total"],
        "equal": verdict["accounting"]["equal"],
        "unaccounted": verdict["accounting"]["unaccounted"],
        "reasons": [reason["text"] for reason in verdict["reasons"]],
    }


def _holds(row: dict[str, Any]) -> bool:
    same = row["rows"] == row["points"] == row["samples"] >= AT_LEAST
    return same and row["unaccounted"] == 0 and not row["reasons"] and not any(row["codes"])


def _table(rows: Sequence[dict[str, Any]]) -> str:
    lines = ["| Locust as | rows of the sample logs | in the traffic points | unaccounted |", "|---|---|---|---|"]
    lines += [f"| {row['name']} | {row['rows']:,} | {row['points']:,} | {row['unaccounted']} |" for row in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
