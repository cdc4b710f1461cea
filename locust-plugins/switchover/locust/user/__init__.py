"""Our own user class, for more load per core and exact times: `BalancerHttpUser`.

    balancer_http_user.py  the class; open_loop_user.py: the same with visitors on a schedule
    settings.py            its attributes, checked
    session.py             self.client: sends with cookies, follows redirects, and reports; cookies.py
    response.py            what a request returns; errors.py: why it can fail
    request_bytes.py       the bytes that are sent; origin.py: URLs and redirects
    exchange.py            one request and its answer over one connection
    connection.py          the socket; tls.py; address_book.py: the addresses of both ends
    answer.py              the bytes that arrive; decoding.py

Most of it imports neither Locust nor gevent, and never waits.
"""

from typing import Any

__all__ = ["BalancerHttpUser"]


def __getattr__(name: str) -> Any:
    # Imported on first use: it imports Locust, which patches the process.
    if name == "BalancerHttpUser":
        from switchover.locust.user.balancer_http_user import BalancerHttpUser

        return BalancerHttpUser
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
