"""A PromQL query as Grafana keeps it in a panel, and the pieces that most of them are made of."""

from grafana_foundation_sdk.cog import variants
from grafana_foundation_sdk.models.common import BarAlignment
from grafana_foundation_sdk.models.dashboard import DataSourceRef
from grafana_foundation_sdk.models.prometheus import Dataquery, PromQueryFormat, QueryEditorMode

from dashboards.influxql import Query

PROMETHEUS = DataSourceRef(type_val="prometheus", uid="${prometheus}")
"""The server that the reader chose at the top of the dashboard."""

RUN = 'run="$run"'
NODE = 'node=~"$node"'
FRESH = 'stream="fresh"'
"""The probes that the verdict counts: each with a connection of its own."""
SENT = 'outcome!~"unsent|generator"'
ANSWERED = 'outcome!~"unsent|generator|failed"'
FAILED = 'outcome="failed"'

PER_SECOND = "* 1000 / $__interval_ms"
"""Turns what was counted in an interval into a rate, however far the reader zooms out."""


class Promql(Query):
    """A query by its text; `alias` names its series, `{{label}}` is filled in by Grafana.

    `now` asks for the end of the time range alone, `as_table` for the labels as columns beside.
    """

    bar_alignment = BarAlignment.BEFORE
    """Prometheus gives an interval the time of its end."""

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
    """Those of the chosen run."""
    return f"{metric}{{{', '.join((RUN, *conditions))}}}"


def last_of(metric: str, *conditions: str) -> str:
    """What each series said last in the time range: the exporter ends with its run, its figures shall not."""
    return f"last_over_time({series_of(metric, *conditions)}[$__range])"


def counted(metric: str, *conditions: str, by: str = "") -> str:
    """What was counted in each interval, to the last one.

    rate() knows nothing of the count with which a series begins, and the first failures are just that.
    """
    now = series_of(metric, *conditions)
    return f"sum by ({by}) ({now} - ({now} offset $__interval or {now} * 0))"
