"""The kinds of panel that the dashboards are made of, each with the look that all of its kind have.

Every panel has a title, a unit and a description; what it shows while there is nothing to show, too.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar

from grafana_foundation_sdk.builders import common, dashboard, stat, statetimeline, table, timeseries, xychart
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models.common import (
    BigValueColorMode,
    BigValueGraphMode,
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
from grafana_foundation_sdk.models.xychart import SeriesMapping, XYShowMode

from dashboards.influxql import DATABASE, Query

GREEN, YELLOW, ORANGE, RED, BLUE, GREY = "green", "yellow", "orange", "red", "blue", "#8e8e8e"

Panel = timeseries.Panel | stat.Panel | statetimeline.Panel | table.Panel | xychart.Panel
_Any = TypeVar("_Any", timeseries.Panel, stat.Panel, statetimeline.Panel, table.Panel, xychart.Panel)
Steps = Sequence[tuple[float | None, str]]
"""From which value on (None: from the lowest) which colour."""
Words = Mapping[str, tuple[str, str]]
"""A value, or a pattern between slashes; what is written for it (empty: itself); in which colour."""


def lines(
    title: str, description: str, unit: str, *queries: Query, size: tuple[int, int], log: bool = False
) -> timeseries.Panel:
    """Curves: a gap in the data is a gap in the curve."""
    panel = (
        _common(timeseries.Panel(), title, description, unit, queries, size)
        .interval("1s")
        .draw_style(GraphDrawStyle.LINE)
        .line_width(1)
        .fill_opacity(5)
        .line_interpolation(LineInterpolation.STEP_AFTER)
        .show_points(VisibilityMode.AUTO)
        .point_size(4)
        .span_nulls(3000)
        .axis_soft_min(0)
        .legend(_legend())
        .tooltip(_tooltip())
        .color_scheme(_color_by_name())
    )
    if log:
        panel.scale_distribution(common.ScaleDistributionConfig().type(ScaleDistribution.LOG).log(10))
    return panel


def bars(title: str, description: str, unit: str, *queries: Query, size: tuple[int, int]) -> timeseries.Panel:
    """What was counted per interval, stacked: nobody answered is seen as a hole, and no line bridges it."""
    return (
        _common(timeseries.Panel(), title, description, unit, queries, size)
        .interval("1s")
        .draw_style(GraphDrawStyle.BARS)
        .line_width(0)
        .fill_opacity(90)
        .bar_width_factor(0.95)
        .stacking(common.StackingConfig().mode(StackingMode.NORMAL).group("A"))
        .axis_soft_min(0)
        .legend(_legend())
        .tooltip(_tooltip())
        .color_scheme(_color_by_name())
    )


def dots(title: str, description: str, unit: str, *queries: Query, size: tuple[int, int]) -> timeseries.Panel:
    """One dot per run: nothing lies between two runs, so no line does."""
    return lines(title, description, unit, *queries, size=size).draw_style(GraphDrawStyle.POINTS).point_size(9)


def figure(
    title: str,
    description: str,
    unit: str,
    *queries: Query,
    size: tuple[int, int],
    steps: Steps = ((None, BLUE),),
    words: Words | None = None,
    empty: str = "none",
    fields: str = "",
) -> stat.Panel:
    """The last value, large. `fields` is "/.*/" where a word is shown and not a number."""
    panel = (
        _common(stat.Panel(), title, description, unit, queries, size)
        .no_value(empty)
        .color_mode(BigValueColorMode.BACKGROUND if words else BigValueColorMode.VALUE)
        .graph_mode(BigValueGraphMode.NONE)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).fields(fields))
        .thresholds(_thresholds(steps))
        .color_scheme(dashboard.FieldColor().mode(model.FieldColorModeId.THRESHOLDS))
    )
    return panel.mappings(_mappings(words)) if words else panel


def states(
    title: str, description: str, *queries: Query, size: tuple[int, int], words: Words | None = None
) -> statetimeline.Panel:
    """A bar per series, in the colour of its state until it says another one."""
    panel = (
        _common(statetimeline.Panel(), title, description, "string", queries, size)
        .show_value(VisibilityMode.AUTO)
        .row_height(0.85)
        .merge_values(True)
        .fill_opacity(80)
        .line_width(0)
        .legend(_legend())
        .tooltip(_tooltip())
    )
    if words:
        panel.mappings(_mappings(words))
    else:
        panel.color_scheme(_color_by_name())
    # A state lasts until the next is told; the SDK's builder has no word for it.
    panel.override_by_regexp("/.*/", [model.DynamicConfigValue("custom.spanNulls", True)])
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
    """A table, the newest row first unless told otherwise."""
    return (
        _common(table.Panel(), title, description, unit, queries, size)
        .filterable(True)
        .sort_by([common.TableSortByFieldState().display_name(sort).desc(falling)])
    )


def curves(title: str, description: str, unit: str, *queries: Query, size: tuple[int, int]) -> xychart.Panel:
    """Curves over something else than the time of day."""
    return (
        _common(xychart.Panel(), title, description, unit, queries, size)
        .mapping(SeriesMapping.AUTO)
        .show(XYShowMode.POINTS_AND_LINES)
        .line_width(1)
        .legend(_legend())
        .tooltip(_tooltip())
        .color_scheme(_color_by_name())
    )


def column(panel: table.Panel, name: str, **settings: object) -> None:
    """How a column of a table (or a series of a panel) differs from the rest."""
    panel.override_by_name(name, [model.DynamicConfigValue(key, value) for key, value in settings.items()])


def painted(panel: timeseries.Panel) -> timeseries.Panel:
    """Failed in red and late in orange, whatever colours the names beside them get."""
    for name, color in (("failed", RED), ("late", ORANGE)):
        panel.override_by_name(name, [model.DynamicConfigValue("color", {"mode": "fixed", "fixedColor": color})])
    return panel


def mappings(words: Words) -> list[dict[str, object]]:
    """Value mappings as an override wants them."""
    return [one.to_json() for one in _mappings(words)]


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
        .datasource(DATABASE)
        .unit(unit)
        .span(width)
        .height(height)
    )


def _legend() -> common.VizLegendOptions:
    return (
        common.VizLegendOptions()
        .display_mode(LegendDisplayMode.LIST)
        .placement(LegendPlacement.BOTTOM)
        .show_legend(True)
    )


def _tooltip() -> common.VizTooltipOptions:
    return common.VizTooltipOptions().mode(TooltipDisplayMode.MULTI).sort(SortOrder.DESCENDING)


def _color_by_name() -> dashboard.FieldColor:
    """The same backend has the same colour in every panel."""
    return dashboard.FieldColor().mode(model.FieldColorModeId.PALETTE_CLASSIC_BY_NAME)


def _thresholds(steps: Steps) -> dashboard.ThresholdsConfig:
    return (
        dashboard.ThresholdsConfig()
        .mode(model.ThresholdsMode.ABSOLUTE)
        .steps([model.Threshold(value, color) for value, color in steps])
    )


def _mappings(words: Words) -> list[model.ValueMapping]:
    made: list[model.ValueMapping] = []
    for index, (value, (text, color)) in enumerate(words.items()):
        shown = model.ValueMappingResult(text or None, color, index=index)
        if value.startswith("/"):
            made.append(model.RegexMap(model.DashboardRegexMapOptions(value, shown)))
        else:
            made.append(model.ValueMap({value: shown}))
    return made
