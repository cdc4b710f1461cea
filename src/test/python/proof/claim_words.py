"""`python -m proof.claim_words`: how often a study's words are right, by made studies whose truth is known.

Each made study draws its repeats from two cells with a standard deviation of 1 and true means so far apart. The table
stands in docs/study-file.md; the seed makes it the same each time.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from proof.pages import write_between
from switchover.study.claims import ClaimWord, judge, parse_expression
from switchover.study.comparison import spread_of

PAGE = Path(__file__).parents[4] / "docs" / "study-file.md"
MADE, SEED = 100, 36
LESS, SAME = 'mean("a") < mean("b")', 'within(mean("a"), mean("b"), 2)'
MEAN = 100.0


@dataclass(frozen=True, slots=True)
class MadeCase:
    """A claim about two cells whose true means are so far apart, and the words that would be wrong."""

    claim: str
    apart: float
    repeats: int
    wrong: tuple[ClaimWord, ...] = ()


def cases() -> Iterator[MadeCase]:
    for repeats in (3, 5, 10):
        yield MadeCase(LESS, 3.0, repeats, (ClaimWord.DOES_NOT_HOLD,))
        yield MadeCase(LESS, 1.0, repeats, (ClaimWord.DOES_NOT_HOLD,))
        yield MadeCase(LESS, 0.0, repeats, (ClaimWord.HOLDS,))
        yield MadeCase(LESS, -3.0, repeats, (ClaimWord.HOLDS,))
        yield MadeCase(SAME, 0.0, repeats, (ClaimWord.DOES_NOT_HOLD,))
        yield MadeCase(SAME, 2.0, repeats, (ClaimWord.HOLDS,))
        yield MadeCase(SAME, 4.0, repeats, (ClaimWord.HOLDS,))


def count_words(case: MadeCase, made: int = MADE) -> Counter[ClaimWord]:
    """Of so many made studies, how many end with each word."""
    expression = parse_expression(case.claim)
    chance = random.Random(f"{SEED} {case.claim} {case.apart} {case.repeats}")
    words: Counter[ClaimWord] = Counter()
    for number in range(made):
        drawn = {
            cell: spread_of([chance.gauss(mean, 1.0) for _ in range(case.repeats)])
            for cell, mean in (("a", MEAN), ("b", MEAN + case.apart))
        }
        words[judge(expression, {("mean", cell): spread for cell, spread in drawn.items()}, number).word] += 1
    return words


def word_table() -> str:
    lines = [
        "| claim | truth: b less a | repeats | holds | does not hold | cannot be told | wrong |",
        "|---|---|---|---|---|---|---|",
    ]
    for case in cases():
        words = count_words(case)
        shares = [f"{100 * words[word] / MADE:.1f} %" for word in ClaimWord]
        wrong = 100 * sum(words[word] for word in case.wrong) / MADE
        claim = case.claim.replace('mean("a")', "a").replace('mean("b")', "b")
        lines.append(f"| `{claim}` | {case.apart:g} sd | {case.repeats} | {' | '.join(shares)} | {wrong:.1f} % |")
    return "\n".join(lines)


if __name__ == "__main__":
    write_between(PAGE, "words", word_table())
    sys.exit(0)
