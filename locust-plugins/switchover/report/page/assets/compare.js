// Outage and failback of each run, as wide as their bounds.

function drawEvents(box) {
    const known = data.figures.filter((figure) => figure.values.some((one) => one.value !== null));
    if (!known.length) return empty(box, "No outage was measured in both.");
    const traces = known.map((figure, place) => {
        const found = figure.values.map((one, side) => ({ ...one, side })).filter((one) => one.value !== null);
        const middle = found.map((one) => (one.low + one.high) / 2);
        return {
            type: "scatter",
            mode: "markers",
            name: figure.name,
            x: middle,
            y: found.map((one) => one.side + (place - (known.length - 1) / 2) * 0.25),
            error_x: {
                type: "data",
                array: found.map((one) => (one.high - one.low) / 2),
                color: colour(`lb-${place}`),
                thickness: 3,
                width: 4,
            },
            marker: { color: colour(`lb-${place}`), size: 9, symbol: place ? "square" : "circle" },
            customdata: found.map((one) => [data.names[one.side], one.low, one.high]),
            hovertemplate: "%{customdata[0]}: %{customdata[1]:,.1f} to %{customdata[2]:,.1f} ms<extra></extra>",
        };
    });
    const made = layout(data.names.length * 56 + 130, {
        xaxis: { title: { text: "milliseconds", standoff: 4 }, rangemode: "tozero", tickformat: ",.0f" },
        yaxis: {
            range: [data.names.length - 0.5, -0.5],
            tickvals: data.names.map((_, side) => side),
            ticktext: data.names,
            fixedrange: true,
            zeroline: false,
        },
        hovermode: "closest",
    });
    return Plotly.react(box, traces, made, CONFIG);
}

keepDrawn(() => drawEvents(document.getElementById("chart-events")));
