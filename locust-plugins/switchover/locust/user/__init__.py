"""A user class of our own, for more load and more truth from a core: `BalancerHttpUser`.

    user.py        the class; settings.py: its attributes, checked
    session.py     self.client: requests and their event; sending.py: with cookies, along redirects
    response.py    what a request returns; facts.py: what the recorder is told; errors.py: what it can end with
    exchange.py    one request and its answer over one connection
    connection.py  the socket; tls.py, stamping.py: when something arrived
    answer.py      the bytes that arrive; heads.py, headers.py, decoding.py
    assembly.py    the bytes that are sent; origin.py, entity.py, cookies.py, redirects.py, sent.py
    lookup.py      where to; sources.py: where from

Most of it imports neither Locust nor gevent, and never waits.
"""

from typing import Any

__all__ = ["BalancerHttpUser"]


def __getattr__(name: str) -> Any:
    # Not before it is wanted: it imports Locust, which patches the process, and not all rooms of this house do.
    if name == "BalancerHttpUser":
        from switchover.locust.user.balancer_http_user import BalancerHttpUser

        return BalancerHttpUser
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
