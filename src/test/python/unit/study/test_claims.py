import pytest

from switchover.model.errors import UsageError
from switchover.study.claims import ClaimWord, RepeatSpread, holds_as_published, judge, parse_expression

FAST, SLOW, WIDE = RepeatSpread(150.0, 2.0, 3), RepeatSpread(80.0, 2.0, 3), RepeatSpread(120.0, 60.0, 3)
SPREADS = {
    ("rate", "fast"): FAST,
    ("rate", "slow"): SLOW,
    ("rate", "wide"): WIDE,
    ("rate", "once"): RepeatSpread(100.0, None, 1),
    ("max", "fast"): RepeatSpread(9.0, 0.0, 3, digit=1.0),
    ("requests", "fast"): RepeatSpread(10_000.0, 0.0, 3, digit=1.0),
    ("failed", "fast"): RepeatSpread(0.0, 0.0, 3, digit=1.0),
    ("failed_share", "fast"): RepeatSpread(0.0, 0.0, 3, digit=1.0),
    ("share_web1", "fast"): RepeatSpread(50.0, 0.0, 3, digit=1.0),
    ("aborted", "fast"): RepeatSpread(1.0, 0.0, 3, digit=1.0),
    ("aborted", "often"): RepeatSpread(1.0, 0.0, 8, digit=1.0),
}


def word_of(text: str) -> ClaimWord:
    return judge(parse_expression(text), SPREADS).word


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('rate("slow") < rate("fast")', ClaimWord.HOLDS),
        ('rate("fast") < rate("slow")', ClaimWord.DOES_NOT_HOLD),
        ('rate("fast") < rate("wide")', ClaimWord.INCONCLUSIVE),
        ('rate("slow") < rate("fast") < rate("wide")', ClaimWord.INCONCLUSIVE),
        ('rate("slow") < rate("fast") and rate("fast") < rate("slow")', ClaimWord.DOES_NOT_HOLD),
        ('failed_share("fast") <= 0.1', ClaimWord.HOLDS),
        ('failed_share("fast") > 1', ClaimWord.DOES_NOT_HOLD),
        ('near(rate("fast"), 2 * rate("slow"), 20)', ClaimWord.HOLDS),
        ('near(rate("fast"), rate("slow"), 5)', ClaimWord.DOES_NOT_HOLD),
        ('rate("fast") / rate("slow") >= 1.5', ClaimWord.HOLDS),
        ('max(rate("fast"), rate("slow")) > 140', ClaimWord.HOLDS),
        ('near(rate("fast"), rate("wide"), 5)', ClaimWord.INCONCLUSIVE),
        ('within(share_web1("fast"), 50, 1)', ClaimWord.HOLDS),
        ('within(rate("fast"), rate("slow"), 20)', ClaimWord.DOES_NOT_HOLD),
        ('within(max("fast"), 9, 2)', ClaimWord.HOLDS),
    ],
)
def test_a_claim_is_judged_by_the_interval_of_each_comparison(text: str, word: ClaimWord) -> None:
    assert word_of(text) is word


@pytest.mark.parametrize(
    "text",
    [
        'failed("fast") < 0.5',  # 0 of 30,000 in three repeats allow up to 1.2 a repeat
        'failed_share("fast") <= 0.001',
        'within(share_web1("fast"), 50, 0.1)',
        'max("fast") < 9.1',  # a time in whole milliseconds
        'aborted("fast") > 0.5',  # three of three
    ],
)
def test_equal_repeats_are_no_certainty(text: str) -> None:
    assert word_of(text) is ClaimWord.INCONCLUSIVE


def test_an_interval_on_both_sides_of_a_margin_cannot_be_told() -> None:
    spreads = {("mean", "a"): RepeatSpread(10.0, 1.0, 5), ("mean", "b"): RepeatSpread(9.5, 1.0, 5)}
    judged = judge(parse_expression('within(mean("a"), mean("b"), 1)'), spreads)
    (comparison,) = judged.comparisons
    assert judged.word is ClaimWord.INCONCLUSIVE
    assert comparison.low is not None and comparison.low < -1 < 0 < (comparison.high or 0)


def test_rates_and_times_of_a_busy_machine_are_inconclusive_and_counts_are_judged() -> None:
    busy = {"fast": 83.0}
    rate = judge(parse_expression('rate("slow") < rate("fast")'), SPREADS, busy=busy)
    assert (rate.word, rate.reason) == (
        ClaimWord.INCONCLUSIVE,
        "the machine was too busy: 83 % of its CPU time in use during fast",
    )
    assert judge(parse_expression('failed_share("fast") <= 0.1'), SPREADS, busy=busy).word is ClaimWord.HOLDS


def test_an_equality_without_a_margin_is_refused() -> None:
    with pytest.raises(UsageError, match="use < <= > >=, near"):
        parse_expression('rate("a") == 5')


def test_one_run_and_a_missing_figure_are_inconclusive_with_a_reason() -> None:
    assert judge(parse_expression('rate("once") < 200'), SPREADS).reason == "once ran only once"
    assert judge(parse_expression('rate("none") < 200'), SPREADS).reason == "there is no figure rate for none"


def test_what_a_form_leaves_out_is_passed_over_and_named() -> None:
    both = parse_expression('rate("slow") < rate("fast") and rate("slow") < rate("later")')
    in_part = judge(both, SPREADS, left_out={"later"})
    assert in_part.word is ClaimWord.HOLDS
    assert in_part.reason == "not tested for cells that are not part of this form: later"
    none = judge(parse_expression('rate("later") < 5'), SPREADS, left_out={"later"})
    assert (none.word, none.reason) == (ClaimWord.INCONCLUSIVE, "not part of this form: later")


def test_a_claim_can_be_contradicted_by_the_published_figures_themselves() -> None:
    expression = parse_expression('rate("slow") < rate("fast")')
    assert holds_as_published(expression, {("rate", "slow"): 1, ("rate", "fast"): 2}) is True
    assert holds_as_published(expression, {("rate", "slow"): 2, ("rate", "fast"): 2}) is False
    assert holds_as_published(expression, {("rate", "slow"): 2}) is None


@pytest.mark.parametrize(
    "text",
    [
        '__import__("os").system("x") < 1',
        "rate < 1",
        'rate("a")',
        'rate("a") != 1',
        'rate("a").real < 1',
        "1 <",
        "near(1, 2)",
        'near(rate("a"), rate("b"), "x")',
        'near(rate("a"), rate("b"), True)',
        "min(1) < 2",
        "abs(1, 2) < 3",
        'rate("a") < 1' + "0" * 400,
        "-" * 5000 + "1 < 2",
    ],
)
def test_what_is_no_comparison_of_figures_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="claim"):
        parse_expression(text)
