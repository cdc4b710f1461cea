"""What a run kept of the access logs: which lines are of the run, and which path each asked for."""

from collections import Counter
from pathlib import Path

import pytest

from switchover.evidence.access_paths import read_access_logs
from switchover.model.errors import RunDirectoryError
from switchover.rundir.damaged_lines import Ignored

START_US = 10_000_000


def access_log(folder: Path, *lines: str, backend: str = "web1", header: str = "time_us,path") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"access-{backend}.csv"
    path.write_text("".join(f"{line}\n" for line in (header, *lines)), encoding="utf-8")
    return path


def test_lines_are_counted_by_backend_and_path_and_parts_of_a_run_together(tmp_path: Path) -> None:
    paths = [
        access_log(tmp_path / "one", "10000001,/a?x=1", "10000002,/a", "10000003,/b"),
        access_log(tmp_path / "one", "10000001,/c", backend="access-web2"),
        access_log(tmp_path / "other", "/b,10000001", header="path,time_us"),
    ]
    ignored = Ignored()
    assert read_access_logs(paths, START_US, ignored) == {
        "web1": Counter({"/a": 2, "/b": 2}),
        "access-web2": Counter({"/c": 1}),
    }
    assert ignored.total == 0


@pytest.mark.parametrize(
    ("times_us", "counted"),
    [
        ((9_999_999, 10_000_000, 10_000_001), 2),
        ((8_000_000, 9_000_000, 10_000_000), 2),
        ((8_000_250, 9_000_250), 1),
        ((8_000_250, 9_000_250, 9_500_500), 0),
        ((8_999_999,), 0),
        ((9_000_000,), 1),
    ],
)
def test_what_is_older_than_the_run_is_left_out_as_exactly_as_the_log_tells_the_time(
    times_us: tuple[int, ...], counted: int, tmp_path: Path
) -> None:
    path = access_log(tmp_path, *(f"{time_us},/" for time_us in times_us))
    found = read_access_logs([path], START_US, Ignored())["web1"]
    assert found == Counter({"/": counted} if counted else {})


@pytest.mark.parametrize("header", ["when,path", "time_us,what", ""])
def test_a_table_without_its_columns_is_no_access_log(header: str, tmp_path: Path) -> None:
    path = access_log(tmp_path, "1,/", header=header)
    with pytest.raises(RunDirectoryError) as caught:
        read_access_logs([path], START_US, Ignored())
    assert str(caught.value) == (f"{path} is not the access log of a run: its header lacks time_us or path")


def test_an_access_log_that_is_gone_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "access-web1.csv"
    with pytest.raises(RunDirectoryError) as caught:
        read_access_logs([path], START_US, Ignored())
    assert str(caught.value) == f"cannot read {path}: [Errno 2] No such file or directory: '{path}'"
    path.touch()
    with pytest.raises(RunDirectoryError, match=r"access-web1\.csv is not the access log"):
        read_access_logs([path], START_US, Ignored())
