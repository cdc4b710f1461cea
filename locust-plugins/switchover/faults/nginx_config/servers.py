"""The servers of an nginx.conf and their locations, each with what it inherits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from switchover.faults.nginx_config.syntax import Directive

PROXYING = ("proxy_set_header", "proxy_http_version")


@dataclass(frozen=True, slots=True)
class Context:
    """A server, or a location in it: its name, and the directives around it and its own, the outer ones first."""

    name: str
    directive: Directive
    scopes: tuple[Mapping[str, Directive], ...]
    """The directives of each block by name; of several with one name, the last."""
    is_stream: bool = False
    listens: tuple[Directive, ...] = ()
    proxying: Mapping[str, Sequence[Directive]] = field(default_factory=dict)
    """The directives of PROXYING in force, by name; of a server those of its `location /`."""

    def last(self, name: str) -> Directive | None:
        """The directive of the innermost scope that has one."""
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)


def find_servers(directives: Sequence[Directive]) -> list[Context]:
    """Every server of `http` and `stream`, and every location of one."""
    found: list[Context] = []
    for top in directives:
        if top.keyword in ("http", "stream"):
            around = _by_name(top.block)
            for server in top.block:
                if server.keyword == "server":
                    found += _contexts(server, around, _proxying(top.block, {}), is_stream=top.keyword == "stream")
    return found


def _by_name(block: Sequence[Directive]) -> dict[str, Directive]:
    return {directive.keyword: directive for directive in block}


def _proxying(
    block: Sequence[Directive], around: Mapping[str, Sequence[Directive]]
) -> dict[str, Sequence[Directive]]:
    """A block that has none of its own inherits all of them."""
    own = {name: [directive for directive in block if directive.keyword == name] for name in PROXYING}
    return {name: own[name] or around.get(name, ()) for name in PROXYING}


def _contexts(
    server: Directive, around: Mapping[str, Directive], outer: Mapping[str, Sequence[Directive]], *, is_stream: bool
) -> Iterator[Context]:
    listens = tuple(directive for directive in server.block if directive.keyword == "listen")
    names = [
        word for d in server.block if d.keyword == "server_name" for word in d.words[1:] if word not in ("", "_")
    ]
    name = names[0] if names else " ".join(one.value() for one in listens) or "80"
    proxying = _proxying(server.block, outer)
    context = Context(name, server, (around, _by_name(server.block)), is_stream, listens, proxying)
    root = next((one for one in server.block if one.words == ("location", "/")), server)
    yield replace(context, proxying=_proxying(root.block, proxying))
    yield from _locations(context, server.block)


def _locations(around: Context, block: Sequence[Directive]) -> Iterator[Context]:
    for directive in block:
        if directive.keyword == "location":
            inner = replace(
                around,
                name=f"{around.name} {' '.join(directive.words[1:])}",
                directive=directive,
                scopes=(*around.scopes, _by_name(directive.block)),
                proxying=_proxying(directive.block, around.proxying),
            )
            yield inner
            yield from _locations(inner, directive.block)
