"""What a follower's process reads from its standard input: secrets too, which must not stand among its arguments."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from switchover.model.errors import UsageError
from switchover.streaming.influx.destination import Credentials, Database, parse_destination

WAIT_S = 10.0
"""For what is left at the end of a run."""
ORPHAN_S = WAIT_S + 3.0
"""How long a follower may live on once its parent has gone: it sends what is left, as it does for one that lives."""


@dataclass(frozen=True, slots=True)
class FollowSpec:
    """One run directory, and the database that follows it."""

    directory: Path
    database: Database
    wait_s: float = WAIT_S
    outside: Path | None = None
    """The socket of the process that runs the follower instead, where this one has no way to the database."""

    def to_json(self) -> str:
        return json.dumps(
            {
                "directory": str(self.directory),
                "url": self.database.destination.url,
                "credentials": asdict(self.database.credentials),
                "wait_s": self.wait_s,
                "outside": str(self.outside) if self.outside else None,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> "FollowSpec":
        """The spec that `to_json` wrote; UsageError for anything else."""
        try:
            values = json.loads(text)
            database = Database(parse_destination(values["url"]), Credentials(**values["credentials"]))
            outside = Path(values["outside"]) if values["outside"] else None
            return cls(Path(values["directory"]), database, float(values["wait_s"]), outside)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise UsageError(f"the follower was given no usable spec ({type(error).__name__})") from error
