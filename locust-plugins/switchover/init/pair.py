"""Derive facts about a pair from the surveys of its nodes."""

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from ipaddress import ip_address
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from switchover.http.address import known_addresses
from switchover.init.survey import Survey
from switchover.model.errors import TargetError
from switchover.predict.config_file import Statement
from switchover.predict.haproxy_config import Proxy, read_sections, resolve_proxies
from switchover.predict.keepalived import KeepalivedConf, VrrpInstance, read_conf
from switchover.predict.nginx_config import parse
from switchover.predict.supervisor import AFTER_A_KILL
from switchover.target.lab_directory import without_passwords

READ_SOCKET = (
    "import socket,sys;s=socket.socket(1);s.connect(sys.argv[1]);s.sendall(sys.stdin.buffer.read());"
    '[sys.stdout.buffer.write(b) for b in iter(lambda:s.recv(65536),b"")]'
)
"""A Python program that sends stdin to a Unix socket, and prints the answer. The argument is the path of the
socket."""
_INCLUDE = re.compile(r"^\s*include\w*\s+\"?([^\"#!]+?)\"?\s*(?:[#!].*)?$")
_NGINX_FILE = re.compile(r"(?m)^# configuration file (\S+):$")
_DEPTH = 3
RESOLVE_S = 5.0
MAX_SERVERS = 100
"""If the balancer has more servers than this number, the target file contains only the servers given by
`--backend`."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """One line for the user: a fact that the survey found, or the reason why a fact is missing, with a remedy."""

    node: str
    subject: str
    text: str
    advice: str = ""


@dataclass(slots=True)
class Balancer:
    """One balancer node. A field is None or empty if the survey did not find the value."""

    survey: Survey
    program: str = ""
    keepalived_copy: str = ""
    keepalived: KeepalivedConf | None = None
    instance: VrrpInstance | None = None
    host: str = ""
    """The address of the node on the interface of the virtual address."""
    proxies: list[Proxy] = field(default_factory=list)
    haproxy_source: str = ""
    """The remote command that sends stdin to HAProxy's stats socket."""
    nginx: list[Statement] = field(default_factory=list)
    nginx_source: str = ""
    """The remote command that prints Nginx's status page."""

    @property
    def node(self) -> str:
        return self.survey.node

    @property
    def unit(self) -> dict[str, str]:
        """The properties of the balancer's systemd unit. Empty: there is no such unit."""
        return self.survey.unit(self.program) if self.program else {}

    @property
    def restarts(self) -> bool:
        return self.unit.get("Restart") in AFTER_A_KILL


@dataclass(slots=True)
class Server:
    name: str
    host: str
    port: str
    survey: Survey | None = None
    access_log: str = ""


@dataclass(slots=True)
class SurveyedPair:
    balancers: list[Balancer]
    servers: list[Server]
    vip: str
    findings: list[Discovery]

    def url(self) -> str:
        """Return the suggested URL: path `/` at the first HTTP listener of the virtual address."""
        hosts = ("", "*", "0.0.0.0", "::", self.vip)
        found = ((scheme, port) for scheme, host, port in _listeners(self.balancers[0]) if host in hosts)
        scheme, port = next(found, ("http", ""))
        shown = "" if port in ("", "443" if scheme == "https" else "80") else f":{port}"
        return f"{scheme}://[{self.vip}]{shown}/" if ":" in self.vip else f"{scheme}://{self.vip}{shown}/"


