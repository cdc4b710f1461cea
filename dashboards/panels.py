"""The types of panels in the dashboards. All panels of a type have the same format.

Every panel has a title, a unit, a description, and a text that is shown if there is no data.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from grafana_foundation_sdk.builders import (
    common,
    dashboard,
    stat,
    statetimeline,
    table,
    timeseries,
    xychart,
)
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models.common import (
    BigValueColorMode,
    BigValueGraphMode,
    BigValueTextMode,
    GraphDrawStyle,
    LegendDisplayMode,
    LegendPlacement,
    LineInterpolation,
    ScaleDistribution,
    SortOrder,
    StackingMode,
    TooltipDisplayMode,
    VisibilityMode,
)
from grafana_foundation_sdk.models.statetimeline import Options as StateTimelineOptions
from grafana_foundation_sdk.models.xychart import SeriesMapping, XYShowMode

from dashboards.colors import GREY, NAMES, NEUTRAL, ORANGE, RED, Steps, Words
from dashboards.influxql import Query

BACKGROUND = {"custom.cellOptions": {"type": "color-background", "mode": "basic"}}
SILENCE_MS = 3000
"""If a source sends no data for more than this time, its curve is interrupted."""
SECOND_BALANCER = "lb2"
DASHED = model.DynamicConfigValue("custom.lineStyle", {"fill": "dash", "dash": [8, 6]})
DOTTED = model.DynamicConfigValue("custom.lineStyle", {"fill": "dot", "dash": [1, 6]})
"""Line styles. If the colour shows the server or the kind, the line style distinguishes the second balancer of the
lab from the first."""
OUT_OF_LEGEND = model.DynamicConfigValue("custom.hideFrom", {"legend": True, "tooltip": False, "viz": False})
COUNTS = ("locale", "cps")
"""Units whose axis ends at 1 or more. If all values are 0, Grafana's axis would end at 100."""
WRAPPED = {"custom.cellOptions": {"type": "auto", "wrapText": True}}
XYCHART_VERSION = "11.6.0"
"""Grafana treats an xychart without a version as older than version 11, and converts it to an empty chart."""

Panel = timeseries.Panel | stat.Panel | statetimeline.Panel | table.Panel | xychart.Panel
_Any = TypeVar("_Any", timeseries.Panel, stat.Panel, statetimeline.Panel, table.Panel, xychart.Panel)


def lines(
    title: str,
    description: str,
    unit: str,
    *queries: Query,
    size: tuple[int, int],
    log: bool = False,
    many: bool = False,
) -> timeseries.Panel:
    """Return a panel with curves. A gap in the data is a gap in the curve. With `many`, the legend is at the right,
    and the area below a curve is not filled."""
    panel = _named(
        _common(timeseries.Panel(), title, description, unit, queries, size)
        .interval("1s")
        .draw_style(GraphDrawStyle.LINE)
        .line_width(1)
        .fill_opacity(5)
        .line_interpolation(LineInterpolation.STEP_AFTER)
        .show_points(VisibilityMode.AUTO)
        .point_size(4)
        .insert_nulls(SILENCE_MS)
        .axis_soft_min(0)
        .legend(_legend(LegendPlacement.RIGHT if many else LegendPlacement.BOTTOM))
        .tooltip(_tooltip())
        .color_scheme(_color_by_name())
    )
    panel.override_by_regexp(rf"/ {SECOND_BALANCER}\b/", [DASHED])
    if many:
        panel.fill_opacity(0)
    if unit in COUNTS:
        panel.axis_soft_max(1)
    if log:
        panel.scale_distribution(common.ScaleDistributionConfig().type(ScaleDistribution.LOG).log(10))
    return panel


def bars(title: str, description: str, unit: str, *queries: Query, size: tuple[int, int]) -> timeseries.Panel:
    """Return a panel with stacked bars of counts. Each bar covers the interval in which its count was made. Failed
    requests are red, late requests are orange."""
    panel = _named(
        _common(timeseries.Panel(), title, description, unit, queries, size)
        .interval("1s")
        .draw_style(GraphDrawStyle.BARS)
        .line_width(0)
        .fill_opacity(90)
        .bar_width_factor(0.95)
        .bar_alignment(queries[0].bar_alignment)
        .stacking(common.StackingConfig().mode(StackingMode.NORMAL).group("A"))
        .axis_soft_min(0)
        .legend(_legend())
        .tooltip(_tooltip())
        .color_scheme(_color_by_name())
    )
    for outcome, color in (("late", ORANGE), ("failed", RED)):
        panel.override_by_regexp(f"/{outcome}$/", [fixed(color)])
    return panel


