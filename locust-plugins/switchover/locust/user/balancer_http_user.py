"""`BalancerHttpUser` has the interface of HttpUser, but needs little more processor time than a plain socket."""

from collections.abc import Mapping
from typing import Any

from gevent.pool import Group
from locust import User
from locust.exception import StopTest

from switchover.locust.user.session import BalancerHttpSession
from switchover.locust.user.settings import settings_of
from switchover.model.errors import UsageError


class BalancerHttpUser(User):
    """An HTTP user that never resends a request, always has time-outs, and measures connection, first byte and body.

    Set the attributes in a subclass. The attributes are read when a user starts.
    """

    abstract = True

    connection: str = "kept"
    """`kept`: each user keeps its connections open, like a browser. `fresh`: each request uses a new connection."""
    timeout_connect: float = 5.0
    """The connect time-out, in seconds: name look-up, TCP and TLS."""
    timeout_read: float = 30.0
    """The read time-out, in seconds: from the established connection to the complete answer."""
    insecure: bool = False
    """True to accept any certificate."""
    ca: str | None = None
    """A PEM file with the trusted CAs, which replace the CAs of the system."""
    default_headers: Mapping[str, str] | None = None
    """Headers that are sent with each request."""
    max_kept_body: int = 16 * 1024 * 1024
    """The size, in bytes, of the largest body that is stored. A larger body is only counted."""

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
        """Return a session with separate cookies and connections. Raises UsageError if an attribute is wrong."""
        host = str(self.host)
        return BalancerHttpSession(host, self.environment.events.request, self, settings_of(type(self), host))

    def start(self, group: Group) -> Any:
        greenlet = super().start(group)
        greenlet.rawlink(lambda _: self.client.close())
        return greenlet
