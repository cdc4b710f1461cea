"""The misbehaving server's healthy half: a site with a few pages, kept connections, cookies and redirects.

| path | answer |
|---|---|
| `/` and any other | 200, `hello` (the answer to HEAD without it) |
| `/status/503` | that status |
| `/redirect/3` | 302 to `/redirect/2`, … then `/` |
| `/loop` | 302 to itself |
| `/to?URL` | 302 to that URL |
| `/set?NAME=VALUE` | sets that cookie |
| `/echo` | method, target, cookies and body of the request, as JSON |
| `/big?N` | N bytes |
| `/chunked` | `hello` in chunks |
| `/unsized` | `hello`, ended by the connection's end |
| `/close` | `hello`, and `Connection: close` |

Every answer says `X-Backend: web1` and `X-Balancer: lb1`; a redirect says `X-Backend: webN` with the number of
redirects that are left.
"""

import json

from support.exchange import Exchange
from support.misbehaviour import behaviour


@behaviour
def site(exchange: Exchange) -> None:
    while True:
        method, target, headers, body = exchange.request()
        path, _, query = target.partition("?")
        answer = b"hello"
        extra: list[str] = []
        status, backend = 200, "web1"
        if path.startswith("/status/"):
            status = int(path.removeprefix("/status/"))
        elif path.startswith("/redirect/"):
            left = int(path.removeprefix("/redirect/"))
            status, backend = 302, f"web{left}"
            extra.append(f"Location: /redirect/{left - 1}" if left > 1 else "Location: /")
        elif path == "/loop":
            status = 302
            extra.append("Location: /loop")
        elif path == "/to":
            status = 302
            extra.append(f"Location: {query}")
        elif path == "/set":
            extra.append(f"Set-Cookie: {query}; Path=/")
        elif path == "/echo":
            cookie = headers.get("cookie", "")
            echo = {"method": method, "target": target, "cookie": cookie, "body": body.decode("latin-1")}
            answer = json.dumps(echo).encode()
        elif path == "/big":
            answer = b"x" * int(query)
        if status == 304:
            answer = b""
        head = [f"HTTP/1.1 {status} Whatever", f"X-Backend: {backend}", "X-Balancer: lb1", *extra]
        if path == "/unsized":
            exchange.send("\r\n".join([*head, "", ""]).encode() + answer)
            return
        if path == "/chunked":
            exchange.send("\r\n".join([*head, "Transfer-Encoding: chunked", "", ""]).encode())
            exchange.send(b"2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")
            continue
        if path == "/close":
            head.append("Connection: close")
        head.append(f"Content-Length: {len(answer)}")
        exchange.send("\r\n".join([*head, "", ""]).encode() + (b"" if method == "HEAD" else answer))
        if path == "/close":
            return
