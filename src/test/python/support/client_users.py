"""Users for `client_cases`: Locust's own, and what people make of them."""

import urllib3
from geventhttpclient.client import HTTPClientPool
from locust import FastHttpUser, HttpUser
from locust.env import Environment
from requests import PreparedRequest, Response
from requests.adapters import BaseAdapter, HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3.util import Retry

NOWHERE = "http://127.0.0.1"


class Http(HttpUser):
    host = NOWHERE


class HttpWithPool(HttpUser):
    """All users share one pool manager."""

    host = NOWHERE
    pool_manager = urllib3.PoolManager(maxsize=3, block=True)


class HttpWithRetries(HttpUser):
    """An adapter of the user's own, which sends again twice and also after 503."""

    host = NOWHERE

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)  # type: ignore[no-untyped-call]
        retries = Retry(2, allowed_methods=None, status_forcelist=[503], backoff_factor=0)
        self.client.mount("http://", HTTPAdapter(max_retries=retries))


class CannedAdapter(BaseAdapter):
    """Answers without any connection."""

    def send(self, request: PreparedRequest, *_: object, **__: object) -> Response:
        response = Response()
        response.status_code = 200
        response.request = request
        response.url = request.url or ""
        response.headers = CaseInsensitiveDict({"X-Backend": "canned"})
        response._content = b"canned"
        return response

    def close(self) -> None:
        pass


class HttpWithoutConnections(HttpUser):
    host = NOWHERE

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)  # type: ignore[no-untyped-call]
        self.client.mount("http://", CannedAdapter())


class HttpByProxy(HttpUser):
    host = NOWHERE

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)  # type: ignore[no-untyped-call]
        self.client.proxies = {"http": self.proxy}

    proxy = ""


class Fast(FastHttpUser):
    host = NOWHERE


class FastWithPool(FastHttpUser):
    """All users share one client pool."""

    host = NOWHERE
    client_pool = HTTPClientPool(concurrency=5)


class FastWithRetries(FastHttpUser):
    host = NOWHERE
    max_retries = 2
    network_timeout = 0.3


class FastVerifying(FastHttpUser):
    host = NOWHERE
    insecure = False


class FastWithHeaders(FastHttpUser):
    host = NOWHERE
    concurrency = 3
    default_headers = {"X-Mine": "yes"}  # noqa: RUF012 - as Locust's users write it


class FastByProxy(FastHttpUser):
    host = NOWHERE
