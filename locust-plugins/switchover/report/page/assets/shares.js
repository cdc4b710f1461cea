// Shares by phase, of backends and of balancers; a mark stands where theory expects one share to end.

function drawShares(box) {
    const phases = data.shares.filter((one) => any(Object.values(one.backends)) || any(Object.values(one.balancers)));
    if (!phases.length) return empty(box, "No answer gave a name.");
    const stacked = narrow();
    const panels = [["backends", "", [0, stacked ? 1 : 0.47]], ["balancers", "2", [stacked ? 0 : 0.53, 1]]];
    const traces = panels.flatMap(([what, axis]) => sharesOf(phases, what, axis));
    const tall = phases.length * 34;
    const made = layout((stacked ? tall * 2 + 90 : tall) + 100, { barmode: "stack", hovermode: "closest" });
    const order = phases.map((one) => one.phase).reverse();
    for (const [what, axis, domain] of panels) {
        const rows = stacked ? (axis ? [0, 0.42] : [0.58, 1]) : [0, 1];
        const ends = { range: [0, 1], tickformat: ".0%", fixedrange: true, domain };
        made[`xaxis${axis}`] = { ...ends, anchor: `y${axis}`, title: { text: what, standoff: 4 }, gridcolor: colour("line") };
        made[`yaxis${axis}`] = {
            type: "category",
            categoryorder: "array",
            categoryarray: order,
            domain: rows,
            anchor: `x${axis}`,
            fixedrange: true,
            showticklabels: stacked || !axis,
            tickfont: { color: colour("text") },
        };
    }
    made.shapes = phases.flatMap((one) => expected(one, order.indexOf(one.phase)));
    made.margin.l = narrow() ? 84 : 96;
    made.margin.t = 8;
    made.margin.r = 18;
    made.margin.b = 84;
    return Plotly.react(box, traces, made, CONFIG);
}

function sharesOf(phases, what, axis) {
    const names = [...new Set(phases.flatMap((one) => Object.keys(one[what])))].sort();
    const totals = phases.map((one) => sum(Object.values(one[what])));
    return names.map((name) => {
        const share = phases.map((one, place) => (totals[place] ? (one[what][name] || 0) / totals[place] : 0));
        return {
            type: "bar",
            orientation: "h",
            name: plain(name),
            y: phases.map((one) => one.phase),
            x: share,
            xaxis: `x${axis}`,
            yaxis: `y${axis}`,
            marker: { color: colour(data.colours[what][name] || "grey"), line: { color: colour("paper"), width: 1 } },
            customdata: phases.map((one) => one[what][name] || 0),
            hovertemplate: "%{fullData.name}: %{customdata:,} answers, %{x:.2%}<extra></extra>",
        };
    });
}

/** The ends of the expected shares, in the order of the stacked ones. */
function expected(one, place) {
    const names = Object.keys(one.expected).sort();
    let at = 0;
    return names.slice(0, -1).map((name) => {
        at += one.expected[name];
        const line = { color: colour("event"), width: 3 };
        return { type: "line", xref: "x", yref: "y", x0: at, x1: at, y0: place - 0.47, y1: place + 0.47, line };
    });
}
