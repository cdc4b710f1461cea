"""A server is taken out for maintenance: no request goes to it any more, not even one that belongs to it."""

from switchover.faults.server_change import SERVER, ServerChange


class ServerMaint(ServerChange):
    name = "server-maint"
    summary = "a server is taken out for maintenance by the runtime socket"
    mechanism = f"`set server {SERVER} state maint` on the master's runtime socket"
    proof = "`show stat` says MAINT of it, seen twice"
    heals = f"`set server {SERVER} state ready`"
    expectation = "nothing is lost: connections to it that are under way are not cut"
    command = f"set server {SERVER} state maint"
    status = "MAINT"
    undo = f"set server {SERVER} state ready"
