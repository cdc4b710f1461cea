// Outages over time and by fault, and verdicts by month.

/** Text from outside as the label of an axis or a hover. */
const named = (text) => plain(text, 44);

const day = (at) => new Date(at).toISOString().slice(0, 16).replace("T", " ");

/** One line for all intervals: a browser draws ten thousand of them at once. */
function intervals(series) {
    const x = [];
    const y = [];
    for (let place = 0; place < series.at.length; place++) {
        x.push(series.at[place], series.at[place], null);
        y.push(series.low[place], series.high[place], null);
    }
    return { x, y };
}

/** What theory predicted, from each run to the next; it steps where the settings changed. */
function predicted(series) {
    const known = series.at.map((at, place) => place).filter((place) => series.predicted_high[place] !== null);
    const line = { width: 0, shape: "hv" };
    const shared = { type: "scatter", mode: "lines", x: known.map((place) => series.at[place]), line, hoverinfo: "skip", legendgroup: series.name, showlegend: false };
    return [
        { ...shared, y: known.map((place) => series.predicted_low[place]) },
        { ...shared, y: known.map((place) => series.predicted_high[place]), fill: "tonexty", fillcolor: colour(series.colour, 0.13) },
    ];
}

function drawOutages(box) {
    if (!data.series.length) return empty(box, "No run that can be trusted has an outage.");
    const traces = data.series.flatMap((series) => {
        const tint = colour(series.colour);
        const crowded = series.at.length > 500;
        return [
            ...predicted(series),
            { type: "scatter", mode: "lines", ...intervals(series), line: { color: tint, width: 2 }, hoverinfo: "skip", legendgroup: series.name, showlegend: false },
            {
                type: "scatter",
                mode: "markers",
                name: named(series.name),
                legendgroup: series.name,
                x: series.at,
                y: series.high,
                marker: { color: tint, size: crowded ? 4 : 7, opacity: crowded ? 0.5 : 1 },
                text: series.at.map((at, place) => `${named(series.run[place])}<br>${day(at)}, ${named(series.status[place])}`),
                hovertemplate: "%{text}<br>%{y:,.0f} ms<extra></extra>",
            },
        ];
    });
    const made = layout(narrow() ? 420 : 460, {
        xaxis: { type: "date", zeroline: false },
        yaxis: { title: { text: "outage, milliseconds", standoff: 4 }, rangemode: "tozero", tickformat: ",.0f", fixedrange: true },
        hovermode: "closest",
    });
    const line = { color: colour("event"), width: 1, dash: "dot" };
    made.shapes = data.marks.map((mark) => ({ type: "line", x0: mark.at, x1: mark.at, yref: "paper", y0: 0, y1: 1, line }));
    made.annotations = data.marks.map((mark) => ({
        x: mark.at, yref: "paper", y: 0, yanchor: "bottom", xanchor: "left", textangle: 90, showarrow: false,
        text: plain(mark.text, 60), font: { color: colour("event"), size: 10 },
    }));
    return Plotly.react(box, traces, made, CONFIG);
}

/** Where a run stands in the strip of its fault: spread, and the same each time the page is drawn. */
const spread = (place) => (((place * 0.618034) % 1) - 0.5) * 0.56;

function drawFaults(box) {
    if (!data.series.length) return empty(box, "No run that can be trusted has an outage.");
    const rows = data.series.map((series, place) => ({ series, place }));
    const traces = rows.map(({ series, place }) => ({
        type: "scatter",
        mode: "markers",
        x: series.high,
        y: series.high.map((_, run) => place + spread(run)),
        marker: { color: colour(series.colour), size: 5, opacity: series.at.length > 500 ? 0.35 : 0.7 },
        hovertemplate: `${named(series.name)}: %{x:,.0f} ms<extra></extra>`,
    }));
    const medians = rows.map(({ series }) => {
        const sorted = [...series.high].sort((a, b) => a - b);
        return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
    });
    const made = layout(data.series.length * 44 + 110, {
        xaxis: { title: { text: "outage, milliseconds", standoff: 4 }, rangemode: "tozero", tickformat: ",.0f" },
        yaxis: {
            range: [data.series.length - 0.5, -0.5],
            tickvals: rows.map(({ place }) => place),
            ticktext: rows.map(({ series }) => plain(series.name, narrow() ? 14 : 28)),
            fixedrange: true,
            zeroline: false,
            automargin: true,
        },
        hovermode: "closest",
        showlegend: false,
    });
    const line = { color: colour("text"), width: 3 };
    made.shapes = medians.map((median, place) => ({ type: "line", x0: median, x1: median, y0: place - 0.38, y1: place + 0.38, line }));
    return Plotly.react(box, traces, made, CONFIG);
}

/** Fewer months are not drawn wider than so many. */
const MONTHS = 6;

/** The first moment of a month, `2026-11` and so many months later. */
const monthStart = (month, later = 0) => Date.UTC(+month.slice(0, 4), +month.slice(5, 7) - 1 + later);

/** From month to month, with the empty ones between them; the label of each stands below its middle. */
function monthAxis(months) {
    const last = months[months.length - 1];
    const to = monthStart(last, 1);
    const from = Math.min(monthStart(months[0]), monthStart(last, 1 - MONTHS));
    const shown = Math.round((to - from) / 2.63e9);
    const step = [1, 3, 6, 12, 24].find((one) => shown / one <= (narrow() ? 6 : 18)) ?? 60;
    return { type: "date", range: [from, to], dtick: `M${step}`, tick0: from, tickformat: "%b\n%Y", ticklabelmode: "period", zeroline: false };
}

function drawMonths(box) {
    const { months, statuses } = data.months;
    if (!months.length) return empty(box, "No run says when it began.");
    const shades = {};
    const traces = statuses.map((status) => {
        const shade = (shades[status.colour] = (shades[status.colour] ?? 1.35) - 0.35);
        return {
            type: "bar",
            name: named(status.name),
            x: months.map((month) => (monthStart(month) + monthStart(month, 1)) / 2),
            y: status.counts,
            width: months.map((month) => 0.8 * (monthStart(month, 1) - monthStart(month))),
            marker: { color: colour(status.colour, Math.max(shade, 0.25)) },
            hovertemplate: `%{x|%Y-%m}: %{y:,} ${named(status.name)}<extra></extra>`,
        };
    });
    const made = layout(330, {
        barmode: "stack",
        xaxis: monthAxis(months),
        yaxis: { title: { text: "runs", standoff: 4 }, tickformat: ",d", fixedrange: true },
    });
    return Plotly.react(box, traces, made, CONFIG);
}

keepDrawn(() =>
    Promise.all([
        drawOutages(document.getElementById("chart-outages")),
        drawFaults(document.getElementById("chart-faults")),
        drawMonths(document.getElementById("chart-months")),
    ]),
);
