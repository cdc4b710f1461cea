"""Claims: expressions over the cells of a study, and their judgement.

    mean("RR/100") < mean("LC/100") and failed_share("RR/100") <= 0.1
    near(good_rate("LC/100"), good_rate("WLC/100"), 5)          within 5 percent of each other
    within(share_web1("RR"), 50, 1)                             at most 1 apart

A figure is the mean over the repeats. Each comparison is judged by the 95 % interval of right side minus left side.
The claim holds if every value of the interval satisfies the comparison. It does not hold if no value does. For
`near` and `within`, this rule is equal to two one-sided tests of equivalence, each at 2.5 %.
"""

import ast
import math
import random
import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, TypeGuard

from switchover.model.errors import UsageError

DRAWS = 2000
LEVEL = 0.95
COUNTS = frozenset({"requests", "good", "failed", "unsent", "logged", "unaccounted"})
FLAGS = frozenset({"aborted"})
"""Figures that are 0 or 1 in each repeat. Their mean over the repeats is a share."""
FINEST = 0.001


class RepeatSpread(NamedTuple):
    """The mean and the sample standard deviation of a figure over all repeats. `sd` is None if there is only
    one repeat."""

    mean: float
    sd: float | None
    n: int
    digit: float = FINEST
    """The precision of the value: 1 if the values of all repeats are integers, as with ab's times."""


def spread_of(values: Sequence[float]) -> RepeatSpread:
    sd = statistics.stdev(values) if len(values) > 1 else None
    digit = 1.0 if all(value == round(value) for value in values) else FINEST
    return RepeatSpread(statistics.fmean(values), sd, len(values), digit)


def make_sampler(
    name: str, spread: RepeatSpread, requests: float | None, chance: random.Random
) -> Callable[[], float]:
    """Return a function that draws a random mean. `requests`: the number of requests per repeat, if the figure is a
    share."""
    mean, n, sd = spread.mean, spread.n, spread.sd or 0.0
    if name in FLAGS:
        return lambda: chance.betavariate(mean * n + 1, (1 - mean) * n + 1)
    if name in COUNTS and sd**2 < mean + 1 / n:
        return lambda: chance.gammavariate(mean * n + 1, 1) / n
    if is_share(name) and requests:
        part, whole = mean / 100, requests * n
        if (sd / 100) ** 2 < part * (1 - part) / requests + 1 / whole**2:
            return lambda: 100 * chance.betavariate(part * whole + 1, (1 - part) * whole + 1)
    degrees = n - 1
    error = max(sd, spread.digit / math.sqrt(12)) / math.sqrt(n)

    def draw_from_t() -> float:
        t = chance.gauss() / math.sqrt(chance.gammavariate(degrees / 2, 2) / degrees)
        return mean + error * t

    return draw_from_t


def is_share(name: str) -> bool:
    return name == "failed_share" or name.startswith("share_")


def interval_of(draw: Callable[[], float]) -> tuple[float, float] | None:
    """Return the 95 % interval of the draws. None: a draw is not a number."""
    values = [draw() for _ in range(DRAWS)]
    if any(math.isnan(value) for value in values):
        return None
    values.sort()
    cut = int((1 - LEVEL) / 2 * DRAWS)
    return values[cut], values[-1 - cut]


NEAR, WITHIN = "near", "within"
SIGNS: Mapping[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
BUSY_LIMIT = 60.0
"""The CPU utilisation of the machine, in percent, above which rates and times depend on the machine
(docs/studies.md)."""
WITHOUT_SPEED = frozenset({"requests", "failed", "unsent", "unaccounted", "aborted", "logged", "outage_ms"})
"""Figures that, like shares, do not depend on the speed of the machine."""
FUNCTIONS: Mapping[str, Callable[..., float]] = {"min": min, "max": max, "abs": abs}
OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b if b else math.copysign(math.inf, a) if a else math.nan,
}
Figure = tuple[str, str]
GetFigure = Callable[[str, str], float]
Side = Callable[[GetFigure], float]
"""One side of a comparison, which computes its value from the figures."""


class ClaimWord(StrEnum):
    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    INCONCLUSIVE = "inconclusive"