def dots(title: str, description: str, unit: str, *queries: Query, size: tuple[int, int]) -> timeseries.Panel:
    """Return a panel with one dot per run. No lines connect the dots, and no nulls are inserted between the runs."""
    panel = lines(title, description, unit, *queries, size=size).insert_nulls(False)
    return panel.draw_style(GraphDrawStyle.POINTS).point_size(9)


def figure(
    title: str,
    description: str,
    unit: str,
    *queries: Query,
    size: tuple[int, int],
    steps: Steps = NEUTRAL,
    statuses: Words | None = None,
    empty: str,
    fields: str = "",
) -> stat.Panel:
    """Return a panel that shows the last value of each column whose name matches `fields`, in large type. If there is
    no value, the panel shows `empty` in grey."""
    panel = (
        _common(stat.Panel(), title, description, unit, queries, size)
        .no_value(empty)
        .color_mode(BigValueColorMode.BACKGROUND if statuses else BigValueColorMode.VALUE)
        .graph_mode(BigValueGraphMode.NONE)
        .text_mode(BigValueTextMode.AUTO)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).fields(fields))
        .thresholds(_thresholds(steps))
        .color_scheme(dashboard.FieldColor().mode(model.FieldColorModeId.THRESHOLDS))
    )
    return panel.mappings([*_mappings(statuses), _nothing(empty)]) if statuses else panel


def states(
    title: str,
    description: str,
    *queries: Query,
    size: tuple[int, int],
    statuses: Words,
    silence_ms: int | None = None,
    border: int = 0,
    page: int = 0,
) -> statetimeline.Panel:
    """Return a state timeline with one bar per series. The bar has the colour of a state until the next state is
    reported, or for `silence_ms`. `page`: the number of bars on a page.

    No thresholds are set. If the states are numbers, Grafana would use thresholds instead of the colours of the
    states.
    """
    panel = (
        _common(statetimeline.Panel(), title, description, "string", queries, size)
        .show_value(VisibilityMode.AUTO)
        .row_height(0.85)
        .merge_values(True)
        .fill_opacity(80)
        .line_width(border)
        .legend(_legend())
        .tooltip(_tooltip())
        .mappings([*_mappings(statuses), _nothing("unknown")])
        .color_scheme(dashboard.FieldColor().mode(model.FieldColorModeId.FIXED).fixed_color(GREY))
    )
    # The SDK's builder refuses 0 (no pages), and cannot set insertNulls or spanNulls.
    assert isinstance(panel._internal.options, StateTimelineOptions)
    panel._internal.options.per_page = page
    lasting = ("custom.insertNulls", silence_ms) if silence_ms else ("custom.spanNulls", True)
    panel.override_by_regexp("/.*/", [model.DynamicConfigValue(*lasting)])
    return panel


def rows(
    title: str,
    description: str,
    unit: str,
    *queries: Query,
    size: tuple[int, int],
    sort: str = "Time",
    falling: bool = True,
) -> table.Panel:
    """Return a table. By default, the newest row is first."""
    return (
        _common(table.Panel(), title, description, unit, queries, size)
        .filterable(True)
        .sort_by([common.TableSortByFieldState().display_name(sort).desc(falling)])
        .override_by_field_type("number", [model.DynamicConfigValue("custom.filterable", False)])
    )


def heat(title: str, description: str, unit: str, query: Query, *, size: tuple[int, int]) -> statetimeline.Panel:
    """Return a panel with one line per series, on several pages. A brighter colour means a higher value. The panel is
    readable even with 100 series.

    Grafana's panel "heatmap" is not used. It treats the time of a point as the end of an interval, but InfluxDB uses
    the start.
    """
    page = lines_within(size[1])
    return (
        _common(statetimeline.Panel(), title, description, unit, [query], size)
        .interval("1s")
        .show_value(VisibilityMode.NEVER)
        .merge_values(False)
        .row_height(0.95)
        .per_page(page)
        .fill_opacity(100)
        .line_width(0)
        .min(0)
        .legend(_legend().show_legend(False))
        .tooltip(common.VizTooltipOptions().mode(TooltipDisplayMode.SINGLE))
        .color_scheme(dashboard.FieldColor().mode(model.FieldColorModeId.CONTINUOUS_BLUES))
    )


