"""Lines as nghttp2's manual has them for `h2load --log-file`: begin, status and duration between tabs."""

from pathlib import Path

import pytest

from support.read_logs import is_claimed, read_log
from switchover.analysis.logs.h2load import FORMAT

AT_US = 1_767_225_600_250_000
GOOD = f"{AT_US}\t200\t1500"


def test_a_line_is_a_request_by_its_status(tmp_path: Path) -> None:
    codes = ("-1", "101", "200", "399", "400", "503")
    text = "".join(f"{AT_US}\t{code}\t1500\n" for code in codes) + f"{AT_US}\t200\n"
    found, account = read_log(FORMAT, tmp_path, text)
    assert [(one.start_us, one.took_us, one.label) for one in found] == [(AT_US, 1500, "h2load")] * 5
    assert [(one.code, one.success) for one in found] == [
        ("", False),
        ("200", True),
        ("399", True),
        ("400", False),
        ("503", False),
    ]
    assert account.damage == ["a.log: h2load does not write the requests that got no connection"]
    assert account.reasons == {"a line of another form": 1}


@pytest.mark.parametrize(
    ("lines", "is_one"),
    [
        ([], False),
        ([GOOD], True),
        ([GOOD, "x"], False),
        ([GOOD, GOOD, "x"], True),
        (["x"] * 49 + [GOOD] * 51 + ["x"] * 50, True),
        (["x"] * 50 + [GOOD] * 51, False),
    ],
)
def test_a_file_is_h2loads_where_more_than_half_of_its_first_lines_are(lines: list[str], *, is_one: bool) -> None:
    assert is_claimed(FORMAT, *lines) is is_one