def read_pair(surveys: Sequence[Survey], backends: Sequence[Survey], url: str = "") -> SurveyedPair:
    """Return all facts about the pair. Raises TargetError if the nodes are no pair. `url`: the URL that the user
    gave. If there are several VRRP instances, the address in the URL selects one instance."""
    _require_two_machines(*surveys)
    balancers = [Balancer(survey) for survey in surveys]
    for balancer in balancers:
        _read_keepalived(balancer)
    vip, other_vips = _find_vip(balancers, url)
    findings: list[Discovery] = []
    for balancer in balancers:
        if balancer.keepalived is not None:
            balancer.instance = balancer.keepalived.instance_with([vip])
            balancer.host = _own_address(balancer, ":" in vip)
        findings += _describe_login(balancer.survey)
        findings += _describe_keepalived(balancer)
        findings += _read_balancer(balancer)
    holders = [balancer.node for balancer in balancers if _has(balancer.survey, vip)]
    advice = "" if len(holders) == 1 else "exactly one node must have this address: check Keepalived first"
    findings.append(Discovery("", "virtual address", f"{vip}, on {' and '.join(holders) or 'no node'}", advice))
    if other_vips:
        text = f"the nodes also share {', '.join(other_vips)}"
        findings.append(Discovery("", "", text, "to test one of these addresses, start init with --url"))
    servers = _find_servers(balancers[0])
    for server in servers:
        server.survey = next(
            (backend for backend in backends if backend.node == server.name or _has(backend, server.host)), None
        )
        server.access_log = _access_log(server.survey) if server.survey else ""
    used = [server.survey for server in servers]
    text = f"no server of {balancers[0].node} has an address of this node"
    unused = [survey for survey in backends if survey not in used]
    findings += [Discovery(survey.node, "backend", text, "is this node behind the pair?") for survey in unused]
    if len(servers) > MAX_SERVERS:
        servers = [server for server in servers if server.survey is not None]
        text = f"more than {MAX_SERVERS}: the target file has only the servers given by --backend"
        findings.append(Discovery("", "backends", text))
    return SurveyedPair(balancers, servers, vip, findings)


def _virtual_addresses(balancer: Balancer) -> list[str]:
    instances = balancer.keepalived.instances if balancer.keepalived else ()
    return [address for instance in instances for address in (*instance.addresses, *instance.silent_addresses)]


def _own_address(balancer: Balancer, is_ipv6: bool) -> str:
    """Return the first address of the VRRP instance's interface that is neither virtual nor link-local."""
    interface = balancer.instance.interface if balancer.instance else ""
    virtual = _virtual_addresses(balancer)
    for name, address in balancer.survey.addresses():
        is_own = name == interface and address not in virtual and not ip_address(address).is_link_local
        if is_own and (":" in address) == is_ipv6:
            return address
    return ""


def _require_two_machines(first: Survey, second: Survey) -> None:
    machine_id, both = first.text("machine_id"), f"{first.node} and {second.node}"
    if machine_id and machine_id == second.text("machine_id"):
        if first.text("address") == second.text("address"):
            raise TargetError(f"{both} are names of one machine ({first.text('hostname')})")
        remedy = "rm -f /etc/machine-id /var/lib/dbus/machine-id && systemd-machine-id-setup, then reboot the clone"
        raise TargetError(
            f"{both} have the same machine id {machine_id}: the nodes are clones. Give one node a new id: {remedy}"
        )


def _describe_login(survey: Survey) -> Iterator[Discovery]:
    login = f"{survey.text('user')}@{survey.text('hostname')}, {survey.text('kernel')}"
    allowed = "yes" if survey.has_sudo else survey.text("sudo")
    advice = "faults and root's files need sudo: add a line with NOPASSWD to /etc/sudoers.d"
    text = f"{login}; sudo without a password: {allowed}"
    yield Discovery(survey.node, "login", text, "" if survey.has_sudo else advice)


def _read_balancer(balancer: Balancer) -> Iterator[Discovery]:
    survey = balancer.survey
    balancer.program = next((name for name in ("haproxy", "nginx") if survey.processes(name)), "")
    if not balancer.program:
        text = "neither HAProxy nor Nginx runs"
        yield Discovery(survey.node, "balancer", text, "start the balancer, then run init again")
        return
    yield from (_read_haproxy if balancer.program == "haproxy" else _read_nginx)(balancer)
    unit = balancer.unit
    shown = f"Restart={unit.get('Restart')}, RestartSec {unit.get('RestartUSec', '?')}"
    missing = f"no systemd unit runs {balancer.program} (process 1: {survey.text('init')})"
    yield Discovery(survey.node, "supervisor", f"systemd unit {balancer.program}, {shown}" if unit else missing)


def _read_keepalived(balancer: Balancer) -> None:
    path, files = balancer.survey.text("keepalived_conf"), balancer.survey.files("keepalived")
    if path in files:
        balancer.keepalived_copy = without_passwords(_with_includes(files, path, 0))
        balancer.keepalived = read_conf(Path(path), balancer.keepalived_copy, balancer.node)


