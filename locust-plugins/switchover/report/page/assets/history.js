// Outages over time and by fault.

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
    if (!data.series.length) return empty(box, "No valid run has an outage.");
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
    return Plotly.react(box, traces, made, CONFIG);
}

/** Where a run stands in the strip of its fault: spread, and the same each time the page is drawn. */
const spread = (place) => (((place * 0.618034) % 1) - 0.5) * 0.56;

function drawFaults(box) {
    if (!data.series.length) return empty(box, "No valid run has an outage.");
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

keepDrawn(() =>
    Promise.all([
        drawOutages(document.getElementById("chart-outages")),
        drawFaults(document.getElementById("chart-faults")),
    ]),
);
