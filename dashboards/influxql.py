"""An InfluxQL query as Grafana keeps it in a panel, and the conditions that most of them share."""

from grafana_foundation_sdk.cog import builder, variants
from grafana_foundation_sdk.models.common import BarAlignment
from grafana_foundation_sdk.models.dashboard import DataSourceRef

DATABASE = DataSourceRef(type_val="influxdb", uid="${database}")
"""The database that the reader chose at the top of the dashboard."""
OTHER_PANEL = DataSourceRef(type_val="datasource", uid="-- Dashboard --")
"""What another panel of the same dashboard was answered."""

RUN = '"run" =~ /^$run$/ AND $timeFilter'
SENT = '"outcome" !~ /^(unsent|generator)$/'
"""Requests that were not sent say nothing about the balancer."""
LOAD = f'{RUN} AND {SENT} AND "generator" =~ /^$generator$/'
NODE = f'{RUN} AND "node" =~ /^$node$/'

BACKEND = '"backend" =~ /^$backend$/'
GOOD = f'"outcome" =~ /^(good|ok)$/ AND {BACKEND}'
FAILED = "\"outcome\" = 'failed'"

SECOND = "$__interval"
EVERY = f"GROUP BY time({SECOND})"
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

    bar_alignment = BarAlignment.AFTER
    """InfluxDB gives an interval the time of its beginning."""

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
    """The answer that another panel has: no query of its own. `panel` is its title, until `number_panels` has run."""

    def __init__(self, panel: str) -> None:
        super().__init__("")
        self.panel = panel

    def build(self) -> variants.Dataquery:
        return OtherPanel(self.ref, self.panel)

    @property
    def source(self) -> DataSourceRef:
        return OTHER_PANEL


class OtherPanel(variants.Dataquery):
    """The query of a panel that shows what another one has asked for."""

    def __init__(self, ref: str, title: str) -> None:
        self.ref = ref
        self.title = title
        self.panel_id: int | None = None

    def to_json(self) -> dict[str, object]:
        return {"refId": self.ref, "datasource": OTHER_PANEL, "panelId": self.panel_id}
