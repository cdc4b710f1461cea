"""Parts of requests in JMeter's CSV: followed redirects and embedded resources.

By default (`jmeter.save.saveservice.subresults`) JMeter writes a row of the whole request, with the time of all, and
then one of each part: `home`, `home-0`, `home-1`.
"""

from switchover.analysis.requests.store import Store

PART = "part of a request"

_NUMBER = "-([0-9]{1,9})$"


def mark_parts(store: Store, table: str, part: int, label: str, thread: str) -> int:
    """Gives the rows of parts the reason `PART`, and says how many there are. `part`: the log, as the table numbers
    it. `label`, `thread`: SQL of their texts.

    A part is called as its whole, with a number from 0 on, and comes behind it in the same thread and within its
    time. A user does one thing after the other, so another request of that name would not.
    """
    mine = f"part = {part} AND reason IS NULL"
    labels = f"SELECT DISTINCT {label} AS label FROM {table} WHERE {mine}"
    (is_possible,) = store.row(
        f"WITH labels AS ({labels}) SELECT count(*) FROM labels AS one JOIN labels AS other "
        "ON other.label = one.label || '-0'"
    )
    if not is_possible:
        return 0
    rows = (
        f"SELECT rowid AS place, {label} AS label, {thread} AS thread, start_us, end_us, "
        f"regexp_replace({label}, '{_NUMBER}', '') AS above, "
        f"try_cast(regexp_extract({label}, '{_NUMBER}', 1) AS BIGINT) AS number FROM {table} WHERE {mine}"
    )
    within = (
        "SELECT one.place, one.number, "
        "row_number() OVER (PARTITION BY whole.place ORDER BY one.place) - 1 AS expected "
        "FROM (SELECT * FROM numbered WHERE number IS NOT NULL) AS one ASOF JOIN numbered AS whole "
        "ON whole.label = one.above AND whole.thread = one.thread AND whole.place < one.place "
        "WHERE whole.start_us <= one.start_us AND one.end_us <= whole.end_us"
    )
    found = f"WITH numbered AS ({rows}) SELECT place FROM ({within}) WHERE number = expected"
    (number,) = store.row(f"SELECT count(*) FROM ({found})")
    if number:
        store.rows(f"UPDATE {table} SET reason = '{PART}' WHERE rowid IN ({found})")
    return int(number)
