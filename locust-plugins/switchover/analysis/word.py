"""The word on a run and its exit code: what a reader reads first, and a build server only."""

from enum import StrEnum


class Word(StrEnum):
    """In the order in which they outrank each other, the loudest first."""

    NOT_HEALED = "NOT HEALED"
    """What the fault broke may still be broken."""
    STOPPED = "STOPPED"
    """The run ended before its plan did."""
    NOT_FIRED = "NOT FIRED"
    """A fault was planned, and was not fired."""
    NO_EFFECT = "NO EFFECT"
    """The fault was fired, and a witness says that nothing happened."""
    NOT_TRUSTED = "NOT TRUSTED"
    """A figure may be wrong."""
    UNWITNESSED = "UNWITNESSED"
    """The fault was fired, and only its own commands say that it did anything."""
    NOT_RECOVERED = "NOT RECOVERED"
    """The service was not back when the run looked last."""
    NOT_WHOLE = "NOT WHOLE"
    """The service is back, but the pair is not as it was before."""
    BROKEN = "BROKEN"
    """A budget is broken."""
    REFUTED = "REFUTED"
    """Repeated drills do not fit the prediction."""
    UNDECIDED = "UNDECIDED"
    """A budget's limit lies within the figure's interval: this run cannot tell."""
    REHEARSED = "REHEARSED"
    """Everything but the fault was done, on purpose."""
    MEASURED = "MEASURED"
    """All of it can be trusted, and the user gave no budget."""
    PASSED = "PASSED"
    """All of it can be trusted, and every budget is kept."""

    @property
    def exit_code(self) -> int:
        if self in (Word.PASSED, Word.MEASURED, Word.REHEARSED):
            return 0
        return 1 if self in (Word.BROKEN, Word.NOT_RECOVERED, Word.NOT_WHOLE, Word.REFUTED) else 2


LOUDEST_FIRST = tuple(Word)


def loudest(words: "set[Word]", otherwise: Word) -> Word:
    """The one that outranks the others."""
    return next((word for word in LOUDEST_FIRST if word in words), otherwise)
