"""The request as it was sent, for those who look at `response.request`."""


class SentRequest:
    """Taken apart only when somebody looks."""

    __slots__ = ("_raw", "method", "url")

    def __init__(self, method: str, url: str, raw: bytes) -> None:
        self.method = method
        self.url = url
        self._raw = raw

    @property
    def headers(self) -> dict[str, str]:
        head = self._raw.partition(b"\r\n\r\n")[0].decode("latin-1")
        return {name: value for name, _, value in (line.partition(": ") for line in head.split("\r\n")[1:])}

    @property
    def body(self) -> bytes | None:
        return self._raw.partition(b"\r\n\r\n")[2] or None
