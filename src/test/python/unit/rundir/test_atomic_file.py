"""A file is written whole or not at all, and nothing but a file is replaced."""

import os
from pathlib import Path

import pytest

from switchover.model.errors import RunDirectoryError
from switchover.rundir.atomic_file import write_whole


def test_a_pipe_or_a_device_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "page.html"
    os.mkfifo(pipe)
    with pytest.raises(RunDirectoryError, match=r"cannot write .*page\.html: it is no file"):
        write_whole(pipe, b"page")
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]


def test_a_link_stays_and_what_it_points_to_is_written(tmp_path: Path) -> None:
    page, link = tmp_path / "page.html", tmp_path / "link.html"
    link.symlink_to(page)
    write_whole(link, b"page")
    assert link.is_symlink() and page.read_bytes() == b"page"
