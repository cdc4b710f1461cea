// All changes of a run: a column for each, a row for each kind of connection. The mark says the worst that it felt.

const MARKS = [
    // In the order of the legend: what is drawn as, and which of [lost, closed gracefully, waited] it takes.
    { name: "lost", symbol: "square", colour: "failed", size: 1, takes: ([lost]) => lost > 0 },
    { name: "waited longer", symbol: "diamond", colour: "late", size: 0.8, takes: ([lost, , waited]) => !lost && waited !== null },
    { name: "closed gracefully", symbol: "circle", colour: "good", size: 0.55, takes: ([lost, closed, waited]) => !lost && waited === null && closed > 0 },
    { name: "nothing", symbol: "circle", colour: "grey", size: 0.25, takes: ([lost, closed, waited]) => !lost && waited === null && !closed },
];
const TALL = 20;
const NARROWEST = 2;
const TICKS_BELOW = 8; // pixels of a column: symbols would be too small, so all are ticks, told apart by height and colour

function drawChanges(box) {
    const { kinds, numbers } = data.changes;
    const left = narrow() ? 84 : 96;
    const width = Math.min(TALL, Math.max(NARROWEST, ((box.clientWidth - left - 16) / numbers.length) * 0.85));
    const drawnAs = (mark) =>
        width < TICKS_BELOW
            ? { symbol: "line-ns", size: TALL * mark.size, line: { width, color: colour(mark.colour) } }
            : { symbol: mark.symbol, size: Math.max(2, width * mark.size), line: { width: 0 } };
    const traces = MARKS.map((mark) => {
        const cells = kinds.flatMap((kind) => data.changes.felt[kind].map((felt, place) => ({ kind, felt, number: numbers[place], at: data.changes.at[place] })));
        const shown = cells.filter((cell) => mark.takes(cell.felt));
        return {
            type: "scatter",
            mode: "markers",
            name: mark.name,
            x: shown.map((cell) => cell.number),
            y: shown.map((cell) => cell.kind),
            text: shown.map(feltText),
            marker: { color: colour(mark.colour), ...drawnAs(mark) },
            hovertemplate: "%{text}<extra></extra>",
        };
    });
    const made = layout(kinds.length * 28 + (narrow() ? 120 : 90), {
        hovermode: "closest",
        dragmode: false,
        xaxis: { title: { text: "change", standoff: 4 }, range: [numbers[0] - 0.7, numbers.at(-1) + 0.7], fixedrange: true, zeroline: false, showgrid: false, tickformat: "d", dtick: numbers.length < 13 && !narrow() ? 1 : undefined },
        yaxis: { type: "category", categoryorder: "array", categoryarray: [...kinds].reverse(), fixedrange: true, tickfont: { color: colour("text") }, range: [-0.6, kinds.length - 0.4] },
    });
    made.margin.l = left;
    made.margin.t = 8;
    made.legend.itemclick = made.legend.itemdoubleclick = false;
    return Plotly.react(box, traces, made, CONFIG);
}

function feltText({ kind, felt: [lost, closed, waited], number, at }) {
    const told = [];
    if (lost) told.push(`${lost.toLocaleString("en-US")} lost`);
    if (closed) told.push(`${closed.toLocaleString("en-US")} closed gracefully`);
    if (waited !== null) told.push(`waited up to ${fixed(waited, 0)} ms`);
    return `change ${number} at ${at.toFixed(1)} s, ${kind}: ${told.join(", ") || "nothing"}`;
}
