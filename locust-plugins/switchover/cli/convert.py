"""`switchover convert DIR|FILE...`: sample logs as Parquet, a tenth of the room and several times as fast to read."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from switchover.analysis.logs.account import Account
from switchover.analysis.requests.files import FORMS, PARQUET, stem_of, text_bytes, write_parquet
from switchover.analysis.requests.identity_from import parse_identity_from
from switchover.analysis.requests.reader import HowToRead, read_logs
from switchover.analysis.requests.store import Store
from switchover.analysis.run_files import seals_of
from switchover.model.errors import RunDirectoryError, UsageError
from switchover.rundir.run_directory import RUN_FILE, read_run


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
        logs = [log for path in arguments.paths for log in _logs(path, "samples*" if path.is_dir() else "")]
        _convert(logs, arguments.to, how)
        return 0
    for path in arguments.paths:
        if (path / RUN_FILE).exists():
            # What was damaged stays so when only the Parquet file is left.
            how = replace(how, seals=seals_of(read_run(path)))
        for log in _logs(path, "*"):
            _convert([log], log.with_name(stem_of(log) + PARQUET), how)
    return 0


def _convert(logs: Sequence[Path], destination: Path, how: HowToRead) -> None:
    account = Account()
    requests = read_logs(Store(text_bytes(logs)), "sample_rows", logs, account, how)
    write_parquet(requests, destination, account)
    left_out = f"; left out: {account}" if account.total else ""
    print(f"{destination}: {len(requests):,} samples, {destination.stat().st_size:,} bytes{left_out}")


def _logs(path: Path, pattern: str) -> list[Path]:
    if not path.is_dir():
        if not path.is_file():
            raise RunDirectoryError(f"cannot read {path}: no such file or directory")
        return [path]
    found = {stem_of(log): log for form in reversed(FORMS[:-1]) for log in sorted(path.glob(pattern + form))}
    if not found:
        kind = "run directory" if (path / RUN_FILE).exists() else "directory"
        raise RunDirectoryError(f"{path} is a {kind} without a sample log")
    return list(found.values())
