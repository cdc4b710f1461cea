"""The account of logs: what was left out, what was noticed, and from when on they are not trusted."""

import pytest

from switchover.analysis.logs.account import Account
from switchover.rundir.seal import Damage

CUT = Damage("samples.jtl", 5, 9, is_cut=True)
CUT_TEXT = "samples.jtl was cut off: of 9 bytes the first 5 are here"
FACTS = {
    "ignored": {"a line of another form": 3},
    "lost_bytes": 30,
    "text_bytes": 1000,
    "damage": ["no duration", CUT_TEXT],
    "notes": ["times are in seconds"],
    "local_times": True,
}


def account_of_one_log() -> Account:
    account = Account()
    account.text_bytes = 1000
    account.logs.append("a.log")
    account.add("a line of another form", 3, nbytes=30)
    account.damage.append("no duration")
    account.broken_seals.append(CUT)
    account.notes.append("times are in seconds")
    account.has_local_times = True
    return account


def test_what_is_kept_of_an_account_is_all_of_it() -> None:
    account = account_of_one_log()
    assert account.facts() == FACTS


def test_what_was_kept_is_added_to_what_is_there() -> None:
    account = account_of_one_log()
    account.add_facts(FACTS)
    assert account.reasons == {"a line of another form": 6}
    assert (account.lost_bytes, account.text_bytes) == (60, 2000)
    assert account.damage == ["no duration", "no duration", CUT_TEXT]
    assert account.notes == ["times are in seconds"] * 2
    assert account.has_local_times


def test_what_is_not_kept_adds_nothing() -> None:
    account = account_of_one_log()
    account.add_facts({})
    account.add_facts({"local_times": False})
    assert account.facts() == FACTS
    bare = Account()
    bare.add_facts({"local_times": 1})
    assert bare.facts() == {
        "ignored": {},
        "lost_bytes": 0,
        "text_bytes": 0,
        "damage": [],
        "notes": [],
        "local_times": False,
    }, "only `true` is; and of no logs all have a steady clock"
    bare.add_facts({"local_times": True})
    assert bare.has_local_times


@pytest.mark.parametrize(
    "facts",
    [{"ignored": ["a"]}, {"ignored": {"a": None}}, {"lost_bytes": "many"}, {"text_bytes": []}, {"damage": 5}],
)
def test_facts_of_another_form_are_refused_with_the_reason(facts: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        Account().add_facts(facts)
    assert str(raised.value) != "None"


def test_a_thousandth_of_the_bytes_may_be_lost() -> None:
    account = Account()
    assert account.share_lost == 0 and account.why_untrusted() == [] and account.warnings() == []
    account.text_bytes = 10_000
    account.add("a line of another form", nbytes=10)
    assert account.share_lost == 0.001 and account.why_untrusted() == []
    assert account.warnings() == ["1 line could not be read: 1 x a line of another form"]
    account.add("a line of another form", 1_200, nbytes=1)
    account.damage.append("no duration")
    account.notes.append("times are in seconds")
    assert account.why_untrusted() == [
        "no duration",
        "0.11% of the bytes of the logs could not be understood: 1201 x a line of another form",
    ]
    assert account.warnings() == [
        "times are in seconds",
        "1,201 lines could not be read: 1201 x a line of another form",
    ]
    account.lost_bytes = 20_000
    assert account.share_lost == 1


def test_what_is_told_of_an_account_leaves_it_as_it_was() -> None:
    account = account_of_one_log()
    account.why_untrusted()
    account.warnings()
    assert account.facts() == FACTS
