"""What is promised of a reload against the real programs: its rows, and the table that they make."""

import pytest

from proof import reload_promises
from proof.reload_promises import as_table, broken, case_rows, with_new
from proof.results import NAMES
from support.reload_cases import CASES, Case, TriedLoad
from support.reload_clients import Fates
from switchover.predict.promise import Fate, Promise

CASE = Case({"GLOBAL": "hard-stop-after 30s\n    hard-stop-after 1s"})
CUT = Promise(Fate.CUT, "hard-stop-after 1s", cut_after_s=1.0)


@pytest.fixture(autouse=True)
def version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reload_promises, "software_of", lambda name: f"{NAMES[name]} 2.6.12")


def test_a_row_has_what_was_promised_and_what_became_of_the_connections() -> None:
    fates = Fates(opened=2, lost_after_s=[1.25, 1.3])
    (row,) = case_rows("haproxy", "twice", CASE, [TriedLoad("tcp", CUT, fates, is_judged=True)])
    assert (row["software"], row["lines"]) == (
        "HAProxy 2.6.12",
        "GLOBAL: hard-stop-after 30s; GLOBAL: hard-stop-after 1s",
    )
    assert (row["promise"], row["open"], row["lost"], row["first_after_ms"]) == ("cut after 1 s", "2", "2", "1250")
    assert row["as_promised"] == "yes" and list(broken([row])) == []


def test_what_came_otherwise_than_promised_is_said_and_what_is_left_to_chance_is_not_judged() -> None:
    loads = [
        TriedLoad("tcp", CUT, Fates(opened=2, lost_after_s=[0.5, 1.3]), is_judged=True),
        TriedLoad("sse", CUT, Fates(opened=2), is_judged=False),
    ]
    rows = list(case_rows("haproxy", "twice", CASE, loads))
    assert list(broken(rows)) == ["HAProxy 2.6.12, twice: tcp was promised as cut after 1 s"]
    assert as_table(rows).splitlines()[2] == "| HAProxy 2.6.12 | 1 | 0 | 1 | 0 | 0 | 1 | 1 |"


def test_a_configuration_that_is_tried_again_has_its_new_rows_in_its_place() -> None:
    def rows(balancer: str, name: str, told: int) -> list[reload_promises.Row]:
        load = TriedLoad("idle", Promise(Fate.KEPT, "asked to close"), Fates(announced=told), is_judged=True)
        return list(case_rows(balancer, name, CASE, [load]))

    known = [*rows("haproxy", "defaults", 0), *rows("haproxy", "httpclose", 0), *rows("nginx", "defaults", 0)]
    kept = with_new(known, rows("haproxy", "defaults", 2))
    found = [(row["configuration"], row["told_before"]) for row in kept]
    assert found == [("defaults", "2"), ("httpclose", "0"), ("defaults", "0")]


def test_at_least_twenty_configurations_of_each_are_tried() -> None:
    assert all(len(cases) >= 20 for cases in CASES.values())
