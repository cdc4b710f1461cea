"""The servers of an nginx.conf and their locations, each with what it inherits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from switchover.faults.nginx_config.syntax import Directive


@dataclass(frozen=True, slots=True)
class Context:
    """A server, or a location in it: its name, and the directives around it and its own, the outer ones first."""

    name: str
    directive: Directive
    scopes: tuple[Mapping[str, Directive], ...]
    """The directives of each block by name; of several with one name, the last."""
    is_stream: bool = False
    listens: tuple[Directive, ...] = ()

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
                    found += _contexts(server, around, is_stream=top.keyword == "stream")
    return found


def _by_name(block: Sequence[Directive]) -> dict[str, Directive]:
    return {directive.keyword: directive for directive in block}


def _contexts(server: Directive, around: Mapping[str, Directive], *, is_stream: bool) -> Iterator[Context]:
    listens = tuple(directive for directive in server.block if directive.keyword == "listen")
    names = [
        word for d in server.block if d.keyword == "server_name" for word in d.words[1:] if word not in ("", "_")
    ]
    name = names[0] if names else " ".join(one.value() for one in listens) or "80"
    context = Context(name, server, (around, _by_name(server.block)), is_stream, listens)
    yield context
    yield from _locations(context, server.block)


def _locations(around: Context, block: Sequence[Directive]) -> Iterator[Context]:
    for directive in block:
        if directive.keyword == "location":
            name = f"{around.name} {' '.join(directive.words[1:])}"
            inner = Context(
                name, directive, (*around.scopes, _by_name(directive.block)), around.is_stream, around.listens
            )
            yield inner
            yield from _locations(inner, directive.block)
