"""PromQL queries as Grafana stores them in panels, and the parts that most queries use."""

from grafana_foundation_sdk.cog import variants
from grafana_foundation_sdk.models.common import BarAlignment
from grafana_foundation_sdk.models.dashboard import DataSourceRef
from grafana_foundation_sdk.models.prometheus import Dataquery, PromQueryFormat, QueryEditorMode

from dashboards.influxql import Query

PROMETHEUS = DataSourceRef(type_val="prometheus", uid="${prometheus}")
"""The Prometheus server that the user chose at the top of the dashboard."""

RUN = 'run="$run"'
NODE = 'node=~"$node"'
FRESH = 'stream="fresh"'
"""A condition for the probes that the verdict counts. Each of these probes uses a new connection."""
SENT = 'outcome!~"unsent|generator"'
ANSWERED = 'outcome!~"unsent|generator|failed"'
FAILED = 'outcome="failed"'

PER_SECOND = "* 1000 / $__interval_ms"
"""Converts the count of an interval into a rate per second, for any zoom level."""


class Promql(Query):
    """A query, given by its text. `alias` names its series. Grafana replaces `{{label}}` in the alias.

    With `now`, only the end of the time range is queried. With `as_table`, the result is a table with the labels as
    columns.
    """

    bar_alignment = BarAlignment.BEFORE
    """Prometheus gives each interval the time of its end, so bars are drawn before this time."""

    def __init__(self, text: str, alias: str = "", *, now: bool = False, as_table: bool = False) -> None:
        super().__init__(text, alias, as_table=as_table)
        self.now = now

    def build(self) -> variants.Dataquery:
        return Dataquery(
            expr=self.text,
            instant=self.now,
            range_val=not self.now,
            editor_mode=QueryEditorMode.CODE,
            format_val=PromQueryFormat.TABLE if self.as_table else PromQueryFormat.TIME_SERIES,
            legend_format=self.alias,
            ref_id=self.ref,
            datasource=PROMETHEUS,
        )

    @property
    def source(self) -> DataSourceRef:
        return PROMETHEUS


def series_of(metric: str, *conditions: str) -> str:
    """Return a selector for the series of the chosen run."""
    return f"{metric}{{{', '.join((RUN, *conditions))}}}"


def last_of(metric: str, *conditions: str) -> str:
    """Return the last value of each series in the time range. So figures stay visible after the exporter has
    ended."""
    return f"last_over_time({series_of(metric, *conditions)}[$__range])"


def counted(metric: str, *conditions: str, by: str = "") -> str:
    """Return the exact count of each interval, including the last interval.

    rate() is not used, because it ignores the first value of a series, and the first failures are the first value of
    their series.
    """
    now = series_of(metric, *conditions)
    return f"sum by ({by}) ({now} - ({now} offset $__interval or {now} * 0))"
