"""Remove the rows of a log that are not requests, add their number to the account, and check the order of rows."""

from dataclasses import dataclass

from switchover.evidence.logs.format import Account
from switchover.evidence.requests.columns import OUT_OF_RANGE, PART, REPEATED_HEADER, TRANSACTION, UNSURE_TRANSACTION
from switchover.evidence.requests.store import Store

BACKWARDS_US = 1_000_000
"""A row may be at most this number of microseconds earlier than any previous row of its source. Threads and buffers
of a load generator cause differences below this limit."""

_NUMBER = "-([0-9]{1,9})$"
_GROUP = 1024


@dataclass(frozen=True, slots=True)
class LoggedRows:
    """The rows of one log in a table. A row that is not a request has a `reason`."""

    store: Store
    table: str
    part: int
    """The number of the log among the logs in the table."""
    account: Account
    log: str

    @property
    def _mine(self) -> str:
        return f"FROM {self.table} WHERE part = {self.part}"

    def mark_parts(self) -> None:
        """Mark the rows of sub-requests: embedded resources, and redirects that JMeter followed.

        By default, JMeter writes a row for the whole request and a row for each part: `home`, `home-0`, `home-1`. A
        part has the same thread as the whole request, and starts and ends within the time of the whole request.
        """
        labels = f"SELECT DISTINCT label {self._mine} AND reason IS NULL"
        (is_possible,) = self.store.row(
            f"WITH labels AS ({labels}) SELECT count(*) FROM labels AS one JOIN labels AS other "
            "ON other.label = one.label || '-0'"
        )
        if not is_possible:
            return
        rows = (
            "SELECT rowid AS place, label, thread, start_us, end_us, "
            f"regexp_replace(label, '{_NUMBER}', '') AS above, "
            f"try_cast(regexp_extract(label, '{_NUMBER}', 1) AS BIGINT) AS number {self._mine} AND reason IS NULL"
        )
        within = (
            "SELECT one.place, one.number, "
            "row_number() OVER (PARTITION BY whole.place ORDER BY one.place) - 1 AS expected "
            "FROM (SELECT * FROM numbered WHERE number IS NOT NULL) AS one ASOF JOIN numbered AS whole "
            "ON whole.label = one.above AND whole.thread = one.thread AND whole.place < one.place "
            "WHERE whole.start_us <= one.start_us AND one.end_us <= whole.end_us"
        )
        parts = f"WITH numbered AS ({rows}) SELECT place FROM ({within}) WHERE number = expected"
        (number,) = self.store.row(f"SELECT count(*) FROM ({parts})")
        if number:
            self.store.rows(f"UPDATE {self.table} SET reason = '{PART}' WHERE rowid IN ({parts})")
            self.account.notes.append(
                f"{self.log}: {number:,} parts of requests (redirects, embedded resources) are not counted"
            )

    def leave_out(self, nbytes: int) -> None:
        """Remove the rows that are not requests. `nbytes`: the size of all rows of the log."""
        reasons = self.store.rows(
            f"SELECT reason, count(*), min(rowid) {self._mine} AND reason IS NOT NULL GROUP BY reason "
            "ORDER BY min(rowid)"
        )
        if not reasons:
            return
        (rows,) = self.store.row(f"SELECT count(*) {self._mine}")
        for reason, number, first in reasons:
            if reason == OUT_OF_RANGE:
                self.account.add(reason, number)
                self.account.damage.append(
                    f"{self.log}: {number:,} rows have impossible times (an end before the start, a request longer "
                    f"than a year, or another unit than the other rows), first in row {self._number_of(first):,}"
                )
            elif reason == UNSURE_TRANSACTION:
                self.account.damage.append(
                    f"{self.log}: {number:,} rows look like failed Transaction Controllers and are not counted. "
                    "Successful Transaction Controllers count as requests: the log has no responseMessage, and lacks "
                    "dataType or URL"
                )
            elif reason == TRANSACTION:
                self.account.notes.append(f"{self.log}: {number:,} rows of Transaction Controllers are not counted")
            elif reason != PART:
                self.account.add(reason, number, nbytes=0 if reason == REPEATED_HEADER else nbytes // rows * number)
        self.store.rows(f"DELETE {self._mine} AND reason IS NOT NULL")

    def check_order(self, source: str) -> None:
        """Check that the rows of each source are in the order of time. `source`: SQL that yields the source of a row,
        such as its thread."""
        groups = (
            f"SELECT rowid // {_GROUP} AS number, min(start_us) AS start_us, min(end_us) AS end_us, "
            f"max(start_us) AS last_start_us, max(end_us) AS last_end_us {self._mine} GROUP BY number"
        )
        back = "least(max({}) OVER before - start_us, max({}) OVER before - end_us) AS back_us"
        (farthest_us,) = self.store.row(
            f"SELECT max(back_us) FROM (SELECT {back.format('last_start_us', 'last_end_us')} FROM ({groups}) "
            "WINDOW before AS (ORDER BY number ROWS UNBOUNDED PRECEDING))"
        )
        if farthest_us is None or farthest_us <= BACKWARDS_US:
            return
        backward_rows = self.store.rows(
            f"SELECT place, back_us FROM (SELECT rowid AS place, {back.format('start_us', 'end_us')} {self._mine} "
            f"WINDOW before AS (PARTITION BY {source} ORDER BY rowid ROWS UNBOUNDED PRECEDING)) "
            f"WHERE back_us > {BACKWARDS_US} ORDER BY place LIMIT 1"
        )
        for place, back_us in backward_rows:
            self.account.damage.append(
                f"{self.log}: times run backwards by {back_us / 1e6:,.1f} s at row {self._number_of(place):,}: a "
                "clock was set, or the log contains rows of several sources"
            )

    def _number_of(self, place: int) -> int:
        """Return the position of a row among the readable rows of its log. The first position is 1."""
        (number,) = self.store.row(f"SELECT {place} - min(rowid) + 1 {self._mine}")
        return int(number)
