"""CSV for a spreadsheet: it comes back as it was written, and no text in it is a formula."""

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from switchover.model.redaction import escape_controls
from switchover.report.csv_table import write_table


@given(st.lists(st.lists(st.text(max_size=20), min_size=2, max_size=2), max_size=5))
def test_texts_are_quoted_whole_and_never_begin_a_formula(table: list[list[str]]) -> None:
    written = write_table(("a", "b"), table)
    read = list(csv.reader(io.StringIO(written, newline="")))[1:]
    assert [[cell.removeprefix("'") for cell in row] for row in read] == [
        [escape_controls(cell.removeprefix("'")) for cell in row] for row in table
    ]
    assert not any(cell.strip(" ").startswith(tuple("=+-@\t\r\n＝＋－＠")) for row in read for cell in row)  # noqa: RUF001


def test_control_characters_have_no_effect_on_a_terminal() -> None:
    assert "\x1b" not in write_table(("a",), [["\x1b[2J"]])
