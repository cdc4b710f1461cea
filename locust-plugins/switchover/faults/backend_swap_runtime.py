"""A backend is replaced by another one, by the runtime socket: no reload, and no new process."""

from switchover.faults.backend_swap import NEXT, needs_other_server
from switchover.faults.fault import needs_haproxy
from switchover.faults.server_change import SERVER, ServerChange

OTHER = f"web/{NEXT}"


class BackendSwapRuntime(ServerChange):
    name = "backend-swap-runtime"
    summary = "a backend is replaced by another one by the runtime socket"
    mechanism = f"`set server {OTHER} state ready`, and `set server {SERVER} state maint`, on the master"
    proof = "`show stat` says MAINT of the old one, seen twice"
    heals = "the same the other way round"
    expectation = "nothing is lost: what is under way on the old backend ends there"
    command = f"set server {OTHER} state ready; set server {SERVER} state maint"
    status = "MAINT"
    undo = f"set server {SERVER} state ready; set server {OTHER} state maint"
    needs = (needs_haproxy, needs_other_server)
