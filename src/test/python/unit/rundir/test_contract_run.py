"""`run.json` as both languages write it."""

from pathlib import Path

from support.contract import FOLDER
from switchover.rundir.run_directory import RUN_FILE, read_run, write_run


def test_a_run_is_read_and_written_as_java_writes_it(tmp_path: Path) -> None:
    agreed = (FOLDER / RUN_FILE).read_bytes()
    (tmp_path / RUN_FILE).write_bytes(agreed)
    write_run(tmp_path, read_run(tmp_path))
    assert (tmp_path / RUN_FILE).read_bytes() == agreed
