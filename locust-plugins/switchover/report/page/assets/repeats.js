// The outages of all drills over the predicted window, and how they are distributed.

function drawOutages(box) {
    const drills = data.drills.filter((drill) => drill.high !== null);
    const { outages, low, high, uniform } = data.series;
    if (!drills.length) return empty(box, "No valid drill recovered: there is no distribution.");
    const traces = [
        {
            type: "scatter",
            mode: "markers",
            name: "drills",
            x: drills.map((drill) => (drill.low + drill.high) / 2),
            y: drills.map((drill) => drill.number),
            error_x: {
                type: "data",
                array: drills.map((drill) => (drill.high - drill.low) / 2),
                color: colour("lb-0"),
                thickness: 2,
                width: 0,
            },
            marker: { color: colour("lb-0"), size: 9 },
            customdata: drills.map((drill) => drill.number),
            hovertemplate: "drill %{customdata}: %{x:,.1f} ms<extra></extra>",
        },
        {
            type: "scatter",
            mode: "lines",
            name: "share of the drills",
            x: [outages[0], ...outages, outages.at(-1)],
            y: [0, ...outages.map((_, place) => (place + 1) / outages.length), 1],
            line: { shape: "hv", color: colour("lb-0"), width: 2 },
            yaxis: "y2",
            hovertemplate: "%{y:.0%} took up to %{x:,.1f} ms<extra></extra>",
        },
    ];
    if (uniform) {
        traces.push({
            type: "scatter",
            mode: "lines",
            name: "uniform over the window",
            x: [low, high],
            y: [0, 1],
            line: { color: colour("theory"), width: 2, dash: "dash" },
            yaxis: "y2",
            hoverinfo: "skip",
        });
    }
    const ends = [...outages, low, high].filter((value) => value !== null);
    const pad = Math.max((Math.max(...ends) - Math.min(...ends)) * 0.08, 5);
    const last = data.drills.length;
    const tall = Math.min(Math.max(last * 16, 90), 480);
    const made = layout(tall + 330, {
        xaxis: {
            range: [Math.min(...ends) - pad, Math.max(...ends) + pad],
            title: { text: "outage, milliseconds", standoff: 4 },
            anchor: "y2",
            zeroline: false,
            tickformat: ",.0f",
        },
        yaxis: {
            domain: [230 / (tall + 240), 1],
            range: [last + 0.7, 0.3],
            title: { text: "drill", standoff: 4 },
            fixedrange: true,
            zeroline: false,
            dtick: Math.ceil(last / 10),
            tick0: 1,
        },
        yaxis2: { domain: [0, 200 / (tall + 240)], range: [0, 1.02], tickformat: ".0%", fixedrange: true },
        hovermode: "closest",
    });
    made.margin.b = narrow() ? 104 : 70;
    if (low !== null) {
        const end = high === null ? Math.max(...ends) + pad : high;
        const line = { color: colour("theory"), width: 1, dash: "dot" };
        const band = { type: "rect", layer: "below", yref: "paper", y0: 0, y1: 1, fillcolor: colour("theory", 0.14), line };
        made.shapes = [{ ...band, x0: low, x1: end }];
        const label = { yref: "paper", y: 1, yanchor: "bottom", showarrow: false, font: { color: colour("theory") } };
        made.annotations = [{ ...label, x: (low + end) / 2, text: "predicted" }];
    }
    return Plotly.react(box, traces, made, CONFIG);
}

keepDrawn(() => drawOutages(document.getElementById("chart-outages")));