def curves(title: str, description: str, unit: str, *queries: Query, size: tuple[int, int]) -> xychart.Panel:
    """Return a chart of points whose x axis is not the time of day. No lines connect the points, because a line would
    hide a gap."""
    panel = (
        _common(xychart.Panel(), title, description, unit, queries, size)
        .mapping(SeriesMapping.AUTO)
        .show(XYShowMode.POINTS)
        .point_size(xychart.XychartFieldConfigPointSize().fixed(6))
        .axis_label(title.lower())
        .legend(_legend())
        .tooltip(_tooltip())
        .color_scheme(dashboard.FieldColor().mode(model.FieldColorModeId.PALETTE_CLASSIC))
    )
    panel._internal.plugin_version = XYCHART_VERSION
    return panel


def column(panel: Panel, name: str, **settings: object) -> None:
    """Set properties of one column of a table, or of one series of a panel."""
    panel.override_by_name(name, [model.DynamicConfigValue(key, value) for key, value in settings.items()])


def paint(panel: timeseries.Panel, table: Mapping[str, str], *names: str, before: str = "") -> timeseries.Panel:
    """Give each series whose name begins with one of these names its colour from the table. `before`: a pattern for
    the text that precedes the name."""
    for name in names or table:
        panel.override_by_regexp(rf"/^{before}{name}\b/", [fixed(table[name])])
    return panel


def lines_within(height: int) -> int:
    """Return the number of lines that are readable on one page of a state timeline of this height."""
    return (38 * height - 120) // 18


def order(panel: table.Panel, *names: str) -> None:
    """Set the order of the columns, because the order of tag columns differs between query results."""
    indices = {name: index for index, name in enumerate(names)}
    panel.with_transformation(
        model.DataTransformerConfig(
            "organize", options={"excludeByName": {}, "indexByName": indices, "renameByName": {}}
        )
    )


def hide(panel: table.Panel, *names: str) -> None:
    """Hide columns that Grafana needs, but users do not need."""
    for name in names:
        column(panel, name, **{"custom.hidden": True})


def mappings(statuses: Words) -> list[dict[str, object]]:
    """Return value mappings in the form that an override needs."""
    return [one.to_json() for one in _mappings(statuses)]


def _common(
    panel: _Any, title: str, description: str, unit: str, queries: Sequence[Query], size: tuple[int, int]
) -> _Any:
    for number, query in enumerate(queries):
        query.ref = chr(ord("A") + number)
        panel.with_target(query)
    width, height = size
    return (
        panel.title(title)
        .description(re.sub(r"\s+", " ", description))
        .datasource(queries[0].source)
        .unit(unit)
        .span(width)
        .height(height)
    )


def _legend(placement: LegendPlacement = LegendPlacement.BOTTOM) -> common.VizLegendOptions:
    return common.VizLegendOptions().display_mode(LegendDisplayMode.LIST).placement(placement).show_legend(True)


def _tooltip() -> common.VizTooltipOptions:
    return common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI).sort(SortOrder.DESCENDING)


def _named(panel: timeseries.Panel) -> timeseries.Panel:
    """Give each node of the lab its colour, which is the same in every panel."""
    return paint(panel, NAMES)


def fixed(color: str) -> model.DynamicConfigValue:
    """Return a setting that gives one colour to all series of an override."""
    return model.DynamicConfigValue("color", {"mode": "fixed", "fixedColor": color})


def _nothing(text: str) -> model.SpecialValueMap:
    """Return a mapping that shows missing values as this text, in grey."""
    shown = model.ValueMappingResult(text, GREY)
    return model.SpecialValueMap(model.DashboardSpecialValueMapOptions(model.SpecialValueMatch.NULL_AND_NAN, shown))


def _color_by_name() -> dashboard.FieldColor:
    """Return the colour scheme for series whose names are not in a table of colours."""
    return dashboard.FieldColor().mode(model.FieldColorModeId.PALETTE_CLASSIC_BY_NAME)


def _thresholds(steps: Steps) -> dashboard.ThresholdsConfig:
    return (
        dashboard.ThresholdsConfig()
        .mode(model.ThresholdsMode.ABSOLUTE)
        .steps([model.Threshold(value, color) for value, color in steps])
    )


def _mappings(statuses: Words) -> list[model.ValueMapping]:
    made: list[model.ValueMapping] = []
    for index, (value, (text, color)) in enumerate(statuses.items()):
        shown = model.ValueMappingResult(text or None, color, index=index)
        if value.startswith("/"):
            made.append(model.RegexMap(model.DashboardRegexMapOptions(value, shown)))
        elif ".." in value:
            low, high = (float(bound) for bound in value.split(".."))
            made.append(model.RangeMap(model.DashboardRangeMapOptions(low, high, shown)))
        else:
            made.append(model.ValueMap({value: shown}))
    return made
