"""A server is drained: it gets no new requests but those that belong to it, and those under way end."""

from switchover.faults.server_change import SERVER, ServerChange


class ServerDrain(ServerChange):
    name = "server-drain"
    summary = "a server is drained by the runtime socket"
    mechanism = f"`set server {SERVER} state drain` on the master's runtime socket"
    proof = "`show stat` says DRAIN of it, seen twice"
    heals = f"`set server {SERVER} state ready`"
    expectation = "nothing is lost: what is under way ends, and the other servers take what comes"
    command = f"set server {SERVER} state drain"
    status = "DRAIN"
    undo = f"set server {SERVER} state ready"
