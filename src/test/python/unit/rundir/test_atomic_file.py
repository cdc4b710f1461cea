"""A file is written whole or not at all, and nothing but a file is replaced."""

import os
from pathlib import Path

import pytest

from support.kept_runs import kept_run
from switchover.model.errors import RunDirectoryError
from switchover.report.history.entry import DAMAGED, read_history
from switchover.rundir.atomic_file import NO_FILE, read_whole, write_whole
from switchover.rundir.run_directory import RUN_FILE, VERDICT_FILE, read_run


def test_a_pipe_or_a_device_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "page.html"
    os.mkfifo(pipe)
    with pytest.raises(RunDirectoryError, match=r"cannot write .*page\.html: it is not a regular file"):
        write_whole(pipe, b"page")
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("name", ["page.html", "page.html.part"])
def test_a_link_is_replaced_and_what_it_points_to_is_not_written(name: str, tmp_path: Path) -> None:
    other, page = tmp_path / "other", tmp_path / "page.html"
    other.write_bytes(b"of somebody else")
    (tmp_path / name).symlink_to(other)
    write_whole(page, b"page")
    assert other.read_bytes() == b"of somebody else"
    assert not page.is_symlink() and page.read_bytes() == b"page"
    assert sorted(tmp_path.iterdir()) == [other, page]


def test_only_a_regular_file_of_a_bounded_size_is_read(tmp_path: Path) -> None:
    file, pipe = tmp_path / "run.json", tmp_path / "pipe"
    file.write_bytes(b"12345")
    os.mkfifo(pipe)
    assert read_whole(file, 5) == b"12345"
    for path, limit, why in ((file, 4, "larger than 4 bytes"), (pipe, 4, NO_FILE), (Path("/dev/zero"), 4, NO_FILE)):
        with pytest.raises(OSError, match=why):
            read_whole(path, limit)


@pytest.mark.parametrize("name", [RUN_FILE, VERDICT_FILE])
@pytest.mark.parametrize("what", ["pipe", "/dev/zero"])
def test_a_history_and_a_report_end_if_a_file_is_a_pipe_or_a_device(name: str, what: str, tmp_path: Path) -> None:
    folder = kept_run("keepalived-kill", tmp_path)
    path = folder / name
    path.unlink()
    os.mkfifo(path) if what == "pipe" else path.symlink_to(what)
    (entry,) = read_history(tmp_path)[0]
    assert entry.status == DAMAGED
    if name == RUN_FILE:
        with pytest.raises(RunDirectoryError, match=NO_FILE):
            read_run(folder)
