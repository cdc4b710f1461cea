"""Whether a database would take points of us, without writing one."""

from switchover.model.errors import TelemetryError
from switchover.streaming.influx.answer import Meaning
from switchover.streaming.influx.destination import Database
from switchover.streaming.influx.writer import Writer

NO_POINTS = "writing requires points"
"""What early versions of InfluxDB 2 say of an empty batch, once they know token and bucket; others take it."""


def try_database(database: Database | None) -> str:
    """Where points would go; TelemetryError if they would not be taken."""
    if database is None:
        return "none is named"
    writer = Writer(database)
    answer = writer.post(b"")
    writer.close()
    if answer.meaning is not Meaning.TAKEN and NO_POINTS not in answer.why:
        raise TelemetryError(f"{database.destination.url} takes no points: {answer.why}")
    return f"{database.destination.url} takes points"
