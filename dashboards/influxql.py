"""InfluxQL queries as Grafana stores them in panels, and the conditions that most queries use."""

from grafana_foundation_sdk.cog import builder, variants
from grafana_foundation_sdk.models.common import BarAlignment
from grafana_foundation_sdk.models.dashboard import DataSourceRef

DATABASE = DataSourceRef(type_val="influxdb", uid="${database}")
"""The database that the user chose at the top of the dashboard."""
OTHER_PANEL = DataSourceRef(type_val="datasource", uid="-- Dashboard --")
"""The data source for the query result of another panel of the same dashboard."""

RUN = '"run" =~ /^$run$/ AND $timeFilter'
SENT = '"outcome" !~ /^(unsent|generator)$/'
"""A condition that excludes requests that were not sent, because they give no information about the balancer."""
LOAD = f'{RUN} AND {SENT} AND "generator" =~ /^$generator$/'
NODE = f'{RUN} AND "node" =~ /^$node$/'

BACKEND = '"backend" =~ /^$backend$/'
GOOD = f'"outcome" =~ /^(good|ok)$/ AND {BACKEND}'
FAILED = "\"outcome\" = 'failed'"

SECOND = "$__interval"
EVERY = f"GROUP BY time({SECOND})"
PER_SECOND = "* 1000.0 / $__interval_ms"
"""Converts the count of an interval into a rate per second, for any zoom level."""


class Influxql(variants.Dataquery):
    """One query of a panel. The SDK has no builder for InfluxDB."""

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
    """A query, given by its text. `alias` names its series. Grafana replaces `$tag_x` and `$col` in the alias."""

    bar_alignment = BarAlignment.AFTER
    """InfluxDB gives each interval the time of its start, so bars are drawn after this time."""

    def __init__(self, text: str, alias: str = "", *, as_table: bool = False) -> None:
        self.text = text
        self.alias = alias
        self.as_table = as_table
        self.ref = "A"

    def build(self) -> variants.Dataquery:
        return Influxql(self.ref, self.text, self.alias, self.as_table)

    @property
    def source(self) -> DataSourceRef:
        return DATABASE


class Shared(Query):
    """Uses the query result of another panel, without a separate query. `panel` is the title of this panel.
    `number_panels` replaces the title with the panel's id."""

    def __init__(self, panel: str) -> None:
        super().__init__("")
        self.panel = panel

    def build(self) -> variants.Dataquery:
        return OtherPanel(self.ref, self.panel)

    @property
    def source(self) -> DataSourceRef:
        return OTHER_PANEL


class OtherPanel(variants.Dataquery):
    """The query of a panel that shows the query result of another panel."""

    def __init__(self, ref: str, title: str) -> None:
        self.ref = ref
        self.title = title
        self.panel_id: int | None = None

    def to_json(self) -> dict[str, object]:
        return {"refId": self.ref, "datasource": OTHER_PANEL, "panelId": self.panel_id}
