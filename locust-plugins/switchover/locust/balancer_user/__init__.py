"""A user class of our own, for more load and more truth from a core: `BalancerHttpUser`.

user.py        the class; settings.py its attributes, checked
session.py     self.client: requests, redirects, the event
response.py    what a request returns; facts.py what the recorder is told
exchange.py    one request and its answer over one connection
connection.py  the socket; tls.py
answer.py      the bytes that arrive; heads.py, headers.py, decoding.py
assembly.py    the bytes that are sent; origin.py, entity.py, cookies.py, redirects.py
lookup.py, sources.py   where to, where from
errors.py      what a request can end with
"""

from typing import Any

__all__ = ["BalancerHttpUser"]


def __getattr__(name: str) -> Any:
    # Not before it is wanted: it imports Locust, which patches the process, and not all rooms of this house do.
    if name == "BalancerHttpUser":
        from switchover.locust.balancer_user.user import BalancerHttpUser

        return BalancerHttpUser
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
