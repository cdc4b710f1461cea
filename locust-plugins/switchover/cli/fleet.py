"""`switchover fleet`: what many pairs promise, what was last measured of each, and a drill of each in turn."""

import argparse
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from switchover.analysis.history.entry import LAB, SKIPPED, Entry
from switchover.analysis.history.history import is_ahead, notes_on, time_text
from switchover.analysis.word import Word
from switchover.cli.doctor_target import check_target
from switchover.cli.faults import predict_fault, settings_of_target, window
from switchover.cli.fleet_drills import drill_all
from switchover.cli.fleet_keepalived import look_at_keepalived
from switchover.cli.history import read_all
from switchover.faults.catalogue import fault_named
from switchover.model.errors import RunDirectoryError, SwitchoverError, UsageError
from switchover.model.units import parse_duration_s
from switchover.report.fleet import Fleet, FleetPair, FleetPromise, fleet_page, screen, to_json
from switchover.report.screen import print_json, screen_text
from switchover.rundir.atomic_file import write_whole
from switchover.rundir.filed_run import checksum_of, owner_of
from switchover.target.model import Target
from switchover.target.reader import load_target

AT_ONCE = 10
"""Pairs that are asked side by side."""
FIRED_NOTHING = (SKIPPED, Word.REHEARSED, Word.NOT_FIRED)
"""Words of what is no drill of a fault, and hides none before it."""


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "fleet",
        help="many pairs: what each promises, when it was last drilled, what does not work; a drill of each in turn",
        description="Look at every pair of a list, ten at a time, without firing anything: what doctor and predict "
        "say of its target file, and the last drill of each of its faults. With --drill FAULT and --arm, a drill of "
        "each in turn, until the first that does not end with 0. Exit codes: 0 all is well, 1 or 2 of the "
        "drill that stopped it, 2 something of a pair does not work.",
        epilog="switchover fleet pairs/ --html fleet.html looks at them all; switchover fleet pairs/ --drill lb-kill "
        "--rehearse tries everything but the kill; switchover fleet pairs/ --drill lb-kill --arm --pause 5min "
        "--budget outage=5s drills them.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "sources",
        nargs="+",
        type=Path,
        metavar="FILE|DIR",
        help="target files, folders of them, or lists: a path a line",
    )
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), metavar="DIR", help="where the runs are (default runs)"
    )
    parser.add_argument(
        "--conf",
        type=_words,
        default=(),
        metavar="COMMAND",
        help="shows the keepalived.conf of a balancer, {node} by its name: 'ssh {node} cat "
        "/etc/keepalived/keepalived.conf'; what differs from the target file is named",
    )
    parser.add_argument(
        "--drill", metavar="FAULT", help="drill this fault of every pair that has it, one after the other"
    )
    armed = parser.add_mutually_exclusive_group()
    armed.add_argument(
        "--arm", action="store_true", help="arms the drills of the whole list; without it nothing is fired"
    )
    armed.add_argument("--rehearse", action="store_true", help="in place of --arm: everything but the kill")
    parser.add_argument("--pause", default="60s", metavar="T", help="between two drills (default 60s)")
    parser.add_argument(
        "--budget", action="append", default=[], metavar="NAME=LIMIT", help="of each drill; repeatable"
    )
    parser.add_argument(
        "--scheduled",
        action="store_true",
        help="a timer started it: keep each drill that could not be begun as a skipped one, for 'switchover history'",
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write it as a page, too")
    parser.add_argument("--json", action="store_true", help="print it as data instead")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    armed = "--arm" if arguments.arm else "--rehearse" if arguments.rehearse else ""
    if armed and not arguments.drill:
        raise UsageError(f"{armed} is for --drill FAULT: which fault?")
    if arguments.drill and not armed:
        raise UsageError(
            "--drill fires a fault at every pair of the list: --arm says that this is meant, --rehearse does "
            "everything but the kill"
        )
    if arguments.scheduled and not arguments.drill:
        raise UsageError("--scheduled is for --drill FAULT")
    pause_s = parse_duration_s(arguments.pause)
    files = list(_target_files(arguments.sources))
    fleet = _look_at_all(files, arguments)
    code = 0 if fleet.is_well else 2
    if arguments.drill:
        _refuse_unknown(arguments.drill, fleet)
        drill_code, drilled = drill_all(fleet.pairs, arguments, pause_s)
        fleet = replace(_look_at_all(files, arguments), drilled=drilled)
        code = drill_code or code
    console = Console()
    if arguments.json:
        print_json(to_json(fleet))
    else:
        sys.stdout.write(screen_text(screen(fleet), console))
    # After what is printed: hours of drills may be in it.
    if arguments.html:
        write_whole(arguments.html, fleet_page(fleet, time_text(time.time_ns() // 1000)))
        if not arguments.json:
            console.print(f"Page: {arguments.html}", soft_wrap=True, highlight=False, markup=False)
    return code


def _refuse_unknown(fault: str, fleet: Fleet) -> None:
    """A list of which no pair has the fault would end well, and nothing was drilled. One that cannot be read may have
    it."""
    known = {promise.fault for pair in fleet.pairs for promise in pair.promises}
    if fault not in known and not any(pair.problem for pair in fleet.pairs):
        raise UsageError(f"no pair of the list has a fault {fault!r}; they have {', '.join(sorted(known)) or 'none'}")


def _words(text: str) -> Sequence[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no command: {error}") from error


def _target_files(sources: Sequence[Path]) -> Iterator[Path]:
    """Each once. A list has a path a line, from its own folder; what follows a # is for people."""
    seen: set[Path] = set()
    for source in sources:
        for file in _files_of(source):
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield file


def _files_of(source: Path) -> Sequence[Path]:
    try:
        if source.is_dir():
            found = sorted(path for path in source.iterdir() if path.suffix == ".toml")
            if not found:
                raise UsageError(
                    f"{source} has no *.toml in it: a fleet is a folder of target files, or a list of them"
                )
            return found
        if source.suffix == ".toml":
            return [source]
        lines = [line.partition("#")[0].strip() for line in source.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise UsageError(f"cannot read {source}: {reason}") from error
    if not any(lines):
        raise UsageError(f"{source} names no target file: a list has a path a line")
    return [source.parent / line for line in lines if line]


def _look_at_all(files: Sequence[Path], arguments: argparse.Namespace) -> Fleet:
    try:
        found, notes = read_all([arguments.runs])
    except RunDirectoryError as error:
        found, notes = [], [f"no drill is known: {error}"]
    now_us = time.time_ns() // 1000
    # One with a wrong clock would be the last drill for years; it has its line.
    entries = [entry for entry in found if not is_ahead(entry, now_us)]
    return Fleet(pairs=_ask_all(files, entries, arguments), notes=[*notes, *notes_on(found, now_us)])


def _ask_all(files: Sequence[Path], entries: Sequence[Entry], arguments: argparse.Namespace) -> list[FleetPair]:
    """In the order of the files. Says how many have answered, on a terminal."""
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="fleet") as several:
        asked = [several.submit(_look_at, file, entries, arguments) for file in files]
        try:
            with Console(stderr=True).status("asking") as status:
                for number, _ in enumerate(as_completed(asked), 1):
                    status.update(f"asked {number:,} of {len(asked):,} pairs")
        except KeyboardInterrupt:
            several.shutdown(cancel_futures=True)
            raise
        return [one.result() for one in asked]


def _look_at(file: Path, entries: Sequence[Entry], arguments: argparse.Namespace) -> FleetPair:
    try:
        target = load_target(file)
        runs = arguments.runs.resolve()
        of_pair = [entry for entry in entries if _is_of(entry, file, target)]
        made = [(runs / entry.path, entry) for entry in reversed(of_pair) if entry.word != SKIPPED]
        checks = list(check_target(target, arguments.budget))
        keepalived = look_at_keepalived(target, arguments.conf, made)
        return FleetPair(
            file=str(file),
            url=target.endpoint.public_url,
            checks=len(checks) + len(keepalived.unread),
            ill=[*(f"{check.what}: {check.found}" for check in checks if not check.good), *keepalived.unread],
            promises=list(_promises(file, target, runs, of_pair)),
            changed=keepalived.changed,
        )
    except SwitchoverError as error:
        return FleetPair(file=str(file), problem=str(error))


def _promises(file: Path, target: Target, runs: Path, of_pair: Sequence[Entry]) -> Iterator[FleetPromise]:
    settings = settings_of_target(file, target)
    for name in target.faults:
        predicted, _ = predict_fault(fault_named(name), name, settings)
        low_ms, high_ms = (None if end is None else end * 1000 for end in (predicted.low_s, predicted.high_s))
        promise = FleetPromise(name, window(predicted), low_ms, high_ms)
        of_it = [entry for entry in of_pair if entry.what == name]
        if of_it and of_it[-1].word in FIRED_NOTHING:
            promise = replace(promise, unfired=of_it[-1])
        last = [entry for entry in of_it if entry.word not in FIRED_NOTHING]
        if last:
            directory = runs / last[-1].path
            promise = replace(promise, last=last[-1], owner=owner_of(directory))
            try:
                promise = replace(promise, checksum=checksum_of(directory))
            except OSError as error:
                promise = replace(promise, unread=f"{error.filename}: {error.strerror}")
        yield promise


def _is_of(entry: Entry, file: Path, target: Target) -> bool:
    """By the name of the file and the address in it: files of one name may describe different pairs."""
    name = LAB if target.lab is not None else file.stem
    return (entry.target, entry.url) == (name, target.endpoint.public_url)
