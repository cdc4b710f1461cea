// The switchover step by step: when each happened, give or take its bound; how long no answer came; who held the address.

const PAD = 0.08;
const SHARE_OF_HEAL = 0.12; // of the range that ends with the failback; a shorter switchover is shown by itself

function drawTimeline(box) {
    const found = data.timeline;
    if (!found) return empty(box, "No fault was fired.");
    const rows = timelineRows(found);
    const traces = rows.flatMap((row, place) => row.draw(place));
    const names = rows.map((row) => row.name);
    const made = layout(rows.length * 30 + 92, {
        showlegend: false,
        xaxis: {},
        yaxis: {
            range: [rows.length - 0.4, -0.6],
            fixedrange: true,
            tickvals: names.map((_, place) => place),
            ticktext: names.map((name) => plain(name, narrow() ? 20 : 30)),
            zeroline: false,
            tickfont: { color: colour("text"), size: narrow() ? 11 : 12 },
        },
        hovermode: "closest",
        barmode: "overlay",
    });
    made.margin.l = narrow() ? 126 : 172;
    made.margin.r = narrow() ? 34 : 64;
    made.margin.t = 44;
    return drawTimed(box, traces, made, closeUp(found), () => theory(found.predicted));
}

/** From just before the kill to the end of what is to be seen. */
function closeUp(found) {
    const ends = found.steps.map((step) => step.at).filter((at) => at !== null);
    const first = found.away.filter((gap) => gap.name !== "failback");
    const predicted = found.predicted ? [found.predicted.low, found.predicted.high || 0] : [];
    const overlaps = found.overlaps.map((one) => Math.min(one.to, whole[1]));
    const switchover = Math.max(0.5, ...ends, ...predicted, ...overlaps, ...first.map((gap) => gap.to));
    const failback = found.away.filter((gap) => gap.name === "failback").map((gap) => gap.to);
    const healed = Math.max(found.heal || 0, ...failback);
    const end = switchover > healed * SHARE_OF_HEAL && healed > 0 ? Math.max(healed, switchover) : switchover;
    return [Math.max(whole[0], -end * PAD), Math.min(whole[1], end * (1 + 2 * PAD))];
}

function theory(predicted) {
    if (!predicted) return { shapes: [], annotations: [] };
    const open = predicted.high === null ? whole[1] : predicted.high;
    const band = { type: "rect", layer: "below", yref: "paper", y0: 0, y1: 1, x0: predicted.low, x1: open };
    const label = { yref: "paper", y: 1, yanchor: "bottom", yshift: 20, showarrow: false, xanchor: "center" };
    return {
        shapes: [{ ...band, fillcolor: colour("theory", 0.16), line: { color: colour("theory"), width: 1, dash: "dot" } }],
        annotations: [
            {
                ...label,
                x: (predicted.low + open) / 2,
                text: `predicted: ${predicted.text}`,
                font: { size: 12, color: colour("theory") },
            },
        ],
    };
}

function timelineRows(found) {
    const rows = found.steps.map((step) => ({ name: step.name, draw: (place) => stepTraces(step, place) }));
    if (found.heal !== null) {
        const heal = { name: "heal", at: found.heal, bound: null, text: "", source: "the command that heals" };
        rows.push({ name: "heal", draw: (place) => stepTraces(heal, place) });
    }
    if (found.away.length) {
        const bars = found.away.map((gap) => ({ ...gap, paint: colour("failed") }));
        rows.push({ name: "no good answer", draw: (place) => spans(bars, place, "no good answer") });
    }
    const nodes = [...new Set(found.owners.map((owner) => owner.node))];
    for (const node of nodes) {
        const bars = found.owners
            .filter((owner) => owner.node === node)
            .map((owner) => ({ ...owner, text: "", paint: colour(data.colours.balancers[node] || "grey") }));
        rows.push({ name: `address on ${node}`, draw: (place) => spans(bars, place, `${plain(node)} has the address`) });
    }
    if (found.overlaps.length) {
        const bars = found.overlaps.map((one) => ({ ...one, paint: colour("failed"), pattern: "/" }));
        rows.push({ name: "split brain", draw: (place) => spans(bars, place, "two have the address") });
    }
    return rows;
}

/** A mark with its bound, and the time beside it. */
function stepTraces(step, place) {
    const known = step.at !== null;
    const at = known ? step.at : 0;
    const bound = known ? step.bound || 0 : 0;
    const short = narrow() ? step.text.split(" ±")[0] : step.text;
    const mark = {
        type: "scatter",
        mode: "markers",
        x: [at],
        y: [place],
        error_x: { visible: known, type: "data", array: [bound], color: colour("text"), thickness: 2, width: 4 },
        marker: { size: 9, color: colour("text"), opacity: known ? 1 : 0 },
        hovertemplate: `${plain(step.name)}: ${step.text}<br>${plain(step.source, 80)}<extra></extra>`,
    };
    const text = {
        type: "scatter",
        mode: "text",
        x: [at + bound],
        y: [place],
        text: [`   ${known ? short : "unknown"}`],
        textposition: "middle right",
        textfont: { color: colour(known ? "text" : "quiet"), size: 12 },
        hoverinfo: "skip",
    };
    return [mark, text];
}

/** Bars from one time to another. */
function spans(bars, place, said) {
    return [
        {
            type: "bar",
            orientation: "h",
            y: bars.map(() => place),
            x: bars.map((bar) => bar.to - bar.from),
            base: bars.map((bar) => bar.from),
            width: 0.55,
            marker: {
                color: bars.map((bar) => bar.paint),
                pattern: { shape: bars.map((bar) => bar.pattern || ""), fgcolor: colour("paper"), size: 6 },
            },
            text: bars.map((bar) => bar.text),
            textposition: bars.map((bar) => (bar.pattern ? "outside" : "auto")),
            insidetextanchor: "end",
            insidetextfont: { color: colour("paper"), size: 12 },
            outsidetextfont: { color: colour("text"), size: 12 },
            cliponaxis: false,
            constraintext: "none",
            hovertemplate: bars.map(
                (bar) => `${said}: ${bar.from.toFixed(3)} s to ${bar.to.toFixed(3)} s<br>${bar.text}<extra></extra>`,
            ),
        },
    ];
}