class Comparison(NamedTuple):
    """A comparison, with the 95 % interval of right minus left; for `near`, in percent of the larger side."""

    word: ClaimWord
    low: float | None = None
    high: float | None = None
    reason: str = ""
    in_percent: bool = False


class Judgement(NamedTuple):
    word: ClaimWord
    comparisons: tuple[Comparison, ...] = ()
    reason: str = ""

    @property
    def because(self) -> str:
        """The reason in brackets, to print after the result."""
        return f" ({self.reason})" if self.reason else ""


@dataclass(frozen=True, slots=True)
class OperandPair:
    text: str
    operator: str
    left: Side
    right: Side
    margin: float = 0.0
    """The margin: for `near`, in percent of the larger side; for `within`, an absolute value."""

    @property
    def figures(self) -> list[Figure]:
        figures: list[Figure] = []

        def collect(name: str, cell: str) -> float:
            figures.append((name, cell))
            return 1.0

        for side in (self.left, self.right):
            side(collect)
        return figures


Expression = tuple[OperandPair, ...]


def parse_expression(text: str) -> Expression:
    try:
        tree = ast.parse(text, mode="eval").body
        terms = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
        return tuple(pair for term in terms for pair in _pairs(term))
    except (SyntaxError, RecursionError, MemoryError, OverflowError) as error:
        raise UsageError(f"claim {text[:200]!r}: {error}") from error


def _pairs(term: ast.expr) -> list[OperandPair]:
    if isinstance(term, ast.Call) and isinstance(term.func, ast.Name) and term.func.id in (NEAR, WITHIN):
        margin = term.args[2] if len(term.args) == 3 else None
        if not isinstance(margin, ast.Constant) or not _is_number(margin.value):
            raise UsageError(
                f"claim {ast.unparse(term)!r}: {term.func.id} takes two values and a margin, which is a number"
            )
        left, right = (_compile(side) for side in term.args[:2])
        return [OperandPair(ast.unparse(term), term.func.id, left, right, float(margin.value))]
    if not isinstance(term, ast.Compare):
        raise UsageError(f"claim {ast.unparse(term)!r} is not a comparison")
    sides = [term.left, *term.comparators]
    pairs = []
    for before, operator, after in zip(sides, term.ops, sides[1:], strict=False):
        sign = SIGNS.get(type(operator))
        if sign is None:
            raise UsageError(
                f"claim {ast.unparse(term)!r}: use < <= > >=, near(a, b, PERCENT) or within(a, b, AMOUNT)"
            )
        text = f"{ast.unparse(before)} {sign} {ast.unparse(after)}"
        pairs.append(OperandPair(text, sign, _compile(before), _compile(after)))
    return pairs


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _compile(node: ast.expr) -> Side:
    """Return a function for an arithmetic expression. Raises UsageError for all other Python syntax."""
    if isinstance(node, ast.Constant) and _is_number(node.value):
        number = float(node.value)
        return lambda figure: number
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        operate, left, right = OPERATORS[type(node.op)], _compile(node.left), _compile(node.right)
        return lambda figure: operate(left(figure), right(figure))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        operand = _compile(node.operand)
        return lambda figure: -operand(figure)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name = node.func.id
        if len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
            cell = node.args[0].value
            return lambda figure: figure(name, cell)
        if name in FUNCTIONS and (len(node.args) == 1 if name == "abs" else len(node.args) > 1):
            call, arguments = FUNCTIONS[name], [_compile(argument) for argument in node.args]
            return lambda figure: call(*(argument(figure) for argument in arguments))
    raise UsageError(f'claim: {ast.unparse(node)!r} is neither a number nor figure("cell")')


