"""`switchover lab up | status | exec | shell | down`: the commands of the built-in lab."""

import argparse
import os
import pty
import signal
import sys
import time
from contextlib import ExitStack

from switchover.lab import addresses, control
from switchover.lab.control import exec_argv
from switchover.lab.credentials import CLIENT_CONFIG
from switchover.lab.directory import RunningLab, base_directory, find_lab, holds_lock, running_labs
from switchover.lab.lab import Lab
from switchover.lab.options import spec_from_arguments, spec_options
from switchover.lab.relay import Relay
from switchover.lab.target_file import service_address
from switchover.model.errors import LabError, UsageError
from switchover.process.signals import ENDING, shell_status
from switchover.streaming.outside import OutsideStreams
from switchover.target.lab_directory import is_held

DOWN_PATIENCE_S = 20.0
POLL_S = 0.05


PARSER = {
    "help": "run a real HA pair in network namespaces on this machine",
    "description": "Run a client, two balancers that share a virtual address through Keepalived, and web servers. "
    "Each host has its own network namespace. When 'lab up' ends, the lab ends, and leaves nothing behind.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="verbs", dest="verb", required=True, metavar="VERB")
    up = verbs.add_parser(
        "up",
        parents=[spec_options()],
        help="start the lab and stay in the foreground until Ctrl-C",
        description="Start the lab, print its addresses, sockets and target file, and stay in the foreground. "
        "Ctrl-C ends the lab, and so does 'switchover lab down' in another terminal.",
    )
    up.add_argument(
        "--publish", type=int, metavar="PORT", help="make this port of the lab's client reachable at 127.0.0.1:PORT"
    )
    for name, text in (
        ("status", "print the hosts, their services, and the balancer that holds the virtual address"),
        ("exec", "run a command on a host: lab exec lb1 -- ip address"),
        ("shell", "open a shell on a host"),
        ("down", "end the lab"),
    ):
        verb = verbs.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        verb.add_argument("--lab", metavar="ID", help="id of the lab (default: the newest running lab)")
        if name in ("exec", "shell"):
            verb.add_argument("host", metavar="HOST", help="client, lb1, lb2, web1, … or bridge")
        if name == "exec":
            verb.add_argument("command_line", nargs=argparse.REMAINDER, metavar="-- COMMAND")


def run(arguments: argparse.Namespace) -> int:
    verbs = {"up": lab_up, "status": lab_status, "exec": lab_exec, "shell": lab_shell, "down": lab_down}
    return verbs[arguments.verb](arguments)


def lab_up(arguments: argparse.Namespace) -> int:
    """Start the lab and stay in the foreground. The lab lives as long as this process."""
    spec = spec_from_arguments(arguments)
    # Handle SIGINT too, because a shell starts background processes with SIGINT ignored.
    for number in ENDING:
        signal.signal(number, signal.default_int_handler)
    try:
        with ExitStack() as stack:
            relay = None if arguments.publish is None else stack.enter_context(Relay(arguments.publish))
            lab = stack.enter_context(Lab(spec, progress=_print_progress))
            stack.enter_context(OutsideStreams(lab.layout.shipper_socket))
            if relay is not None:
                relay.start(lab.layout.socket(addresses.CLIENT))
            print(describe(lab, relay), flush=True)
            lab.wait()
    except KeyboardInterrupt:
        _print_progress("the lab has ended")
    return 0


def describe(lab: Lab, relay: Relay | None) -> str:
    name = lab.directory.name
    lines = [f"lab {name}: {lab.spec.balancer} pair, {lab.spec.backends} {lab.spec.backend_kind} backends"]
    address = service_address(lab.spec)
    lines.append(f"  {'service':8}{address:15}{lab.spec.scheme}://{address}/")
    balancers = addresses.balancers() if lab.spec.balancer_service else ()
    hosts = addresses.client(), *balancers, *addresses.backends(lab.spec.backends)
    lines += [f"  {host.name:8}{host.address:15}{lab.layout.socket(host.name)}" for host in hosts]
    if lab.spec.balancer_service == "haproxy":
        sockets = " ".join(str(lab.layout.runtime_socket(node)) for node in addresses.BALANCERS)
        lines.append(f"  haproxy runtime sockets: {sockets}")
    if lab.spec.ssh:
        lines.append(f"  ssh from the client: ssh -F {lab.directory / CLIENT_CONFIG} lb1")
    if relay is not None:
        lines.append(f"  published: http://127.0.0.1:{relay.port}/ forwards to port {relay.port} of the host client")
    lines += [
        f"  target file: {lab.target_file}",
        "try in another terminal:",
        f"  switchover lab exec --lab {name} client -- switchover doctor --target {lab.target_file}",
        "Ctrl-C ends the lab.",
    ]
    return "\n".join(lines)


def lab_status(arguments: argparse.Namespace) -> int:
    lab = chosen_lab(arguments)
    lines = [f"lab {lab.identifier}, process {lab.state['pid']}, target file {lab.directory.target}"]
    for host, address in lab.state["hosts"].items():
        agent = lab.directory.socket(host)
        states = [control.service_verb(agent, name, "status")[1] for name in lab.state["services"].get(host, ())]
        if host in addresses.BALANCERS and f"{addresses.VIP}/" in control.run(agent, ["ip", "address"])[1]:
            states.append("holds the virtual address")
        lines.append(f"  {host:8}{address:15}{'; '.join(states)}")
    print("\n".join(lines))
    return 0


def lab_exec(arguments: argparse.Namespace) -> int:
    """Replace this process with the program that runs commands in the lab, so that signals reach the program
    directly."""
    lab = chosen_lab(arguments)
    command = arguments.command_line[1:] if arguments.command_line[:1] == ["--"] else arguments.command_line
    if not command:
        raise UsageError("lab exec needs a command: lab exec HOST -- COMMAND")
    argv = exec_argv(_agent_socket(lab, arguments.host), *command)
    os.execv(argv[0], argv)


def lab_shell(arguments: argparse.Namespace) -> int:
    lab = chosen_lab(arguments)
    shell = os.environ.get("SHELL", "/bin/sh")
    socket = _agent_socket(lab, arguments.host)
    if not sys.stdin.isatty():
        argv = exec_argv(socket, shell)
        os.execv(argv[0], argv)
    status = pty.spawn(exec_argv(socket, "setsid", "--ctty", "--wait", shell, "-i"))
    return shell_status(os.waitstatus_to_exitcode(status))


def lab_down(arguments: argparse.Namespace) -> int:
    lab = chosen_lab(arguments)
    pid: int = lab.state["pid"]
    if holds_lock(pid, lab.directory.path):  # the lab's pid may belong to another process by now
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + DOWN_PATIENCE_S
    while is_held(lab.directory.path):
        if time.monotonic() > deadline:
            raise LabError(f"lab {lab.identifier} still runs {DOWN_PATIENCE_S:.0f} s after SIGTERM to process {pid}")
        time.sleep(POLL_S)
    print(f"lab {lab.identifier} has ended")
    return 0


def chosen_lab(arguments: argparse.Namespace) -> RunningLab:
    """Return the lab that the user chose. If other labs run and `--lab` is not set, print which lab is used, because
    all labs have the same addresses."""
    lab = find_lab(arguments.lab)
    other_ids = [run.identifier for run in running_labs(base_directory()) if run.identifier != lab.identifier]
    if arguments.lab is None and other_ids:
        _print_progress(f"using {lab.identifier}, the newest lab; --lab selects another lab: {', '.join(other_ids)}")
    return lab


def _agent_socket(lab: RunningLab, host: str) -> str:
    hosts = [*lab.state["hosts"], addresses.BRIDGE]
    if host not in hosts:
        raise UsageError(f"lab {lab.identifier} has no host {host!r}: choose {', '.join(hosts)}")
    return str(lab.directory.socket(host))


def _print_progress(line: str) -> None:
    print(line, file=sys.stderr)
