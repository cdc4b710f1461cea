"""`python -m proof.claim_words`: how often a study's words are right, by made studies whose truth is known.

Each made study draws its repeats of two cells around their true figures: means with a standard deviation of 1, shares
and counts of failures as independent requests have them, and what happens or not in a repeat. The table stands in
docs/proof/words.txt; the seed makes it the same each time.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from proof.pages import write_between
from switchover.study.claims import ClaimWord, judge, parse_expression, spread_of

PAGE = Path(__file__).parents[4] / "docs" / "proof" / "words.txt"
MADE, SEED = 100, 36
LESS, SAME = 'mean("a") < mean("b")', 'within(mean("a"), mean("b"), 2)'
FEW_FAIL = 'failed_share("a") <= 0.1'
MOST_BREAK_OFF = 'aborted("a") > 0.5'
FEWER_FAIL = 'failed("a") < failed("b")'
MEAN = 100.0
REQUESTS = 10_000
"""Of a repeat, where a share of them fails."""


def measured(chance: random.Random, truth: float) -> float:
    return chance.gauss(truth, 1.0)


def counted(chance: random.Random, truth: float) -> float:
    """As many of a Poisson's events as come until then, one at a time in the mean."""
    number, at = 0, chance.expovariate(1.0)
    while at < truth:
        number, at = number + 1, at + chance.expovariate(1.0)
    return number


def share_failed(chance: random.Random, truth: float) -> float:
    return 100 * counted(chance, truth / 100 * REQUESTS) / REQUESTS


def happened(chance: random.Random, truth: float) -> float:
    return float(chance.random() < truth)


@dataclass(frozen=True, slots=True)
class MadeCase:
    """A claim about two cells whose true figures are these, and the word that would be wrong."""

    claim: str
    truths: tuple[float, float]
    """Of a and b."""
    wrong: ClaimWord
    told: str
    """The truth, as the table has it."""
    repeats: int = 5
    make: Callable[[random.Random, float], float] = measured
    """The figure of a repeat, by its truth."""


def cases() -> Iterator[MadeCase]:
    for repeats in (3, 5, 10):
        for claim, apart, wrong in (
            (LESS, 3.0, ClaimWord.DOES_NOT_HOLD),
            (LESS, 1.0, ClaimWord.DOES_NOT_HOLD),
            (LESS, 0.0, ClaimWord.HOLDS),
            (LESS, -3.0, ClaimWord.HOLDS),
            (SAME, 0.0, ClaimWord.DOES_NOT_HOLD),
            (SAME, 2.0, ClaimWord.HOLDS),
            (SAME, 4.0, ClaimWord.HOLDS),
        ):
            yield MadeCase(claim, (MEAN, MEAN + apart), wrong, f"b less a: {apart:g} sd", repeats)
    for percent, wrong in (
        (0.0, ClaimWord.DOES_NOT_HOLD),
        (0.05, ClaimWord.DOES_NOT_HOLD),
        (0.1, ClaimWord.DOES_NOT_HOLD),
        (0.2, ClaimWord.HOLDS),
    ):
        yield MadeCase(FEW_FAIL, (percent, 0.0), wrong, f"{percent:g} % of {REQUESTS:,}", make=share_failed)
    for part, wrong in ((1.0, ClaimWord.DOES_NOT_HOLD), (0.5, ClaimWord.HOLDS), (0.0, ClaimWord.HOLDS)):
        yield MadeCase(MOST_BREAK_OFF, (part, 0.0), wrong, f"in {100 * part:.0f} % of the repeats", make=happened)
    for number, wrong in ((40.0, ClaimWord.DOES_NOT_HOLD), (20.0, ClaimWord.HOLDS)):
        yield MadeCase(FEWER_FAIL, (20.0, number), wrong, f"20 and {number:g}", make=counted)


def count_words(case: MadeCase, made: int = MADE) -> Counter[ClaimWord]:
    """Of so many made studies, how many end with each word."""
    expression = parse_expression(case.claim)
    ((figure, _), *_) = expression[0].figures
    chance = random.Random(f"{SEED} {case.claim} {case.truths[1] - case.truths[0]} {case.repeats}")
    words: Counter[ClaimWord] = Counter()
    for number in range(made):
        spreads = {
            (figure, cell): spread_of([case.make(chance, truth) for _ in range(case.repeats)])
            for cell, truth in zip("ab", case.truths, strict=True)
        }
        spreads |= {("requests", cell): spread_of([float(REQUESTS)] * case.repeats) for cell in "ab"}
        words[judge(expression, spreads, number).word] += 1
    return words


@cache
def word_table() -> str:
    lines = [
        "| claim | truth | repeats | holds | does not hold | inconclusive | wrong |",
        "|---|---|---|---|---|---|---|",
    ]
    for case in cases():
        words = count_words(case)
        shares = [f"{100 * words[word] / MADE:.1f} %" for word in ClaimWord]
        claim = case.claim.replace('mean("a")', "a").replace('mean("b")', "b").replace('"', "")
        shares.append(f"{100 * words[case.wrong] / MADE:.1f} %")
        lines.append(f"| `{claim}` | {case.told} | {case.repeats} | {' | '.join(shares)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    write_between(PAGE, "words", word_table())
    sys.exit(0)