def _describe_keepalived(balancer: Balancer) -> Iterator[Discovery]:
    survey, conf, instance = balancer.survey, balancer.keepalived, balancer.instance
    if not survey.processes("keepalived"):
        yield Discovery(survey.node, "keepalived", "does not run", "start Keepalived, then run init again")
    if conf is None or instance is None:
        advice = "allow 'sudo -n cat' for the file, or make the file readable; otherwise, no outage is predicted"
        yield Discovery(survey.node, "keepalived.conf", _unreadable(balancer), advice)
        return
    for line in conf.not_included:
        text = f"{line} matches no readable file"
        yield Discovery(survey.node, "keepalived.conf", text, "its content is unknown")
    others = "" if len(conf.instances) == 1 else f" (one of {len(conf.instances)} instances)"
    checks = ", ".join(tracker.name for tracker in instance.trackers) or "nothing: a dead balancer is not detected"
    version = survey.about("version", "keepalived").partition(" (")[0].removeprefix("Keepalived v")
    what = f"{version}; instance {instance.name}{others} on {instance.interface}"
    text = f"{what}, priority {instance.settings.priority}, tracks {checks}"
    yield Discovery(survey.node, "keepalived", text)


def _unreadable(balancer: Balancer) -> str:
    return f"{balancer.survey.text('keepalived_conf')} cannot be read"


def _with_includes(files: dict[str, str], path: str, depth: int) -> str:
    lines = []
    for line in files[path].splitlines():
        named: list[str] = []
        if depth < _DEPTH and (match := _INCLUDE.match(line)):
            pattern = str(PurePosixPath(path).parent / match[1].strip())
            named = [name for name in files if fnmatchcase(name, pattern)]
        lines += [_with_includes(files, name, depth + 1) for name in named] or [line]
    return "\n".join(lines) + "\n"


def _find_vip(balancers: Sequence[Balancer], url: str) -> tuple[str, list[str]]:
    """Return the virtual address of the pair, and the other virtual addresses that both nodes have. If `url` contains
    none of the shared addresses, the first shared address is the virtual address of the pair. Raises TargetError if
    there is no shared address."""
    chosen = known_addresses(urlsplit(url).hostname or "", RESOLVE_S) if url else ()
    unread = [f"{node.node}: {_unreadable(node)}" for node in balancers if node.keepalived is None]
    if unread and not chosen:
        raise TargetError(f"{', '.join(unread)}: no virtual address is known; allow sudo -n, or add --url")
    if unread:
        return chosen[0], []
    first, second = (_virtual_addresses(balancer) for balancer in balancers)
    shared = [address for address in first if address in second]
    if not shared:
        raise TargetError(
            f"the VRRP instances have no common virtual address: {balancers[0].node} has "
            f"{', '.join(first) or 'none'}, {balancers[1].node} has {', '.join(second) or 'none'}: "
            "are these nodes a pair?"
        )
    vip = next((address for address in shared if address in chosen), shared[0])
    return vip, [address for address in shared if address != vip]


def _read_haproxy(balancer: Balancer) -> Iterator[Discovery]:
    survey = balancer.survey
    try:
        balancer.proxies = resolve_proxies(read_sections([*survey.files("haproxy").items()]))
    except TargetError as error:
        yield Discovery(survey.node, "haproxy.cfg", str(error), "init continues without this node")
    version = survey.about("version", "haproxy").removeprefix("HAProxy version ").partition(" ")[0]
    sockets = [(answer.first, answer.rest) for answer in survey.all("socket") if answer.rest]
    if sockets:
        balancer.haproxy_source = _socket_command(*sockets[0])
        yield Discovery(survey.node, "haproxy", f"{version}; stats socket {sockets[0][0]}, by {sockets[0][1]}")
        return
    unread = [answer.rest for answer in survey.all("unreadable") if answer.first == "haproxy"]
    refused = [answer.first for answer in survey.all("socket_refused")]
    text = f"no answer from a stats socket ({', '.join((*unread, *refused)) or 'none in the configuration'})"
    advice = (
        "needed: 'stats socket /run/haproxy/admin.sock mode 660 level user' in global; socat, nc (OpenBSD's) or "
        "python3 on the node; and a user who may read haproxy.cfg and the socket, or sudo -n. Without it: no "
        "counters, no accounting"
    )
    yield Discovery(survey.node, "haproxy", f"{version}; {text}", advice)


