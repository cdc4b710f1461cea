"""The account of logs: what was left out, what was noticed, and from when on they are invalid."""

from switchover.evidence.logs.format import Account


def test_a_thousandth_of_the_bytes_may_be_lost() -> None:
    account = Account()
    assert account.share_lost == 0 and account.why_invalid() == [] and account.warnings() == []
    account.text_bytes = 10_000
    account.add("a line in another format", nbytes=10)
    assert account.share_lost == 0.001 and account.why_invalid() == []
    assert account.warnings() == ["1 line could not be read: 1 x a line in another format"]
    account.add("a line in another format", 1_200, nbytes=1)
    account.damage.append("no duration")
    account.notes.append("times are in seconds")
    assert account.why_invalid() == [
        "no duration",
        "0.11% of the bytes of the logs could not be read: 1201 x a line in another format",
    ]
    assert account.warnings() == [
        "times are in seconds",
        "1,201 lines could not be read: 1201 x a line in another format",
    ]
    account.lost_bytes = 20_000
    assert account.share_lost == 1
