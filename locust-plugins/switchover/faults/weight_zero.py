"""A server gets the weight 0: the oldest way to drain it."""

from switchover.faults.server_change import SERVER, ServerChange


class WeightZero(ServerChange):
    name = "weight-zero"
    summary = "a server gets the weight 0 by the runtime socket"
    mechanism = f"`set weight {SERVER} 0` on the master's runtime socket"
    proof = "`show stat` says that its weight is 0, seen twice"
    heals = f"`set weight {SERVER} 100%`: its configured weight"
    expectation = "nothing is lost: what is under way ends, and the other servers take what comes"
    command = f"set weight {SERVER} 0"
    column = "weight"
    status = "0"
    witnesses = ("weight",)
    undo = f"set weight {SERVER} 100%"
