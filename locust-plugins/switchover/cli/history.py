"""`switchover history DIR...`: list all runs in the given folders as a table, as an HTML page or as JSON."""

import argparse
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from switchover.evidence.logs.format import epoch_us
from switchover.model.errors import UsageError
from switchover.report.figures_text import counted
from switchover.report.history.entry import DAMAGED, Entry, read_history
from switchover.report.history.form import history, history_page, last_drills, to_json
from switchover.report.history.groups import Filter, counted_once, notes_on
from switchover.report.history.usual import comparable, lengths_of, usual_of
from switchover.report.screen import print_json, print_shown
from switchover.rundir.atomic_file import write_whole
from switchover.target.reader import load_target
from switchover.verdict.record import LimitName, Status

LAST = 20
TIMES = "2026-11-24, or 2026-11-24T16:30 (UTC)"
FIRED_NOTHING = (Status.DRY_RUN, Status.NOT_FIRED)


PARSER = {
    "help": "list all runs, and the usual cost of a switchover",
    "description": "List all runs in the folders and their subfolders: the verdicts and outages for each target and "
    "fault, and the latest runs. Damaged runs and duplicates are listed separately. "
    "Exit codes: 0 listed; 2 nothing to list.",
    "epilog": "Example: 'switchover history runs --fault node-down --since 2026-01-01 --html history.html' writes a "
    "page about one fault.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help="folders of runs (default runs)")
    for option, what in (("--target", "target"), ("--fault", "fault or change")):
        text = f"only runs of this {what}; * and ? are wildcards"
        parser.add_argument(option, action="append", default=[], metavar="NAME", help=text)
    parser.add_argument("--since", type=_time, metavar="TIME", help=f"only runs since this time: {TIMES}")
    parser.add_argument(
        "--last", type=_number, default=LAST, metavar="N", help=f"number of latest runs to list (default {LAST})"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write the history as a page")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print JSON")
    text = "print the last drill and the usual outage of each target file in this folder"
    shown.add_argument("--targets", type=Path, metavar="DIR", help=text)


def run(arguments: argparse.Namespace) -> int:
    selection = Filter(targets=arguments.target, whats=arguments.fault, since_us=arguments.since)
    folders: list[Path] = arguments.folders or [Path("runs")]
    everything: list[Entry] = []
    notes: list[str] = []
    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        more_entries, more_notes = read_history(folder)
        everything += more_entries
        notes += more_notes
    everything, notes_on_copies = counted_once(
        sorted(everything, key=lambda entry: (entry.start_us or 0, entry.path))
    )
    notes += notes_on_copies
    entries = [entry for entry in everything if selection.takes(entry)]
    notes += notes_on(entries)
    readable = sum(entry.status != DAMAGED for entry in everything)
    if readable and all(entry.status == DAMAGED for entry in entries):
        damaged = "; damaged runs may match" if entries else ""
        notes.append(f"none of {counted(readable, 'run')} matches the options{damaged}")
    if arguments.html:
        write_whole(arguments.html, history_page(entries, notes, list(map(str, folders))))
    if arguments.json:
        print_json(to_json(entries, notes))
    elif arguments.targets:
        print_shown(last_drills(_last_drills(arguments.targets, entries, everything), notes), arguments.html)
    else:
        print_shown(history(entries, notes, arguments.last), arguments.html)
    return 0 if entries else 2


def _last_drills(
    folder: Path, entries: Sequence[Entry], everything: Sequence[Entry]
) -> Iterator[tuple[str, Entry | None, float | None]]:
    """For each target file, yield its name, the last run that fired a fault at its pair, and the usual outage of
    earlier comparable runs."""
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise UsageError(f"{folder} contains no *.toml: --targets needs a folder of target files")
    for file in files:
        # The target files of two pairs may have the same name.
        pair = file.stem, load_target(file).endpoint.public_url
        of_pair = [entry for entry in entries if (entry.target, entry.url) == pair and entry.what]
        fired = [entry for entry in of_pair if entry.status not in FIRED_NOTHING]
        last = fired[-1] if fired else None
        earlier = comparable(last, everything) if last else []
        yield file.stem, last, usual_of(lengths_of(earlier, LimitName.OUTAGE))[0]


def _time(text: str) -> int:
    try:
        return epoch_us(datetime.fromisoformat(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time: write {TIMES}") from error


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of runs")
    return int(text)
