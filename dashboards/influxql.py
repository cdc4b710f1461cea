"""An InfluxQL query as Grafana keeps it in a panel, and the conditions that most of them share."""

from grafana_foundation_sdk.cog import builder, variants
from grafana_foundation_sdk.models.dashboard import DataSourceRef

DATABASE = DataSourceRef(type_val="influxdb", uid="${database}")
"""Whichever database the reader chose at the top of the dashboard."""

RUN = '"run" =~ /^$run$/ AND $timeFilter'
LOAD = f'{RUN} AND "generator" =~ /^$generator$/'
NODE = f'{RUN} AND "node" =~ /^$node$/'

SECOND = "$__interval"
PER_SECOND = "* 1000.0 / $__interval_ms"
"""Turns what was counted in an interval into a rate, however far the reader zooms out."""


class Influxql(variants.Dataquery):
    """One query of a panel. The SDK has builders for other databases only."""

    def __init__(self, ref: str, text: str, alias: str, as_table: bool) -> None:
        self.ref = ref
        self.text = text
        self.alias = alias
        self.as_table = as_table

    def to_json(self) -> dict[str, object]:
        return {
            "refId": self.ref,
            "datasource": DATABASE,
            "rawQuery": True,
            "query": self.text,
            "resultFormat": "table" if self.as_table else "time_series",
            "alias": self.alias,
        }


class Query(builder.Builder[variants.Dataquery]):
    """A query by its text; `alias` names its series, `$tag_x` and `$col` are filled in by Grafana."""

    def __init__(self, text: str, alias: str = "", *, as_table: bool = False) -> None:
        self.text = text
        self.alias = alias
        self.as_table = as_table
        self.ref = "A"

    def build(self) -> variants.Dataquery:
        return Influxql(self.ref, self.text, self.alias, self.as_table)
