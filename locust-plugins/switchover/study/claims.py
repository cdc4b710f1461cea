"""Claims as expressions over the cells, and whether they hold here.

    mean("RR/100") < mean("LC/100") and failed("RR/100") == 0
    near(good_rate("LC/100"), good_rate("WLC/100"), 5)          within 5 percent of each other

A figure's name stands for its mean over the repeats. A comparison is judged by the 95 % interval of its difference.
"""

import ast
import math
import random
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from switchover.model.errors import UsageError
from switchover.study.comparison import Spread, draw_mean, interval_of

NEAR = "near"
FUNCTIONS: Mapping[str, Callable[..., float]] = {"min": min, "max": max, "abs": abs}
OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b if b else math.copysign(math.inf, a) if a else math.nan,
}
Figure = tuple[str, str]
"""The figure's name and the cell's."""


class Word(StrEnum):
    """What is said of a claim."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    CANNOT_BE_TOLD = "cannot be told here"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison of a claim; the interval is of right side minus left side."""

    text: str
    word: Word
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    word: Word
    comparisons: tuple[Comparison, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed claim: comparisons, all of which must hold."""

    comparisons: tuple["Pair", ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(dict.fromkeys(figure for pair in self.comparisons for figure in pair.figures))


@dataclass(frozen=True, slots=True)
class Pair:
    """left OPERATOR right."""

    text: str
    operator: str
    left: ast.expr
    right: ast.expr
    percent: float = 0.0

    @property
    def figures(self) -> tuple[Figure, ...]:
        return (*_figures(self.left), *_figures(self.right))


def parse_expression(text: str) -> Expression:
    """Raises UsageError with the place."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise UsageError(f"claim {text!r}: {error.msg}") from error
    terms = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    return Expression(tuple(pair for term in terms for pair in _pairs(term)))


def _pairs(term: ast.expr) -> list[Pair]:
    if isinstance(term, ast.Call) and isinstance(term.func, ast.Name) and term.func.id == NEAR:
        if len(term.args) != 3 or not isinstance(term.args[2], ast.Constant):
            raise UsageError(f"claim {ast.unparse(term)!r}: near takes two values and a number of percent")
        left, right, percent = term.args[0], term.args[1], float(str(term.args[2].value))
        return [_checked(Pair(ast.unparse(term), NEAR, left, right, percent))]
    if not isinstance(term, ast.Compare):
        raise UsageError(f"claim {ast.unparse(term)!r} is no comparison")
    sides = [term.left, *term.comparators]
    pairs = []
    for left, operator, right in zip(sides, term.ops, sides[1:], strict=False):
        sign = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=="}.get(type(operator))
        if sign is None:
            raise UsageError(f"claim {ast.unparse(term)!r}: only < <= > >= == and near compare")
        pairs.append(_checked(Pair(f"{ast.unparse(left)} {sign} {ast.unparse(right)}", sign, left, right)))
    return pairs


def _checked(pair: Pair) -> Pair:
    for side in (pair.left, pair.right):
        _value(side, lambda name, cell: 1.0)
    return pair


def _figures(node: ast.expr) -> list[Figure]:
    found: list[Figure] = []

    def collect(name: str, cell: str) -> float:
        found.append((name, cell))
        return 1.0

    _value(node, collect)
    return found


def _value(node: ast.expr, figure: Callable[[str, str], float]) -> float:
    """Arithmetic only: no names, no attributes, nothing of Python's."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return OPERATORS[type(node.op)](_value(node.left, figure), _value(node.right, figure))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, figure)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
            return figure(node.func.id, node.args[0].value)
        if node.func.id in FUNCTIONS and node.args:
            return FUNCTIONS[node.func.id](*(_value(argument, figure) for argument in node.args))
    raise UsageError(f'claim: {ast.unparse(node)!r} is neither a number nor figure("cell")')


def judge(
    expression: Expression,
    spreads: Mapping[Figure, Spread | None],
    seed: int = 1,
    left_out: Collection[str] = frozenset(),
) -> Judgement:
    """Does not hold where one comparison does not; holds where all do; else it cannot be told. Comparisons with what
    this form of the study leaves out are passed over, and named."""
    passed_over = sorted({cell for pair in expression.comparisons for _, cell in pair.figures if cell in left_out})
    told = [pair for pair in expression.comparisons if not any(cell in left_out for _, cell in pair.figures)]
    if not told:
        return Judgement(Word.CANNOT_BE_TOLD, reason=f"left out of this form: {', '.join(passed_over)}")
    judged = tuple(_judge_pair(pair, spreads, random.Random(seed)) for pair in told)
    words = {comparison.word for comparison in judged}
    if Word.DOES_NOT_HOLD in words:
        word = Word.DOES_NOT_HOLD
    else:
        word = Word.CANNOT_BE_TOLD if Word.CANNOT_BE_TOLD in words else Word.HOLDS
    reasons = [comparison.reason for comparison in judged if comparison.word is word is Word.CANNOT_BE_TOLD][:1]
    if passed_over:
        reasons.append(f"in part: left out of this form are {', '.join(passed_over)}")
    return Judgement(word, judged, "; ".join(reasons))


def _judge_pair(pair: Pair, spreads: Mapping[Figure, Spread | None], chance: random.Random) -> Comparison:
    for name, cell in pair.figures:
        spread = spreads.get((name, cell))
        if spread is None:
            return Comparison(pair.text, Word.CANNOT_BE_TOLD, reason=f"there is no {name} of {cell}")
        if spread.n < 2:
            return Comparison(pair.text, Word.CANNOT_BE_TOLD, reason=f"{cell} ran once only")

    def draw() -> tuple[float, float]:
        """The difference of the sides and by how much the comparison holds, for means that the repeats allow."""
        drawn: dict[Figure, float] = {}

        def figure(name: str, cell: str) -> float:
            spread = spreads[name, cell]
            assert spread is not None
            if (name, cell) not in drawn:
                drawn[name, cell] = draw_mean(spread, chance)
            return drawn[name, cell]

        left, right = _value(pair.left, figure), _value(pair.right, figure)
        return right - left, _margin(pair, left, right)

    draws = [draw() for _ in range(2000)]
    differences, margins = iter([d for d, _ in draws]), iter([m for _, m in draws])
    low, high = interval_of(lambda: next(differences), len(draws))
    least, most = interval_of(lambda: next(margins), len(draws))
    strict = pair.operator in ("<", ">")
    if math.isnan(least) or math.isnan(most):
        return Comparison(pair.text, Word.CANNOT_BE_TOLD, reason="it divides by nothing")
    if least > 0 or (not strict and least == 0):
        word = Word.HOLDS
    elif most < 0 or (strict and most == 0):
        word = Word.DOES_NOT_HOLD
    else:
        word = Word.CANNOT_BE_TOLD
    reason = f"the repeats allow both: {pair.text}" if word is Word.CANNOT_BE_TOLD else ""
    return Comparison(pair.text, word, low, high, reason)


def _margin(pair: Pair, left: float, right: float) -> float:
    """Above 0: the comparison holds by so much."""
    if pair.operator in ("<", "<="):
        return right - left
    if pair.operator in (">", ">="):
        return left - right
    if pair.operator == NEAR:
        return pair.percent / 100 * max(abs(left), abs(right)) - abs(right - left)
    return -abs(right - left)


def holds_as_published(expression: Expression, figures: Mapping[Figure, float]) -> bool | None:
    """Whether the published figures themselves bear the claim out; None where not all are published."""
    if any(figure not in figures for figure in expression.figures):
        return None
    for pair in expression.comparisons:
        left, right = (_value(side, lambda name, cell: figures[name, cell]) for side in (pair.left, pair.right))
        margin = _margin(pair, left, right)
        if margin < 0 or (margin == 0 and pair.operator in ("<", ">")):
            return False
    return True
