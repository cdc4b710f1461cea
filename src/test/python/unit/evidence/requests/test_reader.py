"""The requests of a run as tables: what SQL finds in them is what was recorded."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.contract import vectors
from support.examples import examples
from support.request_tables import samples_of, table_of
from support.sample_rows import read_samples
from switchover.evidence.logs.format import Account
from switchover.evidence.requests import jtl
from switchover.evidence.requests.columns import GOOD_OR_LATE, SENT, outcome_sql
from switchover.evidence.requests.reader import HowToRead, read_logs
from switchover.evidence.requests.store import Store
from switchover.model.failure_kind import FailureKind
from switchover.model.outcome import Outcome, decide_outcome
from switchover.rundir.damaged_lines import Ignored
from switchover.rundir.sample_log import HEADER, format_sample
from synthetic import sample

ROW = format_sample(sample(1_767_225_600_123_456, 1_767_225_600_125_999))
QUOTED = ROW.replace("probe", '"a ""probe"", with', 1).replace("with", 'a comma"', 1)
EMPTY = ROW.replace("probe", '""', 1)
TWO_LINES = ROW.replace(",200,", ',"two\nlines",', 1)


def without_messages(path: Path, ignored: Ignored) -> list[object]:
    """As the reader of rows reads them; a table has no messages, and not all numbers."""
    return [
        found._replace(message="", failure_message="", sent_bytes=0, latency_us=0, connect_us=0, users=1)
        for found in read_samples(path, ignored)
    ]


def assert_both_read_alike(path: Path) -> None:
    by_row, by_table = Ignored(), Account()
    rows = without_messages(path, by_row)
    assert samples_of(read_logs(Store(), "samples", [path], by_table)) == rows
    assert by_table.reasons == by_row.reasons


@pytest.mark.parametrize("case", vectors("samples.json", "read"), ids=lambda case: case["name"])
def test_a_log_is_read_as_agreed(case: dict[str, str], tmp_path: Path) -> None:
    """A quote that does not end is damage here: Java reads row by row."""
    path, account = tmp_path / "samples.jtl", Account()
    path.write_bytes(case["text"].encode())
    if "misplaced quotes" in case["ignored"] or case["name"] == "empty lines":
        read_logs(Store(), "samples", [path], account)
        assert account.damage or account.reasons
    else:
        assert_both_read_alike(path)


@pytest.mark.parametrize(
    ("last", "kind"),
    [(ROW, "ENUM('', 'probe')"), (EMPTY, "ENUM('', 'probe')"), (QUOTED, "VARCHAR"), (ROW[:-1] + "x", "VARCHAR")],
    ids=["seen", "empty", "unseen", "damaged"],
)
def test_texts_that_the_sample_of_the_log_lacks_are_read_too(
    last: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jtl, "PIECES", 1)
    path, store = tmp_path / "samples.jtl", Store()
    path.write_text("\n".join((HEADER, *[ROW] * 200, last, "")), encoding="utf-8")
    assert_both_read_alike(path)
    first = read_logs(store, "first", [path], Account())
    assert set(first.rows("SELECT typeof(label) FROM {requests}")) == {(kind,)}
    (tmp_path / "other.jtl").write_text(f"{HEADER}\n{QUOTED}\n", encoding="utf-8")
    both = read_logs(store, "pair", [path, tmp_path / "other.jtl"], Account(), HowToRead(aliases={"web1": "blue"}))
    assert len(both) == len(first) + 1
    assert both.count("label NOT IN ('', 'probe')") == first.count("label NOT IN ('', 'probe')") + 1
    assert both.count("backend = 'blue'") == first.count("backend = 'web1'") + 1 and not both.count(
        "backend = 'web1'"
    )


@pytest.mark.parametrize(("rows", "names"), [(9, None), (10, ["", "other", "probe"])])
def test_a_name_with_few_rows_makes_further_names_probable(
    rows: int, names: list[str] | None, tmp_path: Path
) -> None:
    path = tmp_path / "samples.jtl"
    path.write_text(
        "\n".join((HEADER, ROW, *[ROW, ROW.replace("probe", "other", 1)] * rows, "", "")), encoding="utf-8"
    )
    found = jtl.few_names(path, jtl.layout_of(path, path), {"label": "label", "session": "nothing"})
    assert found == {"session": [""]} | ({"label": names} if names else {})


def test_only_foreign_logs_have_parts_of_requests(tmp_path: Path) -> None:
    path, account = tmp_path / "samples.jtl", Account()
    path.write_text("\n".join((HEADER, ROW, ROW.replace("probe", "probe-0", 1), "")), encoding="utf-8")
    assert len(read_logs(Store(), "samples", [path], account)) == 2 and not account.notes


pieces = st.sampled_from(
    [b'"', b"\n", b" ", b"1", b"true", b"\xff", b"\x00", b'""', b"\xc3\xa9"]
    + [f"\n{row}\n".encode() for row in (ROW, QUOTED, TWO_LINES, EMPTY)]
)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.lists(pieces, max_size=60).map(b"".join), whole=st.booleans())
def test_no_damage_goes_unnoticed(tmp_path: Path, content: bytes, whole: bool) -> None:
    """Rows may be lost to it, but then it is accounted for; no row is made of it."""
    path = tmp_path / "samples.jtl"
    path.write_bytes(f"{HEADER}\n{ROW}\n".encode() + content + (f"\n{ROW}\n{ROW}\n".encode() if whole else b""))
    account = Account()
    found = read_logs(Store(), "samples", [path], account)
    written = content.count(b"\n1767225600123,2,") + (3 if whole else 1)
    assert len(found) <= written
    assert len(found) == written or account.reasons or account.damage


def test_conditions_on_an_outcome_are_those_of_the_one_rule() -> None:
    samples = [
        sample(0, took, success=success, error=error)
        for took in (10, 11)
        for success in (True, False)
        for error in (None, *FailureKind)
    ]
    rows = table_of(samples).rows(
        f"SELECT {outcome_sql(10)}, {SENT}, {GOOD_OR_LATE} FROM {{requests}} ORDER BY part, rowid"
    )
    for one, (outcome, sent, good_or_late) in zip(samples, rows, strict=True):
        assert outcome == decide_outcome(one.error, one.success, one.end_us, 10)
        assert sent == (outcome != Outcome.UNSENT)
        assert good_or_late == (outcome in (Outcome.GOOD, Outcome.LATE))