def judge(
    expression: Expression,
    spreads: Mapping[Figure, RepeatSpread],
    seed: int = 1,
    left_out: Collection[str] = frozenset(),
    busy: Mapping[str, float] = MappingProxyType({}),
) -> Judgement:
    """Judge a claim. Comparisons of cells that are `left_out` are skipped. `busy`: the CPU utilisation of the machine
    during each cell, in percent."""
    passed_over = sorted({cell for pair in expression for _, cell in pair.figures if cell in left_out})
    compared = [pair for pair in expression if not any(cell in left_out for _, cell in pair.figures)]
    if not compared:
        return Judgement(ClaimWord.INCONCLUSIVE, reason=f"not part of this form: {', '.join(passed_over)}")
    judged = tuple(_judge_pair(pair, spreads, random.Random(seed), busy) for pair in compared)
    words = {comparison.word for comparison in judged}
    if ClaimWord.DOES_NOT_HOLD in words:
        word = ClaimWord.DOES_NOT_HOLD
    else:
        word = ClaimWord.INCONCLUSIVE if ClaimWord.INCONCLUSIVE in words else ClaimWord.HOLDS
    reasons = [comparison.reason for comparison in judged if comparison.word is word is ClaimWord.INCONCLUSIVE][:1]
    if passed_over:
        reasons.append(f"not tested for cells that are not part of this form: {', '.join(passed_over)}")
    return Judgement(word, judged, "; ".join(reasons))


def _judge_pair(
    pair: OperandPair, spreads: Mapping[Figure, RepeatSpread], chance: random.Random, busy: Mapping[str, float]
) -> Comparison:
    if reason := _why_not_judged(pair, spreads, busy):
        return Comparison(ClaimWord.INCONCLUSIVE, reason=reason)

    samplers = {}
    for name, cell in pair.figures:
        requests = spreads.get(("requests", cell))
        known = requests.mean if requests else None
        samplers[name, cell] = make_sampler(name, spreads[name, cell], known, chance)

    def draw() -> float:
        """Return the difference of the sides for random means that are consistent with the repeats."""
        means = {figure: sample() for figure, sample in samplers.items()}

        def mean_of(name: str, cell: str) -> float:
            return means[name, cell]

        return _difference(pair, pair.left(mean_of), pair.right(mean_of))

    interval = interval_of(draw)
    if interval is None:
        return Comparison(ClaimWord.INCONCLUSIVE, reason="the claim divides by 0")
    low, high = interval
    word = _word_of(pair, low, high)
    reason = f"the repeats cannot decide the comparison: {pair.text}" if word is ClaimWord.INCONCLUSIVE else ""
    return Comparison(word, low, high, reason, in_percent=pair.operator == NEAR)


def _why_not_judged(
    pair: OperandPair, spreads: Mapping[Figure, RepeatSpread], busy: Mapping[str, float]
) -> str | None:
    """Return the reason why the repeats cannot decide a comparison. None: the repeats can decide the comparison."""
    for name, cell in pair.figures:
        spread = spreads.get((name, cell))
        if spread is None:
            return f"there is no figure {name} for {cell}"
        if spread.n < 2:
            return f"{cell} ran only once"
        if busy.get(cell, 0.0) > BUSY_LIMIT and name not in WITHOUT_SPEED and not is_share(name):
            return f"the machine was too busy: {busy[cell]:.0f} % of its CPU time in use during {cell}"
    return None


def _difference(pair: OperandPair, left: float, right: float) -> float:
    """Return the right side minus the left side. For `near`, the result is in percent of the larger side."""
    if pair.operator != NEAR:
        return right - left
    larger = max(abs(left), abs(right))
    return 100 * (right - left) / larger if larger else 0.0


def _word_of(pair: OperandPair, low: float, high: float) -> ClaimWord:
    if pair.operator in (NEAR, WITHIN):
        is_inside, is_outside = -pair.margin <= low and high <= pair.margin, low > pair.margin or high < -pair.margin
    elif pair.operator in ("<", "<="):
        is_inside, is_outside = low > 0 or (pair.operator == "<=" and low == 0), high < 0
    else:
        is_inside, is_outside = high < 0 or (pair.operator == ">=" and high == 0), low > 0
    if is_inside:
        return ClaimWord.HOLDS
    return ClaimWord.DOES_NOT_HOLD if is_outside else ClaimWord.INCONCLUSIVE


def holds_as_published(expression: Expression, figures: Mapping[Figure, float]) -> bool | None:
    """Return whether the published figures support the claim. None: some figures were not published."""
    published = [pair for pair in expression if all(figure in figures for figure in pair.figures)]
    for pair in published:
        left, right = (side(lambda name, cell: figures[name, cell]) for side in (pair.left, pair.right))
        difference = _difference(pair, left, right)
        if _word_of(pair, difference, difference) is not ClaimWord.HOLDS:
            return False
    return True if len(published) == len(expression) else None
