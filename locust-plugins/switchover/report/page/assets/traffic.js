// Requests, latencies and failures over time.

const KINDS = ["refused", "reset", "connect_timeout", "read_timeout", "status"];
const kindColour = (kind) => (KINDS.includes(kind) ? `kind-${KINDS.indexOf(kind)}` : "grey");
const labelOf = (name, otherwise) => (name ? plain(name) : otherwise);

const lineOf = (name, x, y, line, hovertemplate, more = {}) => ({ type: "scatter", mode: "lines", name, x, y, line, hovertemplate, ...more });

/** What is read second by second: all traces of a moment stand beside the pointer. */
const bySecond = (height, yaxis, more = {}) => layout(height, { xaxis: {}, yaxis: { fixedrange: true, ...yaxis }, hovermode: "x unified", ...more });

function area(name, y, fill, group, row, more = {}) {
    return lineOf(name, steps, y, { shape: "hv", width: 0, color: fill }, "%{customdata:,.1f}/s", {
        stackgroup: group,
        fillcolor: fill,
        yaxis: row ? `y${row}` : "y",
        customdata: y.map(Math.abs),
        ...more,
    });
}

/** What hangs below the axis, the same in each row. */
function impaired(population, row) {
    const traces = [];
    const failed = data.starts.map((_, place) => sum(Object.values(population.failed).map((counts) => counts[place])));
    const named = row ? { showlegend: false } : {};
    if (any(failed)) {
        traces.push(area("failed", rates(failed, -1), colour("failed"), `below${row}`, row, { ...named, legendrank: 2000 }));
    }
    if (any(population.late)) {
        traces.push(area("late", rates(population.late, -1), colour("late"), `below${row}`, row, { ...named, legendrank: 2001 }));
    }
    return traces;
}

function extent(population) {
    const above = data.starts.map((_, place) =>
        sum(Object.values(population.backends).map((counts) => counts[place])) / data.width,
    );
    const below = data.starts.map((_, place) =>
        (sum(Object.values(population.failed).map((counts) => counts[place])) + population.late[place]) / data.width,
    );
    return [Math.max(0, ...below) * 1.08, Math.max(1, ...above) * 1.08];
}

function drawTraffic(box, population) {
    if (!population) return empty(box, "There were no requests.");
    const traces = [];
    for (const [row, what, otherwise] of [["", "backends", "no backend named"], [2, "balancers", "no balancer named"]]) {
        for (const [name, counts] of Object.entries(population[what])) {
            const fill = colour(data.colours[what][name] || "grey");
            traces.push(area(labelOf(name, otherwise), rates(counts), fill, `above${row}`, row));
        }
        traces.push(...impaired(population, row));
    }
    const [below, above] = extent(population);
    const axis = { range: [-below, above], fixedrange: true, zeroline: true, ...ticks(below, above) };
    const rowed = (text, domain) => ({ ...axis, domain, title: { text, standoff: 4 } });
    const made = layout(narrow() ? 520 : 480, {
        xaxis: { anchor: "y2" },
        yaxis: rowed("by backend", [0.54, 1]),
        yaxis2: rowed("by balancer", [0, 0.46]),
        hovermode: "x unified",
    });
    return drawTimed(box, traces, made);
}

function drawLatency(box, population) {
    if (!population || !population.from_send) return empty(box, "Nothing was answered.");
    const traces = [];
    const drawable = (values) => values.map((value) => (value === null ? null : Math.max(value, 0.01)));
    const line = (name, y, color, dash, width) => lineOf(name, middles, drawable(y), { color, dash, width, shape: "hvh" }, "%{y:,.1f} ms");
    const send = population.from_send;
    traces.push({
        type: "bar",
        name: "p50 to p99",
        x: middles,
        width: data.width,
        base: send.p50.map((value) => Math.max(value || 0.01, 0.01)),
        y: send.p99.map((value, place) => (value === null ? null : Math.max(value - send.p50[place], 0))),
        marker: { color: colour("lb-0", 0.28), line: { width: 0 } },
        hoverinfo: "skip",
    });
    traces.push(line("p50", send.p50, colour("lb-0"), "solid", 2));
    traces.push(line("p99", send.p99, colour("lb-0"), "solid", 1));
    traces.push(line("max", send.max, colour("quiet"), "dot", 1));
    const due = population.from_schedule;
    if (due) {
        traces.push(line("p50 from schedule", due.p50, colour("lb-1"), "dash", 2));
        traces.push(line("p99 from schedule", due.p99, colour("lb-1"), "dash", 1));
        traces.push(line("max from schedule", due.max, colour("lb-1"), "dot", 1));
    }
    const powers = {
        type: "log",
        range: decades(send, due),
        tickvals: [0.01, 0.1, 1, 10, 100, 1000, 10000, 100000],
        ticktext: ["0.01 ms", "0.1 ms", "1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"],
    };
    const made = bySecond(narrow() ? 400 : 360, powers, { barmode: "overlay", bargap: 0 });
    return drawTimed(box, traces, made);
}

/** Whole powers of ten around what is to be seen. */
function decades(...views) {
    const seen = views.filter(Boolean).flatMap((view) => [...view.p50, ...view.max].filter((value) => value !== null));
    const [low, high] = [Math.min(...seen), Math.max(...seen)].map((value) => Math.log10(Math.max(value, 0.01)));
    return [Math.floor(low), Math.max(Math.ceil(high), Math.floor(low) + 1)];
}

function drawFailures(box, population) {
    const kinds = Object.entries(population ? population.failed : {});
    if (!kinds.length) return empty(box, population ? "No request failed." : "There were no requests.");
    const traces = kinds.map(([kind, counts]) => area(labelOf(kind), rates(counts), colour(kindColour(kind)), "failed", ""));
    const title = { text: narrow() ? "" : "failures/s", standoff: 4 };
    const made = bySecond(narrow() ? 310 : 260, { rangemode: "tozero", title });
    return drawTimed(box, traces, made);
}