def _socket_command(path: str, how: str) -> str:
    prefix, _, tool = how.rpartition(" ")
    quoted = shlex.quote(path)
    arguments = {"socat": "- UNIX-CONNECT:", "nc": "-U ", "python3": f"-c '{READ_SOCKET}' "}[tool]
    return f"{prefix} {tool} {arguments}{quoted}".strip()


def _read_nginx(balancer: Balancer) -> Iterator[Discovery]:
    survey = balancer.survey
    balancer.nginx = nginx_directives(survey.text("nginx_conf"))
    version = survey.about("version", "nginx").rpartition("/")[2]
    for server in _walk(balancer.nginx, "server"):
        for location in server.block:
            if location.keyword == "location" and any(d.keyword == "stub_status" for d in location.block):
                listen = next((d.value() for d in server.block if d.keyword == "listen"), "80")
                address, port = _split_listen(listen)
                host = address if address not in ("", "*", "0.0.0.0") else "127.0.0.1"
                url = f"http://{host}:{port}{location.words[-1]}"
                balancer.nginx_source = f"curl -sf -m 2 {url}" if survey.has("curl") else f"wget -qO- -T 2 {url}"
                yield Discovery(survey.node, "nginx", f"{version}; status page {url}")
                return
    readable = "no location has stub_status" if balancer.nginx else "nginx -T printed no configuration"
    yield Discovery(survey.node, "nginx", f"{version}; {readable}", "Without it: no connection counters")


def nginx_directives(dumped: str) -> list[Statement]:
    """Return the directives of all files that `nginx -T` printed. Files that cannot be parsed are omitted."""
    parts = _NGINX_FILE.split(dumped)
    directives: list[Statement] = []
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        with suppress(TargetError):
            directives += parse(text, name)
    return directives


def _walk(directives: Sequence[Statement], keyword: str) -> Iterator[Statement]:
    """Yield the directives with this keyword, at any depth."""
    for directive in directives:
        if directive.keyword == keyword:
            yield directive
        yield from _walk(directive.block, keyword)


def _split_listen(text: str) -> tuple[str, str]:
    address, colon, port = text.rpartition(":")
    if not colon:
        return ("", text) if text.isdigit() else (text, "80")
    return address.strip("[]"), port


def _listeners(balancer: Balancer) -> Iterator[tuple[str, str, str]]:
    """Yield the scheme, address and port of each HTTP listener of a balancer, in the order of its configuration."""
    binds: list[tuple[str, Sequence[str]]] = []
    for proxy in balancer.proxies:
        lines = proxy.section.block
        if proxy.listens and proxy.mode == "http" and all(line.words[:2] != ("stats", "enable") for line in lines):
            binds += [(line.value().partition(",")[0], line.words) for line in lines if line.keyword == "bind"]
    for server in _walk(balancer.nginx, "server"):
        if server.opens and not any(_walk(server.block, "stub_status")):
            binds += [(one.value(), one.words) for one in server.block if one.keyword == "listen"]
    for bind, words in binds:
        if not bind.startswith("unix:"):
            yield ("https" if "ssl" in words else "http"), *_split_listen(bind)


def _find_servers(balancer: Balancer) -> list[Server]:
    servers: dict[str, Server] = {}
    for proxy in balancer.proxies:
        for line in proxy.section.block:
            if line.keyword == "server" and len(line.words) > 2:
                address, port = _split_listen(line.words[2])
                servers.setdefault(line.words[1], Server(line.words[1], address, port))
    for upstream in _walk(balancer.nginx, "upstream"):
        for member in upstream.block:
            if member.keyword == "server" and not member.value().startswith("unix:"):
                address, port = _split_listen(member.value())
                servers.setdefault(address, Server(address, address, port))
    return list(servers.values())


def _has(survey: Survey, address: str) -> bool:
    return any(own == address for _, own in survey.addresses())


def _access_log(survey: Survey) -> str:
    logs = _walk(nginx_directives(survey.text("nginx_conf")), "access_log")
    return next((log.value() for log in logs if log.value().startswith("/")), "")
