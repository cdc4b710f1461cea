"""The word on a run and its exit code: what a reader reads first, and a build server only."""

from switchover.verdict.record import Status as Status
from switchover.verdict.record import loudest as loudest

LOUDEST_FIRST = tuple(Status)
