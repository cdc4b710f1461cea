"""`self.client` of a `BalancerHttpUser`: the requests of one user, with its cookies and connections."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, TypedDict, Unpack

from locust import User
from locust.event import EventHook
from requests.structures import CaseInsensitiveDict

from switchover.locust.clients.run_clock import RUN_CLOCK
from switchover.locust.clients.unreported import begin_request
from switchover.locust.user.cookies import Cookies
from switchover.locust.user.origin import without_credentials
from switchover.locust.user.recorded_facts import facts_of
from switchover.locust.user.request_bytes import Credentials, RequestBuilder, encode_body, shared_builder
from switchover.locust.user.response import Response
from switchover.locust.user.sender import NO_PARTS, RequestParts, Sender
from switchover.locust.user.settings import ClientSettings, Timeouts, nanoseconds


class RequestOptions(TypedDict, total=False):
    """What every request takes; see `BalancerHttpSession.request`."""

    name: str | None
    catch_response: bool
    context: dict[str, Any] | None
    data: Any
    json: Any
    params: Any
    headers: Mapping[str, Any] | None
    cookies: Mapping[str, str] | None
    files: Any
    auth: Credentials | None
    timeout: float | tuple[float, float] | None
    allow_redirects: bool


class SessionHeaders(CaseInsensitiveDict[Any]):
    """Sent with all requests of the user from now on."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        super().__init__()

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        self._changed()

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        self._changed()


class BalancerHttpSession:
    def __init__(self, base_url: str, request_event: EventHook, user: User | None, settings: ClientSettings) -> None:
        self.base_url, self._base_credentials = without_credentials(base_url)
        self.request_name: str | None = None
        """The name of requests without one, from now on; see `rename_request`."""
        self.intended_us: int | None = None
        """When the next request was due by a schedule, on the run's clock; only that one takes it."""
        self.headers = SessionHeaders(self._rebuild)
        self._request_event = request_event
        # Most users have no context of their own, and a call for each request costs time.
        self._context = None if user is None or type(user).context is User.context else user.context
        self._settings = settings
        self._timeouts = settings.timeouts
        self._sender = Sender(settings, self.base_url)
        self.cookies = self._sender.cookies
        self._auth: Credentials | None = None
        self._builder: RequestBuilder | None = None

    @property
    def auth(self) -> Credentials | None:
        """User and password for all requests of the user from now on."""
        return self._auth

    @auth.setter
    def auth(self, credentials: Credentials | None) -> None:
        self._auth = credentials
        self._rebuild()

    @property
    def cookiejar(self) -> Cookies:
        """As FastHttpUser calls it."""
        return self.cookies

    def request(
        self,
        method: str,
        url: str,
        name: str | None = None,
        catch_response: bool = False,
        context: dict[str, Any] | None = None,
        *,
        data: Any = None,
        json: Any = None,
        params: Any = None,
        headers: Mapping[str, Any] | None = None,
        cookies: Mapping[str, str] | None = None,
        files: Any = None,
        auth: Credentials | None = None,
        timeout: float | tuple[float, float] | None = None,
        allow_redirects: bool = True,
    ) -> Response:
        """Send a request, once. Returns a response also without an answer; raises only for what HTTP cannot carry.

        :param url: a path behind the user's `host`, or a whole URL
        :param name: what the sample is called; the path without it
        :param catch_response: the sample is reported at the end of the with-block, which may mark it
        :param context: handed to listeners of the `request` event
        :param data: the body: str, bytes, a file, or a dict or list of pairs as a form
        :param json: the body, as JSON, if there is no `data`
        :param params: a dict or list of pairs, put behind the URL as its query
        :param headers: over those of the user; a value of None takes one out
        :param cookies: besides those of the user
        :param files: as requests has it
        :param auth: user and password
        :param timeout: seconds for the complete answer, or a pair: to connect, and for the answer
        :param allow_redirects: follow them; the sample is the whole way
        """
        builder = self._builder or self._build()
        prepared = None
        if params is None and headers is None and auth is None:
            prepared = builder.plain.get((method, url))
        if prepared is None:
            prepared = builder.prepare(method, url, params, headers, auth)
        parts = NO_PARTS
        if data is not None or json is not None or cookies or headers or auth or files:
            body, content_type = encode_body(data, json, files)
            parts = RequestParts(tuple((headers or {}).items()), auth, cookies, body, content_type)
        timeouts = self._timeouts if timeout is None else self._timeouts_of(timeout)
        first = response = self._sender.send(prepared, parts, timeouts)
        if allow_redirects and response.leads_on:
            response = self._sender.follow(response, builder, parts, timeouts)
        facts = response.switchover_facts = facts_of(response, RUN_CLOCK.anchor_ns)
        if self.intended_us is not None:
            facts.intended_us, self.intended_us = self.intended_us, None
        last = response.exchange
        report: Callable[..., None] = self._request_event.fire
        if catch_response:
            report = partial(response.defer, report)
            begin_request(facts, method, first.url, response)
        report(
            request_type=method,
            name=name or self.request_name or url,
            response_time=(last.end_ns - first.exchange.start_ns) / 1e6,
            response_length=last.answer.nbytes,
            response=response,
            context=context or {} if self._context is None else {**self._context(), **(context or {})},
            exception=response.error,
            start_time=facts.start_us / 1e6,
            url=first.url,
        )
        return response

    def get(self, url: str, **options: Unpack[RequestOptions]) -> Response:
        return self.request("GET", url, **options)

    def head(self, url: str, **options: Unpack[RequestOptions]) -> Response:
        return self.request("HEAD", url, **options)

    def options(self, url: str, **options: Unpack[RequestOptions]) -> Response:
        return self.request("OPTIONS", url, **options)

    def delete(self, url: str, **options: Unpack[RequestOptions]) -> Response:
        return self.request("DELETE", url, **options)

    def post(self, url: str, data: Any = None, json: Any = None, **options: Any) -> Response:
        return self.request("POST", url, data=data, json=json, **options)

    def put(self, url: str, data: Any = None, **options: Any) -> Response:
        return self.request("PUT", url, data=data, **options)

    def patch(self, url: str, data: Any = None, **options: Any) -> Response:
        return self.request("PATCH", url, data=data, **options)

    @contextmanager
    def rename_request(self, name: str) -> Iterator[None]:
        """All requests of the with-block are called `name`."""
        self.request_name = name
        try:
            yield
        finally:
            self.request_name = None

    def close(self) -> None:
        """End the idle connections. Done when the user stops."""
        self._sender.close()

    def _build(self) -> RequestBuilder:
        settings = self._settings
        own = tuple(self.headers.items())
        auth = self._auth or self._base_credentials
        key = (self.base_url, (*settings.headers, *own), auth, settings.keep)
        # Users with nothing of their own share their built requests.
        self._builder = RequestBuilder(*key) if own or self._auth else shared_builder(*key)
        return self._builder

    def _rebuild(self) -> None:
        self._builder = None

    def _timeouts_of(self, timeout: float | tuple[float, float]) -> Timeouts:
        connect, read = timeout if isinstance(timeout, tuple) else (None, timeout)
        return Timeouts(
            self._timeouts.connect_ns if connect is None else nanoseconds(connect, "the timeout to connect"),
            nanoseconds(read, "the timeout"),
        )
