"""Rows of a log that are no requests: parts of requests, Transaction Controllers, what cannot be read.

They are left out, and accounted for.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from switchover.analysis.logs.account import Account
from switchover.analysis.requests.columns import REPEATED_HEADER, TRANSACTION, UNSURE_TRANSACTION
from switchover.analysis.requests.few_names import FewNames
from switchover.analysis.requests.store import Store

PART = "part of a request"

_NUMBER = "-([0-9]{1,9})$"


@dataclass(frozen=True, slots=True)
class LoggedRows:
    """What one log has brought into a table; a row that is no request has a `reason`."""

    store: Store
    table: str
    part: int
    """The log, as the table numbers it."""
    few_names: FewNames
    account: Account
    log: str

    def mark_parts(self) -> None:
        """Followed redirects and embedded resources. By default (`jmeter.save.saveservice.subresults`) JMeter writes
        a row of the whole request, with the time of all, and then one of each part: `home`, `home-0`, `home-1`.

        A part is called as its whole, with a number from 0 on, and comes behind it in the same thread and within its
        time. A user does one thing after the other, so another request of that name would not.
        """
        label, thread = map(self.few_names.text_sql, ("label", "thread"))
        mine = f"part = {self.part} AND reason IS NULL"
        labels = f"SELECT DISTINCT {label} AS label FROM {self.table} WHERE {mine}"
        (is_possible,) = self.store.row(
            f"WITH labels AS ({labels}) SELECT count(*) FROM labels AS one JOIN labels AS other "
            "ON other.label = one.label || '-0'"
        )
        if not is_possible:
            return
        rows = (
            f"SELECT rowid AS place, {label} AS label, {thread} AS thread, start_us, end_us, "
            f"regexp_replace({label}, '{_NUMBER}', '') AS above, "
            f"try_cast(regexp_extract({label}, '{_NUMBER}', 1) AS BIGINT) AS number FROM {self.table} WHERE {mine}"
        )
        within = (
            "SELECT one.place, one.number, "
            "row_number() OVER (PARTITION BY whole.place ORDER BY one.place) - 1 AS expected "
            "FROM (SELECT * FROM numbered WHERE number IS NOT NULL) AS one ASOF JOIN numbered AS whole "
            "ON whole.label = one.above AND whole.thread = one.thread AND whole.place < one.place "
            "WHERE whole.start_us <= one.start_us AND one.end_us <= whole.end_us"
        )
        found = f"WITH numbered AS ({rows}) SELECT place FROM ({within}) WHERE number = expected"
        (number,) = self.store.row(f"SELECT count(*) FROM ({found})")
        if number:
            self.store.rows(f"UPDATE {self.table} SET reason = '{PART}' WHERE rowid IN ({found})")
            self.account.notes.append(
                f"{self.log}: {number:,} parts of requests (redirects, embedded resources) are not counted apart"
            )

    def leave_out(self, nbytes: int) -> None:
        """`nbytes`: all rows of the log together."""
        mine = f"part = {self.part}"
        reasons = self.store.rows(
            f"SELECT reason, count(*) FROM {self.table} WHERE reason IS NOT NULL AND {mine} GROUP BY reason "
            "ORDER BY min(rowid)"
        )
        if not reasons:
            return
        (rows,) = self.store.row(f"SELECT count(*) FROM {self.table} WHERE {mine}")
        row_bytes = nbytes // rows
        transactions = Counter[int]()
        for reason, number in reasons:
            if reason.startswith(TRANSACTION):
                transactions[int(reason.removeprefix(TRANSACTION) or 0)] += number
            elif reason == PART:
                continue
            elif reason == UNSURE_TRANSACTION:
                self.account.damage.append(
                    f"{self.log}: {number:,} rows look like failed Transaction Controllers and are not counted; "
                    "without responseMessage, or dataType and URL, the others cannot be told from requests"
                )
            else:
                self.account.add(reason, number, nbytes=0 if reason == REPEATED_HEADER else row_bytes * number)
        left_out = f"{mine} AND reason IS NOT NULL"
        if transactions and not self._tell_transactions(transactions, rows - sum(n for _, n in reasons)):
            left_out += f" AND NOT starts_with(reason, '{TRANSACTION}')"
        self.store.rows(f"DELETE FROM {self.table} WHERE {left_out}")

    def _tell_transactions(self, found: Mapping[int, int], requests: int) -> bool:
        """Whether rows of Transaction Controllers are left out, for they are not requests. Where the requests were
        not written, that is said."""
        number = sum(found.values())
        if not requests:
            self.account.damage.append(
                f"{self.log}: all {number:,} rows are Transaction Controllers, whose requests were not written "
                "(Generate parent sample): counts and times are those of whole transactions"
            )
            return False
        self.account.notes.append(f"{self.log}: {number:,} rows of Transaction Controllers are not counted")
        held = sum(size * times for size, times in found.items())
        by_one = self._samples_of_one_controller() if held > requests else 0
        if by_one > requests:
            self.account.damage.append(
                f"{self.log}: one Transaction Controller had {by_one:,} samples, but the number of requests here is "
                f"{requests:,}: those of some controllers were not written (Generate parent sample)"
            )
        return True

    def _samples_of_one_controller(self) -> int:
        """Of the one that had most, if some have no request before them that began later than they. Those of several
        may be the same, for controllers may hold each other.

        JMeter counts what it took from a controller: also a Flow Control Action, and a sampler that an error skipped.
        When a thread ends, JMeter 5.6 tells its last transaction once more, without a thread and of no length.
        """
        label, thread = map(self.few_names.text_sql, ("label", "thread"))
        transactions = (
            f"(SELECT * FROM (SELECT reason, start_us, end_us, {label} AS label, {thread} AS thread, "
            f"max(start_us) FILTER (WHERE reason IS NULL) OVER (PARTITION BY {thread} ORDER BY rowid) AS latest "
            f"FROM {self.table} WHERE part = {self.part}) WHERE starts_with(reason, '{TRANSACTION}') "
            "AND NOT (thread = '' AND end_us = start_us))"
        )
        (hidden,) = self.store.row(
            f"SELECT count(*) FROM {transactions} WHERE thread = '' OR latest IS NULL OR latest < start_us"
        )
        if not hidden:
            return 0
        size = f"try_cast(substr(reason, {len(TRANSACTION) + 1}) AS BIGINT)"
        (most,) = self.store.row(
            f"SELECT coalesce(max(held), 0) FROM (SELECT sum({size}) AS held FROM {transactions} GROUP BY label)"
        )
        return int(most)
