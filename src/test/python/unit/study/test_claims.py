import pytest

from switchover.model.errors import UsageError
from switchover.study.claims import Word, holds_as_published, judge, parse_expression
from switchover.study.comparison import Spread

FAST, SLOW, WIDE = Spread(150.0, 2.0, 3), Spread(80.0, 2.0, 3), Spread(120.0, 60.0, 3)
SPREADS = {
    ("rate", "fast"): FAST,
    ("rate", "slow"): SLOW,
    ("rate", "wide"): WIDE,
    ("rate", "once"): Spread(100.0, None, 1),
    ("max", "fast"): Spread(9.0, 0.0, 3),
    ("failed", "fast"): Spread(0.0, 0.0, 3),
}


def word_of(text: str) -> Word:
    return judge(parse_expression(text), SPREADS).word


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('rate("slow") < rate("fast")', Word.HOLDS),
        ('rate("fast") < rate("slow")', Word.DOES_NOT_HOLD),
        ('rate("fast") < rate("wide")', Word.CANNOT_BE_TOLD),
        ('rate("slow") < rate("fast") < rate("wide")', Word.CANNOT_BE_TOLD),
        ('rate("slow") < rate("fast") and rate("fast") < rate("slow")', Word.DOES_NOT_HOLD),
        ('failed("fast") == 0', Word.HOLDS),
        ('failed("fast") > 0', Word.DOES_NOT_HOLD),
        ('near(rate("fast"), 2 * rate("slow"), 20)', Word.HOLDS),
        ('near(rate("fast"), rate("slow"), 5)', Word.DOES_NOT_HOLD),
        ('rate("fast") / rate("slow") >= 1.5', Word.HOLDS),
        ('max(rate("fast"), rate("slow")) > 140', Word.HOLDS),
        ('max("fast") == 9', Word.HOLDS),
    ],
)
def test_a_claim_is_judged_by_the_interval_of_each_comparison(text: str, word: Word) -> None:
    assert word_of(text) is word


def test_the_difference_of_the_sides_has_an_interval_around_it() -> None:
    (comparison,) = judge(parse_expression('rate("slow") < rate("fast")'), SPREADS).comparisons
    assert comparison.low is not None and comparison.high is not None
    assert 0 < comparison.low < 70 < comparison.high


def test_one_run_and_a_missing_figure_cannot_be_told_and_say_why() -> None:
    assert judge(parse_expression('rate("once") < 200'), SPREADS).reason == "once ran once only"
    assert judge(parse_expression('rate("none") < 200'), SPREADS).reason == "there is no rate of none"


def test_what_a_form_leaves_out_is_passed_over_and_named() -> None:
    both = parse_expression('rate("slow") < rate("fast") and rate("slow") < rate("later")')
    in_part = judge(both, SPREADS, left_out={"later"})
    assert (in_part.word, in_part.reason) == (Word.HOLDS, "in part: left out of this form are later")
    none = judge(parse_expression('rate("later") < 5'), SPREADS, left_out={"later"})
    assert (none.word, none.reason) == (Word.CANNOT_BE_TOLD, "left out of this form: later")


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
    ],
)
def test_what_is_no_comparison_of_figures_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="claim"):
        parse_expression(text)
