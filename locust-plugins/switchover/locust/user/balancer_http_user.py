"""`BalancerHttpUser`: HttpUser's interface at nearly the cost of a bare socket, without resends."""

from collections.abc import Mapping
from typing import Any

from gevent.pool import Group
from locust import User
from locust.exception import StopTest

from switchover.locust.user.session import BalancerHttpSession
from switchover.locust.user.settings import settings_of
from switchover.model.errors import UsageError


class BalancerHttpUser(User):
    """An HTTP user that never resends, always has time-outs, and times connection, first byte and body.

    Set the attributes in a subclass. They are read when a user starts.
    """

    abstract = True

    connection: str = "kept"
    """`kept`: each user keeps its connection, like a browser. `fresh`: each request has a new connection."""
    timeout_connect: float = 5.0
    """Seconds until the connection is usable: name look-up, TCP and TLS."""
    timeout_read: float = 30.0
    """Seconds from the usable connection to the complete answer."""
    insecure: bool = False
    """Accept any certificate."""
    ca: str | None = None
    """A PEM file with the trusted CAs, which replaces the CAs of the system."""
    default_headers: Mapping[str, str] | None = None
    """Headers that are sent with all requests."""
    max_kept_body: int = 16 * 1024 * 1024
    """The largest body in bytes for `response.content`. A larger body is received and counted, but not stored."""

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        if self.host is None:
            raise StopTest(
                "You must specify the base host: in the host attribute of the User class, "
                "or on the command line using the --host option."
            )
        try:
            self.client = self.new_session()
        except UsageError as error:
            raise StopTest(str(error)) from None

    def new_session(self) -> BalancerHttpSession:
        """Return a session with its own cookies and connections. Raises UsageError for wrong attributes."""
        host = str(self.host)
        return BalancerHttpSession(host, self.environment.events.request, self, settings_of(type(self), host))

    def start(self, group: Group) -> Any:
        """Start the user. Its connections are closed when it ends."""
        greenlet = super().start(group)
        greenlet.rawlink(lambda _: self.client.close())
        return greenlet
