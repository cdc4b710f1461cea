"""`switchover convert DIR|FILE...`: sample logs as Parquet, a tenth of the room and several times as fast to read."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from switchover.analysis.flaws import PROBES_STEM
from switchover.analysis.logs.account import Account
from switchover.analysis.requests.files import FORMS, PARQUET, stem_of, text_bytes, write_parquet
from switchover.analysis.requests.identity_from import parse_identity_from
from switchover.analysis.requests.reader import HowToRead, LogReader
from switchover.analysis.requests.store import Store
from switchover.analysis.requests.table import Requests
from switchover.analysis.run_files import seals_of
from switchover.model.errors import RunDirectoryError, UsageError
from switchover.rundir.run_directory import RUN_FILE, read_run
from switchover.rundir.seal import Seal


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "convert",
        help="turn sample logs into Parquet",
        description="Write each sample log (JTL, also compressed, and the other formats that 'report' "
        "reads) as a Parquet file beside it, or all of "
        "them as the one that --to names. Of a run directory all sample logs and probes are converted: 'switchover "
        "report' reads a log in any form that is there, so the text may be removed. Messages are left out.",
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="DIR|FILE", help="run directories or sample logs")
    parser.add_argument("--to", type=Path, metavar="FILE", help="one file for all of them")
    parser.add_argument("--backend-from", metavar="COLUMN:REGEX", help="as for 'switchover report'")
    parser.set_defaults(handler=run)


def run(arguments: argparse.Namespace) -> int:
    how = HowToRead(parse_identity_from(arguments.backend_from) if arguments.backend_from else None)
    if arguments.to is not None:
        if arguments.to.suffix != PARQUET:
            raise UsageError(f"--to {arguments.to}: the file must be named .parquet")
        logs = [log for path in arguments.paths for log in _logs(path, "samples*")]
        _convert(logs, arguments.to, how)
        return 0
    for path in arguments.paths:
        for log in _logs(path, "samples*", PROBES_STEM):
            _convert([log], log.with_name(stem_of(log) + PARQUET), how)
    return 0


def _convert(logs: Sequence[Path], destination: Path, how: HowToRead) -> None:
    account = Account()
    reader = LogReader(Store(text_bytes(logs)), "sample_rows", account, how)
    for log in logs:
        reader.how = replace(how, seals=_seals_beside(log))
        reader.read(log)
    reader.settle()
    requests = Requests(reader.store, reader.table)
    write_parquet(requests, destination, account)
    left_out = f"; left out: {account}" if account.total else ""
    print(f"{destination}: {len(requests):,} samples, {destination.stat().st_size:,} bytes{left_out}")


def _seals_beside(log: Path) -> Mapping[str, Sequence[Seal]]:
    """Of the run that the log lies in: what was damaged stays so when only the Parquet file is left."""
    return seals_of(read_run(log.parent)) if (log.parent / RUN_FILE).exists() else {}


def _logs(path: Path, *of_run: str) -> list[Path]:
    """The log, or all logs of a directory; of a run directory those whose names begin so."""
    if not path.is_dir():
        if not path.is_file():
            raise RunDirectoryError(f"cannot read {path}: no such file or directory")
        return [path]
    is_run = (path / RUN_FILE).exists()
    patterns = of_run if is_run else ("*",)
    forms = reversed(FORMS[:-1])
    found = {stem_of(log): log for form in forms for pattern in patterns for log in sorted(path.glob(pattern + form))}
    if not found:
        kind = "run directory" if is_run else "directory"
        raise RunDirectoryError(f"{path} is a {kind} without a sample log")
    return list(found.values())
