"""The files of a run directory, and of the parts of the same run from other hosts."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from switchover.evidence.requests.files import FORMS, TEXT, stem_of
from switchover.model.errors import RunDirectoryError
from switchover.rundir.former_names import FORMER_FILES
from switchover.rundir.run_directory import PROBES_FILE, RUN_FILE, VERDICT_JOURNAL, Run
from switchover.rundir.sample_log import HELD_FILE, RETRYING_CLIENT_FILE
from switchover.rundir.seal import Seal, read_seals

ACCESS_PREFIX = "access-"
TABLES = (".csv", TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFiles:
    """The existing files of a run."""

    journals: Sequence[Path]
    access: Sequence[Path]
    """Tables with the lines that the run added to the access logs, one table for each backend."""
    probes: Sequence[Path]
    samples: Sequence[Path]
    connections: Sequence[Path]
    retrying_clients: Sequence[Path]

    @property
    def tables(self) -> list[Path]:
        return [*self.access, *self.connections, *self.retrying_clients]

    def without(self, damaged: Collection[Path]) -> "RunFiles":
        """Return a copy without the damaged tables."""
        names = ("access", "connections", "retrying_clients")
        return replace(
            self, **{name: [path for path in getattr(self, name) if path not in damaged] for name in names}
        )

    def unsealed(self, seals: Collection[str]) -> tuple[str, ...]:
        """Return the names of files without a seal (a checksum). The seal of a log is the checksum of the
        uncompressed text."""
        paths = [*self.tables, *self.journals, *self.probes, *self.samples]
        return tuple(path.name for path in paths if path.name not in seals and stem_of(path) + TEXT not in seals)


def find_files(directories: Sequence[Path]) -> RunFiles:
    connections, retrying_clients = (
        [
            path
            for stem in (Path(name).stem, FORMER_FILES[Path(name).stem])
            for path in _named(directories, f"{stem}*.jtl")
        ]
        for name in (HELD_FILE, RETRYING_CLIENT_FILE)
    )
    return RunFiles(
        journals=[path for path in _named(directories, "journal*.lp") if path.name != VERDICT_JOURNAL],
        access=_named(directories, f"{ACCESS_PREFIX}*.csv"),
        probes=_logs(directories, stem_of(Path(PROBES_FILE))),
        samples=_logs(directories, "samples*"),
        connections=connections,
        retrying_clients=retrying_clients,
    )


def find_missing(directories: Sequence[Path], names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the given files that do not exist or have no header. A log may have any suffix in
    `FORMS`."""

    def is_missing(name: str) -> bool:
        return not (_logs(directories, stem_of(Path(name))) if name.endswith(TEXT) else _named(directories, name))

    return tuple(filter(is_missing, dict.fromkeys(names)))


def seals_of(run: Run) -> dict[str, list[Seal]]:
    """Return the seals of all parts; the keys are the file names."""
    try:
        return {name: read_seals(sealed) for name, sealed in run.seals.items()}
    except ValueError as error:
        raise RunDirectoryError(f"the seals in {RUN_FILE} of run {run.id} cannot be read: {error}") from error


def _named(directories: Iterable[Path], pattern: str) -> list[Path]:
    """Return the files of all parts that match a pattern, each file once. A table without a header is ignored,
    because the writing process could never write to the file, for example because the disk was full."""
    unique = {path.resolve(): path for directory in directories for path in sorted(directory.glob(pattern))}
    return [path for path in unique.values() if path.suffix not in TABLES or not path.exists() or path.stat().st_size]


def _logs(directories: Sequence[Path], pattern: str) -> list[Path]:
    """Return the sample logs of all parts. If files differ only in the suffix, the file with the first suffix in
    `FORMS` is used."""
    logs: dict[tuple[Path, str], Path] = {}
    for form in FORMS:
        for path in _named(directories, pattern + form):
            logs.setdefault((path.parent.resolve(), stem_of(path)), path)
    return sorted(logs.values(), key=lambda path: (path.parent, stem_of(path)))
