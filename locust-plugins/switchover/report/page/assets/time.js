// Charts over time have one axis, shaded phases, and marks for fault and heal. All charts zoom together.

const MOVE = 0.25;
const ZOOM = 2;
const SHORTEST_S = 0.05;
const whole = [data.from, data.to];
let shown = null; // the range that the reader chose; null: the whole run
const timed = new Set(); // the boxes of all charts

function axisOfTime() {
    const since = data.zero_is === "the fault" ? "seconds after the fault" : "seconds since the start";
    return {
        range: shown || whole,
        title: { text: since, standoff: 4 },
        zeroline: false,
        fixedrange: matchMedia("(pointer: coarse)").matches,
        hoverformat: "+.2f",
        tickprefix: "",
        minallowed: whole[0],
        maxallowed: whole[1],
    };
}

/** Shapes and annotations of phases, fault and heal between two times. */
function frame(range) {
    const [from, to] = range;
    const shapes = [];
    const annotations = [];
    for (const [place, phase] of data.phases.entries()) {
        if (phase.to <= from || phase.from >= to) continue;
        if (place % 2) {
            const band = { type: "rect", yref: "paper", y0: 0, y1: 1, layer: "below", line: { width: 0 } };
            shapes.push({ ...band, x0: phase.from, x1: phase.to, fillcolor: colour("shade") });
        }
        const [left, right] = [Math.max(phase.from, from), Math.min(phase.to, to)];
        if ((right - left) / (to - from) < (narrow() ? 0.24 : 0.09)) continue;
        const label = { text: phase.name, yref: "paper", y: 1, yanchor: "bottom", showarrow: false, yshift: 6 };
        annotations.push({ ...label, x: (left + right) / 2, font: { size: 11, color: colour("quiet") } });
    }
    for (const mark of data.marks) {
        if (mark.at < from || mark.at > to) continue;
        const line = { color: colour("event"), width: 1.5, dash: mark.name === "heal" ? "dash" : "solid" };
        shapes.push({ type: "line", yref: "paper", y0: 0, y1: 1, x0: mark.at, x1: mark.at, line });
        const label = { text: `<b>${mark.name}</b>`, yref: "paper", y: 1, yanchor: "top", xanchor: "left", xshift: 2 };
        annotations.push({ ...label, x: mark.at, showarrow: false, font: { size: 11, color: colour("event") } });
    }
    return { shapes, annotations };
}

/** Draw, or draw again, a chart over time. */
function drawTimed(box, traces, made) {
    made.xaxis = { ...made.xaxis, ...axisOfTime() };
    Object.assign(made, frame(shown || whole));
    made.dragmode = matchMedia("(pointer: coarse)").matches ? false : "zoom";
    const drawn = Plotly.react(box, traces, made, CONFIG);
    if (!timed.has(box)) {
        box.on("plotly_relayout", (change) => heard(box, change));
        box.on("plotly_doubleclick", () => zoomTo(null));
    }
    timed.add(box);
    return drawn;
}

function heard(box, change) {
    const from = change["xaxis.range[0]"];
    const to = change["xaxis.range[1]"];
    if (from !== undefined && to !== undefined) zoomTo([Number(from), Number(to)]);
}

function zoomTo(range) {
    if (range) {
        const width = Math.max(range[1] - range[0], SHORTEST_S);
        const from = Math.min(Math.max(range[0], whole[0]), Math.max(whole[1] - width, whole[0]));
        range = [from, Math.min(from + width, whole[1])];
    }
    shown = range;
    const to = shown || whole;
    for (const box of timed) Plotly.relayout(box, { "xaxis.range": [...to], ...frame(to) });
    document.dispatchEvent(new Event("zoomed"));
}

function move(how) {
    const [from, to] = shown || whole;
    const width = to - from;
    const middle = (from + to) / 2;
    if (how === "in") zoomTo([middle - width / ZOOM / 2, middle + width / ZOOM / 2]);
    if (how === "out") zoomTo(width * ZOOM >= whole[1] - whole[0] ? null : [middle - width, middle + width]);
    if (how === "earlier") zoomTo([from - width * MOVE, to - width * MOVE]);
    if (how === "later") zoomTo([from + width * MOVE, to + width * MOVE]);
}

/** The start of each interval, and the end of the last interval. */
const steps = data.starts.length ? [...data.starts, data.starts.at(-1) + data.width] : [];
const rates = (counts, sign = 1) => {
    const found = counts.map((count) => Math.round((sign * count * 1000) / data.width) / 1000);
    return [...found, found.at(-1)];
};
const middles = data.starts.map((start) => start + data.width / 2);
