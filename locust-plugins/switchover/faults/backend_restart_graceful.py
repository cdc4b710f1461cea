"""A backend is restarted the graceful way: its web server listens no more, finishes what it has, and starts again."""

from switchover.faults.backend_restart import BackendRestart
from switchover.faults.change import ALL_KEPT
from switchover.faults.fault import VICTIM


class BackendRestartGraceful(BackendRestart):
    name = "backend-restart-graceful"
    summary = "a backend finishes what it has, and is started again"
    mechanism = (
        f"SIGQUIT to the Nginx of {VICTIM}: it listens no more, and its workers stay until their connections end"
    )
    proof = "nothing of it serves any more, seen twice"
    heals = "it is started again, beside what is left of the old one"
    expectation = "nothing is lost: what is under way ends, and requests that are refused go to another backend"
    promises = ALL_KEPT
    verb = "quit"
