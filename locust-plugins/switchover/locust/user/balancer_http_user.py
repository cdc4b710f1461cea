"""`BalancerHttpUser`: HttpUser's interface at nearly the cost of a bare socket; nothing is resent."""

from collections.abc import Mapping, Sequence
from typing import Any

from gevent.pool import Group
from locust import FastHttpUser, User
from locust.exception import StopTest

from switchover.locust.user.session import BalancerHttpSession
from switchover.locust.user.settings import settings_of
from switchover.model.errors import UsageError


class BalancerHttpUser(User):
    """An HTTP user that never sends anything again, never waits without end and times connect, first byte and body.

    Set the attributes in a subclass; they are read when a user starts.
    """

    abstract = True

    connection: str = "kept"
    """`kept`: each user keeps its connection, as a browser does; `fresh`: each request has a new one."""
    timeout_connect: float = 5.0
    """Seconds to a usable connection: looking up the name, TCP, TLS."""
    timeout_read: float = 30.0
    """Seconds from then on to the complete answer."""
    max_redirects: int = 30
    insecure: bool = False
    """Accept any certificate."""
    ca: str | None = None
    """A PEM file with the CAs to trust, instead of the system's."""
    source_addresses: Sequence[str] = ()
    """Addresses of this machine to connect from, in turn: each brings as many ports as the first."""
    default_headers: Mapping[str, str] | None = None
    """Sent with all requests."""
    max_kept_body: int = 16 * 1024 * 1024
    """Bytes of a body that are kept for `response.content`; a larger one is received and counted only."""

    # They only need a client, and have moved between Locust's classes.
    rest: Any = FastHttpUser.rest
    rest_: Any = FastHttpUser.rest_
    _callstack_regex = FastHttpUser._callstack_regex

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        if self.host is None:
            raise StopTest(
                "You must specify the base host: in the host attribute of the User class, "
                "or on the command line using the --host option."
            )
        try:
            settings = settings_of(type(self), self.host)
        except UsageError as error:
            raise StopTest(str(error)) from None
        self.client = BalancerHttpSession(self.host, environment.events.request, self, settings)

    def start(self, group: Group) -> Any:
        """Start as any user; its connections are closed when it ends."""
        greenlet = super().start(group)
        greenlet.rawlink(lambda _: self.client.close())
        return greenlet
